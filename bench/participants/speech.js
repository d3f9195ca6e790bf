/**
 * The speech that participants without a browser say: the fixture that bench/codec/make-speech.js made.
 * @import { AudioFormat } from '../../public/shared/audio-format.js'
 */

import { MAX_PACKET_BYTES } from '../../public/shared/packet.js';
import { PayloadEncoder } from '../../public/shared/payload.js';
import { loadCodec } from '../../server/codec/codec.js';
import { readWav } from '../stats/wav.js';

export const SPEECH = new URL('../../test/fixtures/speech-low.wav', import.meta.url);

/** @type {Map<string, Promise<Uint8Array[]>>} */
const encoded = new Map();

/**
 * @param {number} sampleRate one that divides the fixture's 48 kHz
 * @returns {Promise<Float32Array>} [-1, 1]; lowered by taking the mean of neighbours
 */
export async function readSpeech(sampleRate) {
  const sound = await readWav(SPEECH);
  const step = sound.sampleRate / sampleRate;
  if (!Number.isInteger(step)) throw new RangeError(`the speech can't be brought to ${sampleRate} Hz`);
  const [samples] = sound.channels;
  return Float32Array.from({ length: Math.floor(samples.length / step) }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < step; j++) sum += samples[i * step + j];
    return sum / step;
  });
}

/**
 * The speech as payloads, frame by frame of the grid; made once for each format.
 * @param {AudioFormat} format
 * @param {number} bitrate b/s
 * @returns {Promise<Uint8Array[]>}
 */
export function encodeSpeech(format, bitrate) {
  const key = JSON.stringify([format, bitrate]);
  let payloads = encoded.get(key);
  if (!payloads) encoded.set(key, (payloads = encode(format, bitrate)));
  return payloads;
}

/**
 * @param {AudioFormat} format
 * @param {number} bitrate
 */
async function encode(format, bitrate) {
  const codec = await loadCodec();
  const speech = await readSpeech(format.sampleRate);
  const { sampleRate, opusFrameSamples: frameSamples } = format;
  const encoder = new PayloadEncoder(codec.createEncoder({ sampleRate, frameSamples, bitrate }), format);
  const out = new Uint8Array(MAX_PACKET_BYTES);
  const payloads = [];
  for (let at = 0; at + format.frameSamples <= speech.length; at += format.frameSamples) {
    const bytes = encoder.encode(speech.subarray(at, at + format.frameSamples), out, 0);
    payloads.push(out.slice(0, bytes));
  }
  encoder.close();
  return payloads;
}
