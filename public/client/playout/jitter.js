import { SlidingMinimum } from '../clock/sliding-minimum.js';

/** How long the quickest packet is remembered as the measure for the others. */
const BASE_WINDOW_MS = 10_000;

/** The worst of each of so many windows of so many milliseconds is remembered. */
const WINDOWS = 20;
const WINDOW_MS = 500;

/** What a start holds up isn't how packets arrive: so long, in milliseconds, nothing is remembered but the quickest. */
const START_MS = 1000;

/**
 * How unevenly packets arrive: each one's arrival less its frame's time, measured against the
 * quickest of late. The sender's clock need not be known for that.
 *
 * What is to be covered is the second worst of the last windows. For jitter that is the same all the
 * time it lies above 99 of 100 packets; but one stall, which makes a whole run of packets late, isn't
 * worth a delay for everything after it. A second one within ten seconds is.
 */
export class Jitter {
  #base = new SlidingMinimum(BASE_WINDOW_MS);
  #worst = new Float64Array(WINDOWS);
  #window = 0;
  #turnsMs = -Infinity;
  #coveredMs = 0;
  #startMs = NaN;

  /**
   * @param {number} transitMs the packet's arrival less its frame's time; their origins don't matter
   * @param {number} arrivalMs
   * @returns {number} by how much it is later than the quickest, in milliseconds
   */
  add(transitMs, arrivalMs) {
    const deviation = transitMs - this.#base.add(arrivalMs, transitMs);
    if (Number.isNaN(this.#startMs)) this.#startMs = arrivalMs;
    if (arrivalMs < this.#startMs + START_MS) return deviation;
    // A stall's packets all belong to the window in which it began.
    if (arrivalMs >= this.#turnsMs && (deviation <= this.#coveredMs || arrivalMs >= this.#turnsMs + WINDOW_MS)) {
      this.#window = (this.#window + 1) % WINDOWS;
      this.#worst[this.#window] = 0;
      this.#turnsMs = arrivalMs + WINDOW_MS;
      this.#cover();
    }
    if (deviation > this.#worst[this.#window]) {
      this.#worst[this.#window] = deviation;
      this.#cover();
    }
    return deviation;
  }

  #cover() {
    let first = 0;
    let second = 0;
    for (let i = 0; i < WINDOWS; i++) {
      const worst = this.#worst[i];
      if (worst > first) {
        second = first;
        first = worst;
      } else if (worst > second) {
        second = worst;
      }
    }
    this.#coveredMs = second;
  }

  /** The quickest transit of late, in milliseconds; Infinity before the first packet. */
  get baseMs() {
    return this.#base.value;
  }

  /** The deviation that a delay should cover, in milliseconds. */
  get coveredMs() {
    return this.#coveredMs;
  }

  reset() {
    this.#base.reset();
    this.#worst.fill(0);
    this.#turnsMs = -Infinity;
    this.#coveredMs = 0;
    this.#startMs = NaN;
  }
}
