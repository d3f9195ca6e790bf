/**
 * Time as it is handed to everything that needs it, so that a test owns it.
 * @typedef {object} Clock
 * @property {() => number} now  monotonic, in milliseconds, with a fraction
 * @property {(run: () => void, ms: number) => unknown} setTimeout
 * @property {(timer: any) => void} clearTimeout
 */

/** @type {Clock} */
export const systemClock = Object.freeze({
  now: () => performance.now(),
  // It would leave the fraction out, and be early.
  setTimeout: (run, ms) => setTimeout(run, Math.ceil(ms)),
  clearTimeout: (timer) => clearTimeout(timer),
});

/**
 * The longest that a part of the page may take to load once it is asked for, in milliseconds:
 * browsers set no limit.
 */
export const LOAD_MS = 20_000;

/**
 * Waits for something, but not for ever.
 * @template T
 * @param {Promise<T>} promise
 * @param {number} ms
 * @param {() => Error} late  makes what is thrown when the time is over
 * @param {Clock} [clock]
 * @returns {Promise<T>}
 */
export async function inTime(promise, ms, late, clock = systemClock) {
  /** @type {unknown} */
  let timer = null;
  const over = new Promise((_, reject) => {
    timer = clock.setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([promise, /** @type {Promise<never>} */ (over)]);
  } finally {
    clock.clearTimeout(timer);
  }
}
