/**
 * Finds out whether a compiled module can be loaded here. A module that was built elsewhere may
 * hang, or end the process that loads it (instructions that this processor lacks, an abort). So a
 * child process tries it first.
 */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const CHILD = fileURLToPath(new URL('./probe-child.js', import.meta.url));

/** Longest time for loading a module, in milliseconds; 100 ms is usual. */
const LIMIT_MS = 10_000;

/** STATUS_ILLEGAL_INSTRUCTION: on Windows the exit code of a process that one ended. */
const ILLEGAL_ON_WINDOWS = 0xc000001d;

/**
 * Loads a module in a child process.
 * @param {string} path  of the library, or of a JavaScript module that loads one
 * @param {{ limitMs?: number }} [options]
 * @returns {Promise<string | null>} the reason why it can't be loaded here, in words; null when it
 *   can be, or when no process could be started to try it
 */
export function probe(path, { limitMs = LIMIT_MS } = {}) {
  const options = {
    timeout: limitMs,
    killSignal: /** @type {const} */ ('SIGKILL'),
    // Options of the parent, such as a debugger's port, aren't for the child.
    env: { ...process.env, NODE_OPTIONS: '' },
    windowsHide: true,
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [CHILD, path], options, (error, stdout) => {
      if (error === null || typeof error.code === 'string') resolve(null);
      else if (error.killed) resolve(`it did not load within ${limitMs / 1000} s`);
      else resolve(reasonOf(stdout.trim(), error));
    });
  });
}

/**
 * @param {string} message  of the error; empty when the process ended without one
 * @param {{ code?: number | string | null, signal?: string | null }} end  of the child process
 */
function reasonOf(message, { code, signal }) {
  if (message !== '') return reasonOfMessage(message);
  if (signal === 'SIGILL' || code === ILLEGAL_ON_WINDOWS)
    return 'it uses instructions that this processor lacks';
  return `it ends the process that loads it (${signal ?? `exit code ${code}`})`;
}

/**
 * Explains an error of loading a library.
 * @param {string} message  first line
 */
export function reasonOfMessage(message) {
  const { header } = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (
    process.report.getReport()
  );
  const [, needed] = /version .GLIBC_([\d.]+)' not found/.exec(message) ?? [];
  const here = header.glibcVersionRuntime ?? 'another libc';
  return needed
    ? `it needs glibc ${needed}, and this system has ${here}`
    : `it does not load (${message})`;
}
