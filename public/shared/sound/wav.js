/**
 * Broadcast Wave files of 24-bit PCM (EBU Tech 3285). The chunk `bext` holds the place of the first
 * sample, by which editors put files of several devices side by side.
 */

const RIFF_BYTES = 12;
const CHUNK_BYTES = 8;
const FORMAT_PCM = 1;
const FORMAT_BYTES = 16;

/** Bytes of the chunk `bext` in version 1, without a coding history, and places in it. */
const BEXT_BYTES = 602;
const ORIGINATOR_AT = 256;
const DATE_AT = 320;
const TIME_AT = 330;
const REFERENCE_AT = 338;
const VERSION_AT = 346;
const DESCRIPTION_CHARACTERS = 256;

/** Bytes of a sample of one channel. */
export const SAMPLE_BYTES = 3;
const FULL_SCALE = 2 ** 23;

/** Bytes of the header; the sound begins behind it. */
export const WAV_HEADER_BYTES =
  RIFF_BYTES + CHUNK_BYTES + BEXT_BYTES + CHUNK_BYTES + FORMAT_BYTES + CHUNK_BYTES;

/** Most bytes of sound, since a file counts its length in 32 bits. */
export const MAX_WAV_BYTES = 2 ** 32 - 1 - WAV_HEADER_BYTES;

/**
 * @typedef {object} WavDescription
 * @property {number} sampleRate  Hz
 * @property {number} channels
 * @property {number} timeReference  place of the first sample, in samples from a common origin
 * @property {string} description  other than ASCII is left out
 * @property {Date} date  when the first sample was captured; written in local time
 */

/**
 * @param {WavDescription} file
 * @param {number} dataBytes  of the sound
 * @returns {Uint8Array<ArrayBuffer>} WAV_HEADER_BYTES
 */
export function wavHeader({ sampleRate, channels, timeReference, description, date }, dataBytes) {
  const bytes = new Uint8Array(WAV_HEADER_BYTES);
  const view = new DataView(bytes.buffer);
  const text = new TextEncoder();
  const write = (/** @type {number} */ at, /** @type {string} */ ascii) =>
    text.encodeInto(ascii, bytes.subarray(at));
  write(0, 'RIFF');
  view.setUint32(4, WAV_HEADER_BYTES - CHUNK_BYTES + dataBytes, true);
  write(8, 'WAVEbext');
  view.setUint32(RIFF_BYTES + 4, BEXT_BYTES, true);
  const bext = RIFF_BYTES + CHUNK_BYTES;
  write(bext, description.replace(/[^ -~]/g, '').slice(0, DESCRIPTION_CHARACTERS));
  write(bext + ORIGINATOR_AT, 'aloud');
  const [day, time] = localTime(date);
  write(bext + DATE_AT, day);
  write(bext + TIME_AT, time);
  view.setUint32(bext + REFERENCE_AT, timeReference % 2 ** 32, true);
  view.setUint32(bext + REFERENCE_AT + 4, Math.floor(timeReference / 2 ** 32), true);
  view.setUint16(bext + VERSION_AT, 1, true);
  const format = bext + BEXT_BYTES;
  write(format, 'fmt ');
  view.setUint32(format + 4, FORMAT_BYTES, true);
  view.setUint16(format + 8, FORMAT_PCM, true);
  view.setUint16(format + 10, channels, true);
  view.setUint32(format + 12, sampleRate, true);
  view.setUint32(format + 16, sampleRate * channels * SAMPLE_BYTES, true);
  view.setUint16(format + 20, channels * SAMPLE_BYTES, true);
  view.setUint16(format + 22, SAMPLE_BYTES * 8, true);
  write(format + CHUNK_BYTES + FORMAT_BYTES, 'data');
  view.setUint32(format + CHUNK_BYTES + FORMAT_BYTES + 4, dataBytes, true);
  return bytes;
}

/** @param {Date} date @returns {string[]} such as ['2026-11-29', '15:04:05'] */
function localTime(date) {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).split('T');
}

/**
 * Writes a sample, rounded. A microphone's own noise exceeds a 24-bit step (-144 dBFS) by far, so
 * dither would change nothing.
 * @param {number} sample  -1 to 1; clipped
 * @param {Uint8Array} out
 * @param {number} at
 */
export function writeSample24(sample, out, at) {
  const value = Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, Math.round(sample * FULL_SCALE)));
  out[at] = value;
  out[at + 1] = value >> 8;
  out[at + 2] = value >> 16;
}

/**
 * Reads what a stored file says about itself.
 * @param {Uint8Array} bytes  its beginning, unchecked
 * @returns {{ sampleRate: number, channels: number, timeReference: number, dataBytes: number } |
 *   null} null if it isn't a file as wavHeader() begins it
 */
export function readWavHeader(bytes) {
  if (bytes.length < WAV_HEADER_BYTES) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, WAV_HEADER_BYTES);
  const name = (/** @type {number} */ at) => String.fromCharCode(...bytes.subarray(at, at + 4));
  const bext = RIFF_BYTES + CHUNK_BYTES;
  const format = bext + BEXT_BYTES;
  const data = format + CHUNK_BYTES + FORMAT_BYTES;
  const isRight =
    name(0) === 'RIFF' &&
    name(8) === 'WAVE' &&
    name(RIFF_BYTES) === 'bext' &&
    view.getUint32(RIFF_BYTES + 4, true) === BEXT_BYTES &&
    name(format) === 'fmt ' &&
    view.getUint16(format + 8, true) === FORMAT_PCM &&
    view.getUint16(format + 22, true) === SAMPLE_BYTES * 8 &&
    name(data) === 'data';
  const channels = view.getUint16(format + 10, true);
  const sampleRate = view.getUint32(format + 12, true);
  if (!isRight || channels < 1 || channels > 2 || sampleRate === 0) return null;
  return {
    sampleRate,
    channels,
    timeReference:
      view.getUint32(bext + REFERENCE_AT, true) +
      view.getUint32(bext + REFERENCE_AT + 4, true) * 2 ** 32,
    dataBytes: view.getUint32(data + 4, true),
  };
}
