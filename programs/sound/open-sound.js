/**
 * @import { Readable } from 'node:stream'
 * @import { Sound } from './sound.js'
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { ByteReader } from './byte-reader.js';
import { isOggOpus, readOggSound } from './ogg-sound.js';
import { NotSoundError } from './sound.js';
import { isWav, readRawSound, readWavSound } from './wav-reader.js';

/** The bytes by which a file's kind is known. */
const KIND_BYTES = 36;

/** How ffmpeg gives what it reads: samples of 16 bits, at a rate that needs no more converting. */
const FFMPEG_FORMAT = Object.freeze({ sampleRate: 48_000, channels: 2 });

/**
 * Opens sound: WAV, Ogg Opus, samples without a header, and whatever else ffmpeg reads, where it is installed.
 * @param {string} file  its path; '-' for the standard input
 * @param {{ raw?: { sampleRate: number, channels: number } | null, stdin?: Readable }} [options]  raw: the format of samples of
 *   16 bits without a header
 * @returns {Promise<Sound>}
 * @throws {NotSoundError} whose message is a whole sentence
 */
export async function openSound(file, { raw = null, stdin = process.stdin } = {}) {
  const name = file === '-' ? 'the standard input' : file;
  const reader = new ByteReader(file === '-' ? stdin : createReadStream(file));
  try {
    if (raw) return readRawSound(reader, raw);
    const start = await reader.peek(KIND_BYTES);
    if (isWav(start)) return await readWavSound(reader);
    if (isOggOpus(start)) return await readOggSound(reader);
    if (start.length === 0) throw new NotSoundError('is empty');
    return await readByFfmpeg(file, reader);
  } catch (error) {
    await reader.close();
    if (error instanceof NotSoundError) throw new NotSoundError(`${name} ${error.message}.`);
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') throw new NotSoundError(`There is no file ${name}.`);
    if (/** @type {NodeJS.ErrnoException} */ (error).code) throw new NotSoundError(`${name} can not be read: ${/** @type {Error} */ (error).message}.`);
    throw error;
  }
}

/**
 * @param {string} file
 * @param {ByteReader} reader  at its beginning
 * @returns {Promise<Sound>}
 */
async function readByFfmpeg(file, reader) {
  const isPiped = file === '-';
  const format = ['-f', 's16le', '-ar', String(FFMPEG_FORMAT.sampleRate), '-ac', String(FFMPEG_FORMAT.channels)];
  const args = ['-nostdin', '-v', 'error', '-i', isPiped ? 'pipe:0' : `file:${file}`, '-vn', ...format, 'pipe:1'];
  const child = spawn('ffmpeg', args, { stdio: [isPiped ? 'pipe' : 'ignore', 'pipe', 'ignore'] });
  const started = once(child, 'spawn').catch(() => {
    throw new NotSoundError('is neither WAV nor Ogg Opus, and ffmpeg, which reads other files, is not installed');
  });
  await started;
  if (isPiped && child.stdin) void feed(reader, child.stdin);
  else await reader.close();
  const decoded = new ByteReader(/** @type {Readable} */ (child.stdout));
  if ((await decoded.peek(1)).length === 0) throw new NotSoundError('is no sound that ffmpeg can read');
  const { pieces } = readRawSound(decoded, FFMPEG_FORMAT);
  const close = async () => {
    child.kill();
    await Promise.all([decoded.close(), reader.close()]);
  };
  return { ...FFMPEG_FORMAT, seconds: null, pieces, close };
}

/** @param {ByteReader} reader @param {import('node:stream').Writable} stdin  of the child */
async function feed(reader, stdin) {
  // It may end before it has read all.
  stdin.on('error', () => {});
  for await (const piece of reader.rest()) {
    if (stdin.destroyed) return;
    if (!stdin.write(piece)) await Promise.race([once(stdin, 'drain'), once(stdin, 'close')]).catch(() => {});
  }
  stdin.end();
}
