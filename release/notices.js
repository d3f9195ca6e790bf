/**
 * Writes the licence notices of all code in the addon: the crates, and the C libraries within them
 * (libopus, mimalloc, ring's parts of BoringSSL). Each system's package and the image have the
 * file.
 *
 *     node release/notices.js
 *
 * Needs cargo. A crate that offers MIT beside other licences is used under MIT.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NOTICES_FILE, PLATFORMS } from '../native/platforms.js';

/**
 * A crate as cargo tells of it.
 * @typedef {object} Crate
 * @property {string} id
 * @property {string} name
 * @property {string} version
 * @property {string} license
 * @property {string | null} repository
 * @property {string[]} authors
 * @property {string} manifest_path
 * @property {{ kind: string[] }[]} targets
 *
 * @typedef {object} Metadata
 * @property {Crate[]} packages
 * @property {{ root: string, nodes: { id: string, deps: { pkg: string,
 *   dep_kinds: { kind: string | null }[] }[] }[] }} resolve
 */

const NATIVE = fileURLToPath(new URL('../native/', import.meta.url));

/** The file with the notices. */
export const NOTICES = join(NATIVE, NOTICES_FILE);

const LICENCE_FILE = /^(un)?(licen[cs]e|copying|copyright|notice)([-.\w]*)$/i;

/** A source file whose name begins like a licence's. */
const SOURCE_FILE = /\.(rs|c|h|go|toml|json|py)$/i;

/** First words of the text of MIT, and the title of Apache's. */
const MIT = /permission is hereby granted, free of charge/i;
const APACHE = /^\s*Apache License\s+Version 2\.0/;

/** Text of MIT for crates that have no file of it (SPDX's). */
const MIT_TEXT = `\
Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute,
sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial
portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES
OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** Length of the line between two notices. */
const RULE = '-'.repeat(80);

/** @returns {Metadata} */
function readMetadata() {
  const systems = PLATFORMS.flatMap(({ target }) => ['--filter-platform', target]);
  const args = ['metadata', '--locked', '--format-version', '1', ...systems];
  const options = /** @type {const} */ ({ cwd: NATIVE, encoding: 'utf8', maxBuffer: 2 ** 28 });
  return JSON.parse(execFileSync('cargo', args, { ...options, stdio: 'pipe' }));
}

/**
 * Finds the crates that are compiled into the library of any system: not those of tests, build
 * scripts and macros, which leave nothing in it.
 * @param {Metadata} metadata
 * @returns {Crate[]} by name and version
 */
function compiledCrates({ packages, resolve }) {
  const crates = new Map(packages.map((crate) => [crate.id, crate]));
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  /** @type {Set<string>} */
  const found = new Set();
  const open = [resolve.root];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const { pkg, dep_kinds: kinds } of nodes.get(id)?.deps ?? []) {
      const isMacro = crates.get(pkg)?.targets.some(({ kind }) => kind.includes('proc-macro'));
      if (isMacro || found.has(pkg) || kinds.every(({ kind }) => kind !== null)) continue;
      found.add(pkg);
      open.push(pkg);
    }
  }
  const key = (/** @type {Crate} */ { name, version }) => `${name} ${version}`;
  return packages
    .filter(({ id }) => found.has(id))
    .toSorted((a, b) => (key(a) < key(b) ? -1 : Number(key(a) > key(b))));
}

/**
 * Texts of a crate's licences, and of the libraries within it.
 * @param {Crate} crate
 * @returns {string[]}
 */
function textsOf({ license, authors, manifest_path: manifest }) {
  const directory = dirname(manifest);
  const files = readdirSync(directory, { recursive: true })
    .map(String)
    .filter((path) => {
      const [name] = path.split(/[\\/]/).slice(-1);
      return LICENCE_FILE.test(name) && !SOURCE_FILE.test(name);
    })
    .sort();
  const texts = files.flatMap((path) => {
    try {
      return [readFileSync(join(directory, path), 'utf8')];
    } catch {
      // A folder of this name.
      return [];
    }
  });
  const isMit = /\bMIT\b/.test(license);
  const kept = isMit ? texts.filter((text) => !APACHE.test(text)) : texts;
  if (isMit && !kept.some((text) => MIT.test(text)))
    kept.push(`Copyright (c) ${authors.join(', ') || 'its authors'}\n\n${MIT_TEXT}`);
  return kept.map((text) =>
    text
      .replaceAll('\r\n', '\n')
      .replaceAll('\f', '')
      .replace(/[ \t]+$/gm, '')
      .trim(),
  );
}

/**
 * @returns {string} all notices, each text once with the crates that it is of
 * @throws {Error} without cargo, or for a crate without a licence's text
 */
export function collectNotices() {
  const crates = compiledCrates(readMetadata());
  /** @type {Map<string, Set<string>>} */
  const byText = new Map();
  for (const crate of crates) {
    const texts = textsOf(crate);
    if (texts.length === 0) throw new Error(`${crate.name} has no text of ${crate.license}`);
    for (const text of texts) {
      const name = `${crate.name} ${crate.version}`;
      byText.set(text, (byText.get(text) ?? new Set()).add(name));
    }
  }
  const list = crates.map(
    ({ name, version, license, repository }) =>
      `${name} ${version} (${license})${repository ? `, ${repository}` : ''}`,
  );
  const notices = [...byText].map(
    ([text, names]) => `${RULE}\n${[...names].join(', ')}\n${RULE}\n\n${text}\n`,
  );
  return [
    "The addon of aloud contains Rust's standard library (MIT OR Apache-2.0,",
    'https://github.com/rust-lang/rust), and the following crates. opusic-sys contains libopus,',
    'libmimalloc-sys contains mimalloc, and ring contains parts of BoringSSL.',
    '',
    ...list,
    '',
    ...notices,
  ].join('\n');
}

const [, script = ''] = process.argv;
if (existsSync(script) && fileURLToPath(import.meta.url) === realpathSync(script))
  writeFileSync(NOTICES, collectNotices());
