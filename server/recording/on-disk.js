/** How long and how large recordings are, as the disk has them. */

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { GRANULE_RATE } from './ogg-opus.js';
import { wholePages } from './ogg-reader.js';
import { PRE_SKIP } from './recording.js';

/** The bytes that an empty recording counts for: a directory, and files in it, take blocks of the disk. */
export const LEAST_BYTES = 16 * 1024;

/**
 * The length of a mix of which that isn't known: it is being written, or the server ended before it was whole.
 * @param {string} path
 * @param {number} size
 */
export async function secondsOf(path, size) {
  const { granule } = await wholePages(path, size).catch(() => ({ granule: 0 }));
  return Math.max(0, granule - PRE_SKIP) / GRANULE_RATE;
}

/** @param {string} directory @returns {Promise<number>} the bytes of the files in it, and its own */
export async function sizeOf(directory) {
  let bytes = LEAST_BYTES;
  for (const name of await readdir(directory).catch(() => [])) {
    bytes += (await stat(join(directory, name)).catch(() => null))?.size ?? 0;
  }
  return bytes;
}

/** Whether a file is there. @param {string} path */
export const exists = (path) => stat(path).then(
  () => true,
  () => false,
);
