/**
 * @import { AudioFormat } from '../shared/audio-format.js'
 * @import { Codec } from '../shared/codec.js'
 */

import { PayloadDecoder, PayloadEncoder } from '../shared/payload.js';

/** The server sends two streams: an Opus decoder keeps state, so each has one of its own. */
const STREAMS = 2;

/**
 * @param {Codec} codec
 * @param {AudioFormat} format
 */
export function newDecoders(codec, format) {
  const { sampleRate, opusFrameSamples: frameSamples } = format;
  return Array.from(
    { length: STREAMS },
    () => new PayloadDecoder(codec.createDecoder({ sampleRate, frameSamples }), format),
  );
}

/**
 * @param {Codec} codec
 * @param {AudioFormat} format
 * @param {{ bitrate: number, application?: 'audio' | 'voip' | 'low-delay' }} encoding
 */
export function newEncoder(codec, format, encoding) {
  const { sampleRate, opusFrameSamples: frameSamples } = format;
  return new PayloadEncoder(codec.createEncoder({ sampleRate, frameSamples, ...encoding }), format);
}
