/**
 * The bit rates of a room's streams.
 * @import { AudioFormat } from '../sound/audio-format.js'
 */

import { MAX_HEADER_BYTES, MAX_SENT_BYTES } from '../wire/packet-format.js';
import { MAX_BITRATE } from './codec.js';

/** Longest payload that is written, in bytes. */
const MAX_PAYLOAD_BYTES = MAX_SENT_BYTES - MAX_HEADER_BYTES;

/**
 * @param {Pick<AudioFormat, 'frameMs' | 'opusFrames'>} format
 * @param {number} [payloadBytes] largest payload of a frame; by default the longest that is written
 * @returns {number} bit rate at which a frame fills a packet, in bits a second
 */
export function mostBitrate({ frameMs, opusFrames }, payloadBytes = MAX_PAYLOAD_BYTES) {
  return Math.floor(((payloadBytes - 2 * opusFrames) * 8000) / frameMs);
}

/**
 * Shortest Opus frame that may have a narrow bandwidth, in milliseconds: shorter ones are for
 * music.
 */
const NARROW_MS = 10;

/**
 * Bit rates from which libopus codes the full band, and stereo as stereo, in bits a second of all
 * channels. Each Opus frame length in milliseconds has one for mono and one for stereo. Below them
 * it silently becomes narrowband and mono (test/unit/shared/stream/bitrate.test.js).
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
 * @returns {number} least bit rate of a stream, in bits a second; 0 for no limit
 */
export const leastBitrate = (format) =>
  format.frameMs / format.opusFrames < NARROW_MS ? fullBandBitrate(format) : 0;

/**
 * Bits that short Opus frames need for the quality of 20 ms frames, relative to these, by length in
 * milliseconds (docs/codec.md, "Short frames").
 */
const BITS_OF_SHORT = new Map([
  [2.5, 4 / 3],
  [5, 10 / 9],
]);

/**
 * @param {number} bitrate of one channel, in bits a second, for frames of 10 ms or more
 * @param {Pick<AudioFormat, 'frameMs' | 'opusFrames' | 'channels'>} format
 * @returns {number} bit rate for the format: `bitrate` per channel, more for short frames, and
 *   enough for their full band, limited by the packet and by Opus
 */
export function streamBitrate(bitrate, format) {
  const { channels, frameMs, opusFrames } = format;
  const whole = Math.round(bitrate * channels * (BITS_OF_SHORT.get(frameMs / opusFrames) ?? 1));
  const least = Math.max(whole, leastBitrate(format));
  return Math.min(least, mostBitrate(format), MAX_BITRATE);
}
