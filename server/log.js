import { pino } from 'pino';
import { countLeftOutLine } from './counts.js';
import { KeyedBuckets, TokenBucket } from './token-bucket.js';

/** Levels, from the most to the least important. */
const LEVELS = /** @type {const} */ (['error', 'warn', 'info', 'debug']);

/**
 * Limit of lines of one event: when a thousand people leave at once, all are logged. A flood writes
 * no more than some KB a second.
 */
const LINE_RATE = Object.freeze({ atOnce: 2000, perSecond: 20 });

/** Limit of lines of one event from one network, so that it can't displace those of others. */
const NETWORK_RATE = Object.freeze({ atOnce: 500, perSecond: 5 });

/**
 * Characters that would write lines or colours of their own on a terminal: a peer may have sent
 * them.
 */
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

/**
 * @typedef {typeof LEVELS[number]} Level
 * @typedef {Readonly<Record<string, unknown>> & { event: string }} Fields values of a line, by
 *   which an operator filters; `event` is its kind, as docs/operating.md lists them: 'session-end'
 * @typedef {{ network?: string | null, isLimited?: boolean }} Cause network that caused the line
 *   (null: this machine); isLimited: false for lines that are all written
 * @typedef {(fields: Fields, message: string, cause?: Cause) => void} WriteLine message: fixed, so
 *   that all lines of an event have the same; what differs is in the fields
 *
 * @typedef {object} Log
 * @property {WriteLine} error
 * @property {WriteLine} warn
 * @property {WriteLine} info
 * @property {WriteLine} debug
 */

const nothing = () => {};

/**
 * Makes a log of one line a message: for people to read, or JSON. Rate-limits lines per event, and
 * per network within an event; the next line written says how many were dropped. Lines of the
 * level `debug` are all written.
 *
 * @param {object} [options]
 * @param {Level} [options.level]                 the least important level that is written
 * @param {'text' | 'json'} [options.format]
 * @param {(line: string) => void} [options.write]  without the line's end
 * @param {() => number} [options.wallNow]        the date, in milliseconds since 1970
 * @param {() => number} [options.now]            the monotonic clock, in milliseconds
 * @returns {Readonly<Log>}
 */
export function createLog(options = {}) {
  const {
    level = 'info',
    format = 'text',
    write = writeToStderr,
    wallNow = Date.now,
    now = monotonicNow,
  } = options;
  const destination = {
    write: (/** @type {string} */ line) => write(format === 'json' ? safeJson(line) : asText(line)),
  };
  const lines = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date(wallNow()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  const limit = new LineLimit(now);
  const shown = LEVELS.indexOf(level);
  const at = (/** @type {Level} */ own) => {
    if (LEVELS.indexOf(own) > shown) return nothing;
    return (
      /** @type {Fields} */ fields,
      /** @type {string} */ message,
      /** @type {Cause} */ { network = null, isLimited = true } = {},
    ) => {
      const leftOut = own === 'debug' || !isLimited ? 0 : limit.take(fields.event, network);
      if (leftOut < 0) return;
      lines[own](leftOut > 0 ? { ...fields, leftOut } : fields, oneLine(message));
    };
  };
  return Object.freeze({
    error: at('error'),
    warn: at('warn'),
    info: at('info'),
    debug: at('debug'),
  });
}

/**
 * Returns a log whose lines all have some fields: the room, or the node, that writes them.
 * @template {Partial<Log>} Levels
 * @param {Levels} log
 * @param {Readonly<Record<string, unknown>>} bound
 * @returns {Levels}
 */
export function withFields(log, bound) {
  const levels = Object.entries(log).map(([level, write]) => [
    level,
    write &&
      ((/** @type {Fields} */ fields, /** @type {string} */ message, /** @type {Cause} */ cause) =>
        write({ ...bound, ...fields }, message, cause)),
  ]);
  return Object.fromEntries(levels);
}

/** Bounds the lines of each event. */
class LineLimit {
  #now;
  /** @type {Map<string, { bucket: TokenBucket, leftOut: number }>} */
  #events = new Map();
  #networks = new KeyedBuckets(NETWORK_RATE);

  /** @param {() => number} now */
  constructor(now) {
    this.#now = now;
  }

  /**
   * @param {string} event
   * @param {string | null} network
   * @returns {number} lines of the event dropped before this one; -1 to drop this one too
   */
  take(event, network) {
    let found = this.#events.get(event);
    if (found === undefined)
      this.#events.set(event, (found = { bucket: new TokenBucket(LINE_RATE), leftOut: 0 }));
    const own = network === null ? null : `${event} ${network}`;
    if (this.#networks.take(own, this.#now()) > 0 || found.bucket.take(this.#now()) > 0) {
      found.leftOut += 1;
      countLeftOutLine();
      return -1;
    }
    const { leftOut } = found;
    found.leftOut = 0;
    return leftOut;
  }
}

const monotonicNow = () => performance.now();

/** @param {string} line */
function writeToStderr(line) {
  process.stderr.write(`${line}\n`);
}

/** @param {string} line  of JSON, with its end */
const safeJson = (line) => line.trimEnd().replace(CONTROLS, escapeAll);

/** @param {string} characters */
const escapeAll = (characters) =>
  [...characters].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

/**
 * Formats a line for people: the date, the level, the message, and the fields as `name=value`.
 * Empty fields are left out: the end of a session has forty.
 * @param {string} line  of JSON
 */
function asText(line) {
  const { time, level, msg, ...fields } = JSON.parse(line);
  const rest = Object.entries(saying(fields)).map(
    ([name, value]) => ` ${name}=${safeJson(JSON.stringify(value))}`,
  );
  return `${time} ${level} ${msg}${rest.join('')}`;
}

/**
 * Removes null, 0 and empty fields from an object, and from objects in it.
 * @param {Record<string, unknown>} fields
 * @returns {Record<string, unknown>}
 */
function saying(fields) {
  const isObject = (/** @type {unknown} */ value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const says = (/** @type {unknown} */ value) =>
    Array.isArray(value)
      ? value.some(says)
      : isObject(value)
        ? Object.keys(/** @type {object} */ (value)).length > 0
        : value !== null && value !== 0 && value !== '';
  const short = Object.entries(fields).map(([name, value]) => [
    name,
    isObject(value) ? saying(/** @type {Record<string, unknown>} */ (value)) : value,
  ]);
  return Object.fromEntries(short.filter(([, value]) => says(value)));
}

/**
 * Keeps a message to one line: text from a peer must not write lines or colours of its own.
 * @param {string} message
 */
function oneLine(message) {
  return String(message).replace(CONTROLS, ' ');
}

/** Stack of a thrown value, for a bug in this code. @param {unknown} error */
export const stackOf = (error) => (error instanceof Error ? error.stack : String(error));

/**
 * Message of a thrown value, for an expected failure, such as a full disk.
 * @param {unknown} error
 */
export const reasonOf = (error) => (error instanceof Error ? error.message : String(error));
