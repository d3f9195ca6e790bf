/**
 * Builds the library, unless it has been built from these very sources, or an optional package has
 * it. As the package's install script it never fails: the server has other engines, and another
 * Opus codec. With --must it exits with 1 when there is no library in the end. With --test it runs
 * the tests of the Rust code instead. With --noq it is about the second build, which has noq in
 * quinn's place.
 */

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { IS_INSTALLED, LIBRARY, libraryPath, loadError, NOQ_LIBRARY } from './binding.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const TARGET = process.env.CARGO_TARGET_DIR || join(HERE, 'target');

/**
 * A file that names the sources that the library was built from; an installed package keeps nothing
 * else of the build.
 */
const STAMP = join(IS_INSTALLED ? HERE : TARGET, 'aloud.stamp');
const NOQ_STAMP = join(TARGET, 'aloud-noq.stamp');

/** The second build is without libopus, since the first has it. */
const NOQ_FEATURES = ['--no-default-features', '--features', 'noq'];

/** The oldest Rust that the dependencies build with. */
const RUST = [1, 88];

const LIBRARY_NAMES = /** @type {Record<string, string>} */ ({
  darwin: 'libaloud_native.dylib',
  win32: 'aloud_native.dll',
});

const PROGRESS_MS = 1000;

/** The library can't be built; the message is for people. */
class BuildError extends Error {}

/**
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<{ code: number | null, output: string }>} code is null when there is no such
 *   command
 */
function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: HERE, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (/** @type {Buffer} */ bytes) => {
      output = (output + bytes).slice(-64 * 1024);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', () => resolve({ code: null, output }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/** @throws {BuildError} when something is missing */
async function checkTools() {
  const cargo = await run('cargo', ['--version']);
  if (cargo.code !== 0) throw new BuildError('there is no cargo (https://rustup.rs installs it)');
  const rustc = await run('rustc', ['--version']);
  const [, major, minor] = /rustc (\d+)\.(\d+)/.exec(rustc.output) ?? [];
  const old = Number(major) < RUST[0] || (Number(major) === RUST[0] && Number(minor) < RUST[1]);
  if (!major || old) {
    const found = major ? `rustc is ${major}.${minor}` : 'there is no rustc';
    throw new BuildError(`${found}, and ${RUST.join('.')} or later is needed (rustup update)`);
  }
  if (process.platform !== 'win32' && !(await hasCompiler())) {
    throw new BuildError('there is no C compiler (on Debian: apt-get install gcc libc6-dev)');
  }
}

async function hasCompiler() {
  for (const command of [process.env.CC, 'cc', 'gcc', 'clang']) {
    if (command && (await run(command, ['--version'])).code === 0) return true;
  }
  return false;
}

/** @returns {Promise<string | null>} the tool that libopus can't be built without, in words */
async function missingForOpus() {
  const lacking = async (/** @type {string} */ command) =>
    (await run(command, ['--version'])).code !== 0;
  if (await lacking('cmake')) return 'there is no cmake (on Debian: apt-get install cmake)';
  if (process.platform === 'win32' || !(await lacking('make')) || !(await lacking('ninja')))
    return null;
  return 'there is no make (on Debian: apt-get install make)';
}

/**
 * A hash of all sources and of the system that they are built for.
 * @param {boolean} withOpus
 */
function fingerprint(withOpus) {
  const names = readdirSync(join(HERE, 'src'), { recursive: true }).map(String);
  const sources = names
    .filter((name) => name.endsWith('.rs'))
    .sort()
    .map((name) => join('src', name));
  const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${withOpus}`);
  for (const name of ['Cargo.toml', 'Cargo.lock', 'build.rs', ...sources]) {
    hash.update(`\0${name}\0`).update(readFileSync(join(HERE, name)));
  }
  return hash.digest('hex');
}

/** @param {string} file @param {string} stamp */
const isStamped = (file, stamp) => existsSync(file) && readFileSync(file, 'utf8') === stamp;

/**
 * npm hides what install scripts of packages print, so it goes to the terminal itself, if there is
 * one.
 * @param {string} line
 */
function tell(line) {
  try {
    writeFileSync('/dev/tty', `\naloud: ${line}`);
  } catch {
    process.stderr.write(line);
  }
}

/** Shows that something is going on, where somebody watches. @returns {() => void} ends it */
function showProgress() {
  const text = 'building the native HTTP/3 engine';
  if (!process.stderr.isTTY) {
    tell(
      `${text}, which takes a minute or two (npm install --foreground-scripts shows how ` +
        `far it is)\n`,
    );
    return () => {};
  }
  const start = performance.now();
  const show = () =>
    process.stderr.write(`\r${text}: ${Math.round((performance.now() - start) / 1000)} s `);
  show();
  const timer = setInterval(show, PROGRESS_MS);
  return () => {
    clearInterval(timer);
    process.stderr.write('\n');
  };
}

/**
 * @param {string[]} features
 * @throws {BuildError}
 */
async function compile(features) {
  const cargo = await run('cargo', [
    'build',
    '--release',
    '--locked',
    '--target-dir',
    TARGET,
    ...features,
  ]);
  if (cargo.code === 0) return;
  const [reason = 'cargo failed'] = cargo.output.match(/^error.*$/m) ?? [];
  process.stderr.write(`${cargo.output.trimEnd()}\n`);
  throw new BuildError(`cargo says "${reason}"`);
}

/**
 * Builds the library where that is needed, without libopus where that can't be had.
 * @returns {Promise<string | null>} why it is without
 */
async function build() {
  if (!existsSync(LIBRARY) && libraryPath() !== null && loadError() === null) return null;
  let missing = await missingForOpus();
  if (isStamped(STAMP, fingerprint(missing === null)) && loadError() === null) return missing;
  await checkTools();
  const end = showProgress();
  try {
    if (missing === null) {
      missing = await compile([]).then(
        () => null,
        (/** @type {BuildError} */ { message }) => message,
      );
    }
    if (missing !== null) await compile(['--no-default-features']);
  } finally {
    end();
  }
  putBuilt(LIBRARY);
  if (IS_INSTALLED && !process.env.CARGO_TARGET_DIR)
    rmSync(TARGET, { recursive: true, force: true });
  const useless = loadError();
  if (useless) throw new BuildError(useless);
  writeFileSync(STAMP, fingerprint(missing === null));
  return missing;
}

/**
 * Makes the second build where that is needed.
 * @throws {BuildError}
 */
async function buildNoq() {
  const stamp = fingerprint(false);
  if (isStamped(NOQ_STAMP, stamp) && loadError('bbr3') === null) return;
  await checkTools();
  const end = showProgress();
  await compile(NOQ_FEATURES).finally(end);
  putBuilt(NOQ_LIBRARY);
  const useless = loadError('bbr3');
  if (useless) throw new BuildError(useless);
  writeFileSync(NOQ_STAMP, stamp);
}

/** Puts the library that cargo has built where it is loaded from. @param {string} library */
function putBuilt(library) {
  const name = LIBRARY_NAMES[process.platform] ?? 'libaloud_native.so';
  // Renamed into place, since a running server may have the old one mapped.
  const copy = `${library}.new`;
  copyFileSync(join(TARGET, 'release', name), copy);
  renameSync(copy, library);
}

/** @returns {Promise<string | null>} the tool that the Rust code can't be built without */
const lackingTool = () =>
  checkTools().then(
    () => null,
    (/** @type {BuildError} */ { message }) => message,
  );

/**
 * Runs the Rust code's own tests, among them one of a million turns between QUIC's threads and
 * JavaScript's.
 * @returns {Promise<number | null>} cargo's exit code
 */
async function test() {
  const lacking = await lackingTool();
  if (lacking) {
    console.log(`skipped: the tests in native/src (${lacking})`);
    return 0;
  }
  // As it is built, so that what it depends on isn't compiled a second time.
  const features = isNoq ? NOQ_FEATURES : ['--no-default-features'];
  const { code, output } = await run('cargo', [
    'test',
    '--release',
    '--locked',
    ...features,
    '--target-dir',
    TARGET,
  ]);
  console.log(output);
  return code;
}

/**
 * Checks the Rust code by rustfmt and clippy.
 * @returns {Promise<number | null>} the exit code of the first that finds something
 */
async function lint() {
  const lacking = await lackingTool();
  if (lacking) {
    console.log(`skipped: rustfmt and clippy (${lacking})`);
    return 0;
  }
  const clippy = ['clippy', '--all-targets', '--locked', '--target-dir', TARGET];
  for (const command of [
    ['fmt', '--check'],
    [...clippy, '--', '-D', 'warnings'],
  ]) {
    if ((await run('cargo', [...command.slice(0, 1), '--version'])).code !== 0) {
      console.log(`skipped: cargo ${command[0]} (rustup component add rustfmt clippy)`);
      continue;
    }
    const { code, output } = await run('cargo', command);
    if (code !== 0) {
      console.log(output);
      return code;
    }
  }
  return 0;
}

const isNoq = process.argv.includes('--noq');
if (process.argv.includes('--test')) process.exit(await test());
if (process.argv.includes('--lint')) process.exit(await lint());
const must = process.argv.includes('--must');
try {
  const missing = isNoq ? await buildNoq() : await build();
  if (must) process.stderr.write(`the native HTTP/3 engine${isNoq ? ' with noq' : ''} is built\n`);
  if (missing) {
    process.stderr.write(
      `The native Opus codec was not built: ${missing}. The server takes libopus-wasm instead.\n`,
    );
  }
} catch (error) {
  const reason = error instanceof BuildError ? error.message : String(error);
  const rest = must ? '' : ' The server goes on with its other engines.';
  process.stderr.write(`The native HTTP/3 engine was not built: ${reason}.${rest}\n`);
  process.exitCode = must ? 1 : 0;
}
