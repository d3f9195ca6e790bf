/**
 * Puts the dependencies into the package, in the versions of the lock file and without what only
 * their authors need. So npm fetches three packages in place of 140, and writes half as many files.
 * Tests have run with these versions.
 */

import { cpSync, readFileSync } from 'node:fs';
import { basename, extname, join, sep } from 'node:path';

/**
 * A package in a lock file.
 * @typedef {object} Locked
 * @property {string} version
 * @property {Record<string, string>} [dependencies]
 */

/** Types, sources of what is there as JavaScript, source maps and manuals. */
const LEFT_OUT = new Set(['.ts', '.mts', '.cts', '.map', '.md', '.markdown', '.flow', '.swf']);
const FOLDERS_LEFT_OUT = new Set([
  '.github',
  'benchmarks',
  'docs',
  'es2015',
  'example',
  'examples',
  'test',
  'tests',
]);

/** A licence stays, whatever its file is called. */
const LICENCE = /licen[cs]e|copying|notice/i;

/** Builds for browsers, or of another module system, which nothing here loads; by package. */
const BUILDS_LEFT_OUT = Object.freeze(
  /** @type {Record<string, RegExp>} */ ({
    '@peculiar/x509': /^build\/x509(\.es)?\.js$/,
    asn1js: /^build\/index\.es\.js$/,
    axios: /^dist\/(?!node(\/|$))/,
    'node-forge': /^dist\//,
    opusscript: /^build\/opusscript_native_nasm\.js$/,
    uplot: /^dist\/uPlot\.(cjs|iife)/,
    zod: /\.cjs$/,
  }),
);

/**
 * Finds where Node.js finds a package from another.
 * @param {Record<string, Locked>} locked  by path
 * @param {string} from  path of the package that needs it; '' for the root
 * @param {string} name
 * @returns {string}
 */
function find(locked, from, name) {
  for (let at = from; ; at = at.slice(0, Math.max(at.lastIndexOf('/node_modules/'), 0))) {
    const path = `${at && `${at}/`}node_modules/${name}`;
    if (path in locked) return path;
    if (at === '') throw new Error(`${name}, which ${from || 'aloud'} needs, is not in the lock`);
  }
}

/**
 * Lists the packages that some need, themselves included.
 * @param {Record<string, Locked>} locked  the lock file's packages, by path
 * @param {ReadonlyArray<string>} names
 * @returns {string[]} their paths, each before those within it
 */
export function neededPackages(locked, names) {
  /** @type {Set<string>} */
  const found = new Set();
  const open = names.map((name) => find(locked, '', name));
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    for (const name of Object.keys(locked[path].dependencies ?? {}))
      open.push(find(locked, path, name));
  }
  return [...found].sort();
}

/**
 * @param {string} name  of the package
 * @param {string} path  of a file in it, or of a folder
 */
function isKept(name, path) {
  const file = basename(path);
  if (file === 'node_modules' || FOLDERS_LEFT_OUT.has(file)) return false;
  if (LICENCE.test(file)) return true;
  if (LEFT_OUT.has(extname(file))) return false;
  return !BUILDS_LEFT_OUT[name]?.test(path.split(sep).join('/'));
}

/**
 * Copies packages and their dependencies into a package.
 * @param {string} root  folder with node_modules and the lock file
 * @param {ReadonlyArray<string>} names
 * @param {string} into
 * @throws {Error} if a package has another version than the lock file says
 */
export function bundle(root, names, into) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  for (const path of neededPackages(packages, names)) {
    const from = join(root, path);
    const { name, version } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
    if (version !== packages[path].version)
      throw new Error(`${name} ${version} is installed, not ${packages[path].version}: npm ci`);
    cpSync(from, join(into, path), {
      recursive: true,
      filter: (each) => each === from || isKept(name, each.slice(from.length + 1)),
    });
  }
}
