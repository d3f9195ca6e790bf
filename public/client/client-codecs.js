/**
 * @import { AudioFormat } from '../shared/audio-format.js'
 * @import { Codec } from '../shared/codec.js'
 */

import { PayloadDecoder, PayloadEncoder, streamBitrate } from '../shared/payload.js';

/** The server sends two streams: an Opus decoder keeps state, so each has one of its own. */
const STREAMS = 2;

/**
 * @param {Codec} codec
 * @param {AudioFormat} format
 */
export function newDecoders(codec, format) {
  const { sampleRate, channels, opusFrameSamples: frameSamples } = format;
  return Array.from(
    { length: STREAMS },
    () => new PayloadDecoder(codec.createDecoder({ sampleRate, frameSamples, channels }), format),
  );
}

/**
 * @param {Codec} codec
 * @param {AudioFormat} format
 * @param {{ bitrate?: number, application?: 'audio' | 'voip' | 'low-delay' }} encoding  bitrate of each channel
 * @param {number} roomBitrate what it has where none is given, in bits a second
 */
export function newEncoder(codec, format, { bitrate, application }, roomBitrate) {
  const { sampleRate, channels, opusFrameSamples: frameSamples } = format;
  const settings = { sampleRate, frameSamples, channels, application };
  const whole = bitrate === undefined ? roomBitrate : streamBitrate(bitrate, format);
  return new PayloadEncoder(codec.createEncoder({ ...settings, bitrate: whole }), format);
}
