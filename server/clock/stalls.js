/** A tick that is later than this is one of a server that stood still, in milliseconds. */
const STALL_MS = 5;

/** What arrives within this of such a tick may have waited for it. */
const SEEN_MS = 5;

/** When the server had been standing still, and for how long. */
export class Stalls {
  #ms = 0;
  /** When that was seen. */
  #atMs = -Infinity;

  /**
   * A tick has come.
   * @param {number} latenessMs
   * @param {number} nowMs
   */
  ticked(latenessMs, nowMs) {
    if (latenessMs <= STALL_MS) return;
    this.#ms = nowMs - this.#atMs < SEEN_MS ? Math.max(this.#ms, latenessMs) : latenessMs;
    this.#atMs = nowMs;
  }

  /**
   * After a stall the packets of its time are read at once.
   * @param {number} arrivalMs
   * @returns {number} for how long a packet that came then may have waited, in milliseconds
   */
  before(arrivalMs) {
    return arrivalMs - this.#atMs < SEEN_MS ? this.#ms : 0;
  }
}
