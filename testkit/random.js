/**
 * Seeded random numbers, so that a run can be repeated, and noise for speech made from them. They
 * come from the Mersenne Twister (Matsumoto and Nishimura, 1998).
 */

import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { mersenne } from 'pure-rand/generator/mersenne';
import { levelDb } from '../public/shared/sound/signal.js';

/**
 * @param {number} seed an integer; its lower 32 bits count
 * @returns {() => number} numbers in [0, 1)
 */
export function seededRandom(seed) {
  const generator = mersenne(seed);
  return () => uniformFloat64(generator);
}

/**
 * @param {() => number} random numbers in [0, 1)
 * @returns {number} normally distributed, mean 0, standard deviation 1 (Box and Muller, 1958)
 */
export function normal(random) {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

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
