/**
 * Reads and writes sound files of any kind by ffmpeg.
 *
 * @import { Readable } from 'node:stream'
 * @import { ByteReader as Bytes } from './byte-reader.js'
 * @import { Sound } from './sound.js'
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ByteReader } from './byte-reader.js';
import { NotSoundError } from './sound.js';
import { readWavSound } from './wav-reader.js';

/** ffmpeg's output: samples at their own rate and channels, as floats, so that no level changes. */
const AS_WAV = Object.freeze(['-vn', '-c:a', 'pcm_f32le', '-f', 'wav', 'pipe:1']);

/** Most characters kept of ffmpeg's messages. */
const MAX_WORDS = 2000;

export class NoFfmpegError extends Error {}

/**
 * @param {string[]} args
 * @param {import('node:child_process').StdioOptions} stdio
 * @param {boolean} [detached] true: Ctrl-C in a terminal doesn't end it
 * @throws {NoFfmpegError}
 */
async function start(args, stdio, detached = false) {
  const child = spawn('ffmpeg', ['-nostdin', '-hide_banner', '-v', 'error', ...args], {
    stdio,
    detached,
  });
  let words = '';
  child.stderr?.on('data', (bytes) => (words = (words + bytes).slice(-MAX_WORDS)));
  const ended = once(child, 'close').then(([code]) => /** @type {number | null} */ (code));
  ended.catch(() => {});
  try {
    await once(child, 'spawn');
  } catch {
    throw new NoFfmpegError('ffmpeg is not installed');
  }
  return { child, ended, reason: () => reasonIn(words) };
}

/** Last line of ffmpeg's messages, without its source. @param {string} words */
const reasonIn = (words) =>
  words
    .trim()
    .split('\n')
    .at(-1)
    ?.replace(/^(\[[^\]]*\] )+/, '')
    .replace(/^\S*: /, '')
    .trim() ?? '';

/**
 * Reads a sound file.
 * @param {string | null} file its path; null if it comes from the reader alone
 * @param {Bytes} reader at its beginning; closed with the sound
 * @returns {Promise<Sound>}
 * @throws {NoFfmpegError | NotSoundError} NotSoundError: its message is ffmpeg's reason
 */
export async function readByFfmpeg(file, reader) {
  const input = file === null ? 'pipe:0' : `file:${file}`;
  const { child, ended, reason } = await start(
    ['-i', input, ...AS_WAV],
    [file === null ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  );
  const stdout = /** @type {Readable} */ (child.stdout);
  const failed = (/** @type {Error} */ error) => {
    child.kill();
    stdout.destroy(error);
  };
  if (child.stdin) feed(reader, child.stdin).catch(failed);
  else await reader.close();
  const decoded = new ByteReader(stdout);
  const close = async () => {
    child.kill();
    await Promise.all([decoded.close(), reader.close()]);
  };
  try {
    if ((await decoded.peek(1)).length > 0) return { ...(await readWavSound(decoded)), close };
  } catch (error) {
    await close();
    throw error;
  }
  await Promise.all([ended.catch(() => {}), close()]);
  throw new NotSoundError(reason());
}

/** @param {Bytes} reader @param {import('node:stream').Writable} stdin the child's */
async function feed(reader, stdin) {
  // ffmpeg may end before it has read everything.
  stdin.on('error', () => {});
  for await (const piece of reader.rest()) {
    if (stdin.destroyed) return;
    if (!stdin.write(piece))
      await Promise.race([once(stdin, 'drain'), once(stdin, 'close')]).catch(() => {});
  }
  stdin.end();
}

/** @param {{ sampleRate: number, channels: number }} format */
const inputOf = ({ sampleRate, channels }) => [
  '-f',
  'f32le',
  '-ar',
  String(sampleRate),
  '-ac',
  String(channels),
  '-i',
  'pipe:0',
];

/**
 * Tries out ffmpeg for writing a kind of file.
 * @param {{ name: string, format?: string }} kind name: the file's; format: ffmpeg's name of it, by
 *   default by the file's ending
 * @returns {Promise<string | null>} reason of a refusal; null if it can write
 * @throws {NoFfmpegError}
 */
export async function writeProblem({ name, format }) {
  const folder = await mkdtemp(join(tmpdir(), 'aloud-'));
  try {
    const ending = /\.[^./\\]+$/.exec(name)?.[0] ?? '';
    const out = [...(format ? ['-f', format] : []), '-y', `file:${join(folder, `try${ending}`)}`];
    const { child, ended, reason } = await start(
      [...inputOf({ sampleRate: 48_000, channels: 1 }), ...out],
      ['pipe', 'ignore', 'pipe'],
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(Buffer.alloc(48_000));
    return (await ended) === 0 ? null : reason();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Starts writing a sound file.
 * @param {string} file '-' for the standard output
 * @param {{ sampleRate: number, channels: number, format?: string, title: string }} how format: as
 *   in writeProblem
 * @returns {Promise<{ write: (samples: Float32Array) => void, end: () => Promise<void>,
 *   waitingBytes: () => number }>} end: fails if ffmpeg did
 * @throws {NoFfmpegError}
 */
export async function writeByFfmpeg(file, { format, title, ...input }) {
  const out = [
    ...(format ? ['-f', format] : []),
    ...(file === '-' ? ['pipe:1'] : ['-y', `file:${file}`]),
  ];
  const args = [...inputOf(input), '-metadata', `title=${title}`, ...out];
  const { child, ended, reason } = await start(
    args,
    ['pipe', file === '-' ? 'inherit' : 'ignore', 'pipe'],
    true,
  );
  const stdin = /** @type {import('node:stream').Writable} */ (child.stdin);
  let isGone = false;
  stdin.on('error', () => (isGone = true));
  return {
    write: (samples) => {
      if (isGone) throw new Error(reason() || 'ffmpeg has ended');
      stdin.write(Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength));
    },
    end: async () => {
      stdin.end();
      if ((await ended) !== 0) throw new Error(reason() || 'ffmpeg has ended');
    },
    waitingBytes: () => stdin.writableLength,
  };
}
