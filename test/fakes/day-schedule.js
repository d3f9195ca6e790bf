import { systemClock } from '../../public/shared/clock.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The system's clock, but whatever waits for a minute or longer waits for the test. */
export class DaySchedule {
  wallMs = Date.now();
  now = systemClock.now;
  /** @type {Set<{ run: () => void }>} */
  waiting = new Set();

  setTimeout = (/** @type {() => void} */ run, /** @type {number} */ ms) => {
    if (ms < 60_000) return systemClock.setTimeout(run, ms);
    const timer = { run };
    this.waiting.add(timer);
    return timer;
  };

  clearTimeout = (/** @type {any} */ timer) => {
    if (!this.waiting.delete(timer)) systemClock.clearTimeout(timer);
  };

  /** Lets days go by, and has what waits done. @param {number} days */
  pass(days) {
    this.wallMs += days * DAY_MS;
    for (const timer of [...this.waiting]) if (this.waiting.delete(timer)) timer.run();
  }
}
