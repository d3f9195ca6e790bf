/**
 * A bot that plays a sound when somebody raises a hand, and echoes chat messages that begin with
 * "echo":
 *
 *     node examples/answer-hands.js http://localhost:8080/r/tea welcome.wav
 */

import { argv, exit } from 'node:process';
import { fileURLToPath } from 'node:url';
import { join, readSound } from 'aloud/client';

/** @param {string} url the room's link @param {string} clip sound file that it plays */
export async function answerHands(url, clip) {
  const call = await join({ url, name: 'Host', hear: false });
  /** @type {Float32Array[]} */
  const pieces = [];
  for await (const piece of readSound(clip, call)) pieces.push(piece);
  /** People whose hand was up at the last check. @type {Set<string>} */
  let raised = new Set();
  call.on('people', (people) => {
    const now = new Set(people.filter(({ hand, you }) => hand > 0 && !you).map(({ id }) => id));
    if ([...now].some((id) => !raised.has(id)))
      for (const piece of pieces) call.say(piece).catch(({ message }) => console.error(message));
    raised = now;
  });
  call.on('chat', ({ name, text }) => {
    if (text.startsWith('echo ')) call.chat(`${name} says: ${text.slice(5)}`);
  });
  return call;
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  if (argv.length !== 4) {
    console.error('Usage: node examples/answer-hands.js LINK CLIP.wav');
    exit(2);
  }
  await answerHands(argv[2], argv[3]);
}
