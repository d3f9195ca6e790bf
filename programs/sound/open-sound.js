/**
 * @import { Readable } from 'node:stream'
 * @import { Sound } from './sound.js'
 */

import { createReadStream, statSync } from 'node:fs';
import { ByteReader } from './byte-reader.js';
import { NoFfmpegError, readByFfmpeg } from './ffmpeg.js';
import { isOggOpus, OGG_KIND_BYTES, readOggSound, readsOggOpus } from './ogg-sound.js';
import { NotSoundError } from './sound.js';
import { isWav, peekWavFormat, readRawSound, readWavSound } from './wav-reader.js';

/**
 * Opens sound: PCM in WAV, Ogg Opus, samples without a header, and other kinds if ffmpeg is
 * installed.
 * @param {string} file its path; '-' for the standard input
 * @param {{ raw?: { sampleRate: number, channels: number } | null, stdin?: Readable }} [options]
 *   raw: the format of samples of 16 bits without a header
 * @returns {Promise<Sound>}
 * @throws {NotSoundError} with a whole sentence as message
 */
export async function openSound(file, { raw = null, stdin = process.stdin } = {}) {
  const name = file === '-' ? 'the standard input' : file;
  const reader = new ByteReader(file === '-' ? stdin : createReadStream(file));
  try {
    // The first samples of the standard input may come long after the call has begun.
    if (raw && file === '-') return readRawSound(reader, raw);
    return await withItsFirst(raw ? readRawSound(reader, raw) : await openKnown(file, reader));
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
 * @param {ByteReader} reader at its beginning
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
  const what = guessKind(start);
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
 * Waits for the first piece, so that a file without sound is known before it has any effect.
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

/** Names of kinds of files, for messages about unplayable ones. */

/**
 * Known beginnings of files.
 * @type {readonly (readonly [what: string, at: number, bytes: string])[]}
 */
const MARKS = [
  ['a WAV file', 0, 'RIFF'],
  ['a WAV file of 64 bits', 0, 'RF64'],
  ['an AIFF file', 0, 'FORM'],
  ['an AU file', 0, '.snd'],
  ['a FLAC file', 0, 'fLaC'],
  ['an MP3 file', 0, 'ID3'],
  ['an MP3 file', 0, '\xff\xfb'],
  ['an MP3 file', 0, '\xff\xf3'],
  ['an AAC file', 0, '\xff\xf1'],
  ['an AAC file', 0, '\xff\xf9'],
  ['an MP4 file', 4, 'ftyp'],
  ['a Matroska or WebM file', 0, '\x1aE\xdf\xa3'],
  ['a Windows Media file', 0, '\x30\x26\xb2\x75'],
  ['a CAF file', 0, 'caff'],
  ['an AMR file', 0, '#!AMR'],
  ['a MIDI file, which has notes and no sound', 0, 'MThd'],
  ['a PNG image', 0, '\x89PNG'],
  ['a JPEG image', 0, '\xff\xd8\xff'],
  ['a GIF image', 0, 'GIF8'],
  ['a PDF document', 0, '%PDF'],
  ['a ZIP archive', 0, 'PK\x03\x04'],
  ['a gzip archive', 0, '\x1f\x8b'],
  ['a program', 0, '\x7fELF'],
];

/** Beginnings of the first packets of Ogg files. */
const OGG_MARKS = Object.freeze({
  'Ogg Opus': 'OpusHead',
  'Ogg Vorbis': '\x01vorbis',
  'Ogg FLAC': '\x7fFLAC',
  'Ogg Speex': 'Speex',
});
const OGG_PACKET_AT = 28;

/**
 * Guesses the kind of a file.
 * @param {Buffer} start its first bytes
 * @returns {string | null} such as "an MP3 file"; null if unknown
 */
function guessKind(start) {
  const has = (/** @type {string} */ mark, /** @type {number} */ at) =>
    start.toString('latin1', at, at + mark.length) === mark;
  if (has('OggS', 0))
    return (
      Object.entries(OGG_MARKS).find(([, mark]) => has(mark, OGG_PACKET_AT))?.[0] ?? 'an Ogg file'
    );
  const known = MARKS.find(([, at, mark]) => has(mark, at));
  if (known) return known[0];
  const isText = start.every((byte) => byte >= 0x20 || byte === 9 || byte === 10 || byte === 13);
  return isText ? 'text' : null;
}
