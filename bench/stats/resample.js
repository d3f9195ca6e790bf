/** Resampling of whole recordings, in either direction. */

/** Zero crossings of the sinc on either side of its centre. */
const CROSSINGS = 32;

/**
 * The filter's cutoff over half of the lower sample rate: its transition band ends where aliases
 * begin.
 */
const CUTOFF = 0.94;

/**
 * Resamples by a windowed sinc (J. O. Smith, "Digital Audio Resampling Home Page"). Samples before
 * and after the signal are taken as zeros; the result isn't delayed.
 *
 * @param {Float32Array} samples
 * @param {number} from the samples' rate, in whole Hz
 * @param {number} to   the result's
 * @returns {Float32Array} the samples themselves when the rates are equal
 * @throws {RangeError} for rates that aren't positive whole numbers
 */
export function resample(samples, from, to) {
  for (const rate of [from, to]) {
    if (!Number.isInteger(rate) || rate < 1) throw new RangeError(`a sample rate of ${rate} Hz`);
  }
  if (from === to) return samples;
  const reach = Math.ceil((CROSSINGS * Math.max(from, to)) / to);
  /**
   * @type {Map<number, Float64Array>} weights by the place between two samples, in units of 1 / to
   */
  const kernels = new Map();
  const result = new Float32Array(Math.floor((samples.length * to) / from));
  for (let i = 0; i < result.length; i++) {
    const phase = (i * from) % to;
    const kernel =
      kernels.get(phase) ?? sincWeights(phase / to, reach, Math.min(1, to / from) * CUTOFF);
    kernels.set(phase, kernel);
    const start = (i * from - phase) / to - reach + 1;
    const end = Math.min(kernel.length, samples.length - start);
    let sum = 0;
    for (let tap = Math.max(0, -start); tap < end; tap++) sum += samples[start + tap] * kernel[tap];
    result[i] = sum;
  }
  return result;
}

/**
 * @param {number} place of the output between two samples, 0 to 1
 * @param {number} reach samples on either side that count
 * @param {number} cutoff over half of the samples' rate
 * @returns {Float64Array} weights whose sum is 1, with Blackman's window
 */
function sincWeights(place, reach, cutoff) {
  const weights = Float64Array.from({ length: 2 * reach }, (_, tap) => {
    const x = tap - reach + 1 - place;
    const angle = Math.PI * cutoff * x;
    const turn = (Math.PI * x) / reach;
    return (
      (x === 0 ? 1 : Math.sin(angle) / angle) *
      (0.42 + 0.5 * Math.cos(turn) + 0.08 * Math.cos(2 * turn))
    );
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}
