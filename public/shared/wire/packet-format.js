/**
 * Constants of the wire format, version 1, the packet object, and the coding of lengths.
 */

export const PACKET_VERSION = 1;

/** Largest packet that is read, in bytes. */
export const MAX_PACKET_BYTES = 1200;

/**
 * Largest packet that is written, in bytes: it fits a datagram at any time. Each path carries
 * 1 200 bytes (RFC 9000, section 14). QUIC needs up to 50 of them, with the longest connection id,
 * and WebTransport one.
 */
export const MAX_SENT_BYTES = 1149;

/**
 * The most bytes before a packet's only payload: a bundle's header, and its voice's number, level
 * and length.
 */
export const MAX_HEADER_BYTES = 13;

/** The most earlier payloads that a packet repeats. */
export const MAX_REDUNDANCY = 2;

/** The most speakers that a packet of the server lists. */
export const MAX_LISTED_SPEAKERS = 20;

/** The most voices that a bundle holds side by side. */
export const MAX_VOICES = 8;

/** The level that stands for silence, in -dBov (RFC 6464, section 3). */
export const SILENT_LEVEL = 127;

/** @enum {number} */
export const PacketType = Object.freeze({
  audio: 1,
  clockRequest: 2,
  clockReply: 3,
  control: 4,
  bundle: 5,
  voice: 6,
});

/**
 * A listener's streams: the two of mixing, told apart by a bit of each audio packet, and that of
 * bundles. From `layers` on they are the full mix of a broadcast at each of RATES. A voice packet
 * is of its speaker's only stream.
 * @enum {number}
 */
export const Stream = Object.freeze({ fullMix: 0, mixMinus: 1, voices: 2, layers: 3 });

/**
 * Why a packet is dropped, in the words of the counters.
 * @typedef {'empty' | 'oversized' | 'version' | 'type' | 'truncated' | 'malformed'} DropReason
 */

/** The bit beside a level that says that there is voice, and the bits of the level. */
export const VOICE_BIT = 0x80;
export const LEVEL_MASK = 0x7f;

/**
 * A packet as read, or as it is to be written. One object serves for any number of packets.
 * Payload 0 is the packet's own frame; payload r is frame - r, repeated. A payload of no bytes
 * means that the frame is silent.
 */
export class Packet {
  constructor() {
    /** @type {number} one of PacketType */
    this.type = PacketType.audio;
    /** @type {number} one of Stream */
    this.stream = Stream.fullMix;
    /** True when there is voice in the frame. */
    this.voice = false;
    /** The frame's level in -dBov, 0 (loudest) to 127 (silent). */
    this.level = SILENT_LEVEL;
    /** The packet's number in its stream, modulo 2^16. */
    this.sequence = 0;
    /** The frame's index on the grid, modulo 2^32: see unwrapFrame. */
    this.frame = 0;
    /** The number of earlier payloads that the packet repeats. */
    this.redundancy = 0;
    /** The start of each payload in the bytes that were read. */
    this.payloadStart = new Uint16Array(MAX_REDUNDANCY + 1);
    /** The length of each payload in bytes. */
    this.payloadBytes = new Uint16Array(MAX_REDUNDANCY + 1);
    /**
     * The number of speakers that the packet lists; 0 when it has no list. Only the server's have
     * one.
     */
    this.speakers = 0;
    /** The listed participants' ids, modulo 2^16. */
    this.speakerIds = new Uint16Array(MAX_LISTED_SPEAKERS);
    /** The level of each in -dBov, with VOICE_BIT where there is voice (RFC 6465, section 3). */
    this.speakerLevels = new Uint8Array(MAX_LISTED_SPEAKERS);
    /** A voice packet's speaker: the participant's id, modulo 2^16. */
    this.number = 0;
    /** A clock packet's number, modulo 2^16. */
    this.id = 0;
    /** A clock reply's sample clock, with its fraction, at the arrival of the request. */
    this.clock = 0;
  }

  /** Takes the sound out of it: its frame is silent, and nothing is repeated. */
  silence() {
    this.payloadBytes[0] = 0;
    this.redundancy = 0;
    this.level = SILENT_LEVEL;
    this.voice = false;
  }
}

/**
 * The bytes that a length takes in front of a payload (the coding of RFC 6716, section 3.2.1).
 * @param {number} length 0 to 1275 bytes
 */
export const lengthBytes = (length) => (length < 252 ? 1 : 2);

/**
 * @param {Uint8Array} out
 * @param {number} at
 * @param {number} length 0 to 1275 bytes
 * @returns {number} where the next byte goes
 */
export function writeLength(out, at, length) {
  if (length < 252) {
    out[at] = length;
    return at + 1;
  }
  const low = 252 + (length & 3);
  out[at] = low;
  out[at + 1] = (length - low) >> 2;
  return at + 2;
}

/**
 * Reads a length. Where it ends is `at + lengthBytes(length)`.
 * @param {Uint8Array} bytes
 * @param {number} at
 * @param {number} end the first byte that is not to be read
 * @returns {number} the length, or -1 when the bytes end before it does
 */
export function readLength(bytes, at, end) {
  if (at >= end) return -1;
  const low = bytes[at];
  if (low < 252) return low;
  return at + 1 < end ? low + bytes[at + 1] * 4 : -1;
}

/**
 * The Opus frames of one payload. A payload of m Opus frames is m - 1 of them, each behind its
 * length, then the last, which takes the rest.
 *
 * @param {Uint8Array} bytes
 * @param {number} start where the payload starts
 * @param {number} length its bytes
 * @param {number} opusFrames number of Opus frames that it must hold
 * @param {Uint16Array} starts filled: where each Opus frame starts; at least opusFrames long
 * @param {Uint16Array} lengths filled: how many bytes each has
 * @returns {boolean} false when the payload doesn't hold that number, or has an empty one
 */
export function readOpusFrames(bytes, start, length, opusFrames, starts, lengths) {
  const end = start + length;
  let at = start;
  for (let i = 0; i < opusFrames - 1; i++) {
    const frameBytes = readLength(bytes, at, end);
    if (frameBytes <= 0) return false;
    at += lengthBytes(frameBytes);
    starts[i] = at;
    lengths[i] = frameBytes;
    at += frameBytes;
  }
  if (at >= end) return false;
  starts[opusFrames - 1] = at;
  lengths[opusFrames - 1] = end - at;
  return true;
}
