/**
 * Constants of the wire format, version 1, the packet object, and the coding of lengths.
 */

export const PACKET_VERSION = 1;

/** Largest accepted packet, in bytes. */
export const MAX_PACKET_BYTES = 1200;

/**
 * Largest packet that is sent, in bytes, so that it always fits a datagram. Each path carries 1 200
 * bytes (RFC 9000, section 14). QUIC needs up to 50 of them, with the longest connection id, and
 * WebTransport one.
 */
export const MAX_SENT_BYTES = 1149;

/**
 * Most bytes before a packet's only payload: a bundle's header, and its voice's number, level and
 * length.
 */
export const MAX_HEADER_BYTES = 13;

/** Most earlier payloads in a packet. */
export const MAX_REDUNDANCY = 2;

/** Most speakers in the list of a packet from the server. */
export const MAX_LISTED_SPEAKERS = 20;

/** Most voices in a bundle. */
export const MAX_VOICES = 8;

/** Level of silence, in -dBov (RFC 6464, section 3). */
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
 * A listener's streams: two of mixing, distinguished by a bit of each audio packet, and one of
 * bundles. From `layers` on they are the full mix of a broadcast at each of RATES. A voice packet
 * belongs to its speaker's only stream.
 * @enum {number}
 */
export const Stream = Object.freeze({ fullMix: 0, mixMinus: 1, voices: 2, layers: 3 });

/**
 * Reason to drop a packet, as the counters name it.
 * @typedef {'empty' | 'oversized' | 'version' | 'type' | 'truncated' | 'malformed'} DropReason
 */

/** Bit beside a level that marks a voice, and the bits of the level. */
export const VOICE_BIT = 0x80;
export const LEVEL_MASK = 0x7f;

/**
 * A packet as read, or to be written. One object serves any number of packets. Payload 0 is the
 * packet's own frame; payload r is the repeated frame - r. An empty payload is a silent frame.
 */
export class Packet {
  constructor() {
    /** @type {number} one of PacketType */
    this.type = PacketType.audio;
    /** @type {number} one of Stream */
    this.stream = Stream.fullMix;
    /** True when the frame has a voice. */
    this.voice = false;
    /** Level of the frame in -dBov, 0 (loudest) to 127 (silent). */
    this.level = SILENT_LEVEL;
    /** Number of the packet in its stream, modulo 2^16. */
    this.sequence = 0;
    /** Index of the frame on the grid, modulo 2^32: see unwrapFrame. */
    this.frame = 0;
    /** Number of earlier payloads in the packet. */
    this.redundancy = 0;
    /** Start of each payload in the packet's bytes. */
    this.payloadStart = new Uint16Array(MAX_REDUNDANCY + 1);
    /** Length of each payload in bytes. */
    this.payloadBytes = new Uint16Array(MAX_REDUNDANCY + 1);
    /**
     * Number of speakers in the packet's list; 0 without a list. Only the server's packets have
     * one.
     */
    this.speakers = 0;
    /** Ids of the listed participants, modulo 2^16. */
    this.speakerIds = new Uint16Array(MAX_LISTED_SPEAKERS);
    /** Level of each in -dBov, with VOICE_BIT for a voice (RFC 6465, section 3). */
    this.speakerLevels = new Uint8Array(MAX_LISTED_SPEAKERS);
    /** Speaker of a voice packet: the participant's id, modulo 2^16. */
    this.number = 0;
    /** Number of a clock packet, modulo 2^16. */
    this.id = 0;
    /** Sample clock at the arrival of the request, with its fraction, in a clock reply. */
    this.clock = 0;
  }

  /** Removes the sound: the frame is silent, and nothing is repeated. */
  silence() {
    this.payloadBytes[0] = 0;
    this.redundancy = 0;
    this.level = SILENT_LEVEL;
    this.voice = false;
  }
}

/**
 * Bytes of a length before a payload (the coding of RFC 6716, section 3.2.1).
 * @param {number} length 0 to 1275 bytes
 */
export const lengthBytes = (length) => (length < 252 ? 1 : 2);

/**
 * @param {Uint8Array} out
 * @param {number} at
 * @param {number} length 0 to 1275 bytes
 * @returns {number} place of the next byte
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
 * Reads a length. It ends at `at + lengthBytes(length)`.
 * @param {Uint8Array} bytes
 * @param {number} at
 * @param {number} end first byte that must not be read
 * @returns {number} the length, or -1 if the bytes end within it
 */
export function readLength(bytes, at, end) {
  if (at >= end) return -1;
  const low = bytes[at];
  if (low < 252) return low;
  return at + 1 < end ? low + bytes[at + 1] * 4 : -1;
}

/**
 * Finds the Opus frames of one payload: all but the last stand behind their length, and the last
 * one fills the rest.
 *
 * @param {Uint8Array} bytes
 * @param {number} start of the payload
 * @param {number} length its bytes
 * @param {number} opusFrames number of Opus frames that it must have
 * @param {Uint16Array | Uint32Array} starts filled with the start of each Opus frame; at least
 *   opusFrames long
 * @param {Uint16Array} lengths filled with the length of each Opus frame, in bytes
 * @returns {boolean} false when the payload has another number of Opus frames, or an empty one
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
