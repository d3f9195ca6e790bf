/** @import { AudioFormat } from '../../public/shared/sound/audio-format.js' */

import { createAudioFormat } from '../../public/shared/sound/audio-format.js';
import { fullBandBitrate, streamBitrate } from '../../public/shared/stream/bitrate.js';

/** @param {number} bitrate */
const kbps = (bitrate) => `${bitrate / 1000} kb/s`;

/**
 * Says what a low bit rate makes of the sound.
 * @param {{ bitrate: number, sampleRate: number, channels: number, frameMs: number, opusFrames:
 *   number }} config
 * @returns {string[]} a line for the person who starts the server; none where the rate is enough
 */
export function soundReport(config) {
  const format = createAudioFormat(config);
  const given = streamBitrate(config.bitrate, format);
  const full = fullBandBitrate(format);
  if (given > full || config.bitrate * format.channels >= full) return [];
  const lacks = format.channels === 2 ? 'stereo and high sounds' : 'high sounds';
  if (given === full) {
    return [
      `With Opus frames of ${config.frameMs / config.opusFrames} ms each stream has ` +
        `${kbps(given)}, more than --bitrate says: with less, Opus leaves out ${lacks}.`,
    ];
  }
  return [`A stream has ${kbps(given)}: with less than ${kbps(full)} Opus leaves out ${lacks}.`];
}
