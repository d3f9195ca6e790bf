/**
 * Packages with a built library, one for each system: `npm/<name>/package.json`, in the layout of
 * `@napi-rs/cli`. npm installs the one whose `os`, `cpu` and `libc` fit. Their package.json
 * files are written by `node release/manifests.js`, and packed by `release/packages.js`.
 */

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
    name: 'linux-x64-musl',
    target: 'x86_64-unknown-linux-musl',
    os: 'linux',
    cpu: 'x64',
    libc: 'musl',
  },
  {
    name: 'linux-arm64-gnu',
    target: 'aarch64-unknown-linux-gnu',
    os: 'linux',
    cpu: 'arm64',
    libc: 'glibc',
  },
  {
    name: 'linux-arm64-musl',
    target: 'aarch64-unknown-linux-musl',
    os: 'linux',
    cpu: 'arm64',
    libc: 'musl',
  },
  {
    name: 'linux-arm-gnueabihf',
    target: 'armv7-unknown-linux-gnueabihf',
    os: 'linux',
    cpu: 'arm',
    libc: 'glibc',
  },
  { name: 'darwin-x64', target: 'x86_64-apple-darwin', os: 'darwin', cpu: 'x64' },
  { name: 'darwin-arm64', target: 'aarch64-apple-darwin', os: 'darwin', cpu: 'arm64' },
  { name: 'win32-x64-msvc', target: 'x86_64-pc-windows-msvc', os: 'win32', cpu: 'x64' },
  { name: 'win32-arm64-msvc', target: 'aarch64-pc-windows-msvc', os: 'win32', cpu: 'arm64' },
]);

/** Fields that all packages of the repository share: the root's package.json has them. */
export const SHARED_FIELDS = Object.freeze(
  /** @type {const} */ (['version', 'license', 'author', 'homepage', 'repository', 'bugs']),
);

/** File with the licences of all that is compiled into the library: `node release/notices.js`. */
export const NOTICES_FILE = 'THIRD-PARTY-NOTICES.txt';

/** @param {Platform} platform */
export const packageNameOf = ({ name }) => `@aloud/native-${name}`;

/**
 * Describes the package with a system's library.
 * @param {Platform} platform
 * @param {Record<string, any>} root  the root's package.json
 */
export function packageOf(platform, root) {
  const { name, os, cpu, libc } = platform;
  const main = `aloud.${name}.node`;
  return {
    name: packageNameOf(platform),
    description: `The native addon of aloud, built for ${name}`,
    ...Object.fromEntries(SHARED_FIELDS.map((field) => [field, root[field]])),
    repository: { ...root.repository, directory: `native/npm/${name}` },
    keywords: ['aloud', 'webtransport', 'http3', 'opus', 'napi'],
    main,
    files: [main, NOTICES_FILE],
    engines: root.engines,
    os: [os],
    cpu: [cpu],
    ...(libc && { libc: [libc] }),
  };
}
