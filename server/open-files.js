/**
 * The process's limit of open files, of which each TCP connection is one. At the limit libuv closes
 * new connections without notifying Node, so this module opens a file of its own now and then.
 *
 * @import { Server } from 'node:net'
 * @import { Log } from './log.js'
 */

import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { devNull } from 'node:os';
import { countFileShortage, countRefusal } from './counts.js';

/** Interval between tries to open a file, in milliseconds. */
const TRY_MS = 1000;

/** Shortest time between log lines about it, in milliseconds. */
const TELL_MS = 60_000;

/** Advice for the operator. */
export const FILES_ADVICE =
  'raise the limit: "ulimit -n" in a shell, LimitNOFILE= in a service of systemd';

/**
 * True when no more files can be opened, by this process or on this machine. Node.js 24 has another
 * code when it couldn't read a package.json, and says so in the message.
 * @param {unknown} error
 */
export const isFileShortage = (error) =>
  error instanceof Error &&
  (('code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE')) ||
    /: too many open files/.test(error.message));

/**
 * Codes of accept() for one connection's error, or for a shortage that passes (accept(2), "Error
 * handling"). libuv passes all of them on.
 */
const PASSING = new Set([
  ...['ENOBUFS', 'ENOMEM', 'EPERM', 'EPROTO', 'ENOPROTOOPT', 'EOPNOTSUPP', 'ECONNRESET'],
  ...['ENETDOWN', 'ENETUNREACH', 'EHOSTDOWN', 'EHOSTUNREACH', 'ENONET', 'ETIMEDOUT'],
]);

/**
 * Keeps a server running when it can't accept a connection. Perhaps no more files can be opened, or
 * the kernel has no memory for it.
 * @param {Pick<Server, 'on'>} server  that listens
 */
export function surviveFailedAccepts(server) {
  server.on('error', (error) => {
    const { syscall, code = '' } = /** @type {NodeJS.ErrnoException} */ (error);
    if (isFileShortage(error)) countFileShortage();
    else if (syscall === 'accept' && PASSING.has(code)) countRefusal('http', 'server-busy');
    else throw error;
  });
}

/** Logs and counts when no more files can be opened. @param {Pick<Log, 'error'>} log */
export function watchOpenFiles(log) {
  const limit = limitOfFiles();
  let warnedMs = -Infinity;
  const look = async () => {
    if (await canOpen()) return;
    countFileShortage();
    if (performance.now() - warnedMs < TELL_MS) return;
    warnedMs = performance.now();
    log.error(
      { event: 'open-files', limit, advice: FILES_ADVICE },
      'no more files can be opened: new connections are dropped and recordings fail',
    );
  };
  // The timer must not keep the process running.
  setInterval(() => void look(), TRY_MS).unref();
}

async function canOpen() {
  try {
    await (await open(devNull)).close();
    return true;
  } catch (error) {
    return !isFileShortage(error);
  }
}

/** @returns {number | undefined} limit of open files of this process, if the system tells it */
export function limitOfFiles() {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}
