/** How many exchanges are remembered. */
const REMEMBERED = 16;

/** How far two clocks may drift apart: 100 ppm, the worst of ordinary quartz. */
const DRIFT = 100e-6;

/**
 * The server's sample clock as the client knows it. Of many exchanges of a request and a reply the
 * one with the least round trip is believed, since the least can be wrong about it (RFC 5905,
 * section 10); an old one is believed less, by what the clocks may have drifted since.
 */
export class ClockSync {
  #sampleRate;
  #middles = new Float64Array(REMEMBERED);
  #clocks = new Float64Array(REMEMBERED);
  #roundTrips = new Float64Array(REMEMBERED);
  #count = 0;
  #best = -1;

  /** @param {number} sampleRate Hz */
  constructor(sampleRate) {
    this.#sampleRate = sampleRate;
  }

  /** How many exchanges have been counted. */
  get exchanges() {
    return this.#count;
  }

  /**
   * @param {number} sentMs      when the request was sent, on the client's clock
   * @param {number} receivedMs  when the reply arrived, on the client's clock
   * @param {number} clock       the sample clock at the request's arrival, with its fraction
   * @returns {boolean} false when it can't be: time ran backwards, or a number is none
   */
  add(sentMs, receivedMs, clock) {
    const roundTrip = receivedMs - sentMs;
    if (!(roundTrip >= 0) || !Number.isFinite(clock)) return false;
    const slot = this.#count % REMEMBERED;
    this.#middles[slot] = sentMs + roundTrip / 2;
    this.#clocks[slot] = clock;
    this.#roundTrips[slot] = roundTrip;
    this.#count += 1;
    this.#choose(receivedMs);
    return true;
  }

  /** @param {number} nowMs */
  #choose(nowMs) {
    let least = Infinity;
    const held = Math.min(this.#count, REMEMBERED);
    for (let i = 0; i < held; i++) {
      const error = this.#errorMs(i, nowMs);
      if (error >= least) continue;
      least = error;
      this.#best = i;
    }
  }

  /**
   * @param {number} slot
   * @param {number} nowMs
   */
  #errorMs(slot, nowMs) {
    return this.#roundTrips[slot] / 2 + Math.max(0, nowMs - this.#middles[slot]) * DRIFT;
  }

  /**
   * @param {number} ms a time of the client's clock
   * @returns {number} the sample clock then, with its fraction; NaN before the first exchange
   */
  sampleClockAt(ms) {
    if (this.#best < 0) return NaN;
    return this.#clocks[this.#best] + ((ms - this.#middles[this.#best]) * this.#sampleRate) / 1000;
  }

  /**
   * @param {number} sample
   * @returns {number} when the sample clock reaches it, on the client's clock, in milliseconds
   */
  msAt(sample) {
    if (this.#best < 0) return NaN;
    return this.#middles[this.#best] + ((sample - this.#clocks[this.#best]) * 1000) / this.#sampleRate;
  }

  /** The round trip of the exchange that is believed, in milliseconds; null before the first. */
  get leastRoundTripMs() {
    return this.#best < 0 ? null : this.#roundTrips[this.#best];
  }

  /** The latest round trip, in milliseconds; null before the first. */
  get roundTripMs() {
    return this.#count === 0 ? null : this.#roundTrips[(this.#count - 1) % REMEMBERED];
  }

  /**
   * How far sampleClockAt may be off at most, in milliseconds.
   * @param {number} nowMs
   * @returns {number} Infinity before the first exchange
   */
  quality(nowMs) {
    return this.#best < 0 ? Infinity : this.#errorMs(this.#best, nowMs);
  }
}
