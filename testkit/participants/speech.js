/**
 * The speech of participants without a browser, made by bench/codec/make-speech.js.
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 */

import { MAX_HEADER_BYTES, MAX_SENT_BYTES } from '../../public/shared/wire/packet.js';
import { PayloadEncoder } from '../../public/shared/stream/payload.js';
import { loadCodec } from '../../server/codec/codec.js';
import { readWav } from '../sound/wav.js';

/** Speech of some 6.5 s at 48 kHz. */
export const SPEECH = new URL('../speech/speech-low.wav', import.meta.url);

/** @type {Map<string, Promise<Uint8Array[]>>} */
const encoded = new Map();

/**
 * @param {number} sampleRate one that divides the fixture's 48 kHz
 * @returns {Promise<Float32Array>} [-1, 1]; lowered by taking the mean of neighbours
 */
export async function readSpeech(sampleRate) {
  const sound = await readWav(SPEECH);
  const step = sound.sampleRate / sampleRate;
  if (!Number.isInteger(step))
    throw new RangeError(`the speech can't be brought to ${sampleRate} Hz`);
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
  if (!payloads)
    encoded.set(
      key,
      (payloads = readSpeech(format.sampleRate).then((speech) => encode(speech, format, bitrate))),
    );
  return payloads;
}

/**
 * @param {Float32Array} speech at the format's rate
 * @param {AudioFormat} format
 * @param {number} bitrate b/s
 * @returns {Promise<Uint8Array[]>} a payload for each whole frame
 */
export async function encode(speech, format, bitrate) {
  const codec = await loadCodec();
  const { sampleRate, opusFrameSamples: frameSamples } = format;
  const encoder = new PayloadEncoder(
    codec.createEncoder({ sampleRate, frameSamples, bitrate }),
    format,
  );
  const out = new Uint8Array(MAX_SENT_BYTES - MAX_HEADER_BYTES);
  const payloads = [];
  for (let at = 0; at + format.frameSamples <= speech.length; at += format.frameSamples) {
    const bytes = encoder.encode(speech.subarray(at, at + format.frameSamples), out, 0);
    payloads.push(out.slice(0, bytes));
  }
  encoder.close();
  return payloads;
}
