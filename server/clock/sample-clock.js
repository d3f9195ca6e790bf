/** @import { Clock } from '../../public/shared/clock.js' */

/**
 * The sample clock: time as an absolute sample index, from a monotonic timer and never from wall
 * time.
 */
export class SampleClock {
  #clock;
  #originMs;

  /**
   * @param {Clock} clock
   * @param {number} sampleRate  Hz
   * @param {number} [originMs]  the time of sample 0, on the monotonic clock; now by default
   */
  constructor(clock, sampleRate, originMs = clock.now()) {
    this.#clock = clock;
    this.#originMs = originMs;
    this.sampleRate = sampleRate;
  }

  /**
   * @param {number} ms
   * @returns {SampleClock} one that runs this far behind
   */
  behind(ms) {
    return new SampleClock(this.#clock, this.sampleRate, this.#originMs + ms);
  }

  /** The sample index now, with its fraction. */
  now() {
    return this.at(this.#clock.now());
  }

  /**
   * @param {number} ms  a time of the monotonic clock
   * @returns {number} the sample index then, with its fraction
   */
  at(ms) {
    return ((ms - this.#originMs) * this.sampleRate) / 1000;
  }

  /**
   * @param {number} sample
   * @returns {number} when the clock reaches it, on the monotonic clock, in milliseconds
   */
  msAt(sample) {
    return this.#originMs + (sample * 1000) / this.sampleRate;
  }
}
