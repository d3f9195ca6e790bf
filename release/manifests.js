/**
 * Writes what all packages share from the root's package.json: the version, the repository's
 * address, the oldest Node.js, the author and the licence. Receivers are the other package.json
 * files, those of the systems' packages, and the lock file. Docs and manifests that name the
 * address or the version are written too.
 *
 *     node release/manifests.js
 */

import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageOf, PLATFORMS, SHARED_FIELDS } from '../native/platforms.js';

/** @typedef {Record<string, any>} Manifest content of a package.json */

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** Folders of the workspaces. */
const WORKSPACES = ['native', 'bench'];

/** Lines of other files, with the address or the version after a fixed beginning. */
const LINES = Object.freeze([
  {
    path: 'docs/installing.md',
    line: /(?<=git clone )\S+/g,
    text: (/** @type {Manifest} */ root) => cloneUrl(root),
  },
  {
    path: 'docs/installing.md',
    line: /(?<=ghcr\.io\/)[\w.-]+\/[\w.-]+(?=:)/g,
    text: (/** @type {Manifest} */ root) => imageName(root),
  },
  {
    path: 'deploy/kubernetes.yaml',
    line: /(?<=registry\.example\.org\/aloud:)[\d.]+\d/g,
    text: (/** @type {Manifest} */ root) => root.version,
  },
  {
    path: 'native/Cargo.toml',
    line: /(?<=^name = "aloud-native"\nversion = ")[^"]+/m,
    text: (/** @type {Manifest} */ root) => root.version,
  },
  {
    path: 'native/Cargo.lock',
    line: /(?<=^name = "aloud-native"\nversion = ")[^"]+/m,
    text: (/** @type {Manifest} */ root) => root.version,
  },
]);

/** @param {Manifest} root */
const cloneUrl = ({ repository }) => repository.url.replace(/^git\+/, '');

/** Name of the image at GitHub's registry, which is in lower case. @param {Manifest} root */
const imageName = (root) =>
  new URL(cloneUrl(root)).pathname
    .slice(1)
    .replace(/\.git$/, '')
    .toLowerCase();

/**
 * Fields of a package.json that follow from the repository's address.
 * @param {string} url
 */
export function addressFields(url) {
  const page = url.replace(/^git\+/, '').replace(/\.git$/, '');
  return { homepage: `${page}#readme`, bugs: { url: `${page}/issues` }, repository: { url } };
}

/** @param {string} path */
const read = (path) => readFileSync(join(ROOT, path), 'utf8');

/** @param {unknown} value */
const json = (value) => `${JSON.stringify(value, null, 2)}\n`;

/**
 * The root's own fields that follow from others of its.
 * @param {Manifest} root
 * @returns {Manifest}
 */
function completed(root) {
  const { homepage, bugs } = addressFields(root.repository.url);
  const dependencies = { ...root.dependencies, '@aloud/native': root.version };
  return { ...root, homepage, bugs, dependencies };
}

/**
 * @param {Manifest} manifest
 * @param {Manifest} root
 * @param {string} directory
 */
const workspaceOf = (manifest, root, directory) => ({
  ...manifest,
  ...Object.fromEntries(SHARED_FIELDS.map((field) => [field, root[field]])),
  repository: { ...root.repository, directory },
  engines: root.engines,
});

/** @param {Manifest} lock @param {Manifest} root */
function lockOf(lock, { version, engines, dependencies }) {
  const packages = {
    ...lock.packages,
    '': { ...lock.packages[''], version, engines, dependencies },
  };
  for (const name of WORKSPACES) packages[name] = { ...packages[name], version, engines };
  return { ...lock, version, packages };
}

/**
 * Texts of all files that share something with the root's package.json, and of that file.
 * @param {Manifest} [edited]  the root's package.json
 * @returns {Map<string, string>} by path
 */
export function sharedFiles(edited = JSON.parse(read('package.json'))) {
  const root = completed(edited);
  const files = new Map([['package.json', json(root)]]);
  for (const name of WORKSPACES) {
    const path = `${name}/package.json`;
    files.set(path, json(workspaceOf(JSON.parse(read(path)), root, name)));
  }
  for (const platform of PLATFORMS)
    files.set(`native/npm/${platform.name}/package.json`, json(packageOf(platform, root)));
  files.set('package-lock.json', json(lockOf(JSON.parse(read('package-lock.json')), root)));
  for (const { path, line, text } of LINES)
    files.set(path, (files.get(path) ?? read(path)).replace(line, text(root)));
  return files;
}

const [, script = ''] = process.argv;
if (existsSync(script) && fileURLToPath(import.meta.url) === realpathSync(script)) {
  for (const [path, text] of sharedFiles()) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), text);
  }
}
