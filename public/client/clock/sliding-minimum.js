/**
 * Minimum over the last half to whole window. Every stage of audio adds delay, so the least delayed
 * value shows its true place.
 */
export class SlidingMinimum {
  #halfMs;
  #current = Infinity;
  #before = Infinity;
  #turnsMs = -Infinity;
  #lastMs = -Infinity;

  /** @param {number} windowMs */
  constructor(windowMs) {
    this.#halfMs = windowMs / 2;
  }

  /**
   * @param {number} nowMs
   * @param {number} value
   * @returns {number} the new minimum
   */
  add(nowMs, value) {
    if (nowMs >= this.#turnsMs) {
      // After a pause earlier values no longer hold.
      this.#before = nowMs - this.#lastMs > this.#halfMs ? Infinity : this.#current;
      this.#current = value;
      this.#turnsMs = nowMs + this.#halfMs;
    } else if (value < this.#current) {
      this.#current = value;
    }
    this.#lastMs = nowMs;
    return this.value;
  }

  /** The minimum; Infinity before the first value. */
  get value() {
    return Math.min(this.#current, this.#before);
  }

  /** Adds a difference to all earlier values. @param {number} difference */
  shift(difference) {
    this.#current += difference;
    this.#before += difference;
  }

  reset() {
    this.#current = Infinity;
    this.#before = Infinity;
    this.#turnsMs = -Infinity;
    this.#lastMs = -Infinity;
  }
}
