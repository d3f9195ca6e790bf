import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const HOME = fileURLToPath(new URL('../../../', import.meta.url));

const PAGES = ['README.md', 'CONTRIBUTING.md', 'native/README.md'].concat(
  readdirSync(join(HOME, 'docs')).flatMap((name) => (name.endsWith('.md') ? `docs/${name}` : [])),
);

const TESTS = new Set(
  readdirSync(join(HOME, 'test'), { recursive: true }).map((path) =>
    String(path).split('/').at(-1),
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
    const folders = /^(server|public|worklets|bench|test|docs|certs|native)\/[\w./-]*$/;
    for (const [, name] of read(page).matchAll(/`([^`\s]+)`/g)) {
      if (folders.test(name))
        expect(MADE.test(name) || existsSync(join(HOME, name)), name).toBe(true);
      else if (/^[\w-]+\.test\.js$/.test(name)) expect(TESTS.has(name), name).toBe(true);
    }
  });

  it('has commands whose files are there', () => {
    for (const command of commandsOf(page)) {
      for (const [name] of command.matchAll(/(?<![\w./<-])(test|bench)\/[\w./-]+/g)) {
        expect(MADE.test(name) || existsSync(join(HOME, name)), command).toBe(true);
      }
    }
  });
});
