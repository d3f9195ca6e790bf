/**
 * WAV files of PCM: 16-bit and 32-bit float, any number of channels. Written here, because no
 * package does better. node-wav doesn't refuse broken files with its own error, and wavefile
 * doesn't scale or clip 16-bit samples. Neither is shorter to use.
 */

import { readFile } from 'node:fs/promises';

/**
 * @typedef {object} Sound
 * @property {number} sampleRate Hz
 * @property {Float32Array[]} channels equally long, -1 to 1
 */

const FORMAT_PCM = 1;
const FORMAT_FLOAT = 3;
const FORMAT_EXTENSIBLE = 0xfffe;
const RIFF_HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
const FORMAT_BYTES = 16;

/**
 * @param {string | URL} file
 * @returns {Promise<Sound>}
 */
export async function readWav(file) {
  return parseWav(await readFile(file));
}

/**
 * @param {Uint8Array} bytes a whole file
 * @returns {Sound} the samples that are there, if the file was cut short or its length never
 *   written
 * @throws {TypeError} when it is not a WAV file of 16-bit or float PCM
 */
export function parseWav(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < RIFF_HEADER_BYTES || name(view, 0) !== 'RIFF' || name(view, 8) !== 'WAVE') {
    throw new TypeError('not a WAV file');
  }
  let format = null;
  for (let at = RIFF_HEADER_BYTES; at + CHUNK_HEADER_BYTES <= bytes.length;) {
    const start = at + CHUNK_HEADER_BYTES;
    const length = Math.min(view.getUint32(at + 4, true), bytes.length - start);
    if (name(view, at) === 'fmt ') format = parseFormat(view, start, length);
    if (name(view, at) === 'data' && format) return parseData(view, start, length, format);
    at = start + length + (length & 1);
  }
  throw new TypeError(format ? 'a WAV file without sound' : 'a WAV file without a format');
}

/**
 * @param {DataView} view
 * @param {number} at
 */
function name(view, at) {
  return String.fromCharCode(...[0, 1, 2, 3].map((i) => view.getUint8(at + i)));
}

/**
 * @param {DataView} view
 * @param {number} at
 * @param {number} length
 */
function parseFormat(view, at, length) {
  if (length < FORMAT_BYTES) throw new TypeError('a WAV file whose format is cut short');
  const tag = view.getUint16(at, true);
  const isExtended = tag === FORMAT_EXTENSIBLE && length >= 26;
  const kind = isExtended ? view.getUint16(at + 24, true) : tag;
  const channelCount = view.getUint16(at + 2, true);
  const bits = view.getUint16(at + 14, true);
  const isFloat = kind === FORMAT_FLOAT && bits === 32;
  if (channelCount === 0 || !(isFloat || (kind === FORMAT_PCM && bits === 16))) {
    throw new TypeError(`a WAV file of format ${kind}, ${bits} bits, ${channelCount} channels`);
  }
  return { isFloat, channelCount, sampleRate: view.getUint32(at + 4, true) };
}

/**
 * @param {DataView} view
 * @param {number} at
 * @param {number} length
 * @param {{ isFloat: boolean, channelCount: number, sampleRate: number }} format
 * @returns {Sound}
 */
function parseData(view, at, length, { isFloat, channelCount, sampleRate }) {
  const sampleBytes = isFloat ? 4 : 2;
  const samples = Math.floor(length / (sampleBytes * channelCount));
  const channels = Array.from({ length: channelCount }, () => new Float32Array(samples));
  for (let i = 0; i < samples; i++) {
    for (const channel of channels) {
      channel[i] = isFloat ? view.getFloat32(at, true) : view.getInt16(at, true) / 32768;
      at += sampleBytes;
    }
  }
  return { sampleRate, channels };
}

/**
 * @param {Sound} sound 16-bit samples are clipped
 * @param {{ float?: boolean }} [options]
 * @returns {Uint8Array} a whole file
 */
export function formatWav({ sampleRate, channels }, { float: isFloat = false } = {}) {
  const sampleBytes = isFloat ? 4 : 2;
  const samples = channels[0].length;
  const dataBytes = samples * channels.length * sampleBytes;
  const dataStart = RIFF_HEADER_BYTES + CHUNK_HEADER_BYTES + FORMAT_BYTES + CHUNK_HEADER_BYTES;
  const bytes = new Uint8Array(dataStart + dataBytes);
  const view = new DataView(bytes.buffer);
  const text = new TextEncoder();
  text.encodeInto('RIFF', bytes);
  view.setUint32(4, bytes.length - 8, true);
  text.encodeInto('WAVEfmt ', bytes.subarray(8));
  view.setUint32(16, FORMAT_BYTES, true);
  view.setUint16(20, isFloat ? FORMAT_FLOAT : FORMAT_PCM, true);
  view.setUint16(22, channels.length, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * channels.length * sampleBytes, true);
  view.setUint16(32, channels.length * sampleBytes, true);
  view.setUint16(34, sampleBytes * 8, true);
  text.encodeInto('data', bytes.subarray(36));
  view.setUint32(40, dataBytes, true);
  writeSamples(view, dataStart, channels, isFloat);
  return bytes;
}

/**
 * @param {DataView} view
 * @param {number} at
 * @param {Float32Array[]} channels
 * @param {boolean} isFloat
 */
function writeSamples(view, at, channels, isFloat) {
  for (let i = 0; i < channels[0].length; i++) {
    for (const channel of channels) {
      if (isFloat) view.setFloat32(at, channel[i], true);
      else
        view.setInt16(at, Math.max(-32768, Math.min(32767, Math.round(channel[i] * 32768))), true);
      at += isFloat ? 4 : 2;
    }
  }
}
