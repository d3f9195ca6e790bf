/**
 * @import { ByteReader } from './byte-reader.js'
 * @import { Sound } from './sound.js'
 */

import { NotSoundError } from './sound.js';

const PCM = 1;
const FLOAT = 3;
const EXTENSIBLE = 0xfffe;

/** The bytes of the header, of that of a chunk, and of a format; one with an extension has the real tag in it. */
const HEADER_BYTES = 12;
const CHUNK_BYTES = 8;
const FORMAT_BYTES = 16;
const EXTENDED_BYTES = 26;

/** The rates and channels that are taken. */
const RATES = Object.freeze({ least: 1000, most: 768_000 });
const MAX_CHANNELS = 32;

/** The most chunks before the sound, and the longest format. */
const MAX_CHUNKS = 64;
const MAX_FORMAT_BYTES = 4096;

/** The length of a file that was written without one, as to a pipe. */
const UNKNOWN_BYTES = 0xffff_ffff;

/** The frames of sound that are read at once. */
const PIECE_FRAMES = 4800;

/** Reads a sample of each format. @type {Record<string, (bytes: Buffer, at: number) => number>} */
const SAMPLES = {
  [`${PCM}:8`]: (bytes, at) => (bytes[at] - 128) / 128,
  [`${PCM}:16`]: (bytes, at) => bytes.readInt16LE(at) / 2 ** 15,
  [`${PCM}:24`]: (bytes, at) => bytes.readIntLE(at, 3) / 2 ** 23,
  [`${PCM}:32`]: (bytes, at) => bytes.readInt32LE(at) / 2 ** 31,
  [`${FLOAT}:32`]: (bytes, at) => finite(bytes.readFloatLE(at)),
  [`${FLOAT}:64`]: (bytes, at) => finite(bytes.readDoubleLE(at)),
};

/** @param {number} value */
const finite = (value) => (Number.isFinite(value) ? value : 0);

/** Whether bytes begin as a WAV file does. @param {Buffer} bytes */
export const isWav = (bytes) => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WAVE';

/**
 * Reads a WAV file of PCM: 8, 16, 24 or 32 bits, or floats. One that is cut short is read as far as it goes.
 * @param {ByteReader} reader  at its beginning
 * @returns {Promise<Sound>}
 * @throws {NotSoundError}
 */
export async function readWavSound(reader) {
  await reader.take(HEADER_BYTES);
  let format = null;
  for (let i = 0; i < MAX_CHUNKS; i++) {
    const head = await reader.take(CHUNK_BYTES);
    if (head.length < CHUNK_BYTES) break;
    const name = head.toString('latin1', 0, 4);
    const length = head.readUInt32LE(4);
    if (name === 'data' && format) return soundOf(reader, length, format);
    if (name === 'fmt ' && length <= MAX_FORMAT_BYTES) format = formatOf(await reader.take(length));
    else await reader.skip(length);
    await reader.skip(length & 1);
  }
  throw new NotSoundError(format ? 'is a WAV file without sound' : 'is a WAV file without a format');
}

/** @param {Buffer} bytes */
function formatOf(bytes) {
  if (bytes.length < FORMAT_BYTES) throw new NotSoundError('is a WAV file whose format is cut short');
  const tag = bytes.readUInt16LE(0);
  const kind = tag === EXTENSIBLE && bytes.length >= EXTENDED_BYTES ? bytes.readUInt16LE(24) : tag;
  const [channels, sampleRate, bits] = [bytes.readUInt16LE(2), bytes.readUInt32LE(4), bytes.readUInt16LE(14)];
  const sample = SAMPLES[`${kind}:${bits}`];
  const isTaken = channels >= 1 && channels <= MAX_CHANNELS && sampleRate >= RATES.least && sampleRate <= RATES.most;
  if (!sample || !isTaken) throw new NotSoundError(`is a WAV file of a kind that can not be read: format ${kind}, ${bits} bits, ${channels} channels, ${sampleRate} Hz`);
  return { sample, sampleBytes: bits / 8, channels, sampleRate };
}

/**
 * @param {ByteReader} reader  at the samples
 * @param {number} length  in bytes, as the file tells it
 * @param {ReturnType<typeof formatOf>} format
 * @returns {Sound}
 */
function soundOf(reader, length, { sample, sampleBytes, channels, sampleRate }) {
  const frameBytes = sampleBytes * channels;
  const isKnown = length > 0 && length < UNKNOWN_BYTES - 4096;
  const frames = isKnown ? Math.floor(length / frameBytes) : Infinity;
  return {
    sampleRate,
    channels,
    seconds: isKnown ? frames / sampleRate : null,
    pieces: pcmPieces(reader, { sample, sampleBytes, channels, frames }),
    close: () => reader.close(),
  };
}

/**
 * @param {ByteReader} reader
 * @param {{ sample: (bytes: Buffer, at: number) => number, sampleBytes: number, channels: number, frames: number }} format
 */
async function* pcmPieces(reader, { sample, sampleBytes, channels, frames }) {
  const frameBytes = sampleBytes * channels;
  for (let left = frames; left > 0; ) {
    const bytes = await reader.take(Math.min(left, PIECE_FRAMES) * frameBytes);
    const count = Math.floor(bytes.length / frameBytes);
    if (count === 0) return;
    const piece = new Float32Array(count * channels);
    for (let i = 0; i < piece.length; i++) piece[i] = sample(bytes, i * sampleBytes);
    left -= count;
    yield piece;
  }
}

/**
 * Reads samples of 16 bits, little endian, without any header.
 * @param {ByteReader} reader
 * @param {{ sampleRate: number, channels: number }} format
 * @returns {Sound}
 */
export function readRawSound(reader, { sampleRate, channels }) {
  const pieces = pcmPieces(reader, { sample: SAMPLES[`${PCM}:16`], sampleBytes: 2, channels, frames: Infinity });
  return { sampleRate, channels, seconds: null, pieces, close: () => reader.close() };
}
