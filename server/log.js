/** The levels, from the most important to the least. */
const LEVELS = /** @type {const} */ (['error', 'warn', 'info', 'debug']);

/**
 * @typedef {typeof LEVELS[number]} Level
 *
 * @typedef {object} Log
 * @property {(message: string) => void} error
 * @property {(message: string) => void} warn
 * @property {(message: string) => void} info
 * @property {(message: string) => void} debug
 */

const nothing = () => {};

/**
 * Makes a log of one line a message.
 * @param {object} [options]
 * @param {Level} [options.level]                 the least important level that is written
 * @param {(line: string) => void} [options.write]
 * @param {() => number} [options.wallNow]        the date, in milliseconds since 1970
 * @returns {Readonly<Log>}
 */
export function createLog({ level = 'info', write = writeToStderr, wallNow = Date.now } = {}) {
  const shown = LEVELS.indexOf(level);
  const at = (/** @type {Level} */ own) => {
    if (LEVELS.indexOf(own) > shown) return nothing;
    return (/** @type {string} */ message) => {
      write(`${new Date(wallNow()).toISOString()} ${own} ${oneLine(message)}`);
    };
  };
  return Object.freeze({ error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') });
}

/** @param {string} line */
function writeToStderr(line) {
  process.stderr.write(`${line}\n`);
}

/**
 * Keeps a message to one line: parts of it that a peer sent must not write lines or colours of their own.
 * @param {string} message
 */
function oneLine(message) {
  // eslint-disable-next-line no-control-regex
  return String(message).replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ');
}

/**
 * The stack of something that was thrown, for the log.
 * @param {unknown} error
 */
export const stackOf = (error) => (error instanceof Error ? error.stack : String(error));
