/**
 * The distance of decoded speech from the original. The two must be aligned to the sample.
 */

import { fft } from '../../testkit/sound/signal.js';
import { mean } from '../../testkit/statistics.js';

/** 21.3 ms, fine enough for the narrowest band. */
const WINDOW_SAMPLES = 1024;

/** Edges of the Bark scale's critical bands up to 9.5 kHz, in Hz (Zwicker, 1961). */
const BARK_EDGES = [
  0, 100, 200, 300, 400, 510, 630, 770, 920, 1080, 1270, 1480, 1720, 2000, 2320, 2700, 3150, 3700,
  4400, 5300, 6400, 7700, 9500,
];

/** Windows more than this below the loudest are pauses, which are left out, in dB. */
const PAUSE_DB = 45;

/**
 * Within a window, what lies more than this below the original's loudest band isn't heard, in dB.
 */
const MASKED_DB = 50;

/**
 * Returns the distance between two sounds' spectra in critical bands, as an ear groups them.
 * Windows have 1 024 samples, half overlapped. The result is the root mean square of the bands'
 * differences in dB, averaged over the windows with speech. An attentive ear notices about 1 dB.
 * Phase doesn't count, nor does masked noise.
 *
 * @param {Float32Array} original at 48 kHz
 * @param {Float32Array} decoded as long
 * @returns {number} dB
 */
export function barkDistance(original, decoded) {
  const distances = speechBands(original, decoded).map(({ bands, others }) => {
    const masked = Math.max(...bands) * 10 ** (-MASKED_DB / 10);
    const squares = bands.map(
      (band, i) => (10 * Math.log10((others[i] + masked) / (band + masked))) ** 2,
    );
    return Math.sqrt(mean(squares));
  });
  return mean(distances);
}

/** Bounds of one band's ratio, in dB, and the power of its magnitude by which it counts. */
const [LEAST_DB, MOST_DB, WEIGHT_POWER] = [-10, 35, 0.2];

/**
 * Returns the frequency-weighted segmental SNR, averaged over the windows with speech. In each
 * critical band, signal is the magnitude and noise is the codec's change to it. Bands are weighted
 * by magnitude to the power of 0.2. Of the simple measures it follows listeners' judgement of
 * speech best (Hu and Loizou, "Evaluation of objective quality measures for speech enhancement",
 * 2008). More is better.
 *
 * @param {Float32Array} original at 48 kHz
 * @param {Float32Array} decoded as long
 * @returns {number} dB, -10 to 35
 */
export function weightedSnr(original, decoded) {
  const ratios = speechBands(original, decoded).map(({ bands, others }) => {
    let [sum, weights] = [0, 0];
    bands.forEach((band, i) => {
      const error = (Math.sqrt(band) - Math.sqrt(others[i])) ** 2;
      const ratio = Math.max(
        LEAST_DB,
        Math.min(MOST_DB, 10 * Math.log10((band + 1e-12) / (error + 1e-12))),
      );
      const weight = Math.sqrt(band) ** WEIGHT_POWER;
      sum += weight * ratio;
      weights += weight;
    });
    return sum / weights;
  });
  return mean(ratios);
}

/**
 * The power of each critical band in the windows with speech, in the original and in the other.
 * @param {Float32Array} original
 * @param {Float32Array} decoded
 * @returns {{ bands: number[], others: number[] }[]}
 */
function speechBands(original, decoded) {
  const size = WINDOW_SAMPLES;
  const windows = [];
  let loudest = 0;
  for (let at = 0; at + size <= original.length; at += size / 2) {
    const bands = barkPowers(original.subarray(at, at + size));
    const total = bands.reduce((sum, band) => sum + band, 0);
    loudest = Math.max(loudest, total);
    windows.push({ at, bands, total });
  }
  const speech = windows.filter(({ total }) => total > loudest * 10 ** (-PAUSE_DB / 10));
  return speech.map(({ at, bands }) => ({
    bands,
    others: barkPowers(decoded.subarray(at, at + size)),
  }));
}

/**
 * An attack: the smallest rise within two slices, in dB, and the smallest power that it reaches.
 */
const ATTACK_DB = 20;
const ATTACK_SAMPLES = 120;
const ATTACK_POWER = 1e-4;

/** Power below which a slice counts as silent: -77 dBFS. */
const SILENT_POWER = 1e-8;

/**
 * Pre-echo, noise before a sound starts: a transform spreads its noise over the whole frame, and so
 * ahead of an attack. In slices of 2.5 ms, how much louder than in the original the one before an
 * attack is, in the mean. The Bark distance's windows are too long to show it.
 *
 * @param {Float32Array} original at 48 kHz
 * @param {Float32Array} decoded as long
 * @returns {number} dB
 */
export function preEcho(original, decoded) {
  const size = ATTACK_SAMPLES;
  const echoes = [];
  for (let at = 0; at + 3 * size <= original.length; at += size) {
    const before = power(original, at, size) + SILENT_POWER;
    const attack = Math.max(power(original, at + size, size), power(original, at + 2 * size, size));
    if (attack > ATTACK_POWER && attack > before * 10 ** (ATTACK_DB / 10)) {
      echoes.push(10 * Math.log10((power(decoded, at, size) + SILENT_POWER) / before));
    }
  }
  return mean(echoes);
}

/**
 * @param {Float32Array} samples
 * @param {number} at
 * @param {number} size
 */
function power(samples, at, size) {
  let sum = 0;
  for (let i = at; i < at + size; i++) sum += samples[i] ** 2;
  return sum / size;
}

/**
 * Returns the mean SNR of 20 ms windows with speech, each clamped to 0 to 35 dB.
 *
 * @param {Float32Array} original at 48 kHz
 * @param {Float32Array} decoded as long
 * @returns {number} dB
 */
export function segmentalSnr(original, decoded) {
  const size = 960;
  const windows = [];
  for (let at = 0; at + size <= original.length; at += size) {
    let error = 0;
    for (let i = at; i < at + size; i++) error += (original[i] - decoded[i]) ** 2 / size;
    windows.push({ sound: power(original, at, size), error });
  }
  const loudest = Math.max(...windows.map(({ sound }) => sound));
  const speech = windows.filter(({ sound }) => sound > loudest * 10 ** (-PAUSE_DB / 10));
  return mean(
    speech.map(({ sound, error }) =>
      Math.min(35, Math.max(0, 10 * Math.log10(sound / (error + 1e-12)))),
    ),
  );
}

/**
 * @param {Float32Array} samples WINDOW_SAMPLES of them, at 48 kHz
 * @returns {number[]} the power in each critical band
 */
function barkPowers(samples) {
  const size = samples.length;
  const re = new Float64Array(size);
  const im = new Float64Array(size);
  for (let i = 0; i < size; i++) re[i] = samples[i] * HANN[i];
  fft(re, im);
  const powers = new Array(BARK_EDGES.length - 1).fill(0);
  for (let k = 1, band = 0; k < size / 2; k++) {
    while (band < powers.length && (k * 48000) / size >= BARK_EDGES[band + 1]) band++;
    if (band === powers.length) break;
    powers[band] += re[k] ** 2 + im[k] ** 2;
  }
  return powers;
}

const HANN = Float64Array.from(
  { length: WINDOW_SAMPLES },
  (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / WINDOW_SAMPLES),
);
