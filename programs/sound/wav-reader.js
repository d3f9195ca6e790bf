/**
 * @import { ByteReader } from './byte-reader.js'
 * @import { Sound } from './sound.js'
 */

import { NotSoundError } from './sound.js';

const PCM = 1;
const FLOAT = 3;
const EXTENSIBLE = 0xfffe;

/**
 * Lengths of the header, of a chunk's header, and of a format, in bytes; an extended format
 * contains the real tag.
 */
const HEADER_BYTES = 12;
const CHUNK_BYTES = 8;
const FORMAT_BYTES = 16;
const EXTENDED_BYTES = 26;

/** Accepted rates and channels. */
const RATES = Object.freeze({ least: 1000, most: 768_000 });
const MAX_CHANNELS = 32;

/** Most chunks before the sound, and most bytes before its format is known. */
const MAX_CHUNKS = 64;
const MAX_HEAD_BYTES = 1024 * 1024;

/**
 * Lengths that programs write to a pipe when they don't know the end. They are ffmpeg 0xffffffff,
 * sox 0x7ffff000 minus its header, GStreamer 0x7fff0000, and arecord 0x80000000; some write 0. In
 * such a file the sound lasts until the end.
 */
const NO_LENGTHS = Object.freeze([
  { least: 0, most: 0 },
  { least: 0x7ffe_f000, most: 0x8000_1000 },
  { least: 0xffff_ffff - 4096, most: 0xffff_ffff },
]);

/**
 * Longest text searched for behind sound of unknown length, in bytes: GStreamer writes its tags
 * there.
 */
const TAIL_BYTES = 512;

/** Frames of sound read at once. */
const PIECE_FRAMES = 4800;

/**
 * Reader of a sample for each format. @type {Record<string, (bytes: Buffer, at: number) => number>}
 */
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

/** True for the beginning of a WAV file. @param {Buffer} bytes */
export const isWav = (bytes) =>
  bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WAVE';

/**
 * Reads the format of a WAV file without consuming bytes.
 * @param {ByteReader} reader at its beginning
 * @returns {Promise<ReturnType<typeof formatOf> | null>} null if it isn't PCM, or missing
 */
export async function peekWavFormat(reader) {
  let at = HEADER_BYTES;
  while (at < MAX_HEAD_BYTES) {
    const head = (await reader.peek(at + CHUNK_BYTES)).subarray(at);
    if (head.length < CHUNK_BYTES) return null;
    const length = head.readUInt32LE(4);
    at += CHUNK_BYTES;
    if (head.toString('latin1', 0, 4) === 'fmt ')
      return formatOf((await reader.peek(at + Math.min(length, EXTENDED_BYTES))).subarray(at));
    at += length + (length & 1);
  }
  return null;
}

/**
 * Reads a WAV file of PCM: 8, 16, 24 or 32 bits, or floats. A truncated file is read as far as
 * possible.
 * @param {ByteReader} reader at its beginning
 * @returns {Promise<Sound>}
 * @throws {NotSoundError} for other formats too
 */
export async function readWavSound(reader) {
  const format = await peekWavFormat(reader);
  if (format === null) throw new NotSoundError('seems to be a WAV file whose header is damaged');
  await reader.take(HEADER_BYTES);
  for (let i = 0; i < MAX_CHUNKS; i++) {
    const head = await reader.take(CHUNK_BYTES);
    if (head.length < CHUNK_BYTES) break;
    const length = head.readUInt32LE(4);
    if (head.toString('latin1', 0, 4) === 'data') return soundOf(reader, length, format);
    await reader.skip(length + (length & 1));
  }
  throw new NotSoundError('seems to be a WAV file without sound');
}

/**
 * @param {Buffer} bytes of a chunk "fmt "
 * @returns properties for reading PCM; null for other formats
 */
function formatOf(bytes) {
  if (bytes.length < FORMAT_BYTES) return null;
  const tag = bytes.readUInt16LE(0);
  const isExtended = tag === EXTENSIBLE && bytes.length >= EXTENDED_BYTES;
  const kind = isExtended ? bytes.readUInt16LE(24) : tag;
  const [channels, sampleRate, bits] = [
    bytes.readUInt16LE(2),
    bytes.readUInt32LE(4),
    bytes.readUInt16LE(14),
  ];
  const sample = SAMPLES[`${kind}:${bits}`];
  const isTaken =
    channels >= 1 &&
    channels <= MAX_CHANNELS &&
    sampleRate >= RATES.least &&
    sampleRate <= RATES.most;
  if (!sample || !isTaken) return null;
  return {
    sample,
    sampleBytes: bits / 8,
    channels,
    sampleRate,
    speakers: isExtended ? bytes.readUInt32LE(20) : 0,
  };
}

/**
 * @param {ByteReader} reader at the samples
 * @param {number} length in bytes, according to the file
 * @param {NonNullable<ReturnType<typeof formatOf>>} format
 * @returns {Sound}
 */
function soundOf(reader, length, { sample, sampleBytes, channels, sampleRate, speakers }) {
  const frameBytes = sampleBytes * channels;
  const isKnown = !NO_LENGTHS.some(({ least, most }) => length >= least && length <= most);
  const frames = isKnown ? Math.floor(length / frameBytes) : Infinity;
  return {
    sampleRate,
    channels,
    speakers,
    seconds: isKnown ? frames / sampleRate : null,
    pieces: pcmPieces(reader, {
      sample,
      sampleBytes,
      channels,
      frames,
      tailBytes: isKnown ? 0 : TAIL_BYTES,
    }),
    close: () => reader.close(),
  };
}

/**
 * @param {ByteReader} reader
 * @param {{ sample: (bytes: Buffer, at: number) => number, sampleBytes: number, channels: number,
 *   frames: number, tailBytes: number }} format tailBytes: most bytes behind the sound that are
 *   none
 */
async function* pcmPieces(reader, { sample, sampleBytes, channels, frames, tailBytes }) {
  const frameBytes = sampleBytes * channels;
  for (let left = frames; left > 0;) {
    const wanted = Math.min(left, PIECE_FRAMES) * frameBytes;
    const ahead = await reader.peek(wanted + tailBytes);
    const isLast = ahead.length < wanted + tailBytes;
    const bytes = await reader.take(isLast ? ahead.length : wanted);
    const count = Math.floor((isLast ? soundBytes(bytes, tailBytes) : wanted) / frameBytes);
    const piece = new Float32Array(count * channels);
    for (let i = 0; i < piece.length; i++) piece[i] = sample(bytes, i * sampleBytes);
    left -= count;
    if (count > 0) yield piece;
    if (isLast) return;
  }
}

/**
 * Length of the sound before a chunk of text that ends the file.
 * @param {Buffer} bytes the last
 * @param {number} most
 */
function soundBytes(bytes, most) {
  const from = bytes.length - Math.min(most, bytes.length);
  for (
    let at = bytes.indexOf('LIST', from, 'latin1');
    at >= 0;
    at = bytes.indexOf('LIST', at + 1, 'latin1')
  ) {
    if (
      at + CHUNK_BYTES <= bytes.length &&
      at + CHUNK_BYTES + bytes.readUInt32LE(at + 4) === bytes.length
    )
      return at;
  }
  return bytes.length;
}

/**
 * Reads samples of 16 bits, little endian, without a header.
 * @param {ByteReader} reader
 * @param {{ sampleRate: number, channels: number }} format
 * @returns {Sound}
 */
export function readRawSound(reader, { sampleRate, channels }) {
  const pieces = pcmPieces(reader, {
    sample: SAMPLES[`${PCM}:16`],
    sampleBytes: 2,
    channels,
    frames: Infinity,
    tailBytes: 0,
  });
  return { sampleRate, channels, seconds: null, pieces, close: () => reader.close() };
}
