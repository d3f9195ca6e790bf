/**
 * @import { ByteReader } from './byte-reader.js'
 * @import { Sound } from './sound.js'
 */

import { createDecoder } from 'libopus-wasm';
import { NotSoundError } from './sound.js';

/** The rate of what is decoded, in Hz, and the longest packet (RFC 6716, section 3.2.5: R5). */
const RATE = 48_000;
const MAX_PACKET_SAMPLES = (RATE * 120) / 1000;

/** The bytes of a page's header before its table of segments (RFC 3533, section 6). */
const PAGE_BYTES = 27;

/** Bits of a page's type: it goes on with a packet, and it is the last one. */
const CONTINUED = 1;
const LAST = 4;

/** The longest packet that is put together from pages, in bytes: comments may hold a picture. */
const MAX_PACKET_BYTES = 16 * 1024 * 1024;

/** The bytes of the shortest header packet (RFC 7845, section 5.1). */
const HEAD_BYTES = 19;

/** Whether bytes begin as an Ogg Opus file does. @param {Buffer} bytes  36 of them */
export const isOggOpus = (bytes) => bytes.toString('latin1', 0, 4) === 'OggS' && bytes.toString('latin1', 28, 36) === 'OpusHead';

/**
 * Reads an Ogg Opus file (RFC 7845) of one stream, mono or stereo. One that is cut short is read as far as it goes, and
 * packets that are no Opus are left out.
 * @param {ByteReader} reader  at its beginning
 * @returns {Promise<Sound>}
 * @throws {NotSoundError}
 */
export async function readOggSound(reader) {
  const packets = packetsOf(reader);
  const { value: head } = await packets.next();
  if (!head || head.packet.length < HEAD_BYTES || head.packet[8] >> 4 !== 0) throw new NotSoundError('is an Ogg Opus file whose header can not be read');
  const { packet } = head;
  const [channels, preSkip, gain, family] = [packet[9], packet.readUInt16LE(10), packet.readInt16LE(16), packet[18]];
  if (family > 1 || channels < 1 || channels > 2) throw new NotSoundError(`is an Ogg Opus file of ${channels} channels: only mono and stereo can be read`);
  await packets.next();
  const decoder = await createDecoder({ sampleRate: RATE, channels: /** @type {1 | 2} */ (channels), maxFrameSize: MAX_PACKET_SAMPLES });
  let isClosed = false;
  const close = async () => {
    if (!isClosed) decoder.free();
    isClosed = true;
    await reader.close();
  };
  const pieces = decodedOf(packets, decoder, { channels, preSkip, factor: 10 ** (gain / 256 / 20) });
  return { sampleRate: RATE, channels, seconds: null, pieces, close };
}

/**
 * @param {AsyncGenerator<{ packet: Buffer, granule: number }>} packets
 * @param {Awaited<ReturnType<typeof createDecoder>>} decoder
 * @param {{ channels: number, preSkip: number, factor: number }} how
 */
async function* decodedOf(packets, decoder, { channels, preSkip, factor }) {
  let [skip, decoded] = [preSkip, 0];
  for await (const { packet, granule } of packets) {
    let pcm;
    try {
      pcm = decoder.decodeFloat(packet).slice();
    } catch {
      // No Opus: the packets around it may be.
      continue;
    }
    const samples = pcm.length / channels;
    decoded += samples;
    // The last page's position says how much of its last packet is sound (RFC 7845, section 4.4).
    const end = granule >= 0 ? Math.max(0, samples - Math.max(0, decoded - granule)) : samples;
    const from = Math.min(skip, end);
    skip -= from;
    const piece = pcm.subarray(from * channels, end * channels);
    if (factor !== 1) for (let i = 0; i < piece.length; i++) piece[i] *= factor;
    if (piece.length > 0) yield piece;
  }
}

/**
 * The packets of the file's first stream.
 * @param {ByteReader} reader
 * @returns {AsyncGenerator<{ packet: Buffer, granule: number }>}  granule: where the last packet ends; -1 of others
 */
async function* packetsOf(reader) {
  /** @type {Buffer[]} */
  let parts = [];
  let length = 0;
  let serial = -1;
  for (;;) {
    const head = await reader.take(PAGE_BYTES);
    if (head.length < PAGE_BYTES || head.toString('latin1', 0, 4) !== 'OggS') return;
    const sizes = await reader.take(head[26]);
    const body = await reader.take(sizes.reduce((sum, size) => sum + size, 0));
    if (serial < 0) serial = head.readUInt32LE(14);
    if (head.readUInt32LE(14) !== serial) continue;
    const isLast = (head[5] & LAST) !== 0;
    if ((head[5] & CONTINUED) === 0) [parts, length] = [[], 0];
    let at = 0;
    for (const [i, size] of sizes.entries()) {
      parts.push(body.subarray(at, at + size));
      at += size;
      length += size;
      if (length > MAX_PACKET_BYTES) return;
      if (size === 255) continue;
      const packet = Buffer.concat(parts, length);
      [parts, length] = [[], 0];
      if (packet.length > 0) yield { packet, granule: isLast && i === sizes.length - 1 ? Number(head.readBigInt64LE(6)) : -1 };
    }
    if (isLast) return;
  }
}
