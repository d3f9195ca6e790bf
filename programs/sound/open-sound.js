/**
 * @import { Readable } from 'node:stream'
 * @import { Sound } from './sound.js'
 */

import { createReadStream, statSync } from 'node:fs';
import { ByteReader } from './byte-reader.js';
import { NoFfmpegError, readByFfmpeg } from './ffmpeg.js';
import { seemsToBe } from './kinds.js';
import { isOggOpus, OGG_KIND_BYTES, readOggSound, readsOggOpus } from './ogg-sound.js';
import { NotSoundError } from './sound.js';
import { isWav, peekWavFormat, readRawSound, readWavSound } from './wav-reader.js';

/**
 * Opens sound: PCM in WAV, Ogg Opus, samples without a header, and whatever else ffmpeg reads if it
 * is installed.
 * @param {string} file  its path; '-' for the standard input
 * @param {{ raw?: { sampleRate: number, channels: number } | null, stdin?: Readable }} [options]
 *   raw: the format of samples of 16 bits without a header
 * @returns {Promise<Sound>}
 * @throws {NotSoundError} whose message is a whole sentence
 */
export async function openSound(file, { raw = null, stdin = process.stdin } = {}) {
  const name = file === '-' ? 'the standard input' : file;
  const reader = new ByteReader(file === '-' ? stdin : createReadStream(file));
  try {
    if (raw) return readRawSound(reader, raw);
    return await withItsFirst(await openKnown(file, reader));
  } catch (error) {
    await reader.close();
    if (error instanceof NotSoundError) throw new NotSoundError(`${name} ${error.message}.`);
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT')
      throw new NotSoundError(`There is no file ${name}.`);
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EISDIR')
      throw new NotSoundError(`${name} is a folder: name a file in it.`);
    if (/** @type {NodeJS.ErrnoException} */ (error).code)
      throw new NotSoundError(`${name} can't be read: ${/** @type {Error} */ (error).message}.`);
    throw error;
  }
}

/**
 * @param {string} file
 * @param {ByteReader} reader  at its beginning
 * @returns {Promise<Sound>}
 * @throws {NotSoundError}
 */
async function openKnown(file, reader) {
  const start = Buffer.from(await reader.peek(OGG_KIND_BYTES));
  if (start.length === 0) throw new NotSoundError('is empty: there is no sound in it');
  if (isWav(start) && (await peekWavFormat(reader)) !== null) return readWavSound(reader);
  if (isOggOpus(start) && readsOggOpus(start)) return readOggSound(reader);
  // A named pipe can't be opened a second time.
  const isPiped = file === '-' || !statSync(file).isFile();
  const what = seemsToBe(start);
  const seems = what === null ? 'is of no kind that is known here' : `seems to be ${what}`;
  try {
    return await readByFfmpeg(isPiped ? null : file, reader);
  } catch (error) {
    if (error instanceof NoFfmpegError)
      throw new NotSoundError(
        `${seems}: install ffmpeg to play it, or convert it to Ogg Opus or to WAV of 16 bits`,
      );
    if (!(error instanceof NotSoundError)) throw error;
    const reason = error.message === '' ? 'there is no sound in it' : `"${error.message}"`;
    const help = isPiped
      ? 'if the file itself plays elsewhere, name it instead of piping it'
      : 'try to convert it to WAV or Ogg Opus';
    throw new NotSoundError(`${seems}, and ffmpeg can't read it as sound (${reason}): ${help}`);
  }
}

/**
 * Waits for the first piece, so that what has no sound is known before anybody hears of it.
 * @param {Sound} sound
 * @returns {Promise<Sound>}
 * @throws {NotSoundError}
 */
async function withItsFirst(sound) {
  const pieces = sound.pieces[Symbol.asyncIterator]();
  const { done, value } = await pieces.next();
  if (done) {
    await sound.close();
    throw new NotSoundError('has no sound in it');
  }
  return { ...sound, pieces: resumed(value, pieces) };
}

/** @param {Float32Array} first @param {AsyncIterator<Float32Array>} rest */
async function* resumed(first, rest) {
  yield first;
  yield* { [Symbol.asyncIterator]: () => rest };
}
