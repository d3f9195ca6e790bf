/**
 * A clock that a test owns: time passes only when it is told to, and timers fire in order.
 * @implements {Clock}
 * @import { Clock } from '../../public/shared/clock.js'
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
