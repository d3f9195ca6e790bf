/** Maximum and minimum number of windows to fit a line through. */
const WINDOWS = 24;
const LEAST_WINDOWS = 6;

/** Gap, in windows, after which earlier values are forgotten. */
const GAP_WINDOWS = 4;

/** Largest drift of a clock or sound card, in parts per million. */
const MAX_PPM = 1000;

/**
 * Usual drift, the prior of the fit: the steeper a line through noisy values, the less it is
 * trusted.
 */
const USUAL = 100e-6;

/**
 * Measures the rate at which an offset between two clocks changes. It fits a line by least squares
 * through the best value of each time window, flatter when the values are noisy (ridge regression).
 * A step, after a route change or a gap, is no drift: the line continues behind it.
 */
export class DriftMeter {
  #windowMs;
  #stepMs;
  #times = new Float64Array(WINDOWS);
  #values = new Float64Array(WINDOWS);
  #count = 0;
  #beginMs = NaN;
  #bestMs = 0;
  #bestValue = 0;
  #badness = Infinity;
  #lastMs = 0;
  #shift = 0;
  /** A point of the line. */
  #lineMs = 0;
  #lineValue = 0;

  /** Growth of the offset in microseconds a second; 0 while it is unknown. */
  ppm = 0;

  /**
   * @param {object} [options]
   * @param {number} [options.windowMs]
   * @param {number} [options.stepMs] distance from the line beyond which a value is a step
   */
  constructor({ windowMs = 5000, stepMs = 3 } = {}) {
    this.#windowMs = windowMs;
    this.#stepMs = stepMs;
  }

  /**
   * @param {number} nowMs
   * @param {number} value the offset, in milliseconds
   * @param {number} [badness] the value with the least badness counts for its window; by default
   *   the least late
   */
  add(nowMs, value, badness = value) {
    if (nowMs - this.#lastMs > GAP_WINDOWS * this.#windowMs) this.reset();
    this.#lastMs = nowMs;
    if (Number.isNaN(this.#beginMs)) this.#beginMs = nowMs;
    else if (nowMs >= this.#beginMs + this.#windowMs) this.#endWindow(nowMs);
    if (badness > this.#badness) return;
    this.#badness = badness;
    this.#bestMs = nowMs;
    this.#bestValue = value;
  }

  /** @param {number} nowMs */
  #endWindow(nowMs) {
    let value = this.#bestValue - this.#shift;
    if (this.#count > 0) {
      const expected = this.#lineValue + (this.#bestMs - this.#lineMs) * this.ppm * 1e-6;
      const step = value - expected;
      if (Math.abs(step) > this.#stepMs) {
        this.#shift += step;
        value = expected;
      }
    }
    this.#times[this.#count % WINDOWS] = this.#bestMs;
    this.#values[this.#count % WINDOWS] = value;
    this.#count += 1;
    this.#badness = Infinity;
    this.#beginMs = nowMs;
    this.#lineMs = this.#bestMs;
    this.#lineValue = value;
    if (this.#count >= LEAST_WINDOWS) this.#fit();
  }

  #fit() {
    const count = Math.min(this.#count, WINDOWS);
    let [time, value] = [0, 0];
    for (let i = 0; i < count; i++) {
      time += this.#times[i] / count;
      value += this.#values[i] / count;
    }
    let [both, square, spread] = [0, 0, 0];
    for (let i = 0; i < count; i++) {
      both += (this.#times[i] - time) * (this.#values[i] - value);
      square += (this.#times[i] - time) ** 2;
      spread += (this.#values[i] - value) ** 2;
    }
    this.#lineMs = time;
    this.#lineValue = value;
    if (square === 0) return;
    const noise = Math.max(0, spread - both ** 2 / square) / (count - 2);
    const slope = both / (square + noise / USUAL ** 2);
    this.ppm = Math.max(-MAX_PPM, Math.min(MAX_PPM, 1e6 * slope));
  }

  /** Forgets the values but keeps the drift, which belongs to the clocks. */
  reset() {
    this.#count = 0;
    this.#shift = 0;
    this.#beginMs = NaN;
    this.#badness = Infinity;
  }
}

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
