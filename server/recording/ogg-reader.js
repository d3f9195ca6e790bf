/**
 * Reads files of OggOpus page by page, also while they grow.
 *
 * @import { FileHandle } from 'node:fs/promises'
 *
 * @typedef {object} OggPage
 * @property {Uint8Array[]} packets  valid until the next page is read
 * @property {number} granule  samples of GRANULE_RATE up to its end, including the pre-skip
 * @property {boolean} ended  true for the last page
 *
 * @typedef {object} OggHead
 * @property {number} channels
 * @property {number} preSkip  samples of GRANULE_RATE that players drop at the beginning
 * @property {number} sampleRate  of the encoder's input, in Hz
 */

import { open } from 'node:fs/promises';

/**
 * Maximum size of a page in bytes (RFC 3533, section 6): its header, and 255 segments of 255 bytes.
 */
const MAX_PAGE_BYTES = 27 + 255 + 255 * 255;
const HEADER_BYTES = 27;
const SEGMENT_BYTES = 255;

/** Flags of a page: begins within a packet; last page (RFC 3533, section 6). */
const CONTINUES = 0x01;
const ENDS = 0x04;

const OGGS = Buffer.from('OggS');

/** Reports an Ogg file that can't be read as Opus. */
export class OggError extends Error {}

/** Reads an open Ogg Opus file. The caller closes it. */
export class OggOpusReader {
  #handle;
  #buffer = Buffer.alloc(2 * MAX_PAGE_BYTES);
  #from = 0;
  #to = 0;
  #position = 0;
  /** @type {OggHead} */
  head = { channels: 1, preSkip: 0, sampleRate: 48000 };

  /** @param {FileHandle} handle */
  constructor(handle) {
    this.#handle = handle;
  }

  /**
   * Opens a file and reads its head.
   * @param {string} path
   * @returns {Promise<OggOpusReader>}
   * @throws {OggError} if it isn't Ogg Opus with one or two channels, or its head is incomplete
   */
  static async open(path) {
    const reader = new OggOpusReader(await open(path, 'r'));
    try {
      const first = await reader.next();
      if (first === null) throw new OggError('no head');
      reader.head = readHead(first.packets);
      if ((await reader.next()) === null) throw new OggError('no comments');
      return reader;
    } catch (error) {
      await reader.close();
      throw error;
    }
  }

  /**
   * Reads the next page.
   * @returns {Promise<OggPage | null>} null if no whole page is there; a growing file may have one
   *   later
   * @throws {OggError}
   */
  async next() {
    for (;;) {
      const bytes = pageBytes(this.#buffer, this.#from, this.#to);
      if (bytes === null)
        throw new OggError(`no page at ${this.#position - (this.#to - this.#from)}`);
      if (bytes <= this.#to - this.#from) {
        const page = readPage(this.#buffer, this.#from, bytes);
        this.#from += bytes;
        return page;
      }
      if ((await this.#fill()) === 0) return null;
    }
  }

  /** @returns {Promise<number>} the number of bytes read */
  async #fill() {
    this.#buffer.copyWithin(0, this.#from, this.#to);
    this.#to -= this.#from;
    this.#from = 0;
    const { bytesRead } = await this.#handle.read(
      this.#buffer,
      this.#to,
      this.#buffer.length - this.#to,
      this.#position,
    );
    this.#to += bytesRead;
    this.#position += bytesRead;
    return bytesRead;
  }

  close() {
    return this.#handle.close();
  }
}

/**
 * Measures the whole pages of a growing file.
 * @param {string} path
 * @param {number} size  of the file
 * @returns {Promise<{ bytes: number, granule: number }>} granule: of the last page; both 0 without
 *   a page
 */
export async function wholePages(path, size) {
  const handle = await open(path, 'r');
  try {
    const from = Math.max(0, size - 2 * MAX_PAGE_BYTES);
    const tail = Buffer.alloc(size - from);
    const { bytesRead } = await handle.read(tail, 0, tail.length, from);
    for (
      let at = tail.lastIndexOf(OGGS, bytesRead - 1);
      at >= 0;
      at = at > 0 ? tail.lastIndexOf(OGGS, at - 1) : -1
    ) {
      const bytes = pageBytes(tail, at, bytesRead);
      if (bytes === null || bytes < HEADER_BYTES + 1 || at + bytes > bytesRead) continue;
      return { bytes: from + at + bytes, granule: Number(tail.readBigInt64LE(at + 6)) };
    }
    return { bytes: 0, granule: 0 };
  } finally {
    await handle.close();
  }
}

/**
 * @param {Buffer} bytes
 * @param {number} from  beginning of the page
 * @param {number} to
 * @returns {number | null} length of the page, or of its header while that is incomplete; null if
 *   it is no page
 */
function pageBytes(bytes, from, to) {
  const there = Math.min(OGGS.length, to - from);
  if (bytes.compare(OGGS, 0, there, from, from + there) !== 0) return null;
  if (to - from < HEADER_BYTES) return HEADER_BYTES;
  const body = from + HEADER_BYTES + bytes[from + 26];
  if (bytes[from + 4] !== 0) return null;
  if (body > to) return body - from;
  let length = body - from;
  for (let at = from + HEADER_BYTES; at < body; at++) length += bytes[at];
  return length;
}

/**
 * @param {Buffer} bytes
 * @param {number} from
 * @param {number} length
 * @returns {OggPage}
 * @throws {OggError} if a packet crosses the end of a page, which OggOpus never writes
 */
function readPage(bytes, from, length) {
  const type = bytes[from + 5];
  const segments = bytes[from + 26];
  const packets = [];
  let start = from + HEADER_BYTES + segments;
  let end = start;
  for (let i = 0; i < segments; i++) {
    const segment = bytes[from + HEADER_BYTES + i];
    end += segment;
    if (segment === SEGMENT_BYTES) continue;
    packets.push(bytes.subarray(start, end));
    start = end;
  }
  if (type & CONTINUES || start !== from + length)
    throw new OggError('a packet goes over the end of a page');
  return { packets, granule: Number(bytes.readBigInt64LE(from + 6)), ended: (type & ENDS) !== 0 };
}

/**
 * Reads the header packet (RFC 7845, section 5.1).
 * @param {Uint8Array[]} packets
 * @returns {OggHead}
 * @throws {OggError}
 */
function readHead([head]) {
  if (
    !head ||
    head.length < 19 ||
    Buffer.from(head.subarray(0, 8)).toString('latin1') !== 'OpusHead'
  )
    throw new OggError('not Opus');
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const channels = head[9];
  if (head[8] >> 4 !== 0 || head[18] !== 0 || channels < 1 || channels > 2)
    throw new OggError('not mono or stereo');
  return { channels, preSkip: view.getUint16(10, true), sampleRate: view.getUint32(12, true) };
}
