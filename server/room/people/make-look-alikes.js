/**
 * Writes look-alikes.txt from Unicode's confusables.txt. To be run for each new version of Unicode:
 *
 *     curl -O https://www.unicode.org/Public/security/latest/confusables.txt
 *     node server/room/people/make-look-alikes.js confusables.txt
 *
 * ICU's sources have the file too, as icu4c/source/data/unidata/confusables.txt. A second argument
 * names another file to be written.
 */

import { readFileSync, writeFileSync } from 'node:fs';

/** A line: the character; its prototype's characters; the type. All in hexadecimal. */
const LINE = /^([0-9A-F]+)\s*;\s*([0-9A-F ]+?)\s*;/;

const VERSION = /^# Version: (\S+)/m;

const TERMS = 'Copyright © Unicode, Inc. Unicode License v3: https://www.unicode.org/license.txt';

/** Command that makes the table again. */
const MADE =
  'node server/room/people/make-look-alikes.js confusables.txt, of ' +
  'https://www.unicode.org/Public/security/latest/';

const hex = (/** @type {number} */ number) => number.toString(16);
const parse = (/** @type {string} */ number) => Number.parseInt(number, 16);

/** @param {string} text  of confusables.txt */
function read(text) {
  /** @type {Map<string, number[]>} */
  const characters = new Map();
  for (const line of text.split('\n')) {
    const [, character, prototype] = LINE.exec(line) ?? [];
    if (!character) continue;
    const key = prototype.split(' ').map(parse).map(hex).join(' ');
    characters.set(key, [...(characters.get(key) ?? []), parse(character)]);
  }
  return { version: VERSION.exec(text)?.[1] ?? 'unknown', characters };
}

/** Numbers in their order, each as its distance from the one before. @param {number[]} numbers */
const distances = (numbers) =>
  numbers
    .toSorted((one, other) => one - other)
    .map((number, i, sorted) => hex(number - (sorted[i - 1] ?? 0)));

const [path, to = new URL('look-alikes.txt', import.meta.url)] = process.argv.slice(2);
if (path === undefined) throw new TypeError('Say where confusables.txt is.');
const { version, characters } = read(readFileSync(path, 'utf8'));
const head = [
  'A prototype, and the characters that look like it, each as its distance from the one before, ' +
    `in hexadecimal: confusables.txt of Unicode ${version}.`,
  `Made by: ${MADE}`,
  TERMS,
];
const lines = [
  ...head.map((line) => `# ${line}`),
  ...[...characters].map(([prototype, all]) => `${prototype}:${distances(all).join(' ')}`),
];
writeFileSync(to, `${lines.join('\n')}\n`);
