import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { scenarios } from '../../scenarios/index.js';
import { scenarioCommand } from '../../scenarios/scenario-command.js';

const HOME = fileURLToPath(new URL('../../../', import.meta.url));

const PAGES = ['README.md', 'native/README.md'].concat(
  ['docs', 'bench/docs'].flatMap((folder) =>
    readdirSync(`${HOME}${folder}`).flatMap((name) =>
      name.endsWith('.md') ? `${folder}/${name}` : [],
    ),
  ),
);

const BLOCK = /^ *```[\s\S]*?^ *```/gm;

/** A page's own placeholders, and folders that aren't there. */
const PLACEHOLDER = /…|--help|--against|\b[A-Z]{3,}\b/;

/**
 * Commands of scenarios with options, in blocks and in sentences, without `npm run bench --`.
 * @param {string} text of a page
 */
function commandsOf(text) {
  const lines = (text.match(BLOCK) ?? []).flatMap((block) => block.split('\n'));
  const codes = [...text.replace(BLOCK, '').matchAll(/`([^`]+)`/g)].map(([, code]) => code);
  return [...lines, ...codes]
    .map((code) => code.replace(/#.*/, '').replace(/\s+/g, ' ').trim())
    .map((code) => code.replace(/^npm run bench -- /, ''))
    .filter((code) => /^[\w-]+ --\w/.test(code) && !PLACEHOLDER.test(code))
    .filter((code) => scenarios.some(({ name }) => name === code.split(' ')[0]));
}

/** @param {string} command @returns {string[]} its words; those in quotation marks are one */
const wordsOf = (command) =>
  (command.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));

/** @param {string} command @throws {Error} where its scenario has no such option or value */
function parse(command) {
  const [name, ...argv] = wordsOf(command);
  const scenario = /** @type {import('../../scenarios/scenario.js').Scenario} */ (
    scenarios.find((one) => one.name === name)
  );
  scenarioCommand(scenario)
    .exitOverride()
    .configureOutput({ writeErr() {} })
    .parse(argv, { from: 'user' });
}

it.each(PAGES)('%s has commands of the lab that their scenarios accept', (page) => {
  for (const command of commandsOf(readFileSync(`${HOME}${page}`, 'utf8')))
    expect(() => parse(command), command).not.toThrow();
});

it('commands are found in blocks and sentences, and an option that is none is named', () => {
  const found = commandsOf(
    '```sh\nnpm run bench -- rtt --duration 5 # seconds\n```\n' +
      'By `sweep --sweeps\nloss` or `loss 5 %`.',
  );
  expect(found).toEqual(['rtt --duration 5', 'sweep --sweeps loss']);
  for (const command of found) expect(() => parse(command)).not.toThrow();
  expect(() => parse('sweep --sweeps lost')).toThrow(/lost/);
  expect(() => parse('rtt --patience 5')).toThrow(/--patience/);
});
