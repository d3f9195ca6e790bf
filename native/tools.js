/** Finds missing tools for building the library, and the commands that install them. */

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { BUILD_COMMAND } from './binding.js';

/**
 * A missing tool; 'rust' is a Rust that is too old.
 * @typedef {'cargo' | 'rust' | 'cc' | 'cmake' | 'make'} Tool
 *
 * @typedef {object} Missing
 * @property {Tool} tool
 * @property {string} what  the missing thing in words, such as "a C compiler"
 *
 * @typedef {object} System
 * @property {string} name     a key of SYSTEMS
 * @property {boolean} [isRoot]  true when commands need no sudo
 */

/** Oldest Rust version that the dependencies support. */
const RUST = [1, 88];

/** Tools without which only libopus can't be built. @type {ReadonlySet<Tool>} */
const FOR_OPUS = new Set(['cmake', 'make']);

/** Installer of Rust where the system's own is missing or often too old. */
const RUSTUP = "curl --proto '=https' -sSf https://sh.rustup.rs | sh -s -- -y";

/**
 * Systems with their installer, and each tool's packages; `rustup` where Rust comes from rustup.
 * @type {Record<string, { install: string, sudo?: string, packages: Record<string, string>,
 *   rustup?: string }>}
 */
const SYSTEMS = Object.freeze({
  // Debian 12 and Ubuntu 24.04 have older Rust versions.
  debian: {
    install: 'apt-get install -y',
    sudo: 'sudo ',
    packages: { cc: 'gcc libc6-dev', cmake: 'cmake', make: 'make', cargo: 'curl ca-certificates' },
    rustup: RUSTUP,
  },
  fedora: {
    install: 'dnf install -y',
    sudo: 'sudo ',
    packages: { cc: 'gcc', cmake: 'cmake', make: 'make', cargo: 'cargo' },
  },
  alpine: {
    install: 'apk add',
    sudo: 'doas ',
    packages: { cc: 'gcc musl-dev', cmake: 'cmake', make: 'make', cargo: 'cargo' },
  },
  arch: {
    install: 'pacman -S --needed --noconfirm',
    sudo: 'sudo ',
    packages: { cc: 'gcc', cmake: 'cmake', make: 'make', cargo: 'rust' },
  },
  suse: {
    install: 'zypper install -y',
    sudo: 'sudo ',
    packages: { cc: 'gcc', cmake: 'cmake', make: 'make', cargo: 'curl' },
    rustup: RUSTUP,
  },
  darwin: {
    install: 'brew install',
    packages: { cmake: 'cmake', cargo: 'rust' },
  },
  win32: {
    install: 'winget install',
    packages: { cmake: 'Kitware.CMake', cargo: 'Rustlang.Rustup' },
  },
});

/** Command of macOS for its C compiler and make. */
const XCODE = 'xcode-select --install';

/** Names of systems in os-release's ID and ID_LIKE, by the system whose commands they have. */
const LIKE = Object.freeze({
  debian: ['debian', 'ubuntu'],
  fedora: ['fedora', 'rhel', 'centos'],
  alpine: ['alpine'],
  arch: ['arch'],
  suse: ['suse', 'opensuse'],
});

/** Environment of the tools: rustup's directory comes first, as in a shell begun after rustup. */
export function toolEnvironment() {
  const cargoBin = join(process.env.CARGO_HOME || join(homedir(), '.cargo'), 'bin');
  return { ...process.env, PATH: `${cargoBin}${delimiter}${process.env.PATH ?? ''}` };
}

/**
 * @param {string} command
 * @returns {Promise<string | null>} the output of `command --version`; null if it can't be run
 */
function versionOf(command) {
  return new Promise((resolve) => {
    const child = spawn(command, ['--version'], {
      env: toolEnvironment(),
      stdio: ['ignore', 'pipe', 'ignore'],
      windowsHide: true,
    });
    let output = '';
    child.stdout.on('data', (bytes) => (output += bytes));
    child.on('error', () => resolve(null));
    child.on('close', (code) => resolve(code === 0 ? output : null));
  });
}

/** @param {(string | undefined)[]} commands @returns {Promise<boolean>} true when one is there */
async function hasOneOf(commands) {
  for (const command of commands) if (command && (await versionOf(command)) !== null) return true;
  return false;
}

/**
 * Lists the tools that are missing here, those for the whole library first.
 * @returns {Promise<Missing[]>}
 */
export async function missingTools() {
  const isWindows = process.platform === 'win32';
  const [cargo, rustc, compiler, cmake, make] = await Promise.all([
    versionOf('cargo'),
    versionOf('rustc'),
    // Cargo looks for Visual Studio, and says so if it isn't there.
    isWindows || hasOneOf([process.env.CC, 'cc', 'gcc', 'clang']),
    hasOneOf(['cmake']),
    isWindows || hasOneOf(['make', 'ninja']),
  ]);
  /** @type {Missing[]} */
  const missing = [];
  const [, major, minor] = /rustc (\d+)\.(\d+)/.exec(rustc ?? '') ?? [];
  if (cargo === null || !major) missing.push({ tool: 'cargo', what: 'cargo (Rust)' });
  else if (Number(major) === RUST[0] && Number(minor) < RUST[1])
    missing.push({
      tool: 'rust',
      what: `Rust ${RUST.join('.')} or later (${major}.${minor} is there)`,
    });
  if (!compiler) missing.push({ tool: 'cc', what: 'a C compiler' });
  if (!cmake) missing.push({ tool: 'cmake', what: 'cmake' });
  if (!make) missing.push({ tool: 'make', what: 'make' });
  return missing;
}

/** @param {Missing[]} missing @returns {Missing[]} tools without which nothing can be built */
export const neededForAll = (missing) => missing.filter(({ tool }) => !FOR_OPUS.has(tool));

/** @param {Missing[]} missing at least one @returns {string} such as "cargo (Rust) and cmake" */
export function listOf(missing) {
  const names = missing.map(({ what }) => what);
  const last = names.pop();
  return names.length > 0 ? `${names.join(', ')} and ${last}` : String(last);
}

/**
 * Finds out which system's commands fit here.
 * @param {{ platform?: string, release?: string | null }} [options] release: text of os-release;
 *   read by default
 * @returns {System | null} null for an unknown system
 */
export function thisSystem({ platform = process.platform, release = readRelease() } = {}) {
  const isRoot = process.getuid?.() === 0;
  if (platform === 'darwin' || platform === 'win32') return { name: platform, isRoot };
  const ids = [...(release ?? '').matchAll(/^ID(?:_LIKE)?="?([^"\n]*)"?$/gm)].flatMap(([, list]) =>
    list.split(' '),
  );
  const found = Object.entries(LIKE).find(([, names]) =>
    ids.some((id) => names.some((name) => id === name || id.startsWith(`${name}-`))),
  );
  return found ? { name: found[0], isRoot } : null;
}

function readRelease() {
  const path = '/etc/os-release';
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

/**
 * Returns the command that installs the missing tools, to be pasted into a terminal.
 * @param {Missing[]} missing
 * @param {System | null} [system]
 * @returns {string | null} null when nothing is missing, or the system is unknown
 */
export function installCommand(missing, system = thisSystem()) {
  if (missing.length === 0 || system === null) return null;
  const { install, sudo = '', packages, rustup } = SYSTEMS[system.name];
  const names = missing.flatMap(({ tool }) => packages[tool] ?? []);
  const commands = [];
  if (system.name === 'darwin' && missing.some(({ tool }) => tool === 'cc' || tool === 'make'))
    commands.push(XCODE);
  if (names.length > 0) commands.push(`${system.isRoot ? '' : sudo}${install} ${names.join(' ')}`);
  if (missing.some(({ tool }) => tool === 'rust' || (tool === 'cargo' && rustup)))
    commands.push(system.name === 'win32' ? 'rustup update' : RUSTUP);
  // PowerShell 5 has no &&.
  return commands.join(system.name === 'win32' ? '; ' : ' && ');
}

/**
 * Says how the library is built here.
 * @returns {Promise<{ missing: string | null, command: string }>} missing: the missing tools in
 *   words, null if all are there; command: one that installs them and builds
 */
export async function buildAdvice() {
  const missing = await missingTools();
  if (missing.length === 0) return { missing: null, command: BUILD_COMMAND };
  const install = installCommand(missing);
  const and = process.platform === 'win32' ? '; ' : ' && ';
  return {
    missing: listOf(missing),
    command: install === null ? BUILD_COMMAND : `${install}${and}${BUILD_COMMAND}`,
  };
}
