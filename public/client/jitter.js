import { SlidingMinimum } from './sliding-minimum.js';

/** How long the quickest packet is remembered as the measure for the others. */
const BASE_WINDOW_MS = 10_000;

/** How many packets the percentile is of. */
const PACKETS = 512;

/** The share of packets that the delay is to cover. */
const COVERED = 0.99;

/** Deviations are counted in steps of a millisecond; the last one holds all that are above. */
const STEPS = 512;

/**
 * How unevenly packets arrive: each one's arrival less its frame's time, measured against the
 * quickest of late. The sender's clock need not be known for that.
 */
export class Jitter {
  #base = new SlidingMinimum(BASE_WINDOW_MS);
  #counts = new Uint16Array(STEPS);
  #steps = new Uint16Array(PACKETS);
  #count = 0;

  /**
   * @param {number} transitMs the packet's arrival less its frame's time; their origins don't matter
   * @param {number} arrivalMs
   * @returns {number} by how much it is later than the quickest, in milliseconds
   */
  add(transitMs, arrivalMs) {
    const deviation = transitMs - this.#base.add(arrivalMs, transitMs);
    const slot = this.#count % PACKETS;
    if (this.#count >= PACKETS) this.#counts[this.#steps[slot]] -= 1;
    const step = Math.min(STEPS - 1, Math.ceil(deviation));
    this.#steps[slot] = step;
    this.#counts[step] += 1;
    this.#count += 1;
    return deviation;
  }

  /** The quickest transit of late, in milliseconds; Infinity before the first packet. */
  get baseMs() {
    return this.#base.value;
  }

  /** The deviation that 99 of 100 packets don't exceed, in milliseconds. */
  get coveredMs() {
    let above = Math.floor(Math.min(this.#count, PACKETS) * (1 - COVERED));
    for (let step = STEPS - 1; step > 0; step--) {
      above -= this.#counts[step];
      if (above < 0) return step;
    }
    return 0;
  }

  reset() {
    this.#base.reset();
    this.#counts.fill(0);
    this.#count = 0;
  }
}
