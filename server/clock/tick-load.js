/** The time over which what a room takes is averaged, in milliseconds. */
const AVERAGE_MS = 200;

/** What a room's ticks and replies take, and its weight: where ticks are late, the lightest goes first. */
export class TickLoad {
  #usedMs = 0;
  #rate = 0;

  /** Nothing is known of a new room: it is the heaviest, so that many new ones make no old one wait. */
  weight = Infinity;

  /** @param {number} ms  that a tick or a reply took */
  add(ms) {
    this.#usedMs += ms;
  }

  /**
   * Ends a stretch of time.
   * @param {number} passedMs  its length
   * @returns {number} what the room takes, in milliseconds a second
   */
  settle(passedMs) {
    const now = (1000 * this.#usedMs) / passedMs;
    this.#usedMs = 0;
    this.#rate += (now - this.#rate) * (1 - Math.exp(-passedMs / AVERAGE_MS));
    return this.#rate;
  }
}
