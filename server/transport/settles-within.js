/** @import { Clock } from '../../public/shared/clock.js' */

/**
 * Waits for a promise, but not for ever.
 * @param {Clock} clock
 * @param {number} ms
 * @param {Promise<unknown>} promise
 * @returns {Promise<boolean>} false when it wasn't fulfilled by then
 * @throws what the promise is rejected with by then; what it is rejected with later is nobody's
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
