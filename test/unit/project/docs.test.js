import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../server/config/config.js';

const HOME = fileURLToPath(new URL('../../../', import.meta.url));

const PAGES = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'certs/README.md',
  'native/README.md',
].concat(
  ['docs', 'bench/docs'].flatMap((folder) =>
    readdirSync(join(HOME, folder)).flatMap((name) =>
      name.endsWith('.md') ? `${folder}/${name}` : [],
    ),
  ),
);

const TESTS = new Set(
  ['test', 'bench/test'].flatMap((folder) =>
    readdirSync(join(HOME, folder), { recursive: true }).map((path) =>
      // Pages name a test by its subject: how it runs may change.
      basename(String(path)).replace(/\..*\.test\.js$/, '.test.js'),
    ),
  ),
);

const BLOCK = /^ *```[\s\S]*?^ *```/gm;

/** @param {string} page */
const readWhole = (page) => readFileSync(join(HOME, page), 'utf8');

/** @param {string} page its text without blocks of code */
const read = (page) => readWhole(page).replace(BLOCK, '');

/** Blocks of code, and code in a line that has more than one word. @param {string} page */
const commandsOf = (page) => [
  ...(readWhole(page).match(BLOCK) ?? []),
  ...(read(page).match(/`[^`]+`/g) ?? []).filter((code) => /\s/.test(code)),
];

/** A command that starts the server with options. */
const START = /(?<=^ *|`|&& )(?:aloud|npm start --) --[^`#|&\n]*/gm;

/** The anchors of a page's headings, as GitHub makes them. @param {string} page */
function anchorsOf(page) {
  const headings = [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Folders that a build, a run or a test makes. */
const MADE = /^(bench\/results|native\/target|test\/output)\//;

describe.each(PAGES)('%s', (page) => {
  it('links to pages and headings that are there', () => {
    for (const [, link] of read(page).matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
      const [path, anchor] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      expect(existsSync(join(HOME, target)), link).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(target), link).toContain(anchor);
    }
  });

  it('names files and folders that are there', () => {
    const folders = /^(server|public|worklets|bench|test|testkit|docs|certs|native)\/[\w./-]*$/;
    for (const [, name] of read(page).matchAll(/`([^`\s]+)`/g)) {
      if (folders.test(name))
        expect(MADE.test(name) || existsSync(join(HOME, name)), name).toBe(true);
      else if (/^[\w-]+\.test\.js$/.test(name)) expect(TESTS.has(name), name).toBe(true);
    }
  });

  it('wraps its prose at 100 columns', () => {
    const lines = read(page).split('\n');
    expect(lines.filter((line) => line.length > 100 && !/^\s*[|<]|^!\[/.test(line))).toEqual([]);
  });

  it('has commands whose files are there', () => {
    for (const command of commandsOf(page)) {
      for (const [name] of command.matchAll(/(?<![\w./<-])(test|testkit|bench)\/[\w./-]+/g)) {
        expect(MADE.test(name) || existsSync(join(HOME, name)), command).toBe(true);
      }
    }
  });

  it('starts the server with options that it accepts', () => {
    const blocks = commandsOf(page).map((block) => block.replace(/ *\\\n */g, ' '));
    for (const command of blocks.flatMap((block) => block.match(START) ?? [])) {
      // A page's own abbreviations and placeholders: `…`, `$SECRET`, `FILE`.
      const [, flags] = command.split(/(?:aloud|npm start --) (?=--)/);
      if (/…|\$|[A-Z]{3}|--version/.test(flags)) continue;
      expect(() => loadConfig({ argv: flags.trim().split(/\s+/) }), command).not.toThrow();
    }
  });
});

it('the glossary has at most 100 terms, each with a meaning and a source or reason', () => {
  const rows = [...read('docs/glossary.md').matchAll(/^\|(.*)\|$/gm)].map(([, row]) =>
    row.split('|').map((cell) => cell.trim()),
  );
  const terms = rows.filter(([term]) => term !== 'term' && term !== '---');
  expect(terms.length).toBeLessThanOrEqual(100);
  for (const cells of terms) expect(cells).toEqual(Array(3).fill(expect.stringMatching(/./)));
});

/** Paths of functions in architecture.md: [function, files that may have it]. */
const FUNCTIONS = [...read('docs/architecture.md').matchAll(/^\| (`[^|]*`) \| (`[^|]*\.js`) \|/gm)]
  .map(([, ...cells]) =>
    cells.map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code)),
  )
  .flatMap(([names, files]) => names.map((name) => /** @type {const} */ ([name, files])));

it('architecture.md follows a frame by more than thirty functions', () => {
  expect(FUNCTIONS.length).toBeGreaterThan(30);
});

it.each(FUNCTIONS)('the function %s is in %j', (name, files) => {
  const [owner, method] = name.split('.');
  const declaration = method
    ? new RegExp(`class ${owner}\\b[^]*^  (static )?(async )?\\*?${method}(\\(| = \\()`, 'm')
    : new RegExp(`^export function ${owner}\\(`, 'm');
  expect(files.some((file) => declaration.test(readWhole(file)))).toBe(true);
});
