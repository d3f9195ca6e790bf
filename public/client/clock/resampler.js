/** Length of the filter in samples, and the stored phases between two samples. */
const TAPS = 32;
const PHASES = 256;

/** Samples before an output's place that it depends on; after the place there is one more. */
const BEFORE = TAPS / 2 - 1;

/**
 * Shape of the Kaiser window: images of tones below 0.8 of half the sample rate stay under -90 dB.
 */
const KAISER_BETA = 9;

/** Modified Bessel function of the first kind, order 0, by its series. @param {number} x */
export function bessel(x) {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

/** Weights of a windowed sinc for each phase, each with sum 1, and for the phase after the last. */
function createWeights() {
  const weights = new Float32Array((PHASES + 1) * TAPS);
  for (let phase = 0; phase <= PHASES; phase++) {
    const row = weights.subarray(phase * TAPS, (phase + 1) * TAPS);
    for (let tap = 0; tap < TAPS; tap++) {
      const x = tap - BEFORE - phase / PHASES;
      const edge = x / (TAPS / 2);
      const sinc = x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
      row[tap] = Math.abs(edge) > 1 ? 0 : sinc * bessel(KAISER_BETA * Math.sqrt(1 - edge * edge));
    }
    const sum = row.reduce((total, weight) => total + weight, 0);
    for (let tap = 0; tap < TAPS; tap++) row[tap] /= sum;
  }
  return weights;
}

const weights = createWeights();

/**
 * Resamples to a higher rate, or to a slightly different one; the ratio may change at any time
 * inaudibly. Band-limited interpolation by a windowed sinc (J. O. Smith, "Digital Audio Resampling
 * Home Page"). Its delay is TAPS / 2 samples. Stereo is interleaved; counts and places are of
 * samples of both channels at once.
 */
export class Resampler {
  #channels;
  #capacity;
  #buffer;
  #end = BEFORE;
  /** Place of the next output's first tap: the sample, and the fraction beyond it. */
  #at = 0;
  #fraction = 0;

  /** Input samples per output sample: up to little more than 1. May be set at any time. */
  step = 1;

  /** @param {number} capacity most samples that wait to be read @param {number} [channels] */
  constructor(capacity, channels = 1) {
    this.#channels = channels;
    this.#capacity = capacity + TAPS;
    this.#buffer = new Float32Array(this.#capacity * channels);
  }

  /** Number of samples that can be written. */
  get room() {
    return this.#capacity - this.#end + this.#at;
  }

  /** Number of samples, with fraction, written beyond the place of the next output. */
  get pending() {
    return this.#end - this.#at - BEFORE - this.#fraction;
  }

  /**
   * @param {number} count
   * @returns {number} number of samples to write before `count` can be read; 0 when they can be
   *   read now
   */
  missing(count) {
    const last = this.#fraction + (count - 1) * this.step;
    return Math.max(0, this.#at + Math.floor(last) + TAPS - this.#end);
  }

  /**
   * @param {Float32Array} samples
   * @param {number} at
   * @param {number} count `room` at most
   */
  write(samples, at, count) {
    const channels = this.#channels;
    this.#buffer.copyWithin(0, this.#at * channels, this.#end * channels);
    this.#end -= this.#at;
    this.#at = 0;
    const [from, to] = [at * channels, this.#end * channels];
    for (let i = 0; i < count * channels; i++) this.#buffer[to + i] = samples[from + i];
    this.#end += count;
  }

  /**
   * @param {Float32Array} out
   * @param {number} at
   * @param {number} most
   * @returns {number} number of samples read
   */
  read(out, at, most) {
    const channels = this.#channels;
    let count = 0;
    for (; count < most && this.#at + TAPS <= this.#end; count++) {
      for (let c = 0; c < channels; c++) out[(at + count) * channels + c] = this.#output(c);
      this.#fraction += this.step;
      const whole = Math.floor(this.#fraction);
      this.#at += whole;
      this.#fraction -= whole;
    }
    return count;
  }

  /** @param {number} channel */
  #output(channel) {
    if (this.#fraction === 0) return this.#buffer[(this.#at + BEFORE) * this.#channels + channel];
    const place = this.#fraction * PHASES;
    const phase = Math.floor(place);
    const between = place - phase;
    const row = phase * TAPS;
    const buffer = this.#buffer;
    const channels = this.#channels;
    let from = this.#at * channels + channel;
    let before = 0;
    let after = 0;
    for (let tap = 0; tap < TAPS; tap++) {
      const sample = buffer[from];
      from += channels;
      before += sample * weights[row + tap];
      after += sample * weights[row + TAPS + tap];
    }
    return before + (after - before) * between;
  }

  /** Forgets all samples; the next ones follow silence. */
  reset() {
    this.#buffer.fill(0, 0, BEFORE * this.#channels);
    this.#end = BEFORE;
    this.#at = 0;
    this.#fraction = 0;
  }
}
