import { fft, levelDb } from '../../testkit/sound/signal.js';

/** Values of the spectrum. */
const SIZE = 32_768;

/** Shortest run of zeros that is a gap, in samples. */
const GAP = 48;

/**
 * The strongest tone of a sound.
 * @param {Float32Array} samples  at least SIZE
 * @param {number} sampleRate  in Hz
 * @returns {{ hz: number, level: number, gaps: number }} level: of all samples, in dBFS; gaps: runs
 *   of zeros
 */
export function toneIn(samples, sampleRate) {
  const re = new Float64Array(SIZE);
  const im = new Float64Array(SIZE);
  for (let i = 0; i < SIZE; i++)
    re[i] = samples[i] * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / SIZE));
  fft(re, im);
  let best = 1;
  const power = (/** @type {number} */ k) => re[k] ** 2 + im[k] ** 2;
  for (let k = 1; k < SIZE / 2; k++) if (power(k) > power(best)) best = k;
  let [gaps, zeros] = [0, 0];
  for (const sample of samples) {
    zeros = sample === 0 ? zeros + 1 : 0;
    if (zeros === GAP) gaps += 1;
  }
  return { hz: (best * sampleRate) / SIZE, level: levelDb(samples), gaps };
}

/**
 * Level of one frequency in a sound, by a DFT of one bin with a Hann window.
 * @param {Float32Array} samples
 * @param {number} hz
 * @param {number} sampleRate
 * @returns {number} peak of a sine with that frequency, in dBFS
 */
export function toneDb(samples, hz, sampleRate) {
  let [re, im] = [0, 0];
  for (let i = 0; i < samples.length; i++) {
    const value = samples[i] * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / samples.length));
    const angle = (2 * Math.PI * hz * i) / sampleRate;
    re += value * Math.cos(angle);
    im += value * Math.sin(angle);
  }
  return 20 * Math.log10((4 * Math.hypot(re, im)) / samples.length + 1e-12);
}
