/** @import { Target } from '../target.js' */

import { ControlLines, readControl } from '../../../public/shared/control.js';
import { cleanText, composed, cutCharacters, readName, roomNameError, tidyName } from '../../../public/shared/text.js';
import { readJoin } from '../../../server/room/commands.js';
import { bytesOf, check } from '../target.js';

const MAX_BYTES = 4096;

/** Messages as clients send them. */
export const messages = [
  '{"type":"join","version":1,"room":"lab","name":"Ada"}',
  '{"type":"join","version":1,"room":"lab","name":"Jörg 👩‍🚀","delivery":"reply","serverDelayMs":40,"resume":"abc","frameMs":10,"channels":2}',
  '{"type":"join","version":1,"name":"Ada","mirror":true}',
  '{"type":"mute","muted":true}',
  '{"type":"hand","raised":true}',
  '{"type":"chat","text":"gr\\u00fc\\u00df\\u0301 \\ud83d\\ude00"}',
  '{"type":"volume","person":"1","gain":0.5}',
  '{"type":"delay","serverDelayMs":200}',
  '{"type":"report","lostPercent":1.5,"playoutDelayMs":60,"soundLatencyMs":30,"driftPpm":-12}',
  '{"type":"record","on":true}',
  '{"type":"recordConsent","agreed":true}',
  '{"type":"leave"}',
];

/** @param {Uint8Array} input @param {number} piece bytes at a time */
function read(input, piece) {
  /** @type {unknown[]} */
  const heard = [];
  let faults = 0;
  const lines = new ControlLines({
    maxBytes: MAX_BYTES,
    onMessage: (message) => {
      check(faults === 0, 'nothing is read after a fault');
      heard.push(message);
    },
    onError: () => (faults += 1),
  });
  for (let at = 0; at < input.length; at += piece) lines.push(input.subarray(at, at + piece));
  check(faults <= 1, 'a fault is told once');
  return { heard, faults };
}

/** Lines are the same however they are cut. @type {Target} */
export const controlLines = {
  name: 'control-lines',
  cost: 8,
  valid: [...messages.map((text) => bytesOf(`${text}\n`)), bytesOf(`${messages.join('\n')}\n`)],
  run(input) {
    const whole = read(input, MAX_BYTES * 4);
    const cut = read(input, 1 + (input.length > 0 ? input[0] % 7 : 0));
    check(JSON.stringify(whole) === JSON.stringify(cut), 'messages are the same however they are cut');
  },
};

/** What a session's first message asks for is understood or refused, and names are as they should be. @type {Target} */
export const controlMessages = {
  name: 'control-messages',
  cost: 8,
  valid: messages.map((text) => bytesOf(`\u0014${text}`)),
  run(input) {
    const message = /** @type {any} */ (readControl(input));
    const wish = readJoin(message);
    if (typeof wish === 'string') return;
    const name = tidyName(wish.name);
    check(readName(wish.name).error === null && (wish.mirror || roomNameError(wish.room) === null), 'names are good');
    check(tidyName(name) === name, 'a tidy name is tidy');
    check(cutCharacters(cleanText(composed(wish.name)), 5).length <= wish.name.length * 4 + 20, 'a text stays short');
  },
};
