/**
 * @import { AudioFormat } from '../../shared/audio-format.js'
 * @import { Codec } from '../../shared/codec.js'
 */

import { MAX_PACKET_BYTES } from '../../shared/packet.js';
import { PayloadDecoder, PayloadEncoder, streamBitrate } from '../../shared/payload.js';

/** So many frames are made up before a call's first one. */
const PRACTICE_FRAMES = 12;
const PRACTICE_BITRATE = 48_000;

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

/**
 * Encodes and decodes sound for nobody. WebAssembly is compiled where it is first run, which takes tens of
 * milliseconds: that isn't to hold up the first word.
 * @param {Codec} codec
 * @param {AudioFormat} format
 */
export function practise(codec, format) {
  const encoder = newEncoder(codec, format, {}, PRACTICE_BITRATE);
  const decoders = newDecoders(codec, format);
  const pcm = new Float32Array(format.frameValues);
  const payload = new Uint8Array(MAX_PACKET_BYTES);
  for (let k = 0; k < PRACTICE_FRAMES; k++) {
    // Tones, noise, a beginning and an end: each takes ways of its own.
    for (let i = 0; i < pcm.length; i++) {
      const noise = ((i * 7919) % 1009) / 1009 - 0.5;
      const isOn = k % 3 < 2 || i > pcm.length / 2;
      pcm[i] = isOn ? 0.3 * Math.sin(i * (0.01 + 0.02 * k)) + 0.1 * (k % 4) * noise : 0;
    }
    const length = encoder.encode(pcm, payload, 0);
    for (const decoder of decoders) decoder.decode(payload, 0, length, pcm, 0);
  }
  for (const decoder of decoders) decoder.conceal(pcm, 0);
  for (const part of [encoder, ...decoders]) part.close();
}
