/**
 * The bit rates of a room's streams.
 * @import { AudioFormat } from '../sound/audio-format.js'
 */

import { MAX_HEADER_BYTES, MAX_SENT_BYTES } from '../wire/packet-format.js';
import { MAX_BITRATE } from './codec.js';

/** The longest payload that is written, in bytes. */
const MAX_PAYLOAD_BYTES = MAX_SENT_BYTES - MAX_HEADER_BYTES;

/**
 * @param {Pick<AudioFormat, 'frameMs' | 'opusFrames'>} format
 * @param {number} [payloadBytes]  the most of a frame; as they are written by default
 * @returns {number} the bit rate at which a frame fills a packet, in bits a second
 */
export function mostBitrate({ frameMs, opusFrames }, payloadBytes = MAX_PAYLOAD_BYTES) {
  return Math.floor(((payloadBytes - 2 * opusFrames) * 8000) / frameMs);
}

/**
 * The shortest Opus frame that may be of little bandwidth, in milliseconds: shorter ones are for
 * music.
 */
const NARROW_MS = 10;

/**
 * The bit rates from which libopus codes the full band, and two channels as two, in bits a second
 * of all channels: by the Opus frame's length in milliseconds, those of one channel and of two.
 * Below, it becomes narrowband and mono without a word (test/unit/shared/stream/bitrate.test.js).
 */
const FULL_BAND = new Map([
  [2.5, [38_000, 56_000]],
  [5, [26_000, 36_000]],
  [10, [22_000, 26_000]],
]);
const FULL_BAND_OF_LONG = [20_000, 20_000];

/**
 * @param {Pick<AudioFormat, 'frameMs' | 'opusFrames' | 'channels'>} format
 * @returns {number} see FULL_BAND
 */
export const fullBandBitrate = ({ frameMs, opusFrames, channels }) =>
  (FULL_BAND.get(frameMs / opusFrames) ?? FULL_BAND_OF_LONG)[channels - 1];

/**
 * @param {Pick<AudioFormat, 'frameMs' | 'opusFrames' | 'channels'>} format
 * @returns {number} the least bit rate of a stream, in bits a second; 0 where any will do
 */
export const leastBitrate = (format) =>
  format.frameMs / format.opusFrames < NARROW_MS ? fullBandBitrate(format) : 0;

/**
 * The bits that Opus frames shorter than 10 ms need for the sound of one of 20 ms, whose bits are
 * 1: by their length in milliseconds (docs/codec.md, "Short frames").
 */
const BITS_OF_SHORT = new Map([
  [2.5, 4 / 3],
  [5, 10 / 9],
]);

/**
 * @param {number} bitrate of one channel, in bits a second, where a frame has 10 ms or more
 * @param {Pick<AudioFormat, 'frameMs' | 'opusFrames' | 'channels'>} format
 * @returns {number} the bit rate of a stream of the format: `bitrate` for each channel, more for
 *   short frames, and as much as they need for the full band, as far as a packet has room, and Opus
 *   goes
 */
export function streamBitrate(bitrate, format) {
  const { channels, frameMs, opusFrames } = format;
  const whole = Math.round(bitrate * channels * (BITS_OF_SHORT.get(frameMs / opusFrames) ?? 1));
  const least = Math.max(whole, leastBitrate(format));
  return Math.min(least, mostBitrate(format), MAX_BITRATE);
}
