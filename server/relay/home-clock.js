/** How many of the last observations are kept: the one with the shortest round trip is believed. */
const OBSERVATIONS = 16;

/**
 * How quickly the clock is set right, in milliseconds a second: more than quartz drifts, and too
 * little to be heard.
 */
const SLEW_MS = 1;

/** What is further off than this is set at once, in milliseconds. */
const JUMP_MS = 50;

/**
 * The sample clock of a room whose home is another node, by requests to it: the offset of the one
 * with the shortest round trip, since its error is at most half of it (RFC 5905, section 10). It
 * runs evenly: a new offset is reached bit by bit.
 */
export class HomeClock {
  #perMs;
  /** @type {{ offset: number, roundTripMs: number }[]} */
  #observed = [];
  /**
   * The clock less this node's, in samples, as it is now, and as it is to be; NaN before the first
   * observation.
   */
  #offset = NaN;
  #target = NaN;
  #atMs = 0;

  /** @param {number} sampleRate  in Hz */
  constructor(sampleRate) {
    this.#perMs = sampleRate / 1000;
  }

  /** Whether it can be read. */
  get isSet() {
    return !Number.isNaN(this.#offset);
  }

  /**
   * @param {number} sentMs      when it was asked for, on this node's monotonic clock
   * @param {number} receivedMs  when the answer came
   * @param {number} clock       the answer, in samples
   */
  observe(sentMs, receivedMs, clock) {
    this.#observed.push({
      offset: clock - ((sentMs + receivedMs) / 2) * this.#perMs,
      roundTripMs: receivedMs - sentMs,
    });
    if (this.#observed.length > OBSERVATIONS) this.#observed.shift();
    let best = this.#observed[0];
    for (const one of this.#observed) if (one.roundTripMs <= best.roundTripMs) best = one;
    this.#target = best.offset;
    if (!(Math.abs(this.#target - this.#offset) <= JUMP_MS * this.#perMs))
      this.#offset = this.#target;
    else this.#slew(receivedMs);
    this.#atMs = Math.max(this.#atMs, receivedMs);
  }

  /** @param {number} nowMs */
  #slew(nowMs) {
    const step = (Math.max(0, nowMs - this.#atMs) * SLEW_MS * this.#perMs) / 1000;
    const left = this.#target - this.#offset;
    this.#offset += Math.sign(left) * Math.min(Math.abs(left), step);
    this.#atMs = Math.max(this.#atMs, nowMs);
  }

  /**
   * @param {number} nowMs on this node's monotonic clock
   * @returns {number} samples; NaN before the first observation
   */
  at(nowMs) {
    this.#slew(nowMs);
    return nowMs * this.#perMs + this.#offset;
  }
}
