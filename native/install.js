/**
 * Builds the library, unless it was built from these very sources, or an optional package has it.
 * The repository's `prepare` script runs it after `npm ci`, and there it never fails: the server
 * has other engines, and another Opus codec. With --must, as for `aloud build`, it fails if there
 * is no library in the end. With --test it runs the tests of the Rust code instead. With --lab or
 * --noq it builds or tests a second library for the lab, with that cargo feature.
 */

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { featureLibrary, IS_INSTALLED, LIBRARY, libraryPath, loadError } from './binding.js';
import { buildAdvice, missingTools, neededForAll, toolEnvironment } from './tools.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const TARGET = process.env.CARGO_TARGET_DIR || join(HERE, 'target');

/**
 * File that names the sources of the built library; an installed package keeps nothing else of the
 * build.
 */
const STAMP = join(IS_INSTALLED ? HERE : TARGET, 'aloud.stamp');

/** Compiler's flags for libopus, and the file that names those of its last build. */
const FLAGS = join('.cargo', 'config.toml');
const FLAGS_STAMP = join(TARGET, 'flags.stamp');

/** Cargo feature of this run; undefined for the product's library. */
const FEATURE = ['lab', 'noq'].find((feature) => process.argv.includes(`--${feature}`));

/** Cargo's option for a build without libopus. */
const BARE = '--no-default-features';

const LIBRARY_NAMES = /** @type {Record<string, string>} */ ({
  darwin: 'libaloud_native.dylib',
  win32: 'aloud_native.dll',
});

const PROGRESS_MS = 1000;

/** Error of an impossible build; the message is for people. */
class BuildError extends Error {}

/**
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<{ code: number | null, output: string }>} code: null if the command is missing
 */
function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: HERE,
      env: toolEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
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

/** @throws {BuildError} when something is missing without which nothing can be built */
async function checkTools() {
  try {
    accessSync(HERE, constants.W_OK);
  } catch {
    throw new BuildError(`this user may not write to ${HERE} (its owner may)`);
  }
  if (neededForAll(await missingTools()).length > 0) throw new BuildError(await lack());
}

/** @returns {Promise<string | null>} missing tools for building libopus, in words */
async function missingForOpus() {
  const missing = await missingTools();
  return neededForAll(missing).length < missing.length ? lack() : null;
}

/** @returns {Promise<string>} all missing tools in words, with the command that ends well */
async function lack() {
  const { missing, command } = await buildAdvice();
  return `this machine lacks ${missing} (${command})`;
}

/** Hashes all sources and the system that they are built for. @param {boolean} withOpus */
function fingerprint(withOpus) {
  const names = readdirSync(join(HERE, 'src'), { recursive: true }).map(String);
  const sources = names
    .filter((name) => name.endsWith('.rs'))
    .sort()
    .map((name) => join('src', name));
  const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${withOpus}`);
  for (const name of ['Cargo.toml', 'Cargo.lock', 'build.rs', FLAGS, ...sources]) {
    hash.update(`\0${name}\0`).update(readFileSync(join(HERE, name)));
  }
  return hash.digest('hex');
}

/** @param {string} file @param {string} stamp */
const isStamped = (file, stamp) => existsSync(file) && readFileSync(file, 'utf8') === stamp;

/** Shows a progress sign on a terminal. @returns {() => void} ends it */
function showProgress() {
  const text = 'building the native HTTP/3 engine';
  if (!process.stderr.isTTY) {
    process.stderr.write(`${text}, which takes a minute or two\n`);
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

/** Removes a libopus that was built with other flags: cargo doesn't see that they changed. */
async function dropOtherOpus() {
  const flags = readFileSync(join(HERE, FLAGS), 'utf8');
  if (isStamped(FLAGS_STAMP, flags)) return;
  await run('cargo', ['clean', '--release', '--package', 'opusic-sys', '--target-dir', TARGET]);
  mkdirSync(TARGET, { recursive: true });
  writeFileSync(FLAGS_STAMP, flags);
}

/** @param {string[]} features @throws {BuildError} */
async function compile(features) {
  await dropOtherOpus();
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
 * Builds the library if needed, without libopus if that is impossible.
 * @returns {Promise<string | null>} reason for the lack of libopus
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
    if (missing !== null) await compile([BARE]);
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
 * Builds the library with a feature, if needed.
 * @param {string} feature
 * @throws {BuildError}
 */
async function buildFeature(feature) {
  const library = featureLibrary(feature);
  const stampFile = join(TARGET, `aloud-${feature}.stamp`);
  const stamp = fingerprint(false);
  if (isStamped(stampFile, stamp) && loadError(library) === null) return;
  await checkTools();
  const end = showProgress();
  // The product's library has libopus.
  await compile([BARE, '--features', feature]).finally(end);
  putBuilt(library);
  const useless = loadError(library);
  if (useless) throw new BuildError(useless);
  writeFileSync(stampFile, stamp);
}

/** Moves the library built by cargo to its place. @param {string} library */
function putBuilt(library) {
  const name = LIBRARY_NAMES[process.platform] ?? 'libaloud_native.so';
  // Renamed into place, because a running server may have the old file mapped. Another build may
  // end at the same moment.
  const copy = `${library}.${process.pid}.new`;
  copyFileSync(join(TARGET, 'release', name), copy);
  renameSync(copy, library);
}

/** @returns {Promise<string | null>} missing tool for building the Rust code */
const lackingTool = () =>
  checkTools().then(
    () => null,
    (/** @type {BuildError} */ { message }) => message,
  );

/**
 * Runs the Rust code's own tests, including a million turns between QUIC's threads and
 * JavaScript's.
 * @returns {Promise<number | null>} cargo's exit code
 */
async function test() {
  const lacking = await lackingTool();
  if (lacking) {
    console.log(`skipped: the tests in native/src (${lacking})`);
    return 0;
  }
  // Uses the dependencies of the build without libopus, so that they aren't compiled twice.
  const { code, output } = await run('cargo', [
    'test',
    '--release',
    '--locked',
    BARE,
    '--features',
    FEATURE ?? 'lab',
    '--target-dir',
    TARGET,
  ]);
  console.log(output);
  return code;
}

/**
 * Checks the Rust code by rustfmt and clippy.
 * @returns {Promise<number | null>} exit code of the first that fails
 */
async function lint() {
  const lacking = await lackingTool();
  if (lacking) {
    console.log(`skipped: rustfmt and clippy (${lacking})`);
    return 0;
  }
  const clippy = ['clippy', '--all-targets', '--locked', '--features', 'lab'];
  for (const command of [
    ['fmt', '--check'],
    [...clippy, '--target-dir', TARGET, '--', '-D', 'warnings'],
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

/**
 * Builds the library and says how it ended.
 * @param {{ must: boolean }} options  must: a missing library is an error
 * @returns {Promise<number>} exit code
 */
export async function buildAndReport({ must }) {
  try {
    const missing = FEATURE ? await buildFeature(FEATURE) : await build();
    if (must)
      process.stderr.write(`the native HTTP/3 engine${FEATURE ? ` (${FEATURE})` : ''} is built\n`);
    if (missing) {
      process.stderr.write(
        `The native Opus codec was not built: ${missing}. The server takes libopus-wasm instead.\n`,
      );
    }
    return 0;
  } catch (error) {
    const reason = error instanceof BuildError ? error.message : String(error);
    const rest = must ? '' : ' The server goes on with its other engines.';
    process.stderr.write(`The native HTTP/3 engine was not built: ${reason}.${rest}\n`);
    return must ? 1 : 0;
  }
}

const [, script = ''] = process.argv;
if (existsSync(script) && fileURLToPath(import.meta.url) === realpathSync(script)) {
  if (process.argv.includes('--test')) process.exit(await test());
  if (process.argv.includes('--lint')) process.exit(await lint());
  process.exitCode = await buildAndReport({ must: process.argv.includes('--must') });
}
