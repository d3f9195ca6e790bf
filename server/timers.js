/** @import { Clock } from '../public/shared/clock.js' */

/**
 * Calls a function at an interval. The next call is scheduled when the one before it has returned.
 * @param {Clock} clock
 * @param {number} ms the interval, in milliseconds
 * @param {() => void} run
 * @returns {() => void} stops it
 */
export function repeat(clock, ms, run) {
  let stopped = false;
  /** @type {unknown} */
  let timer;
  const next = () => {
    timer = clock.setTimeout(() => {
      run();
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
