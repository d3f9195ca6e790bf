/** The voices of comparisons, in testkit/speech/: bench/codec/make-speech.js made them. */

import { readWav } from '../../testkit/sound/wav.js';
import { resample } from '../stats/resample.js';

/** Voices of some 10 s each, each with its own words. */
export const SPEAKERS = Object.freeze([
  'speaker-low-1',
  'speaker-low-2',
  'speaker-high-1',
  'speaker-high-2',
]);

/** @param {string} name one of SPEAKERS */
export const speakerFile = (name) => new URL(`../../testkit/speech/${name}.wav`, import.meta.url);

/**
 * @param {string} name one of SPEAKERS
 * @param {number} sampleRate
 * @returns {Promise<Float32Array>} [-1, 1]
 */
export async function readSpeaker(name, sampleRate) {
  const {
    channels: [spoken],
    sampleRate: own,
  } = await readWav(speakerFile(name));
  return resample(spoken, own, sampleRate);
}
