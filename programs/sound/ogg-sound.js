/**
 * @import { ByteReader } from './byte-reader.js'
 * @import { OggPage } from './ogg-pages.js'
 * @import { Sound } from './sound.js'
 */

import { MAX_OPUS_BYTES, payloadSamples } from '../../public/shared/stream/codec.js';
import { oggPages, PacketAssembler } from './ogg-pages.js';
import { NotSoundError } from './sound.js';

/** Output rate in Hz, and the longest packet in samples (RFC 6716, section 3.2.5: R5). */
const RATE = 48_000;
const MAX_PACKET_SAMPLES = (RATE * 120) / 1000;

/** Longest packet assembled from pages, in bytes: comments may hold a picture. */
const MAX_PACKET_BYTES = 16 * 1024 * 1024;

/**
 * Length of the shortest header packet (RFC 7845, section 5.1), and of a page's header with one
 * segment, in bytes.
 */
const HEAD_BYTES = 19;
const HEAD_AT = 28;
const SERIAL_AT = 14;

/**
 * Longest loss of pages that becomes silence, in samples: a longer one is a jump of the stream's
 * clock.
 */
const MAX_LOST_SAMPLES = 10 * RATE;

const OPUS_HEAD = Buffer.from('OpusHead');

/** Number of bytes that isOggOpus and readsOggOpus need from a file's beginning. */
export const OGG_KIND_BYTES = HEAD_AT + HEAD_BYTES;

/** True for the beginning of an Ogg Opus file. @param {Buffer} bytes OGG_KIND_BYTES of them */
export const isOggOpus = (bytes) =>
  bytes.toString('latin1', 0, 4) === 'OggS' && isHead(bytes.subarray(HEAD_AT));

/**
 * True for an Ogg Opus file that readOggSound can read: mono or stereo.
 * @param {Buffer} bytes OGG_KIND_BYTES of them
 */
export const readsOggOpus = (bytes) => readHead(bytes.subarray(HEAD_AT)) !== null;

/** @param {Uint8Array} packet */
const isHead = (packet) => OPUS_HEAD.equals(packet.subarray(0, OPUS_HEAD.length));

/**
 * @typedef {{ channels: 1 | 2, preSkip: number, factor: number }} Head
 *
 * @typedef {object} OggOptions
 * @property {(packet: Buffer) => void} [onTags]  called with each link's packet of comments
 * @property {number} [maxPacketBytes]  longer packets are skipped
 */

/**
 * Reads a header packet (RFC 7845, section 5.1).
 * @param {Buffer} packet
 * @returns {Head | null} null unless mono or stereo
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
 * Reads an Ogg Opus file (RFC 7845), mono or stereo. A chained file, such as a radio's stream with
 * a link per title, is read link by link, all with the channels of the first. Damaged parts are
 * skipped; lost pages become silence of their length. A truncated file is read as far as possible.
 * @param {ByteReader} reader at its beginning
 * @param {OggOptions} [options]
 * @returns {Promise<Sound>}
 * @throws {NotSoundError}
 */
export async function readOggSound(reader, options = {}) {
  const start = Buffer.from(await reader.peek(OGG_KIND_BYTES));
  const head = readHead(start.subarray(HEAD_AT));
  if (!head) throw new NotSoundError('seems to be Ogg Opus whose header is damaged');
  const { channels } = head;
  // Loaded with the first file: a server imports this module, and may never read one.
  const { createDecoder } = await import('libopus-wasm');
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
    pieces: piecesOf(
      reader,
      new LinkDecoder(decoder, head, start.readUInt32LE(SERIAL_AT), options),
    ),
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
  /** Number of the stream being decoded; -1 between links. */
  serial = -1;
  #decoder;
  #channels;
  #options;
  #packets;
  #skip = 0;
  #factor = 1;
  /** Samples of the link so far, pre-skip included, like its positions; -1 before the first. */
  #position = -1;
  #hasComments = false;

  /**
   * @param {import('libopus-wasm').OpusDecoderHandle} decoder
   * @param {Head} head of the first link, whose first page may be damaged
   * @param {number} serial of the first link
   * @param {OggOptions} options
   */
  constructor(decoder, head, serial, options) {
    this.#options = options;
    this.#packets = this.#newAssembler();
    this.#decoder = decoder;
    this.#channels = head.channels;
    this.#start(head, serial);
  }

  /**
   * Begins a link, unless the page belongs to a stream parallel to the decoded one.
   * @param {OggPage} page a stream's first
   */
  begin(page) {
    const head = readHead(page.body);
    const isBeside = this.serial >= 0 && this.#position < 0 && page.serial !== this.serial;
    if (!head || isBeside) return;
    this.#start(head, page.serial);
    this.#packets.push(page);
  }

  #newAssembler() {
    return new PacketAssembler(this.#options.maxPacketBytes ?? MAX_PACKET_BYTES);
  }

  /** @param {Head} head @param {number} serial */
  #start(head, serial) {
    this.serial = serial;
    this.#packets = this.#newAssembler();
    [this.#skip, this.#factor, this.#position, this.#hasComments] = [
      head.preSkip,
      head.factor,
      -1,
      false,
    ];
  }

  /** @param {OggPage} page of the link */
  *decode(page) {
    const { packets, hasGap } = this.#packets.push(page);
    // The packet after the header holds comments; it may be missing through damage.
    if (!this.#hasComments && packets[0]?.toString('latin1', 0, 8) === 'OpusTags') {
      this.#options.onTags?.(packets[0]);
      packets.shift();
    }
    this.#hasComments ||= packets.length > 0 || page.granule === 0;
    if (page.granule >= 0 && packets.length > 0) {
      const samples = packets.reduce((sum, packet) => sum + samplesOf(packet), 0);
      yield* this.#moveTo(page.granule - samples, hasGap);
    }
    for (const packet of packets) yield* this.#decodePacket(packet, page);
    if (page.isLast) this.serial = -1;
  }

  /**
   * Sets the position before a page's packets, and fills lost pages with silence.
   * @param {number} position samples
   * @param {boolean} hasGap true when pages before it are lost
   */
  *#moveTo(position, hasGap) {
    if (this.#position < 0) this.#position = Math.max(0, position);
    if (!hasGap) return;
    const lost = position - this.#position;
    if (lost > 0 && lost <= MAX_LOST_SAMPLES)
      yield* this.#keep(new Float32Array(lost * this.#channels), lost);
    this.#position = position;
  }

  /** @param {Buffer} packet @param {OggPage} page */
  *#decodePacket(packet, { isLast, granule }) {
    let pcm;
    try {
      pcm = this.#decoder.decodeFloat(packet).slice();
    } catch {
      // Not Opus, but its neighbours may be.
      pcm = new Float32Array(samplesOf(packet) * this.#channels);
    }
    const samples = pcm.length / this.#channels;
    this.#position += samples;
    // The last page's position tells where the sound ends (RFC 7845, section 4.4).
    const beyond = isLast && granule >= 0 ? Math.max(0, this.#position - granule) : 0;
    yield* this.#keep(pcm, Math.max(0, samples - beyond));
  }

  /** @param {Float32Array} pcm @param {number} end samples of it that are sound */
  *#keep(pcm, end) {
    const from = Math.min(this.#skip, end);
    this.#skip -= from;
    const piece = pcm.subarray(from * this.#channels, end * this.#channels);
    if (this.#factor !== 1) for (let i = 0; i < piece.length; i++) piece[i] *= this.#factor;
    if (piece.length > 0) yield piece;
  }
}

/** Duration of a packet, 0 unless it is Opus. @param {Buffer} packet */
function samplesOf(packet) {
  // Packets of several frames may be longer than a frame can be.
  const samples = payloadSamples(packet, 0, Math.min(packet.length, MAX_OPUS_BYTES), RATE);
  return samples > 0 && samples <= MAX_PACKET_SAMPLES ? samples : 0;
}
