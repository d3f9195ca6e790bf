/** Impairment of a voice by its bit rate, on the scale of the E-model. */

import { RATES } from '../../../public/shared/sound/audio-format.js';
import { loadCodec } from '../../../server/codec/codec.js';
import { readSpeech } from '../../../testkit/participants/speech.js';
import { decodedSound, packetsOf } from '../../../testkit/sound/voice-path.js';
import { visqolImpairment } from '../../stats/e-model.js';
import { visqol } from '../../stats/visqol.js';

const SAMPLE_RATE = 48_000;

/**
 * Marks the lab's speech at each bit rate by ViSQOL, without a network: some seconds of work.
 * @param {number} [seconds] of the speech, from its beginning
 * @returns {Promise<Map<number, number>>} Ie, the impairment without loss, by bit rate in kb/s
 */
export async function rateImpairments(seconds = Infinity) {
  const codec = await loadCodec();
  const speech = (await readSpeech(SAMPLE_RATE)).subarray(0, seconds * SAMPLE_RATE);
  return new Map(
    RATES.map((bitrate) => {
      const sound = decodedSound(codec, packetsOf(codec, speech, { bitrate }));
      const { mos } = visqol(speech, sound, { sampleRate: SAMPLE_RATE });
      return [bitrate / 1000, visqolImpairment(mos)];
    }),
  );
}
