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
