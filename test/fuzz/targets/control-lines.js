/** @import { Target } from '../target.js' */

import { ControlLines, readControl } from '../../../public/shared/wire/control.js';
import {
  cleanText,
  composed,
  cutCharacters,
  readName,
  roomNameError,
  tidyName,
} from '../../../public/shared/text.js';
import { readJoin } from '../../../server/host/arrivals.js';
import { bytesOf, check } from '../target.js';

const MAX_BYTES = 4096;

/**
 * First messages as clients send them. The first is of a room where somebody is, the last of one
 * where nobody is.
 */
export const joins = [
  '{"type":"join","version":1,"room":"lab","name":"Ada"}',
  '{"type":"join","version":1,"room":"lab","name":"Jörg ' +
    '👩‍🚀","delivery":"reply","serverDelayMs":40,"resume":"abc","frameMs":10,"channels":2}',
  '{"type":"join","version":1,"name":"Ada","mirror":true}',
  '{"type":"join","version":1,"room":"lab","name":"Lea","listen":true,"stage":"c3RhZ2U",' +
    '"nearness":"steady"}',
  '{"type":"join","version":1,"room":"lab","name":"Ada",' +
    '"token":"eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJtYWluIn0.c2ln","password":"correct horse"}',
  '{"type":"join","version":1,"room":"own","name":"Ada","password":"p\\u00e4ss","delivery":"tick"}',
];

/** Commands of a participant. */
export const commands = [
  '{"type":"mute","muted":true}',
  '{"type":"hand","raised":true}',
  '{"type":"chat","text":"gr\\u00fc\\u00df\\u0301 \\ud83d\\ude00"}',
  '{"type":"volume","person":"1","gain":0.5}',
  '{"type":"volume","person":"1","gain":4,"pan":-0.25}',
  '{"type":"delay","serverDelayMs":200}',
  '{"type":"report","lostPercent":1.5,"playoutDelayMs":60,"soundLatencyMs":30,"driftPpm":-12}',
  '{"type":"rate","bitsPerSecond":64000}',
  '{"type":"nearness","nearness":"steady","fill":true}',
  '{"type":"record","on":true}',
  '{"type":"recordConsent","agreed":true}',
  '{"type":"metronome","bpm":120.5,"beats":3}',
  '{"type":"metronome","bpm":null}',
  '{"type":"track","action":"offer","name":"song.opus","seconds":12.5}',
  '{"type":"track","action":"play"}',
  '{"type":"track","action":"stop"}',
  '{"type":"track","action":"remove"}',
  '{"type":"title","title":"Caf\\u00e9 \\u2013 Live"}',
  '{"type":"nearness","nearness":"near","fill":true}',
  '{"type":"rate","bitsPerSecond":64000}',
  '{"type":"group","group":1}',
  '{"type":"leave"}',
];

/**
 * Commands of a moderator. The ids are those of the first participants, bans and knocks. A command
 * that ends the call is last.
 */
export const moderation = [
  '{"type":"moderate","action":"mute","person":"1","muted":true}',
  '{"type":"moderate","action":"lower-hand","person":"2"}',
  '{"type":"moderate","action":"listeners","after":"3","find":"le"}',
  '{"type":"people","after":"100"}',
  '{"type":"moderate","action":"role","person":"1","role":"listener"}',
  '{"type":"moderate","action":"lock","on":true}',
  '{"type":"moderate","action":"lobby","on":true}',
  '{"type":"moderate","action":"admit","knock":"1"}',
  '{"type":"moderate","action":"turn-away","knock":"2"}',
  '{"type":"moderate","action":"allow","what":"chat","who":"moderators"}',
  '{"type":"moderate","action":"password","password":"correct horse"}',
  '{"type":"moderate","action":"password","password":null}',
  '{"type":"moderate","action":"bans"}',
  '{"type":"moderate","action":"stream-key","on":true}',
  '{"type":"moderate","action":"groups","count":3,"evenly":true,"choose":true}',
  '{"type":"moderate","action":"group","person":"2","group":1}',
  '{"type":"moderate","action":"groups-speak","on":true}',
  '{"type":"moderate","action":"groups-back","seconds":30}',
  '{"type":"moderate","action":"interpret","person":"2","language":"pt-BR"}',
  '{"type":"captions","want":true,"write":true}',
  '{"type":"caption","text":"Good morning","lang":"en-GB","final":false,"seconds":1.5}',
  '{"type":"group","group":2}',
  '{"type":"language","language":"pt-BR"}',
  '{"type":"moderate","action":"unban","ban":"1"}',
  '{"type":"moderate","action":"remove","person":"2","banSeconds":60}',
  '{"type":"moderate","action":"broadcast","on":true}',
  '{"type":"moderate","action":"groups","count":2,"choose":true}',
  '{"type":"moderate","action":"group","person":"1","group":1}',
  '{"type":"moderate","action":"groups-speak","on":true}',
  '{"type":"moderate","action":"groups-back","seconds":5}',
  '{"type":"moderate","action":"mode","mode":"auto"}',
  '{"type":"moderate","action":"end"}',
];

/** All of them. */
export const messages = [...joins, ...commands, ...moderation];

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
  valid: [
    ...messages.map((text) => bytesOf(`${text}\n`)),
    ...[joins, commands, moderation].map((texts) => bytesOf(`${texts.join('\n')}\n`)),
  ],
  run(input) {
    const whole = read(input, MAX_BYTES * 4);
    const cut = read(input, 1 + (input.length > 0 ? input[0] % 7 : 0));
    check(
      JSON.stringify(whole) === JSON.stringify(cut),
      'messages are the same however they are cut',
    );
  },
};

/**
 * A session's first message is understood or refused, and names are valid.
 * @type {Target}
 */
export const controlMessages = {
  name: 'control-messages',
  cost: 8,
  valid: messages.map((text) => bytesOf(`\u0014${text}`)),
  run(input) {
    const message = /** @type {any} */ (readControl(input));
    const wish = readJoin(message);
    if (typeof wish === 'string') return;
    const name = tidyName(wish.name);
    check(
      readName(wish.name).error === null && (wish.mirror || roomNameError(wish.room) === null),
      'names are good',
    );
    check(tidyName(name) === name, 'a tidy name is tidy');
    check(
      cutCharacters(cleanText(composed(wish.name)), 5).length <= wish.name.length * 4 + 20,
      'a text stays short',
    );
  },
};
