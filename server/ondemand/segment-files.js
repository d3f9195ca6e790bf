/**
 * Segments of a recording on the disk: for each rate a file of consecutive segments, and a file of
 * their end positions, four bytes each. Segment n exists once the second file has more than n
 * positions.
 */

import { join } from 'node:path';
import { RATES } from '../../public/shared/sound/audio-format.js';

/** Size of a position in bytes. */
export const PLACE_BYTES = 4;

/** File whose presence says that all segments exist. */
export const SEGMENTS_FILE = 'segments.json';

/**
 * @typedef {object} Segments  the known segments of a recording
 * @property {number[]} rates  in bits per second, ascending
 * @property {number} channels
 * @property {number} count  number of segments at each rate
 * @property {boolean} whole  true if no more will come
 */

/** Assumed rate of a mix without a recorded one, in bits per second. */
const USUAL_BITRATE = 64_000;

/**
 * Chooses the rates of a mix: all below its own, and the next one, above which it sounds no better.
 * @param {number} [bitrate]  of the mix, in bits per second
 * @returns {number[]} ascending
 */
export function ratesOf(bitrate = USUAL_BITRATE) {
  const next = RATES.findIndex((rate) => rate >= bitrate);
  return RATES.slice(0, next < 0 ? RATES.length : next + 1);
}

/**
 * @param {string} directory  of the recording
 * @param {number} rate
 * @returns {{ sound: string, places: string }} paths
 */
export function segmentPaths(directory, rate) {
  const name = join(directory, `segments-${rate / 1000}`);
  return { sound: `${name}.bin`, places: `${name}.idx` };
}
