/** Unit of Opus positions in Ogg at any sample rate, in Hz (RFC 7845, section 4). */
export const GRANULE_RATE = 48000;

/** Limits of segments in a page, and of bytes in a segment (RFC 3533, section 6). */
const MAX_SEGMENTS = 255;
const SEGMENT_BYTES = 255;
const PAGE_HEADER_BYTES = 27;

/** Default sound in a page, in samples of GRANULE_RATE. */
const PAGE_SAMPLES = GRANULE_RATE;

const FIRST_BODY_BYTES = 4096;

/** Flags of a page: first or last page of a stream (RFC 3533, section 6). */
const BEGINS = 0x02;
const ENDS = 0x04;

/** Remainder of each byte by Ogg's polynomial (RFC 3533, section 6). */
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte << 24;
  for (let bit = 0; bit < 8; bit++) remainder = (remainder << 1) ^ (remainder < 0 ? 0x04c11db7 : 0);
  return remainder;
});

const utf8 = new TextEncoder();

/**
 * Writes one Opus stream as an Ogg file (RFC 7845), page by page. A page is written when the first
 * packet of the next page arrives, so that one is always left to carry the end flag.
 */
export class OggOpus {
  #write;
  #pageSamples;
  #serial;
  #sequence = 0;
  #granule = 0;
  #pageStart = 0;
  #segments = new Uint8Array(MAX_SEGMENTS);
  #segmentCount = 0;
  #body = new Uint8Array(FIRST_BODY_BYTES);
  #length = 0;
  #ended = false;

  /**
   * @param {object} options
   * @param {number} options.serial  32-bit number of the stream
   * @param {number} options.preSkip samples of GRANULE_RATE that players drop at the beginning
   * @param {number} options.sampleRate  of the encoder's input, in Hz
   * @param {number} [options.channels]  1 or 2, for decoders; single packets may differ
   * @param {Record<string, string>} options.tags  as Vorbis comments: TITLE, DATE, ARTIST
   * @param {number} [options.pageSamples] sound in a page, in samples of GRANULE_RATE; readers wait
   *   for whole pages
   * @param {number} [options.padding]  in bytes, after the tags (RFC 7845, section 5.2)
   * @param {(page: Uint8Array) => void} options.write  receives a new array each time
   */
  constructor({
    serial,
    preSkip,
    sampleRate,
    channels = 1,
    tags,
    pageSamples = PAGE_SAMPLES,
    padding = 0,
    write,
  }) {
    this.#write = write;
    this.#pageSamples = pageSamples;
    this.#serial = serial >>> 0;
    this.#putPage(opusHead(preSkip, sampleRate, channels));
    this.#flush(BEGINS);
    this.#putPage(opusTags(tags, padding));
    this.#flush(0);
  }

  /** Length of the stream, in samples of GRANULE_RATE, including the pre-skip. */
  get samples() {
    return this.#granule;
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number} start of one whole Opus packet
   * @param {number} length at most 1 275 bytes
   * @param {number} samples its duration at GRANULE_RATE
   */
  put(bytes, start, length, samples) {
    if (this.#ended) return;
    const segments = Math.floor(length / SEGMENT_BYTES) + 1;
    const isFull = this.#granule - this.#pageStart >= this.#pageSamples;
    if (isFull || this.#segmentCount + segments > MAX_SEGMENTS) this.#flush(0);
    this.#append(bytes, start, length);
    this.#granule += samples;
  }

  /**
   * Writes the last page. Idempotent.
   * @param {number} [samples] length to play, ending within the last packet; all of it by default
   */
  end(samples = this.#granule) {
    if (this.#ended) return;
    this.#ended = true;
    this.#granule = Math.min(samples, this.#granule);
    this.#flush(ENDS);
  }

  /** @param {Uint8Array} packet */
  #putPage(packet) {
    this.#append(packet, 0, packet.length);
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number} start
   * @param {number} length
   */
  #append(bytes, start, length) {
    if (this.#length + length > this.#body.length) {
      const grown = new Uint8Array(Math.max(2 * this.#body.length, this.#length + length));
      grown.set(this.#body.subarray(0, this.#length));
      this.#body = grown;
    }
    for (let i = 0; i < length; i++) this.#body[this.#length + i] = bytes[start + i];
    this.#length += length;
    let rest = length;
    for (; rest >= SEGMENT_BYTES; rest -= SEGMENT_BYTES)
      this.#segments[this.#segmentCount++] = SEGMENT_BYTES;
    this.#segments[this.#segmentCount++] = rest;
  }

  /** @param {number} type  flags of the page */
  #flush(type) {
    const bodyAt = PAGE_HEADER_BYTES + this.#segmentCount;
    const page = new Uint8Array(bodyAt + this.#length);
    const view = new DataView(page.buffer);
    page.set(utf8.encode('OggS'), 0);
    page[5] = type;
    view.setBigUint64(6, BigInt(this.#granule), true);
    view.setUint32(14, this.#serial, true);
    view.setUint32(18, this.#sequence++, true);
    page[26] = this.#segmentCount;
    page.set(this.#segments.subarray(0, this.#segmentCount), PAGE_HEADER_BYTES);
    page.set(this.#body.subarray(0, this.#length), bodyAt);
    view.setUint32(22, oggCrc(page), true);
    this.#segmentCount = 0;
    this.#length = 0;
    this.#pageStart = this.#granule;
    this.#write(page);
  }
}

/**
 * Writes the header packet (RFC 7845, section 5.1): version 1, no gain, mapping family 0: mono or
 * stereo.
 * @param {number} preSkip
 * @param {number} sampleRate
 * @param {number} channels
 */
export function opusHead(preSkip, sampleRate, channels) {
  const head = new Uint8Array(19);
  const view = new DataView(head.buffer);
  head.set(utf8.encode('OpusHead'));
  head[8] = 1;
  head[9] = channels;
  view.setUint16(10, preSkip, true);
  view.setUint32(12, sampleRate, true);
  return head;
}

/**
 * Writes the comment packet (RFC 7845, section 5.2).
 * @param {Record<string, string>} tags
 * @param {number} padding  number of zeros after the tags, which readers ignore
 */
function opusTags(tags, padding) {
  const comments = Object.entries(tags).map(([name, value]) => utf8.encode(`${name}=${value}`));
  const texts = [utf8.encode('aloud'), ...comments];
  const bytes = new Uint8Array(texts.reduce((sum, text) => sum + 4 + text.length, 8 + 4 + padding));
  const view = new DataView(bytes.buffer);
  bytes.set(utf8.encode('OpusTags'));
  let at = 8;
  for (const [index, text] of texts.entries()) {
    view.setUint32(at, text.length, true);
    bytes.set(text, at + 4);
    at += 4 + text.length;
    if (index > 0) continue;
    view.setUint32(at, comments.length, true);
    at += 4;
  }
  return bytes;
}

/**
 * Computes the checksum of an Ogg page with its checksum field set to 0 (RFC 3533, section 6:
 * direct, initial value 0).
 * @param {Uint8Array} bytes
 * @returns {number} 32 bits
 */
export function oggCrc(bytes) {
  let crc = 0;
  for (let i = 0; i < bytes.length; i++) crc = (crc << 8) ^ CRC_TABLE[(crc >>> 24) ^ bytes[i]];
  return crc >>> 0;
}
