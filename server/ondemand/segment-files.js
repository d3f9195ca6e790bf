/**
 * The segments of a recording on the disk: for each rate a file of segments, one after the other,
 * and one of the places where they end, four bytes each. Segment n is there once the second file
 * has more than n places.
 */

import { join } from 'node:path';
import { RATES } from '../../public/shared/sound/rates.js';

/** The bytes of a place. */
export const PLACE_BYTES = 4;

/** What says that all segments are there. */
export const SEGMENTS_FILE = 'segments.json';

/**
 * @typedef {object} Segments  what is known of a recording's segments
 * @property {number[]} rates     in bits a second, rising
 * @property {number} channels
 * @property {number} count       how many there are of each rate
 * @property {boolean} whole      whether there will be no more
 */

/** The rates of a mix that was recorded without a note of its own, in bits a second. */
const USUAL_BITRATE = 64_000;

/**
 * The rates at which a mix is kept: those below its own, and the next, above which it sounds no
 * better.
 * @param {number} [bitrate]  of the mix, in bits a second
 * @returns {number[]} rising
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
