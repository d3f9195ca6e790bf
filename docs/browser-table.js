/**
 * Runs the tests that each browser can run, and writes what came of them into the page about
 * browsers: `node docs/browser-table.js`.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tableOf as markdownTable, writeWhenStarted } from './tables.js';

const PAGE = new URL('browsers.md', import.meta.url);

/**
 * @typedef {object} Outcome  of a test
 * @property {string[]} ancestorTitles
 * @property {string} title
 * @property {string} status  'passed', 'failed', or what else Vitest has
 * @property {{ browser?: string }} [meta]  the browser with its version
 *
 * @typedef {Map<string, Map<string, Record<string, number>>>} Table by area, by browser, by
 *   outcome: numbers of tests
 */

/**
 * @param {Outcome[]} outcomes
 * @returns {Table} by what the tests are about, which their descriptions say before `in` and the
 *   browser's name
 */
export function tableOf(outcomes) {
  /** @type {Table} */
  const table = new Map();
  for (const { ancestorTitles, status, meta } of outcomes) {
    if (!meta?.browser) continue;
    const [name] = meta.browser.split(' ');
    const area = (ancestorTitles[0] ?? '').replace(new RegExp(`,? in ${name}$`), '');
    const row = table.get(area) ?? new Map();
    const cell = row.get(meta.browser) ?? {};
    const outcome = WORDS[status] ?? status;
    cell[outcome] = (cell[outcome] ?? 0) + 1;
    row.set(meta.browser, cell);
    table.set(area, row);
  }
  return table;
}

/**
 * Names of outcomes: a test is skipped when its machine was disturbed each time.
 * @type {Record<string, string>}
 */
const WORDS = { skipped: 'not judged', pending: 'not judged' };

/** @param {Record<string, number>} cell */
const inWords = (cell) =>
  Object.entries(cell)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(', ');

/** @param {Table} table @returns {string} as Markdown */
export function markdownOf(table) {
  const browsers = [...new Set([...table.values()].flatMap((row) => [...row.keys()]))].toSorted();
  return markdownTable([
    ['tests', ...browsers],
    ...[...table].map(([area, row]) => [
      area,
      ...browsers.map((browser) => inWords(row.get(browser) ?? {})),
    ]),
  ]);
}

/**
 * @param {string} browser as ALOUD_TEST_BROWSER takes it
 * @param {string} folder
 * @returns {Outcome[]}
 */
function run(browser, folder) {
  const file = join(folder, `${browser}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  spawnSync('npx', ['vitest', 'run', '--project', 'browsers', ...reporters], {
    env: { ...process.env, ALOUD_TEST_BROWSER: browser },
    stdio: 'inherit',
  });
  return JSON.parse(readFileSync(file, 'utf8')).testResults.flatMap(
    (/** @type {any} */ { assertionResults }) => assertionResults,
  );
}

function browserTable() {
  const folder = mkdtempSync(join(tmpdir(), 'aloud-browsers-'));
  const outcomes = ['chromium', 'firefox'].flatMap((browser) => run(browser, folder));
  rmSync(folder, { recursive: true });
  return markdownOf(tableOf(outcomes));
}

writeWhenStarted(import.meta.url, PAGE, { browsers: browserTable });
