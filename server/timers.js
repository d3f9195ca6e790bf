/** @import { Clock } from '../public/shared/clock.js' */

/**
 * Calls a function at an interval. The next call is scheduled when the one before it has returned.
 * @param {Clock} clock
 * @param {number} ms the interval, in milliseconds
 * @param {(lateMs: number) => void} run  lateMs: time by which the call is late. After this process
 *   stood still, what came in the meantime may not have been read yet.
 * @returns {() => void} stops it
 */
export function repeat(clock, ms, run) {
  let stopped = false;
  /** @type {unknown} */
  let timer;
  const next = () => {
    const dueMs = clock.now() + ms;
    timer = clock.setTimeout(() => {
      run(Math.max(0, clock.now() - dueMs));
      if (!stopped) next();
    }, ms);
  };
  next();
  return () => {
    stopped = true;
    clock.clearTimeout(timer);
  };
}

/**
 * Waits for a promise, up to a limit.
 * @param {Clock} clock
 * @param {number} ms the limit, in milliseconds
 * @param {Promise<unknown>} promise
 * @returns {Promise<boolean>} false when it wasn't fulfilled in time
 * @throws the promise's rejection, if it comes in time; a later one is ignored
 */
export async function settlesWithin(clock, ms, promise) {
  /** @type {unknown} */
  let timer;
  const timeout = new Promise((/** @type {(value: false) => void} */ resolve) => {
    timer = clock.setTimeout(() => resolve(false), ms);
  });
  const settled = promise.then(() => true);
  settled.catch(() => {});
  try {
    return await Promise.race([settled, timeout]);
  } finally {
    clock.clearTimeout(timer);
  }
}

/**
 * Length of a window, and the share of it in which calls may begin, in milliseconds. The rest of a
 * burst waits for the next window.
 */
const WINDOW_MS = 20;
const MOST_IN_WINDOW_MS = 5;

/**
 * Spreads simultaneous joins and departures over time, so that the rooms' sound continues.
 */
export class Turns {
  #clock;
  #windowMs = -Infinity;
  #spentMs = 0;
  /**
   * Waiting calls by session or member, the oldest first.
   * @type {Map<object, () => void>}
   */
  #waiting = new Map();

  /** @param {Clock} clock */
  constructor(clock) {
    this.#clock = clock;
  }

  /** Number of waiting calls. */
  get waiting() {
    return this.#waiting.size;
  }

  /** @param {object} whose */
  isWaiting(whose) {
    return this.#waiting.has(whose);
  }

  /**
   * Calls at once, or in a later window when this one's time is used up.
   * @param {object} whose a session that joins, or a member who has gone: at most one call of each
   *   waits
   * @param {() => void} call  throws nothing
   */
  take(whose, call) {
    const now = this.#clock.now();
    if (now - this.#windowMs >= WINDOW_MS) {
      this.#windowMs = now;
      this.#spentMs = 0;
    }
    if (this.#waiting.size === 0 && this.#spentMs < MOST_IN_WINDOW_MS) {
      this.#run(call);
      return;
    }
    this.#waiting.set(whose, call);
    if (this.#waiting.size === 1) this.#later();
  }

  /** @param {object} whose  its call isn't needed any more */
  forget(whose) {
    this.#waiting.delete(whose);
  }

  #later() {
    this.#clock.setTimeout(
      () => this.#goOn(),
      Math.max(0, this.#windowMs + WINDOW_MS - this.#clock.now()),
    );
  }

  /** Makes the calls that wait, as many as the window has time for. */
  #goOn() {
    this.#windowMs = this.#clock.now();
    this.#spentMs = 0;
    for (const [whose, call] of this.#waiting) {
      if (this.#spentMs >= MOST_IN_WINDOW_MS) break;
      this.#waiting.delete(whose);
      this.#run(call);
    }
    if (this.#waiting.size > 0) this.#later();
  }

  /** @param {() => void} call */
  #run(call) {
    const startMs = this.#clock.now();
    call();
    this.#spentMs += this.#clock.now() - startMs;
  }
}

/**
 * Wraps a clock so that timers' exceptions go no further than their owner.
 * @param {Clock} clock
 * @param {(error: unknown) => void} failed called when a timer threw
 * @returns {Clock}
 */
export function guardedClock(clock, failed) {
  const guard = (/** @type {() => void} */ run) => () => {
    try {
      run();
    } catch (error) {
      failed(error);
    }
  };
  return {
    now: clock.now,
    setTimeout: (run, ms) => clock.setTimeout(guard(run), ms),
    clearTimeout: clock.clearTimeout,
  };
}
