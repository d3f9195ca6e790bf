/**
 * A bot that records what is said in a room to a file, until the last of the others has left:
 *
 *     node examples/record-room.js http://localhost:8080/r/tea tea.wav
 *
 * Tell those whom you record.
 */

import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { join, writeSound } from 'aloud/client';

/**
 * @param {string} url  the room's link
 * @param {string} file
 */
export async function recordRoom(url, file) {
  const call = await join({ url, name: 'Recorder', listen: true });
  const writer = await writeSound(file, call);
  let hadOthers = false;
  call.on('people', (people) => {
    const others = people.filter(({ you, away }) => !you && !away).length;
    if (hadOthers && others === 0) void call.leave();
    hadOthers ||= others > 0;
  });
  for await (const samples of call.heard) writer.write(samples);
  writer.end();
}

if (argv[1] === fileURLToPath(import.meta.url)) await recordRoom(argv[2], argv[3]);
