import { pino } from 'pino';
import { countLeftOutLine } from './counts.js';
import { KeyedBuckets } from './keyed-buckets.js';
import { TokenBucket } from './token-bucket.js';

/** The levels, from the most important to the least. */
const LEVELS = /** @type {const} */ (['error', 'warn', 'info', 'debug']);

/**
 * Lines of one event, or of one level where they have none: a thousand people who leave at once are
 * all logged, and a flood writes no more than some KB a second.
 */
const LINE_RATE = Object.freeze({ atOnce: 2000, perSecond: 20 });

/** Lines of one event that one network causes: it can't have the others' left out. */
const NETWORK_RATE = Object.freeze({ atOnce: 500, perSecond: 5 });

/**
 * Characters that would write lines or colours of their own on a terminal: a peer may have sent
 * them.
 */
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

/**
 * @typedef {typeof LEVELS[number]} Level
 * @typedef {Readonly<Record<string, unknown>> & { event?: string }} Fields what a line says in
 *   fields of its own; `event` names the kind of a line that is looked for: 'session-end'
 * @typedef {{ network?: string | null, isLimited?: boolean }} Cause whose doing a line is: a
 *   network's (null: this machine's), or that of somebody whose lines are all written
 * @typedef {(message: string, fields?: Fields, cause?: Cause) => void} WriteLine
 *
 * @typedef {object} Log
 * @property {WriteLine} error
 * @property {WriteLine} warn
 * @property {WriteLine} info
 * @property {WriteLine} debug
 */

const nothing = () => {};

/**
 * Makes a log of one line a message: for people to read, or JSON. A flood of lines is cut, each
 * event's by itself, in it each network's, and each level's; the next line that is written tells
 * how many were left out. Lines of the level `debug` are all written.
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
      /** @type {string} */ message,
      /** @type {Fields} */ fields = {},
      /** @type {Cause} */ { network = null, isLimited = true } = {},
    ) => {
      const leftOut = own === 'debug' || !isLimited ? 0 : limit.take(fields.event ?? own, network);
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

/** Bounds the lines of each kind. */
class LineLimit {
  #now;
  /** @type {Map<string, { bucket: TokenBucket, leftOut: number }>} */
  #kinds = new Map();
  #networks = new KeyedBuckets(NETWORK_RATE);

  /** @param {() => number} now */
  constructor(now) {
    this.#now = now;
  }

  /**
   * @param {string} kind  of a bounded number: it comes from this code
   * @param {string | null} network
   * @returns {number} how many lines of the kind were left out before this one; -1 when this one is
   *   too
   */
  take(kind, network) {
    let found = this.#kinds.get(kind);
    if (found === undefined)
      this.#kinds.set(kind, (found = { bucket: new TokenBucket(LINE_RATE), leftOut: 0 }));
    const own = network === null ? null : `${kind} ${network}`;
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
 * The line for people: the date, the level, the message, and the fields as `name=value`. Fields
 * that say nothing are left out: a session's end has forty.
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
 * Leaves out of an object what is null, 0 or empty, and of objects in it likewise.
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
    isObject(value) ? saying(/** @type {any} */ (value)) : value,
  ]);
  return Object.fromEntries(short.filter(([, value]) => says(value)));
}

/**
 * Keeps a message to one line: parts of it that a peer sent must not write lines or colours of
 * their own.
 * @param {string} message
 */
function oneLine(message) {
  return String(message).replace(CONTROLS, ' ');
}

/**
 * The stack of something that was thrown, for the log.
 * @param {unknown} error
 */
export const stackOf = (error) => (error instanceof Error ? error.stack : String(error));
