import { bessel } from '../../public/client/clock/resampler.js';

/**
 * Zeros of the sinc on either side, and shape of the Kaiser window: everything beyond the band is
 * below -80 dB.
 */
const ZEROS = 24;
const KAISER_BETA = 8;

/** Share of the lower rate's band that passes; above it the response falls off. */
const PASSBAND = 0.94;

/**
 * Most phases with stored weights. Rates with more use the nearest, with an error below -70 dB at
 * 10 kHz.
 */
const MAX_PHASES = 4096;

/**
 * Converts sound to another rate, up or down, piece by piece: band-limited interpolation by a
 * windowed sinc (J. O. Smith, "Digital Audio Resampling Home Page"). Its output begins with its
 * input's first sample. Sound is interleaved.
 */
export class RateConverter {
  #step;
  #from;
  #channels;
  #half;
  #scale;
  /**
   * Weights by phase, computed when needed: 44.1 kHz to 48 has 160.
   * @type {Map<number, Float32Array>}
   */
  #weights = new Map();
  #phases;
  /** Input that is still needed, and the place of its first sample. */
  #input = new Float32Array(0);
  #first = 0;
  /** Number of samples returned so far. */
  #given = 0;
  #total = 0;

  /**
   * @param {number} from in Hz, a whole number
   * @param {number} to in Hz, a whole number
   * @param {number} channels
   */
  constructor(from, to, channels) {
    this.#step = from / to;
    this.#phases = to;
    this.#from = from;
    this.#channels = channels;
    this.#scale = Math.min(1, to / from) * PASSBAND;
    this.#half = Math.ceil(ZEROS / this.#scale);
    // Silence before the first sample.
    this.#input = new Float32Array(this.#half * channels);
    this.#first = -this.#half;
  }

  /** @param {Float32Array} piece @returns {Float32Array} all samples that are complete */
  push(piece) {
    this.#total += piece.length / this.#channels;
    const joined = new Float32Array(this.#input.length + piece.length);
    joined.set(this.#input);
    joined.set(piece, this.#input.length);
    this.#input = joined;
    return this.#give(Infinity);
  }

  /** Remaining samples, after the last push. */
  end() {
    const all = Math.round(this.#total / this.#step);
    const { length } = this.#input;
    const joined = new Float32Array(length + (this.#half + 1) * this.#channels);
    joined.set(this.#input);
    this.#input = joined;
    return this.#give(all);
  }

  /** @param {number} most most samples returned in total */
  #give(most) {
    const channels = this.#channels;
    const last = this.#first + this.#input.length / channels - 1;
    const count = Math.max(
      0,
      Math.min(most, Math.floor((last - this.#half) / this.#step) + 1) - this.#given,
    );
    const out = new Float32Array(count * channels);
    for (let i = 0; i < count; i++) this.#one(this.#given + i, out, i * channels);
    this.#given += count;
    const needed = Math.floor(this.#given * this.#step) - this.#half;
    const drop = Math.max(0, Math.min(needed - this.#first, this.#input.length / channels));
    this.#input = this.#input.slice(drop * channels);
    this.#first += drop;
    return out;
  }

  /**
   * @param {number} index of the output sample
   * @param {Float32Array} out
   * @param {number} at
   */
  #one(index, out, at) {
    const channels = this.#channels;
    const phase = (index * this.#from) % this.#phases;
    const whole = (index * this.#from - phase) / this.#phases;
    const weights = this.#weightsOf(phase);
    const start = (whole - this.#half + 1 - this.#first) * channels;
    for (let c = 0; c < channels; c++) {
      let sum = 0;
      for (let k = 0; k < weights.length; k++)
        sum += weights[k] * (this.#input[start + k * channels + c] ?? 0);
      out[at + c] = sum;
    }
  }

  /** @param {number} phase 0 to below the number of phases */
  #weightsOf(phase) {
    const fraction = phase / this.#phases;
    const isKept = this.#weights.has(fraction) || this.#weights.size < MAX_PHASES;
    const key = isKept ? fraction : Math.floor(fraction * MAX_PHASES) / MAX_PHASES;
    let weights = this.#weights.get(key);
    if (!weights) this.#weights.set(key, (weights = this.#makeWeights(key)));
    return weights;
  }

  /** @param {number} fraction of a sample of the input, 0 to below 1 */
  #makeWeights(fraction) {
    const half = this.#half;
    const weights = new Float32Array(2 * half);
    let sum = 0;
    for (let k = 0; k < weights.length; k++) {
      const x = k - half + 1 - fraction;
      const edge = x / half;
      const angle = Math.PI * x * this.#scale;
      const sinc = angle === 0 ? 1 : Math.sin(angle) / angle;
      weights[k] =
        Math.abs(edge) >= 1 ? 0 : sinc * bessel(KAISER_BETA * Math.sqrt(1 - edge * edge));
      sum += weights[k];
    }
    for (let k = 0; k < weights.length; k++) weights[k] /= sum;
    return weights;
  }
}
