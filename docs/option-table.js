import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { fallbackText } from '../server/config/command-line.js';
import { rangeOf } from '../server/config/option-value.js';
import { OPTIONS } from '../server/config/options.js';

const BEGIN = '<!-- options: written by `npm run docs` -->';
const END = '<!-- end of options -->';

/** The page that holds the table. */
export const CONFIGURATION_PAGE = new URL('configuration.md', import.meta.url);

/** The table of options as Markdown. */
export function optionTable() {
  const rows = OPTIONS.map((option) => {
    const range = rangeOf(option) + (option.unit ? ` ${option.unit}` : '');
    const cells = [
      `\`${option.name}\``,
      range,
      fallbackText(option),
      `\`${option.env}\``,
      option.description,
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    '| option | allowed | default | environment | what it sets |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

/**
 * A page with its table written anew.
 * @param {string} page
 * @throws {Error} when the page has no place for it
 */
export function withOptionTable(page) {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`the page has no lines "${BEGIN}" and "${END}"`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${optionTable()}\n\n${page.slice(end)}`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(CONFIGURATION_PAGE, withOptionTable(readFileSync(CONFIGURATION_PAGE, 'utf8')));
}
