/** Number of kept observations: the one with the shortest round trip counts. */
const OBSERVATIONS = 16;

/** Speed of corrections, in milliseconds per second: more than quartz drifts, and inaudible. */
const SLEW_MS = 1;

/** Error above which the clock is corrected at once, in milliseconds. */
const JUMP_MS = 50;

/**
 * Estimates the sample clock of a room at another node from requests to its owner. The offset with
 * the shortest round trip counts, because its error is at most half of that (RFC 5905, section 10).
 * The clock runs evenly: it approaches a new offset gradually.
 */
export class HomeClock {
  #perMs;
  /** @type {{ offset: number, roundTripMs: number }[]} */
  #observed = [];
  /**
   * The room's clock minus this node's, in samples: now, and the target. NaN before the first
   * observation.
   */
  #offset = NaN;
  #target = NaN;
  #atMs = 0;

  /** @param {number} sampleRate  in Hz */
  constructor(sampleRate) {
    this.#perMs = sampleRate / 1000;
  }

  /**
   * @param {number} sentMs  time of the request on this node's monotonic clock
   * @param {number} receivedMs  time of the answer
   * @param {number} clock  the answer, in samples
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
