/** @import { Clock } from '../../public/shared/clock.js' */

/**
 * A clock whose timers' exceptions go no further than their owner.
 * @param {Clock} clock
 * @param {(error: unknown) => void} failed  told when a timer threw
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
