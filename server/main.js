#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { systemClock } from '../public/shared/clock.js';
import { InformationRequest, loadConfig } from './config/config.js';
import { createLog } from './log.js';

/** The exit codes for a setting that won't do, and for an unexpected error. */
const EXIT_SETTING = 2;
const EXIT_UNEXPECTED = 1;

/** The time that a closing server has to end everything, in milliseconds. */
const CLOSE_MS = 5000;

/** @typedef {import('./config/config.js').Config} Config */
/** @typedef {{ report: string[], close: () => Promise<void> }} RunningServer */

/** Whether stacks of unexpected errors are shown; set once there is a config. */
let debug = false;

/**
 * Ends the process with one line about why.
 * @param {unknown} error
 * @returns {never}
 */
function fail(error) {
  const setting = error instanceof Error && 'option' in error;
  if (setting) console.error(error.message);
  else if (debug && error instanceof Error) console.error(error.stack);
  else if (error instanceof Error) console.error(`aloud: unexpected: ${firstLine(error.message)}`);
  else console.error(`aloud: unexpected: ${error}`);
  if (!setting && !debug) console.error('aloud: --log-level debug shows where');
  process.exit(setting ? EXIT_SETTING : EXIT_UNEXPECTED);
}

/** @param {string} text */
const firstLine = (text) => text.split('\n', 1)[0];

/** @returns {Readonly<Config>} */
function readConfig() {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  try {
    return loadConfig({ argv: process.argv.slice(2), env: process.env, version });
  } catch (error) {
    if (!(error instanceof InformationRequest)) throw error;
    process.stdout.write(error.text);
    process.exit(0);
  }
}

/**
 * Closes the server at the first signal, and gives up waiting at the second.
 * @param {RunningServer} server
 * @param {import('./log.js').Log} log
 */
function closeOnSignals(server, log) {
  let closing = false;
  /** @param {'SIGINT' | 'SIGTERM'} signal */
  const onSignal = (signal) => {
    if (closing) process.exit(128 + constants.signals[signal]);
    closing = true;
    log.info(`${signal}: closing; once more to stop at once`);
    // The process ends by itself once nothing is open; the timer is for when something stays open.
    setTimeout(() => fail(new Error(`the server was not closed within ${CLOSE_MS} ms`)), CLOSE_MS).unref();
    server.close().catch(fail);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
}

/** Prints what a subcommand makes. @param {() => Promise<string>} run */
async function print(run) {
  try {
    process.stdout.write(await run());
  } catch (error) {
    if (!(error instanceof InformationRequest)) throw error;
    process.stdout.write(error.text);
  }
}

async function main() {
  if (process.argv[2] === 'token') {
    const { tokenCommand } = await import('./access/token-command.js');
    return print(() => tokenCommand({ argv: process.argv.slice(3), env: process.env }));
  }
  const config = readConfig();
  debug = config.logLevel === 'debug';
  const log = createLog({ level: config.logLevel });
  // Imported here, so that a wrong option is told before anything big is loaded.
  const { createServer } = await import('./server.js');
  const server = await createServer(config, { log, clock: systemClock });
  closeOnSignals(server, log);
  console.log(server.report.join('\n'));
}

process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);
// The reader of the report or the log may stop reading, as `head` does.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
main().catch(fail);
