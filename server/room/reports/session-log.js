import { TokenBucket } from '../../token-bucket.js';

/** A session that was shorter is a short visit, in milliseconds. */
const SHORT_MS = 2000;

/** How many short visits are logged one by one: a burst, and then a second. */
const LINES = Object.freeze({ atOnce: 20, perSecond: 1 });

/**
 * Logs the end of each session; many short visits in one line, so that they can't fill the disk.
 */
export class SessionLog {
  #log;
  #clock;
  #lines;
  #unlogged = 0;
  #short = 0;

  /**
   * @param {object} options
   * @param {Pick<import('../../log.js').Log, 'info'>} options.log
   * @param {import('../../../public/shared/clock.js').Clock} options.clock
   */
  constructor({ log, clock }) {
    this.#log = log;
    this.#clock = clock;
    this.#lines = new TokenBucket({ ...LINES, nowMs: clock.now() });
  }

  /** How many short visits there were. */
  get short() {
    return this.#short;
  }

  /**
   * @param {number} stayedMs  how long the session was in its room
   * @param {() => Readonly<Record<string, unknown>>} fields of the log's line, asked only where it
   *   is logged
   * @param {string | null} network  whence it came
   */
  ended(stayedMs, fields, network) {
    if (stayedMs < SHORT_MS) {
      this.#short += 1;
      if (this.#lines.take(this.#clock.now()) > 0) {
        this.#unlogged += 1;
        return;
      }
    }
    this.flush();
    this.#log.info('session ended', fields(), { network });
  }

  /** Logs the number of those that weren't logged one by one. */
  flush() {
    if (this.#unlogged === 0) return;
    this.#log.info(`${this.#unlogged} more sessions ended within ${SHORT_MS / 1000} s of joining`);
    this.#unlogged = 0;
  }
}
