/**
 * @import { ByteReader } from './byte-reader.js'
 * @import { OggPage } from './ogg-pages.js'
 * @import { Sound } from './sound.js'
 */

import { createDecoder } from 'libopus-wasm';
import { MAX_OPUS_BYTES, payloadSamples } from '../../public/shared/stream/codec.js';
import { oggPages, PacketAssembler } from './ogg-pages.js';
import { NotSoundError } from './sound.js';

/** The rate of what is decoded, in Hz, and the longest packet (RFC 6716, section 3.2.5: R5). */
const RATE = 48_000;
const MAX_PACKET_SAMPLES = (RATE * 120) / 1000;

/** The longest packet that is put together from pages, in bytes: comments may hold a picture. */
const MAX_PACKET_BYTES = 16 * 1024 * 1024;

/**
 * The bytes of the shortest header packet (RFC 7845, section 5.1), and of a page's header with one
 * segment before it.
 */
const HEAD_BYTES = 19;
const HEAD_AT = 28;
const SERIAL_AT = 14;

/**
 * The longest time of lost pages that is kept as silence, in samples: a longer one is a jump of the
 * stream's clock.
 */
const MAX_LOST_SAMPLES = 10 * RATE;

const OPUS_HEAD = Buffer.from('OpusHead');

/** The bytes at a file's beginning by which isOggOpus and readsOggOpus know it. */
export const OGG_KIND_BYTES = HEAD_AT + HEAD_BYTES;

/** True when bytes begin as an Ogg Opus file does. @param {Buffer} bytes  OGG_KIND_BYTES of them */
export const isOggOpus = (bytes) =>
  bytes.toString('latin1', 0, 4) === 'OggS' && isHead(bytes.subarray(HEAD_AT));

/**
 * True when readOggSound reads an Ogg Opus file: a mono or stereo one.
 * @param {Buffer} bytes OGG_KIND_BYTES of them
 */
export const readsOggOpus = (bytes) => readHead(bytes.subarray(HEAD_AT)) !== null;

/** @param {Uint8Array} packet */
const isHead = (packet) => OPUS_HEAD.equals(packet.subarray(0, OPUS_HEAD.length));

/** @typedef {{ channels: 1 | 2, preSkip: number, factor: number }} Head */

/**
 * Reads a header packet (RFC 7845, section 5.1).
 * @param {Buffer} packet
 * @returns {Head | null} null for other formats than mono and stereo
 */
function readHead(packet) {
  if (packet.length < HEAD_BYTES || !isHead(packet) || packet[8] >> 4 !== 0) return null;
  const [channels, family] = [packet[9], packet[18]];
  if (family > 1 || channels < 1 || channels > 2) return null;
  return {
    channels: channels === 1 ? 1 : 2,
    preSkip: packet.readUInt16LE(10),
    factor: 10 ** (packet.readInt16LE(16) / 256 / 20),
  };
}

/**
 * Reads an Ogg Opus file (RFC 7845), mono or stereo, link by link if it is chained, as a radio's
 * stream is at each change of title. All links are decoded to the channels of the first. What is
 * damaged is left out; lost pages are silence of their length. A file that is cut short is read as
 * far as it goes.
 * @param {ByteReader} reader  at its beginning
 * @returns {Promise<Sound>}
 * @throws {NotSoundError}
 */
export async function readOggSound(reader) {
  const start = Buffer.from(await reader.peek(OGG_KIND_BYTES));
  const head = readHead(start.subarray(HEAD_AT));
  if (!head) throw new NotSoundError('seems to be Ogg Opus whose header is damaged');
  const { channels } = head;
  const decoder = await createDecoder({
    sampleRate: RATE,
    channels,
    maxFrameSize: MAX_PACKET_SAMPLES,
  });
  let isClosed = false;
  const close = async () => {
    if (!isClosed) decoder.free();
    isClosed = true;
    await reader.close();
  };
  return {
    sampleRate: RATE,
    channels,
    seconds: null,
    pieces: piecesOf(reader, new LinkDecoder(decoder, head, start.readUInt32LE(SERIAL_AT))),
    close,
  };
}

/** @param {ByteReader} reader @param {LinkDecoder} link */
async function* piecesOf(reader, link) {
  for await (const page of oggPages(reader)) {
    if (page.isFirst) link.begin(page);
    else if (page.serial === link.serial) yield* link.decode(page);
  }
}

/** Decodes the links of a chained file, one after another. */
class LinkDecoder {
  /** The stream that is decoded; -1 between links. */
  serial = -1;
  #decoder;
  #channels;
  #packets = new PacketAssembler(MAX_PACKET_BYTES);
  #skip = 0;
  #factor = 1;
  /**
   * Samples that the link has had, the pre-skip included, as its positions count; -1 before the
   * first.
   */
  #position = -1;
  #hasComments = false;

  /**
   * @param {Awaited<ReturnType<typeof createDecoder>>} decoder
   * @param {Head} head  of the first link, whose first page may be damaged
   * @param {number} serial  of the first link
   */
  constructor(decoder, head, serial) {
    this.#decoder = decoder;
    this.#channels = head.channels;
    this.#start(head, serial);
  }

  /**
   * Begins a link, unless the page is of a stream beside the one that is decoded.
   * @param {OggPage} page a stream's first
   */
  begin(page) {
    const head = readHead(page.body);
    const isBeside = this.serial >= 0 && this.#position < 0 && page.serial !== this.serial;
    if (!head || isBeside) return;
    this.#start(head, page.serial);
    this.#packets.push(page);
  }

  /** @param {Head} head @param {number} serial */
  #start(head, serial) {
    this.serial = serial;
    this.#packets = new PacketAssembler(MAX_PACKET_BYTES);
    [this.#skip, this.#factor, this.#position, this.#hasComments] = [
      head.preSkip,
      head.factor,
      -1,
      false,
    ];
  }

  /** @param {OggPage} page  of the link */
  *decode(page) {
    const { packets, hasGap } = this.#packets.push(page);
    // The packet after the header holds comments; damage may have taken it.
    if (!this.#hasComments && packets[0]?.toString('latin1', 0, 8) === 'OpusTags') packets.shift();
    this.#hasComments ||= packets.length > 0 || page.granule === 0;
    const samples = packets.reduce((sum, packet) => sum + samplesOf(packet), 0);
    const ends = page.granule >= 0 && packets.length > 0;
    if (this.#position < 0 && ends) this.#position = Math.max(0, page.granule - samples);
    const lost = hasGap && ends ? page.granule - samples - this.#position : 0;
    if (lost > 0 && lost <= MAX_LOST_SAMPLES)
      yield* this.#keep(new Float32Array(lost * this.#channels), lost);
    if (hasGap && ends) this.#position = page.granule - samples;
    for (const packet of packets) yield* this.#decodePacket(packet, page);
    if (page.isLast) this.serial = -1;
  }

  /** @param {Buffer} packet @param {OggPage} page */
  *#decodePacket(packet, { isLast, granule }) {
    let pcm;
    try {
      pcm = this.#decoder.decodeFloat(packet).slice();
    } catch {
      // No Opus: the packets around it may be.
      pcm = new Float32Array(samplesOf(packet) * this.#channels);
    }
    const samples = pcm.length / this.#channels;
    this.#position += samples;
    // The last page's position says how much of its last packets is sound (RFC 7845, section 4.4).
    const beyond = isLast && granule >= 0 ? Math.max(0, this.#position - granule) : 0;
    yield* this.#keep(pcm, Math.max(0, samples - beyond));
  }

  /** @param {Float32Array} pcm @param {number} end  samples of it that are sound */
  *#keep(pcm, end) {
    const from = Math.min(this.#skip, end);
    this.#skip -= from;
    const piece = pcm.subarray(from * this.#channels, end * this.#channels);
    if (this.#factor !== 1) for (let i = 0; i < piece.length; i++) piece[i] *= this.#factor;
    if (piece.length > 0) yield piece;
  }
}

/** Returns a packet's duration, 0 of what is no Opus. @param {Buffer} packet */
function samplesOf(packet) {
  // Packets of several frames may be longer than a frame can be.
  const samples = payloadSamples(packet, 0, Math.min(packet.length, MAX_OPUS_BYTES), RATE);
  return samples > 0 && samples <= MAX_PACKET_SAMPLES ? samples : 0;
}
