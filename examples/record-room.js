/**
 * A bot that records a room's sound to a file, until the last person has left:
 *
 *     node examples/record-room.js http://localhost:8080/r/tea tea.wav
 *
 * Tell people that you record them.
 */

import { argv, exit } from 'node:process';
import { fileURLToPath } from 'node:url';
import { join, writeSound } from 'aloud/client';

/**
 * Time after the last person has left until it leaves, in milliseconds. The sound is 1.5 s behind
 * the room.
 */
const LINGER_MS = 2500;

/** @param {string} url the room's link @param {string} file */
export async function recordRoom(url, file) {
  const call = await join({ url, name: 'Recorder', listen: true, nearness: 'steady' });
  const writer = await writeSound(file, call);
  let hadOthers = false;
  call.on('people', (people) => {
    const others = people.filter(({ you, away }) => !you && !away).length;
    if (hadOthers && others === 0) setTimeout(() => call.leave(), LINGER_MS);
    hadOthers ||= others > 0;
  });
  for await (const samples of call.heard) writer.write(samples);
  writer.end();
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  if (argv.length !== 4) {
    console.error('Usage: node examples/record-room.js LINK FILE.wav');
    exit(2);
  }
  await recordRoom(argv[2], argv[3]);
}
