/** Speech that was degraded in known ways, the same samples in every run. */

import { normal, seededRandom } from '../../testkit/random.js';
import { resample } from '../stats/resample.js';
import { levelDb } from '../../testkit/sound/signal.js';
import { readWav } from '../../testkit/sound/wav.js';

/** The sample rate of the speech, in Hz. */
export const SAMPLE_RATE = 16000;

/** A packet of audio in the conditions that lose some: 20 ms. */
const PACKET_SAMPLES = 320;

/**
 * @param {'speech-low' | 'speech-high'} name
 * @param {number} seconds
 * @returns {Promise<Float32Array>} the beginning of a fixture, at 16 kHz
 */
export async function fixtureSpeech(name, seconds) {
  const { sampleRate, channels } = await readWav(
    new URL(`../../testkit/speech/${name}.wav`, import.meta.url),
  );
  return resample(channels[0], sampleRate, SAMPLE_RATE).slice(0, seconds * SAMPLE_RATE);
}

/** @param {Float32Array} speech @param {number} ratioDb of the speech to white noise */
export function withNoise(speech, ratioDb) {
  const random = seededRandom(1);
  const level = 10 ** ((levelDb(speech) - ratioDb) / 20);
  return speech.map((sample) => sample + level * normal(random));
}

/** @param {Float32Array} speech @param {number} share of the peak at which it is clipped */
export function clipped(speech, share) {
  const most = share * speech.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);
  return speech.map((sample) => Math.max(-most, Math.min(most, sample)));
}

/**
 * @param {Float32Array} speech
 * @param {number} share of packets of 20 ms that are silent; those lost at a lower share are lost
 *   at a higher one too
 */
export function withLoss(speech, share) {
  const random = seededRandom(2);
  const result = speech.slice();
  for (let at = 0; at < result.length; at += PACKET_SAMPLES) {
    if (random() < share) result.fill(0, at, at + PACKET_SAMPLES);
  }
  return result;
}

/** Telephone speech: without what is above 4 kHz. @param {Float32Array} speech */
export function narrowband(speech) {
  return resample(resample(speech, SAMPLE_RATE, SAMPLE_RATE / 2), SAMPLE_RATE / 2, SAMPLE_RATE);
}

/**
 * Moves what follows the longest pause.
 *
 * @param {Float32Array} speech
 * @param {number} milliseconds by which it is later, with silence in between
 */
export function delayedInPause(speech, milliseconds) {
  const at = pauseIn(speech);
  return joined(speech.subarray(0, at), silence(milliseconds), speech.subarray(at));
}

/**
 * @param {Float32Array} speech
 * @returns {number} the middle of the quietest 100 ms between a quarter and three quarters of the
 *   speech
 */
function pauseIn(speech) {
  const size = SAMPLE_RATE / 10;
  let quietest = { at: 0, level: Infinity };
  for (let at = Math.floor(speech.length / 4); at < (speech.length * 3) / 4; at += PACKET_SAMPLES) {
    const level = levelDb(speech.subarray(at, at + size));
    if (level < quietest.level) quietest = { at: at + size / 2, level };
  }
  return quietest.at;
}

/** @param {number} milliseconds */
export const silence = (milliseconds) => new Float32Array((milliseconds * SAMPLE_RATE) / 1000);

/** @param {Float32Array[]} parts */
export function joined(...parts) {
  const result = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    result.set(part, at);
    at += part.length;
  }
  return result;
}
