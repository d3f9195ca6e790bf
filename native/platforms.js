/**
 * Packages with a built library, one for each system: `npm/<name>/package.json`, in the layout of
 * `@napi-rs/cli`.
 *
 * - `node native/platforms.js` writes their package.json files.
 * - `node native/platforms.js --optional` adds them to aloud's optionalDependencies for publishing.
 *   The repository lacks them there, because npm can't install unpublished packages.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * @typedef {object} Platform
 * @property {string} name    as binding.js finds it
 * @property {string} target  Rust's
 * @property {string} os      Node's
 * @property {string} cpu     Node's
 * @property {string} [libc]  npm's
 */

/** @type {readonly Platform[]} */
export const PLATFORMS = Object.freeze([
  {
    name: 'linux-x64-gnu',
    target: 'x86_64-unknown-linux-gnu',
    os: 'linux',
    cpu: 'x64',
    libc: 'glibc',
  },
  {
    name: 'linux-arm64-gnu',
    target: 'aarch64-unknown-linux-gnu',
    os: 'linux',
    cpu: 'arm64',
    libc: 'glibc',
  },
  { name: 'darwin-x64', target: 'x86_64-apple-darwin', os: 'darwin', cpu: 'x64' },
  { name: 'darwin-arm64', target: 'aarch64-apple-darwin', os: 'darwin', cpu: 'arm64' },
  { name: 'win32-x64-msvc', target: 'x86_64-pc-windows-msvc', os: 'win32', cpu: 'x64' },
]);

const ROOT_PACKAGE = fileURLToPath(new URL('../package.json', import.meta.url));

/** @param {string} path */
const readPackage = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** @param {string} path @param {object} content */
const writePackage = (path, content) =>
  writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`);

/** @param {Platform} platform @param {string} version */
export function packageOf({ name, os, cpu, libc }, version) {
  const main = `aloud.${name}.node`;
  return {
    name: `@aloud/native-${name}`,
    version,
    description: `The native addon of aloud, built for ${name}`,
    license: 'MIT',
    main,
    files: [main],
    engines: { node: '>=20' },
    os: [os],
    cpu: [cpu],
    ...(libc && { libc: [libc] }),
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const own = readPackage(ROOT_PACKAGE);
  if (process.argv.includes('--optional')) {
    const packages = PLATFORMS.map(({ name }) => [`@aloud/native-${name}`, own.version]);
    own.optionalDependencies = { ...own.optionalDependencies, ...Object.fromEntries(packages) };
    writePackage(ROOT_PACKAGE, own);
  } else {
    for (const platform of PLATFORMS) {
      const directory = fileURLToPath(new URL(`npm/${platform.name}/`, import.meta.url));
      mkdirSync(directory, { recursive: true });
      writePackage(`${directory}package.json`, packageOf(platform, own.version));
    }
  }
}
