/** @import { ByteReader } from './byte-reader.js' */

import { oggCrc } from '../../server/recording/ogg-opus.js';

/**
 * Length of a page's header before its segment table (RFC 3533, section 6), and of its mark, in
 * bytes.
 */
const HEADER_BYTES = 27;
const MARK = Buffer.from('OggS');

/** Place of the checksum in a page. */
const CRC_AT = 22;

/** Bits of a page's type. */
const CONTINUED = 1;
const FIRST = 2;
const LAST = 4;

/** Bytes searched at once for the next page. */
const SEARCH_BYTES = 65_536;

/**
 * @typedef {object} OggPage
 * @property {number} serial  the stream's number
 * @property {number} sequence  the page's number in its stream
 * @property {number} granule  position at its end; -1 if no packet ends in it
 * @property {boolean} isContinued  true when it begins within a packet
 * @property {boolean} isFirst
 * @property {boolean} isLast
 * @property {Uint8Array} sizes  of its segments
 * @property {Buffer} body
 */

/**
 * Reads the pages of an Ogg file. Other bytes and pages with a wrong checksum are skipped.
 * @param {ByteReader} reader
 * @returns {AsyncGenerator<OggPage>}
 */
export async function* oggPages(reader) {
  for (;;) {
    const head = await reader.peek(HEADER_BYTES);
    if (head.length < HEADER_BYTES) return;
    const page = head.subarray(0, MARK.length).equals(MARK) ? await wholePage(reader) : null;
    if (page) yield page;
    else await skipToMark(reader);
  }
}

/**
 * @param {ByteReader} reader at a mark
 * @returns {Promise<OggPage | null>} null if it is no whole page
 */
async function wholePage(reader) {
  const head = await reader.peek(HEADER_BYTES);
  const bodyAt = HEADER_BYTES + head[26];
  const sizes = (await reader.peek(bodyAt)).subarray(HEADER_BYTES);
  const length = sizes.reduce((sum, size) => sum + size, bodyAt);
  const page = Buffer.from(await reader.peek(length));
  const crc = page.readUInt32LE(CRC_AT);
  page.writeUInt32LE(0, CRC_AT);
  if (page.length < length || oggCrc(page) !== crc) return null;
  await reader.take(length);
  return {
    serial: page.readUInt32LE(14),
    sequence: page.readUInt32LE(18),
    granule: Number(page.readBigInt64LE(6)),
    isContinued: (page[5] & CONTINUED) !== 0,
    isFirst: (page[5] & FIRST) !== 0,
    isLast: (page[5] & LAST) !== 0,
    sizes: page.subarray(HEADER_BYTES, bodyAt),
    body: page.subarray(bodyAt),
  };
}

/** @param {ByteReader} reader */
async function skipToMark(reader) {
  await reader.take(1);
  for (;;) {
    const bytes = await reader.peek(MARK.length);
    if (bytes.length < MARK.length) return void (await reader.take(bytes.length));
    const there = await reader.here(SEARCH_BYTES);
    const at = there.indexOf(MARK);
    await reader.take(at < 0 ? there.length - MARK.length + 1 : at);
    if (at >= 0) return;
  }
}

/** Assembles the packets of one stream from its pages. */
export class PacketAssembler {
  #maxBytes;
  /** @type {Buffer[]} */
  #parts = [];
  #length = 0;
  /** True while a packet with a known beginning is being assembled. */
  #isOpen = false;
  #sequence = -1;

  /** @param {number} maxBytes of a packet; longer ones are skipped */
  constructor(maxBytes) {
    this.#maxBytes = maxBytes;
  }

  /**
   * @param {OggPage} page the stream's next
   * @returns {{ packets: Buffer[], hasGap: boolean }} packets: packets that end in it; hasGap:
   *   pages before it are missing
   */
  push({ sequence, isContinued, sizes, body }) {
    const hasGap = this.#sequence >= 0 && sequence !== (this.#sequence + 1) >>> 0;
    this.#sequence = sequence;
    if (hasGap || !isContinued) this.#begin(!isContinued);
    /** @type {Buffer[]} */
    const packets = [];
    let at = 0;
    for (const size of sizes) {
      this.#parts.push(body.subarray(at, at + size));
      at += size;
      this.#length += size;
      if (this.#length > this.#maxBytes) this.#begin(false);
      if (size === 255) continue;
      if (this.#isOpen && this.#length > 0) packets.push(Buffer.concat(this.#parts, this.#length));
      this.#begin(true);
    }
    return { packets, hasGap };
  }

  /** @param {boolean} isOpen */
  #begin(isOpen) {
    [this.#parts, this.#length, this.#isOpen] = [[], 0, isOpen];
  }
}
