/**
 * Parts of pages that are written from the code. Each lies between two comments:
 * `<!-- NAME: written by … -->` and `<!-- end of NAME -->`.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** @typedef {Record<string, () => string>} Parts  Markdown by the part's name */

/** @param {string[][]} rows  the first has the heads of the columns */
export function tableOf([heads, ...rows]) {
  const line = (/** @type {string[]} */ cells) => `| ${cells.join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}

/**
 * A page with its parts as the code has them.
 * @param {string} page
 * @param {Parts} parts
 * @throws {Error} when the page has no place for one of them
 */
export function withParts(page, parts) {
  let text = page;
  for (const [name, write] of Object.entries(parts)) {
    const place = new RegExp(`(<!-- ${name}: written by .* -->)[^]*?(<!-- end of ${name} -->)`);
    if (!place.test(text)) throw new Error(`the page has no place for "${name}"`);
    text = text.replace(place, (_, begin, end) => `${begin}\n\n${write()}\n\n${end}`);
  }
  return text;
}

/**
 * Writes the parts of a page where the calling module is what was started.
 * @param {string} module  its import.meta.url
 * @param {URL} page
 * @param {Parts} parts
 */
export function writeWhenStarted(module, page, parts) {
  if (module === pathToFileURL(process.argv[1] ?? '').href)
    writeFileSync(page, withParts(readFileSync(page, 'utf8'), parts));
}
