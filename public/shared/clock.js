/**
 * Time source, injected so that tests can control it. now() is monotonic, in milliseconds, with a
 * fraction.
 * @typedef {{ now(): number, setTimeout(run: () => void, ms: number): unknown,
 *   clearTimeout(timer: unknown): void }} Clock
 */

/** @type {Clock} */
export const systemClock = Object.freeze({
  now: () => performance.now(),
  // A browser's timer would drop the fraction and fire early.
  setTimeout: (run, ms) => setTimeout(run, Math.ceil(ms)),
  clearTimeout: (timer) => clearTimeout(/** @type {number} */ (timer)),
});

/** Longest loading time of a part of the page, in milliseconds: browsers set no limit. */
export const LOAD_MS = 20_000;

/**
 * Waits for a promise with a time limit.
 * @template T
 * @param {Promise<T>} promise
 * @param {number} ms
 * @param {() => Error} late makes the error of a timeout
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
