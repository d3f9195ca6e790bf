/**
 * Compares recorded signals: position of one in another, similarity and level. All signals are
 * mono, samples from -1 to 1.
 */

/** Level returned for silence, in dBFS. */
export const SILENCE_DB = -200;

/** Smallest power of two that is not less than a length. @param {number} length at least 1 */
const powerOfTwo = (length) => 2 ** Math.ceil(Math.log2(Math.max(1, length)));

/** @typedef {{ cosines: Float64Array, sines: Float64Array }} Turns of 2πk/n, for k below n/2 */

/** Turns by a transform's length, of which there are few. @type {Map<number, Turns>} */
const turnsByLength = new Map();

/** @param {number} n @returns {Turns} */
function turnsOf(n) {
  let turns = turnsByLength.get(n);
  if (!turns) {
    const angles = Float64Array.from({ length: n / 2 }, (_, k) => (2 * Math.PI * k) / n);
    turns = { cosines: angles.map(Math.cos), sines: angles.map(Math.sin) };
    turnsByLength.set(n, turns);
  }
  return turns;
}

/**
 * Discrete Fourier transform in place: radix 2, decimation in time (Cooley and Tukey, 1965). The
 * inverse is not scaled: it is N times the signal.
 *
 * @param {Float64Array} re real parts; their number is a power of two
 * @param {Float64Array} im imaginary parts, equally many
 * @param {boolean} [inverse]
 * @throws {RangeError} when the lengths differ, or are no power of two
 */
export function fft(re, im, inverse = false) {
  const n = re.length;
  if (im.length !== n || n < 1 || n !== powerOfTwo(n)) {
    throw new RangeError(
      `an FFT of ${n} and ${im.length} values: both must be the same power of two`,
    );
  }
  reverseBits(re, im);
  const { cosines, sines } = turnsOf(n);
  for (let half = 1, step = n / 2; half < n; half *= 2, step /= 2) {
    for (let start = 0; start < n; start += 2 * half) {
      for (let k = 0, a = start; k < half; k++, a++) {
        const b = a + half;
        const cos = cosines[k * step];
        const sin = inverse ? sines[k * step] : -sines[k * step];
        const real = re[b] * cos - im[b] * sin;
        const imaginary = re[b] * sin + im[b] * cos;
        re[b] = re[a] - real;
        im[b] = im[a] - imaginary;
        re[a] += real;
        im[a] += imaginary;
      }
    }
  }
}

/** @param {Float64Array} re @param {Float64Array} im */
function reverseBits(re, im) {
  const n = re.length;
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [re[i], re[j]] = [re[j], re[i]];
      [im[i], im[j]] = [im[j], im[i]];
    }
  }
}

/**
 * Correlates two signals: for each lag from 0 to signal.length - reference.length, the sum of
 * reference[i] · signal[i + lag].
 *
 * @param {Float32Array} reference
 * @param {Float32Array} signal not shorter than the reference
 * @returns {Float64Array}
 */
export function crossCorrelation(reference, signal) {
  // No lag puts the reference beyond the signal's end, so nothing wraps around in a transform of
  // this length.
  const n = powerOfTwo(signal.length);
  const re = new Float64Array(n);
  const im = new Float64Array(n);
  // Both real signals share one complex transform, signal + i·reference; symmetry separates them
  // below.
  re.set(signal);
  im.set(reference);
  fft(re, im);
  const productRe = new Float64Array(n);
  const productIm = new Float64Array(n);
  for (let k = 0; k < n; k++) {
    const m = (n - k) % n;
    const signalRe = (re[k] + re[m]) / 2;
    const signalIm = (im[k] - im[m]) / 2;
    const referenceRe = (im[k] + im[m]) / 2;
    const referenceIm = (re[m] - re[k]) / 2;
    productRe[k] = signalRe * referenceRe + signalIm * referenceIm;
    productIm[k] = signalIm * referenceRe - signalRe * referenceIm;
  }
  fft(productRe, productIm, true);
  return productRe.subarray(0, signal.length - reference.length + 1).map((value) => value / n);
}

/**
 * @typedef {object} Alignment
 * @property {number} lag samples after the start of the signal at which the reference starts
 * @property {number} correlation  normalized, -1 to 1: 1 means equal except for the level
 * @property {number} gainDb       level of the signal above the reference there
 */

/**
 * Finds the place where a signal is most similar to a reference.
 *
 * @param {Float32Array} reference
 * @param {Float32Array} signal not shorter than the reference
 * @param {{ from?: number, to?: number }} [lags] range of lags, both ends included
 * @returns {Alignment}
 * @throws {RangeError} when the reference is empty, longer than the signal, or no lag is possible
 */
export function align(reference, signal, { from = 0, to = Infinity } = {}) {
  if (reference.length === 0 || reference.length > signal.length) {
    throw new RangeError(
      `a reference of ${reference.length} samples in a signal of ${signal.length}`,
    );
  }
  const first = Math.max(0, from);
  const last = Math.min(to, signal.length - reference.length);
  if (first > last) throw new RangeError(`no lag from ${from} to ${to} is possible`);

  const part = signal.subarray(first, last + reference.length);
  const products = crossCorrelation(reference, part);
  const energies = slidingEnergy(part, reference.length);
  const referenceEnergy = energy(reference);
  // Inaudible parts have no similarity: otherwise rounding noise could win.
  const floor = Math.max(referenceEnergy * 1e-8, Number.MIN_VALUE);
  let best = 0;
  let correlation = -Infinity;
  for (let lag = 0; lag < products.length; lag++) {
    const value =
      energies[lag] < floor ? 0 : products[lag] / Math.sqrt(referenceEnergy * energies[lag]);
    if (value > correlation) [best, correlation] = [lag, value];
  }
  const gainDb = decibels(energies[best] / reference.length) - levelDb(reference);
  return { lag: first + best, correlation: referenceEnergy > 0 ? correlation : 0, gainDb };
}

/**
 * Measures the level of a signal: its root mean square against a full-scale square wave.
 * @param {Float32Array} samples
 * @returns {number} dBFS, at most 0 for samples within -1 to 1; SILENCE_DB for an empty or silent
 *   signal
 */
export function levelDb(samples) {
  return samples.length === 0 ? SILENCE_DB : decibels(energy(samples) / samples.length);
}

/** @param {number} power mean square */
const decibels = (power) => (power > 0 ? Math.max(SILENCE_DB, 10 * Math.log10(power)) : SILENCE_DB);

/** @param {Float32Array} samples */
function energy(samples) {
  let sum = 0;
  for (let i = 0; i < samples.length; i++) sum += samples[i] * samples[i];
  return sum;
}

/**
 * Energy of every stretch of `length` samples.
 * @param {Float32Array} samples
 * @param {number} length
 */
function slidingEnergy(samples, length) {
  const energies = new Float64Array(samples.length - length + 1);
  let sum = 0;
  for (let i = 0; i < samples.length; i++) {
    sum += samples[i] * samples[i];
    if (i >= length) sum -= samples[i - length] * samples[i - length];
    // Rounding may push a sum below zero.
    if (i >= length - 1) energies[i - length + 1] = Math.max(0, sum);
  }
  return energies;
}
