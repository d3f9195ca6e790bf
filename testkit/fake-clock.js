import { systemClock } from '../public/shared/clock.js';
/**
 * A clock that a test owns: time passes only when the test says so, and timers fire in order.
 * @implements {Clock}
 * @import { Clock } from '../public/shared/clock.js'
 */
export class FakeClock {
  #ms = 0;
  #nextId = 1;
  /** @type {Map<number, { at: number, run: () => void }>} */
  #timers = new Map();

  now = () => this.#ms;

  /** @param {() => void} run @param {number} ms */
  setTimeout = (run, ms) => {
    const id = this.#nextId++;
    this.#timers.set(id, { at: this.#ms + Math.max(0, ms), run });
    return id;
  };

  /** @param {any} id */
  clearTimeout = (id) => {
    this.#timers.delete(id);
  };

  /** The number of timers that wait. */
  get waiting() {
    return this.#timers.size;
  }

  /** @param {number} ms lets so much time pass, firing what falls due on the way */
  advance(ms) {
    const end = this.#ms + ms;
    for (;;) {
      let next = null;
      for (const [id, timer] of this.#timers) {
        if (timer.at <= end && (next === null || timer.at < next.timer.at)) next = { id, timer };
      }
      if (next === null) break;
      this.#timers.delete(next.id);
      this.#ms = Math.max(this.#ms, next.timer.at);
      next.timer.run();
    }
    this.#ms = end;
  }

  /**
   * @param {number} ms stands still for so long: nothing fires, as when the event loop is blocked
   */
  stall(ms) {
    this.#ms += ms;
  }
}

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
