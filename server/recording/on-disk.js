/** How long and how large recordings are, as the disk has them. */

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { GRANULE_RATE } from './ogg-opus.js';
import { OggOpusReader, wholePages } from './ogg-reader.js';
import { DESCRIPTION } from './recording-directory.js';
import { MIX_FILE } from './recording.js';

/**
 * The bytes that an empty recording counts for: a directory, and files in it, take blocks of the
 * disk.
 */
export const LEAST_BYTES = 16 * 1024;

/**
 * The length of a mix of which that isn't known: it is being written, or the server ended before it
 * was whole.
 * @param {string} path
 * @param {number} size
 */
export async function secondsOf(path, size) {
  try {
    const { granule } = await wholePages(path, size);
    const reader = await OggOpusReader.open(path);
    await reader.close();
    return Math.max(0, granule - reader.head.preSkip) / GRANULE_RATE;
  } catch {
    return 0;
  }
}

/**
 * @param {string} directory
 * @returns {Promise<number>} the bytes of the files in it, and its own
 */
export async function sizeOf(directory) {
  let bytes = LEAST_BYTES;
  for (const name of await readdir(directory).catch(() => [])) {
    bytes += (await stat(join(directory, name)).catch(() => null))?.size ?? 0;
  }
  return bytes;
}

/**
 * The time at which a recording ended. A server that crashed hasn't described the end, so the time
 * of its last sound counts too; one that crashed at once has left a directory only.
 * @param {string} directory
 * @returns {Promise<number | null>} milliseconds since 1970; null when there is no such directory
 */
export async function lastWritten(directory) {
  const timeOf = (/** @type {string} */ path) =>
    stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => null,
    );
  const times = await Promise.all(
    [DESCRIPTION, MIX_FILE].map((name) => timeOf(join(directory, name))),
  );
  const known = times.filter((time) => time !== null);
  return known.length > 0 ? Math.max(...known) : timeOf(directory);
}

/** Whether a file is there. @param {string} path */
export const exists = (path) =>
  stat(path).then(
    () => true,
    () => false,
  );
