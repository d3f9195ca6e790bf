/**
 * Builds the addon for the systems given, into files `aloud.<system>.node`, as the release does.
 *
 *     node release/addons.js --out FOLDER SYSTEM...
 *
 * Systems have the names of native/platforms.js, such as `linux-x64-musl`. Addons for Linux are
 * built on any system, with zig as C compiler and linker. Zig has the headers of each C library,
 * and links with an old glibc. Other addons are built by cargo alone, on a system of their kind.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, realpathSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { PLATFORMS } from '../native/platforms.js';

/** @typedef {import('../native/platforms.js').Platform} Platform */

const NATIVE = fileURLToPath(new URL('../native/', import.meta.url));
const TARGET = join(NATIVE, 'target');

/** Packages of PyPI with zig, and with the command that has cargo use it. */
const ZIG_PACKAGES = ['cargo-zigbuild==0.24.0', 'ziglang==0.15.1'];

/** Oldest glibc that the addons load with; Node.js 20's own builds need it too. */
export const OLDEST_GLIBC = '2.28';

/** Names of the libraries that cargo makes, by Node's name of the system. */
const LIBRARY_NAMES = /** @type {Record<string, string>} */ ({
  darwin: 'libaloud_native.dylib',
  linux: 'libaloud_native.so',
  win32: 'aloud_native.dll',
});

/**
 * Output of the commands: standard output has the addons' paths alone.
 * @type {import('node:child_process').StdioOptions}
 */
const TO_STDERR = ['ignore', 2, 2];

/**
 * Installs packages of PyPI into a folder of their own, unless they are there.
 * @param {string} folder
 * @param {ReadonlyArray<string>} packages  with their versions
 * @returns {string} folder of their programs
 */
export function installFromPypi(folder, packages) {
  const bin = join(folder, process.platform === 'win32' ? 'Scripts' : 'bin');
  if (!existsSync(bin)) execFileSync('python3', ['-m', 'venv', folder], { stdio: TO_STDERR });
  execFileSync(join(bin, 'pip'), ['install', '--quiet', ...packages], { stdio: TO_STDERR });
  return bin;
}

/**
 * The command that builds a system's addon, and its environment.
 * @param {Platform} platform
 * @returns {{ args: string[], env: NodeJS.ProcessEnv }}
 */
function commandOf({ os, libc, target }) {
  const options = ['--release', '--locked', '--target-dir', TARGET, '--target'];
  if (os !== 'linux') return { args: ['build', ...options, target], env: process.env };
  const bin = installFromPypi(join(TARGET, 'zig'), ZIG_PACKAGES);
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
  if (libc === 'glibc') return { args: ['zigbuild', ...options, `${target}.${OLDEST_GLIBC}`], env };
  // Rust's targets of musl make static programs otherwise, and no libraries.
  return {
    args: ['zigbuild', ...options, target],
    env: { ...env, RUSTFLAGS: '-C target-feature=-crt-static' },
  };
}

/**
 * Builds the addon of a system.
 * @param {Platform} platform
 * @param {string} out  folder
 * @returns {string} path of the addon
 * @throws {Error} when a command fails
 */
function buildAddon(platform, out) {
  const { args, env } = commandOf(platform);
  // Rust that doesn't come from rustup has its own way to another target.
  if (spawnSync('rustup', ['--version']).status === 0)
    execFileSync('rustup', ['target', 'add', platform.target], { stdio: TO_STDERR });
  execFileSync('cargo', args, { cwd: NATIVE, env, stdio: TO_STDERR });
  const addon = join(resolve(out), `aloud.${platform.name}.node`);
  copyFileSync(join(TARGET, platform.target, 'release', LIBRARY_NAMES[platform.os]), addon);
  return addon;
}

/**
 * Builds the addons of systems, one after another.
 * @param {ReadonlyArray<string>} names  of the systems
 * @param {string} out  folder
 * @returns {string[]} paths of the addons
 * @throws {Error} for an unknown system, or when a command fails
 */
export function buildAddons(names, out) {
  const platforms = names.map((name) => {
    const platform = PLATFORMS.find((each) => each.name === name);
    if (platform !== undefined) return platform;
    const known = PLATFORMS.map((each) => each.name).join(', ');
    throw new Error(`there is no addon for ${name}; choose from ${known}`);
  });
  mkdirSync(out, { recursive: true });
  return platforms.map((platform) => buildAddon(platform, out));
}

const [, script = ''] = process.argv;
if (existsSync(script) && fileURLToPath(import.meta.url) === realpathSync(script)) {
  const { values, positionals } = parseArgs({
    options: { out: { type: 'string' } },
    allowPositionals: true,
  });
  if (values.out === undefined || positionals.length === 0)
    throw new Error('write --out FOLDER and the names of systems');
  console.log(buildAddons(positionals, values.out).join('\n'));
}
