/** The time over which what a room takes is averaged, in milliseconds. */
const AVERAGE_MS = 200;

/**
 * What a room's ticks and replies take, and its weight: where ticks are late, the lightest goes
 * first.
 */
export class TickLoad {
  #usedMs = 0;
  #rate = 0;

  /**
   * Nothing is known of a new room: it is the heaviest, so that many new ones make no old one wait.
   */
  weight = Infinity;

  /** @param {number} ms  that a tick or a reply took */
  add(ms) {
    this.#usedMs += ms;
  }

  /**
   * Time that ticks and replies have taken since the last settlement, by the clock, in
   * milliseconds.
   */
  get usedMs() {
    return this.#usedMs;
  }

  /**
   * Ends a stretch of time.
   * @param {number} passedMs  its length
   * @param {number} [ran] the share of what was taken by the clock for which the thread had a
   *   processor
   * @returns {number} what the room takes, in milliseconds a second
   */
  settle(passedMs, ran = 1) {
    const now = (1000 * ran * this.#usedMs) / passedMs;
    this.#usedMs = 0;
    this.#rate += (now - this.#rate) * (1 - Math.exp(-passedMs / AVERAGE_MS));
    return this.#rate;
  }
}
