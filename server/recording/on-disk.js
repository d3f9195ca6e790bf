/** Measures recordings on the disk: their length and size. */

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { GRANULE_RATE } from './ogg-opus.js';
import { OggOpusReader, wholePages } from './ogg-reader.js';
import { DESCRIPTION } from './recording-directory.js';
import { MIX_FILE } from './recording.js';

/** Size that an empty recording counts as, in bytes: a directory and its files take disk blocks. */
export const LEAST_BYTES = 16 * 1024;

/**
 * Measures a mix without a known length: it is being written, or the server stopped too early.
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

/** @param {string} directory @returns {Promise<number>} bytes of the directory and its files */
export async function sizeOf(directory) {
  let bytes = LEAST_BYTES;
  for (const name of await readdir(directory).catch(() => [])) {
    bytes += (await stat(join(directory, name)).catch(() => null))?.size ?? 0;
  }
  return bytes;
}

/**
 * Finds the time at which a recording ended. A crashed server hasn't described the end, so the time
 * of the last sound counts too; an early crash leaves only a directory.
 * @param {string} directory
 * @returns {Promise<number | null>} milliseconds since 1970; null if the directory is missing
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

/** @param {string} path */
export const exists = (path) =>
  stat(path).then(
    () => true,
    () => false,
  );
