/**
 * Writes files of the heard sound piece by piece. Each is complete once it is ended, and readable
 * as far as it goes before.
 *
 * @typedef {object} SoundWriter
 * @property {(samples: Float32Array) => void} write  interleaved, -1 to 1
 * @property {() => void} end
 *
 * @typedef {object} Out  destination of a file
 * @property {(bytes: Uint8Array) => void} write
 * @property {((bytes: Uint8Array, at: number) => void) | null} patch overwrites earlier bytes; null
 *   if impossible
 */

import { randomInt } from 'node:crypto';
import {
  closeSync,
  constants,
  createWriteStream,
  fstatSync,
  ftruncateSync,
  openSync,
  statSync,
  writeSync,
} from 'node:fs';
import { once } from 'node:events';
import { loadCodec } from '../../server/codec/codec.js';
import { GRANULE_RATE, OggOpus } from '../../server/recording/ogg-opus.js';
import { preSkipOf } from '../../server/recording/track.js';

/** Length of a WAV header in bytes, and the greatest length that it can tell. */
const WAV_HEADER_BYTES = 44;
const MAX_WAV_BYTES = 0xffff_ffff;

/** Frame length of an Opus file in milliseconds, and its bit rate per channel in bits a second. */
const FRAME_MS = 20;
const BITRATE = 96_000;

/** @typedef {{ sampleRate: number, channels: number }} Format */

/** Kinds of files by the endings of their names. */
const KINDS = Object.freeze({ wav: 'wav', opus: 'ogg', ogg: 'ogg', raw: 'raw', pcm: 'raw' });

/**
 * @param {string} name
 * @returns {'wav' | 'ogg' | 'raw' | null} by the ending of a file's name; null if it can't be
 *   written
 */
export function kindOf(name) {
  const ending = /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return (
    /** @type {'wav' | 'ogg' | 'raw' | undefined} */ (
      KINDS[/** @type {keyof typeof KINDS} */ (ending)]
    ) ?? null
  );
}

/**
 * @typedef {Out & { close: () => Promise<void>, readonly isFull: boolean }} OpenOut isFull: its
 *   reader is gone, or too slow
 */

/** Most bytes that wait for a reader; beyond that the reader is too slow. */
const MAX_UNREAD_BYTES = 8 * 1024 * 1024;

/**
 * Opens a file for overwriting. Its content stays until the first write.
 * @param {string} file
 * @returns {Out & { close: () => void, isFull: boolean }}
 */
export function openOut(file) {
  const fd = openSync(file, constants.O_WRONLY | constants.O_CREAT, 0o666);
  const isFile = fstatSync(fd).isFile();
  let hasOld = isFile;
  return {
    write: (bytes) => {
      if (hasOld) ftruncateSync(fd);
      hasOld = false;
      writeSync(fd, bytes);
    },
    patch: isFile ? (bytes, at) => void writeSync(fd, bytes, 0, bytes.length, at) : null,
    close: () => closeSync(fd),
    isFull: false,
  };
}

/**
 * Opens a file, or a pipe: a named pipe waits for its reader.
 * @param {string} file '-' for the standard output
 * @returns {Promise<OpenOut>}
 */
export async function openAnyOut(file) {
  if (file === '-') return streamOut(process.stdout);
  const isPipe = statSync(file, { throwIfNoEntry: false })?.isFIFO() ?? false;
  if (!isPipe) {
    const out = openOut(file);
    return { ...out, close: async () => out.close() };
  }
  const stream = createWriteStream(file);
  await once(stream, 'open');
  return streamOut(stream);
}

/** @param {import('node:stream').Writable} stream @returns {OpenOut} */
function streamOut(stream) {
  let isGone = false;
  stream.on('error', () => (isGone = true));
  return {
    write: (bytes) => void stream.write(bytes),
    patch: null,
    close: async () => {
      // The standard output belongs to the process.
      if (stream === process.stdout || isGone) return;
      stream.end();
      await once(stream, 'close').catch(() => {});
    },
    get isFull() {
      return isGone || stream.writableLength > MAX_UNREAD_BYTES;
    },
  };
}

/**
 * @param {'wav' | 'ogg' | 'raw'} kind
 * @param {Out} out
 * @param {Format} format
 * @param {string} title
 * @returns {Promise<SoundWriter>}
 */
export async function writerOf(kind, out, format, title) {
  if (kind === 'ogg') return oggWriter(out, format, title);
  return kind === 'wav' ? wavWriter(out, format) : rawWriter(out);
}

/** @param {Float32Array} samples @returns {Buffer} 16 bits, little endian */
function pcm16(samples) {
  const bytes = Buffer.alloc(2 * samples.length);
  for (let i = 0; i < samples.length; i++)
    bytes.writeInt16LE(Math.max(-32768, Math.min(32767, Math.round(samples[i] * 32768))), 2 * i);
  return bytes;
}

/** @param {Out} out @returns {SoundWriter} writes samples without a header */
const rawWriter = (out) => ({
  write: (samples) => out.write(pcm16(samples)),
  end: () => {},
});

/**
 * Writes a WAV file of 16 bits. If its header can't be corrected at the end, it tells an unknown
 * length.
 * @param {Out} out
 * @param {Format} format
 * @returns {SoundWriter}
 */
export function wavWriter(out, format) {
  let bytes = 0;
  out.write(wavHeader(format, MAX_WAV_BYTES));
  return {
    write(samples) {
      bytes += 2 * samples.length;
      out.write(pcm16(samples));
    },
    end: () => out.patch?.(wavHeader(format, bytes), 0),
  };
}

/** @param {Format} format @param {number} bytes of the samples */
function wavHeader({ sampleRate, channels }, bytes) {
  const header = Buffer.alloc(WAV_HEADER_BYTES);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(Math.min(MAX_WAV_BYTES, WAV_HEADER_BYTES - 8 + bytes), 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(2 * sampleRate * channels, 28);
  header.writeUInt16LE(2 * channels, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(Math.min(MAX_WAV_BYTES, bytes), 40);
  return header;
}

/**
 * Writes an Ogg Opus file. Silence precedes the sound, the pre-skip minus the encoder's lookahead,
 * so that the first sample that players keep is the first one written.
 * @param {Out} out
 * @param {Format} format
 * @param {string} title
 * @returns {Promise<SoundWriter>}
 */
export async function oggWriter(out, { sampleRate, channels }, title) {
  const frameSamples = (sampleRate * FRAME_MS) / 1000;
  const encoder = (await loadCodec()).createEncoder({
    sampleRate,
    channels,
    frameSamples,
    bitrate: BITRATE * channels,
    complexity: 10,
    application: 'audio',
  });
  const granules = GRANULE_RATE / sampleRate;
  const preSkip = preSkipOf({ sampleRate, opusFrameSamples: frameSamples });
  const ogg = new OggOpus({
    serial: randomInt(2 ** 32),
    preSkip,
    sampleRate,
    channels,
    tags: { TITLE: title },
    write: (page) => out.write(page),
  });
  const frame = new Float32Array(frameSamples * channels);
  const packet = new Uint8Array(4000);
  let [filled, given] = [0, 0];
  const write = (/** @type {Float32Array} */ samples) => {
    for (let at = 0; at < samples.length;) {
      const count = Math.min(samples.length - at, frame.length - filled);
      frame.set(samples.subarray(at, at + count), filled);
      filled += count;
      at += count;
      if (filled < frame.length) continue;
      const length = encoder.encode(frame, packet, 0);
      if (length > 0) ogg.put(packet, 0, length, frameSamples * granules);
      filled = 0;
    }
  };
  write(new Float32Array((preSkip / granules - encoder.lookahead) * channels));
  return {
    write(samples) {
      given += samples.length / channels;
      write(samples);
    },
    end() {
      const end = preSkip + given * granules;
      while (ogg.samples < end) write(new Float32Array(frame.length));
      ogg.end(end);
      encoder.close();
    },
  };
}
