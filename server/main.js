#!/usr/bin/env node
import { closeSync, existsSync, openSync } from 'node:fs';
import { constants, devNull } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../public/shared/clock.js';
import { compactHeap, limitYoungGeneration } from './heap.js';
import { FILES_ADVICE, isFileShortage, limitOfFiles, watchOpenFiles } from './open-files.js';
import { VERSION } from './packages.js';

/** Exit codes for a bad setting, and for an unexpected error. */
const EXIT_SETTING = 2;
const EXIT_UNEXPECTED = 1;

/** Share of the time for draining that is for closing, in milliseconds. */
const CLOSE_MS = 5000;

/**
 * Longest time for a closing server to end everything, in milliseconds. It is above the limits of
 * its parts together: 3 s for worker threads, 2 s for transports and 2 s for webhooks.
 */
const CLOSE_LIMIT_MS = 8000;

/** @typedef {import('./config/config.js').Config} Config */
/**
 * @typedef {{ report: string[], drain: (ms: number) => Promise<void>, close: () => Promise<void> }}
 *   RunningServer
 */

/** Oldest Node.js that runs it, and aloud's own directory. */
const NODE_MAJOR = 20;
const HOME = fileURLToPath(new URL('..', import.meta.url));

/** Open files with which all packages can be loaded at once. */
const ENOUGH_FILES = 1024;

/** True when stacks of unexpected errors are shown; set once there is a config. */
let debug = false;

/**
 * Ends the process with one line about the reason.
 * @param {unknown} error
 * @returns {never}
 */
function fail(error) {
  const setting = error instanceof Error && 'option' in error;
  const missing = missingPackage(error);
  const isShortage = isFileShortage(error) || (missing !== null && isUnreadable(missing));
  if (missing !== null && !isShortage) {
    console.error(
      `aloud: the package ${missing} is missing: npm ci in ${HOME} installs all of them`,
    );
    process.exit(EXIT_UNEXPECTED);
  }
  if (setting) console.error(error.message);
  else if (isShortage) console.error(`aloud: no more files can be opened; ${FILES_ADVICE}`);
  else if (debug && error instanceof Error) console.error(error.stack);
  else if (error instanceof Error) console.error(`aloud: unexpected: ${firstLine(error.message)}`);
  else console.error(`aloud: unexpected: ${error}`);
  if (!setting && !debug) console.error('aloud: --log debug shows where');
  process.exit(setting ? EXIT_SETTING : EXIT_UNEXPECTED);
}

/**
 * @param {unknown} error
 * @returns {string | null} name of the package that an import didn't find
 */
function missingPackage(error) {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_MODULE_NOT_FOUND')
    return null;
  return /Cannot find package '([^']+)'/.exec(error.message)?.[1] ?? null;
}

/**
 * True for a package that is there, but couldn't be read because too few files may be open. Node.js
 * reports it as not found.
 * @param {string} name  of the package, or a file in its directory
 */
function isUnreadable(name) {
  const directory = isAbsolute(name) ? dirname(name) : join(HOME, 'node_modules', name);
  if (!existsSync(directory)) return false;
  try {
    closeSync(openSync(devNull, 'r'));
    return (limitOfFiles() ?? Infinity) < ENOUGH_FILES;
  } catch (shortage) {
    return isFileShortage(shortage);
  }
}

/** @param {string} text */
const firstLine = (text) => text.split('\n', 1)[0];

if (Number.parseInt(process.versions.node, 10) < NODE_MAJOR) {
  console.error(`aloud needs Node.js ${NODE_MAJOR} or later; this is ${process.version}`);
  process.exit(EXIT_UNEXPECTED);
}

// Not imported above: without the packages of npm that would end in a stack.
const [{ InformationRequest, loadConfig }, { partsOf, readLog }, { createLog }] = await Promise.all(
  [import('./config/config.js'), import('./config/readers.js'), import('./log.js')],
).catch(fail);

/**
 * @param {string[]} argv
 * @param {import('./plugin.js').Plugin} plugin
 * @param {(old: import('./config/config.js').Replacement) => void} onOld
 * @returns {Readonly<Config>}
 */
function readConfig(argv, { options }, onOld) {
  try {
    return loadConfig({ argv, env: process.env, version: VERSION, more: options, onOld });
  } catch (error) {
    if (!(error instanceof InformationRequest)) throw error;
    process.stdout.write(error.text);
    process.exit(0);
  }
}

/**
 * Closes the server at the first signal, and stops waiting at the second. SIGTERM, from a service
 * manager, gives calls time to end; SIGINT, from the keyboard, doesn't.
 * @param {RunningServer} server
 * @param {number} drainSeconds  all closing included
 * @param {import('./log.js').Log} log
 * @returns {() => void} does the same as the first SIGTERM; nothing if the server is closing
 */
function closeOnSignals(server, drainSeconds, log) {
  const close = () => {
    // The process ends once nothing is open; the timer is for when something stays open.
    setTimeout(
      () => fail(new Error(`the server was not closed within ${CLOSE_LIMIT_MS} ms`)),
      CLOSE_LIMIT_MS,
    ).unref();
    server.close().catch(fail);
  };
  let closing = false;
  let signalled = false;
  /** @param {'SIGINT' | 'SIGTERM'} signal */
  const begin = (signal) => {
    if (closing) return;
    closing = true;
    const drainMs = signal === 'SIGTERM' ? drainSeconds * 1000 - CLOSE_MS : 0;
    log.info(
      { event: 'closing', signal, drainSeconds: drainMs > 0 ? drainSeconds : 0 },
      'closing; another signal stops at once',
    );
    if (drainMs > 0) server.drain(drainMs).then(close, fail);
    else close();
  };
  /** @param {'SIGINT' | 'SIGTERM'} signal */
  const onSignal = (signal) => {
    // The first SIGTERM after a drain over HTTP comes from a service manager, which waits for the
    // same end.
    if (closing && (signalled || signal === 'SIGINT'))
      process.exit(128 + constants.signals[signal]);
    signalled = true;
    begin(signal);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return () => begin('SIGTERM');
}

/** Prints a token and its link. */
async function printToken() {
  const { tokenCommand } = await import('./token-command.js');
  try {
    const { token, link, note } = await tokenCommand(process.argv.slice(3), { env: process.env });
    console.log(`${token}\n${link}`);
    if (note) console.error(note);
  } catch (error) {
    if (!(error instanceof InformationRequest)) throw error;
    process.stdout.write(error.text);
  }
}

/** Checks what a server needs here. */
async function checkMachine() {
  const { checkCommand } = await import('./check/check-command.js');
  try {
    const isWell = await checkCommand(process.argv.slice(3), {
      env: process.env,
      print: (line) => console.log(line),
    });
    process.exitCode = isWell ? 0 : EXIT_UNEXPECTED;
  } catch (error) {
    if (!(error instanceof InformationRequest)) throw error;
    process.stdout.write(error.text);
  }
}

/**
 * Runs a program that joins a room: a command that uses nothing of the server.
 * @param {string} name
 */
async function runProgram(name) {
  // Imported by its address, because the server is checked without the browser's types.
  const { runCommand } = await import(new URL('../programs/commands.js', import.meta.url).href);
  process.exitCode = await runCommand(name, process.argv.slice(3));
}

const BUILD_HELP = `Usage: aloud build

Builds the native addon with the HTTP/3 engine and libopus from its source, where no package has one
for this system. It needs cargo (Rust), a C compiler, cmake and make, and takes a minute or two.
`;

/** Builds the native addon, where no package has one for this system. */
async function buildNative() {
  if (process.argv.includes('--help')) return void process.stdout.write(BUILD_HELP);
  const { buildAndReport } = await import('@aloud/native/build');
  process.exitCode = await buildAndReport({ must: true });
}

/**
 * Splits a plugin's file off a command line: see plugin.js.
 * @param {string[]} argv
 * @returns {{ file: string | null, argv: string[] }}
 */
function splitPlugin(argv) {
  const at = argv.indexOf('--lab');
  if (at < 0) return { file: null, argv };
  return { file: argv[at + 1] ?? '', argv: [...argv.slice(0, at), ...argv.slice(at + 2)] };
}

async function main() {
  const [, , name] = process.argv;
  if (name === 'token') return printToken();
  if (name === 'build') return buildNative();
  if (name === 'check') return checkMachine();
  if (name === 'play' || name === 'listen') return runProgram(name);
  limitYoungGeneration();
  const { file, argv } = splitPlugin(process.argv.slice(2));
  const plugin = file === null ? {} : await (await import('./plugin.js')).loadPlugin(file);
  /** @type {import('./config/config.js').Replacement[]} */
  const old = [];
  const config = readConfig(argv, plugin, (option) => old.push(option));
  const { level, format } = partsOf(readLog, config.log);
  debug = level === 'debug';
  const log = createLog({ level, format: format ?? (process.stderr.isTTY ? 'text' : 'json') });
  for (const { option, write } of old)
    log.warn({ event: 'old-option', option, write }, 'old option is accepted for the last time');
  // The child process that tries the addon runs while the server's modules are loaded.
  const { probeLibrary, releaseMemory } = await import('@aloud/native');
  const probed = probeLibrary();
  // Imported here, so that a wrong option is reported before anything big is loaded.
  const [{ createServer }, { wrapReport }] = await Promise.all([
    import('./server.js'),
    import('./report.js'),
  ]);
  await probed;
  // Nobody is in a call before the server has started.
  let drain = () => {
    process.kill(process.pid, 'SIGTERM');
  };
  const server = await createServer(config, {
    log,
    clock: systemClock,
    plugin,
    onDrain: () => drain(),
  });
  // Nobody is in a call yet.
  compactHeap();
  watchOpenFiles(log);
  drain = closeOnSignals(server, config.drainSeconds, log);
  console.log(wrapReport(server.report, process.stdout.columns));
  releaseMemory();
}

process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);
// The reader of the report or the log may stop reading, as `head` does.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
main().catch(fail);
