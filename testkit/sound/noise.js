/** Noises for speech, each the same for the same seed. */

import { levelDb } from '../../public/shared/sound/signal.js';
import { normal, seededRandom } from '../random.js';

/** Corner of the fan's noise, above which it falls by 6 dB an octave, in Hz. */
const FAN_HZ = 500;

/** Voices that talk at once. */
const BABBLERS = 12;

/**
 * Stationary noise like a fan's.
 * @param {number} samples at 48 kHz
 * @param {number} seed
 * @returns {Float32Array}
 */
export function fanNoise(samples, seed) {
  const random = seededRandom(seed);
  const step = 1 - Math.exp((-2 * Math.PI * FAN_HZ) / 48_000);
  let low = 0;
  return Float32Array.from({ length: samples }, () => {
    low += step * (normal(random) - low);
    return 0.1 * low;
  });
}

/**
 * Voices that talk at once, none of which can be followed.
 * @param {Float32Array[]} voices  speech at 48 kHz
 * @param {number} samples
 * @param {number} seed
 * @returns {Float32Array}
 */
export function babble(voices, samples, seed) {
  const random = seededRandom(seed);
  const sum = new Float32Array(samples);
  for (let k = 0; k < BABBLERS; k++) {
    const voice = voices[k % voices.length];
    const from = Math.floor(random() * voice.length);
    const gain = (0.5 + random()) / BABBLERS;
    for (let i = 0; i < samples; i++) sum[i] += gain * voice[(from + i) % voice.length];
  }
  return sum;
}

/**
 * Adds noise to speech.
 * @param {Float32Array} speech
 * @param {Float32Array} noise as long
 * @param {number} snrDb  ratio of their levels over the whole length
 * @returns {{ noisy: Float32Array, noise: Float32Array }} noise: as loud as it was added
 */
export function withNoise(speech, noise, snrDb) {
  const gain = 10 ** ((levelDb(speech) - snrDb - levelDb(noise)) / 20);
  const added = noise.map((sample) => gain * sample);
  return { noisy: speech.map((sample, i) => sample + added[i]), noise: added };
}
