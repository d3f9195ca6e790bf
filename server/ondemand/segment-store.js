/**
 * Segments of a recording on the disk: for each rate a file of consecutive segments, and a file of
 * their end positions, four bytes each. Segment n exists once the second file has more than n
 * positions.
 */

import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { RATES } from '../../public/shared/sound/audio-format.js';
import { MAX_SEGMENT_BYTES } from '../../public/shared/wire/segment.js';

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

/** Limit of cached segments in bytes: 500 of the highest rate. */
const MAX_KEPT_BYTES = 8_000_000;

/** Reads segments from the disk for all listeners, and caches the recently shared ones. */
export class SegmentStore {
  #maxBytes;
  /** Ordered by use, the least recently used first. @type {Map<string, Buffer>} */
  #kept = new Map();
  #bytes = 0;
  /** Reads in progress. @type {Map<string, Promise<Buffer>>} */
  #reading = new Map();

  /** Number of segments read from the disk. */
  reads = 0;

  /** @param {{ maxBytes?: number }} [options]  that are kept */
  constructor({ maxBytes = MAX_KEPT_BYTES } = {}) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes in the cache. */
  get bytes() {
    return this.#bytes;
  }

  /**
   * Reads a segment.
   * @param {string} directory  of the recording
   * @param {number} rate
   * @param {number} number
   * @returns {Promise<Buffer>} shared, so the caller must not change it
   * @throws {Error} if it doesn't exist
   */
  async read(directory, rate, number) {
    const key = `${directory} ${rate} ${number}`;
    const kept = this.#kept.get(key);
    if (kept) {
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return kept;
    }
    let reading = this.#reading.get(key);
    if (!reading) {
      reading = this.#fromDisk(directory, rate, number);
      this.#reading.set(key, reading);
      void this.#keepOnce(key, reading);
    }
    return reading;
  }

  /**
   * Keeps a segment that is being read, unless it is forgotten in the meantime.
   * @param {string} key
   * @param {Promise<Buffer>} reading
   */
  async #keepOnce(key, reading) {
    const segment = await reading.catch(() => null);
    if (this.#reading.get(key) !== reading) return;
    this.#reading.delete(key);
    if (segment) this.#keep(key, segment);
  }

  /** @param {string} key @param {Buffer} segment */
  #keep(key, segment) {
    this.#kept.set(key, segment);
    this.#bytes += segment.length;
    for (const [oldest, { length }] of this.#kept) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#kept.delete(oldest);
      this.#bytes -= length;
    }
  }

  /**
   * Forgets the segments of a deleted recording, also segments that are being read.
   * @param {string} directory
   */
  forget(directory) {
    const isOf = (/** @type {string} */ key) => key.startsWith(`${directory} `);
    for (const [key, { length }] of this.#kept) {
      if (!isOf(key)) continue;
      this.#kept.delete(key);
      this.#bytes -= length;
    }
    for (const key of this.#reading.keys()) if (isOf(key)) this.#reading.delete(key);
  }

  /**
   * @param {string} directory
   * @param {number} rate
   * @param {number} number
   */
  async #fromDisk(directory, rate, number) {
    this.reads += 1;
    const paths = segmentPaths(directory, rate);
    const ends = await readAt(
      paths.places,
      Math.max(0, number - 1) * PLACE_BYTES,
      number === 0 ? PLACE_BYTES : 2 * PLACE_BYTES,
    );
    const from = number === 0 ? 0 : ends.readUInt32LE(0);
    const length = ends.readUInt32LE(ends.length - PLACE_BYTES) - from;
    if (length <= 0 || length > MAX_SEGMENT_BYTES)
      throw new Error(`segment ${number} has ${length} bytes`);
    return readAt(paths.sound, from, length);
  }
}

/**
 * @param {string} path
 * @param {number} at
 * @param {number} length
 */
async function readAt(path, at, length) {
  const file = await open(path, 'r');
  try {
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await file.read(bytes, 0, length, at);
    if (bytesRead < length) throw new Error(`${path} ends before ${at + length}`);
    return bytes;
  } finally {
    await file.close();
  }
}
