/**
 * Shared by `aloud play` and `aloud listen`: options, joining and messages.
 * @import { Call, JoinOptions } from './types.js'
 */

import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { sentenceOf } from '../server/errors/config-error.js';
import { join } from './client.js';

/** Address of a server started without options. */
const DEFAULT_SERVER = 'http://localhost:8080';

/** Interval of progress lines, in milliseconds. */
const PROGRESS_MS = 500;

/**
 * Longest time that a command waits for a lost connection, in milliseconds: a server restarts in
 * less.
 */
const AWAY_MS = 60_000;

/** Message of a command that has waited in vain. */
export const GONE = 'The connection was lost, and has not come back within a minute.';

/** Exit codes of the commands: done; the call could not be had or was ended; invalid request. */
export const Exit = Object.freeze({ done: 0, call: 1, wrong: 2 });

/** Ends a command with a sentence and an exit code. */
export class CommandError extends Error {
  /** @param {string} message @param {number} exit */
  constructor(message, exit) {
    super(message);
    this.exit = exit;
  }
}

/**
 * Makes a command with the options for joining a room.
 * @param {string} name
 * @param {string} description
 * @param {string} personName its default name in the room
 */
export function roomCommand(name, description, personName) {
  return new Command(`aloud ${name}`)
    .description(description)
    .exitOverride()
    .helpOption('--help', 'prints this')
    .requiredOption('--room <room>', 'name of the room, or its link')
    .option('--server <url>', 'where the server is', DEFAULT_SERVER)
    .option('--name <name>', 'name that others see', personName)
    .option('--token <token>', 'invitation, where the server asks for one')
    .option('--password <password>', "the room's password")
    .option(
      '--transport <name>',
      'webtransport, websocket or http1; the best that works by default',
    )
    .option('--insecure', "doesn't check the certificate of HTTPS: for one that you made yourself");
}

/**
 * Reads a command's arguments.
 * @param {Command} command
 * @param {string[]} argv
 * @returns {string | null} text to print for --help
 * @throws {CommandError}
 */
export function readCommand(command, argv) {
  let printed = '';
  command.configureOutput({ writeOut: (text) => (printed += text), writeErr: () => {} });
  try {
    command.parse(argv, { from: 'user' });
    return null;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.helpDisplayed') return printed;
    throw new CommandError(
      `${sentenceOf(error.message)} (see ${command.name()} --help)`,
      Exit.wrong,
    );
  }
}

/**
 * Makes the parser of a numeric option.
 * @param {number} least
 * @param {number} most
 * @returns {(text: string) => number}
 */
export const numberFrom = (least, most) => (text) => {
  const value = Number(text);
  if (text.trim() === '' || !(value >= least && value <= most))
    throw new InvalidArgumentError(`must be a number from ${least} to ${most}`);
  return value;
};

/**
 * Joins a room according to the options.
 * @param {Record<string, any>} options of the command
 * @param {Partial<JoinOptions>} more
 * @returns {Promise<Call>}
 * @throws {CommandError}
 */
export async function joinFrom({ room, server, name, token, password, transport, insecure }, more) {
  // The only switch in Node.js for both HTTPS and WebSocket.
  if (insecure) process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  const where = /^https?:/i.test(room) ? { url: room } : { url: server, room };
  try {
    return await join({ ...where, name, token, password, transport, ...more });
  } catch (error) {
    if (error instanceof TypeError) throw new CommandError(error.message, Exit.wrong);
    const { code, message } = /** @type {{ code?: string, message: string }} */ (error);
    const other = 'room' in where ? ' --server says another place.' : '';
    const hint =
      code === 'connection-failed'
        ? ` Is it running, and is its address ${new URL(where.url).origin}?${other}`
        : '';
    throw new CommandError(`${message}${hint}`, Exit.call);
  }
}

/**
 * Leaves a call whose connection doesn't come back in time, since nobody may be watching.
 * @param {Pick<Call, 'on' | 'leave'>} call
 * @param {number} [ms]
 * @returns {{ readonly isOver: boolean, end: () => void }} isOver: true when it has left for that
 *   reason
 */
export function leaveWhenAway(call, ms = AWAY_MS) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let isOver = false;
  const leave = () => {
    isOver = true;
    void call.leave();
  };
  const end = () => clearTimeout(timer);
  call.on('reconnecting', () => (timer = setTimeout(leave, ms)));
  call.on('reconnected', end);
  return {
    get isOver() {
      return isOver;
    },
    end,
  };
}

/**
 * Calls back at the first Ctrl-C; the next one ends the process at once.
 * @param {() => void} stop
 * @returns {() => void} removes the handler
 */
export function onInterrupt(stop) {
  process.once('SIGINT', stop).once('SIGTERM', stop);
  return () => void process.off('SIGINT', stop).off('SIGTERM', stop);
}

/**
 * Shows progress in one line of a terminal; elsewhere nothing.
 * @param {() => string} line
 * @returns {() => void} ends it
 */
export function showProgress(line) {
  const { stderr } = process;
  if (!stderr.isTTY) return () => {};
  const show = () => void stderr.write(`\r\x1b[K${line()}`);
  const timer = setInterval(show, PROGRESS_MS);
  return () => {
    clearInterval(timer);
    show();
    stderr.write('\n');
  };
}

/** @param {number} seconds */
export function clockTime(seconds) {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
