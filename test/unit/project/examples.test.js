/** Code in the pages: it can be read by its language, and imports what there is. */

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Linter } from 'eslint';
import { expect, it } from 'vitest';

const HOME = fileURLToPath(new URL('../../../', import.meta.url));

const PAGES = readdirSync(join(HOME, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`)
  .concat('README.md', 'CONTRIBUTING.md', 'native/README.md');

/** Blocks of code in a language: page, number in it, text. @param {string} language */
const blocksOf = (language) =>
  PAGES.flatMap((page) => {
    const text = readFileSync(join(HOME, page), 'utf8');
    const blocks = text.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([^]*?)^\\1\`\`\``, 'gm'));
    return [...blocks].map(([, , code], i) => /** @type {const} */ ([page, i + 1, code]));
  });

/** The files behind the names that pages import from. */
const MODULES = /** @type {Readonly<Record<string, string>>} */ (
  Object.freeze({
    'aloud/client': 'programs/client.js',
    'aloud/browser': 'programs/browser.js',
    'https://talk.example.org/public/aloud.js': 'public/aloud.js',
    '@aloud/native': 'native/index.js',
  })
);

it.each(blocksOf('js'))('%s: its JavaScript %i is a module', (_page, _number, code) => {
  const languageOptions = /** @type {const} */ ({ ecmaVersion: 2023, sourceType: 'module' });
  const messages = new Linter().verify(code, [{ languageOptions }]);
  expect(messages.filter(({ fatal }) => fatal)).toEqual([]);
});

it.each(
  blocksOf('js').flatMap(([page, , code]) =>
    [...code.matchAll(/import \{ ([^}]+) \} from '([^']+)'/g)].map(([, names, from]) => [
      page,
      names,
      from,
    ]),
  ),
)('%s imports %s, which %s has', async (_, names, from) => {
  expect(Object.keys(MODULES)).toContain(from);
  const module = await import(join(HOME, MODULES[from]));
  expect(Object.keys(module)).toEqual(expect.arrayContaining(names.split(', ')));
});

it.each(blocksOf('json'))('%s: its JSON %i is JSON', (_page, _number, code) => {
  expect(() => JSON.parse(code)).not.toThrow();
});

it.each(blocksOf('sh'))('%s: its commands %i are read by a shell', (_page, _number, code) => {
  const { status, stderr } = spawnSync('sh', ['-n'], { input: code, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});
