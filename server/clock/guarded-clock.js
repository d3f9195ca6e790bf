/** @import { Clock } from '../../public/shared/clock.js' */

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
