/**
 * Measures how other programs read aloud's output. `node bench/readers.js files` shows how exactly
 * they play a recording. `node bench/readers.js listen` shows their start and delay when they play
 * a room's link. Without a word it does both. Missing programs are skipped.
 */

import { measureFiles } from './readers/files.js';
import { measureListening } from './readers/listen.js';

const PARTS = { files: measureFiles, listen: measureListening };
const asked = process.argv.slice(2);
const unknown = asked.find((name) => !(name in PARTS));
if (unknown !== undefined) {
  console.error(`readers.js measures files or listen, and nothing called ${unknown}.`);
  process.exit(2);
}
for (const name of /** @type {(keyof typeof PARTS)[]} */ (
  asked.length > 0 ? asked : Object.keys(PARTS)
)) {
  console.log(`\n${name}\n`);
  await PARTS[name]();
}
