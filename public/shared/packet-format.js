/** What all packets of the wire format, version 1, have in common, and what one is when it has been read. */

export const PACKET_VERSION = 1;

/** The largest packet, in bytes: what fits one QUIC datagram on any path (RFC 9000, section 14). */
export const MAX_PACKET_BYTES = 1200;

/** The most earlier payloads that a packet repeats. */
export const MAX_REDUNDANCY = 2;

/** The most speakers that a packet of the server lists. */
export const MAX_LISTED_SPEAKERS = 20;

/** The level that stands for silence, in -dBov (RFC 6464, section 3). */
export const SILENT_LEVEL = 127;

/** @enum {number} */
export const PacketType = Object.freeze({ audio: 1, clockRequest: 2, clockReply: 3, control: 4 });

/** Which of a listener's two streams an audio packet belongs to. @enum {number} */
export const Stream = Object.freeze({ fullMix: 0, mixMinus: 1 });

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
    /** Whether there is voice in the frame. */
    this.voice = false;
    /** The frame's level in -dBov, 0 (loudest) to 127 (silent). */
    this.level = SILENT_LEVEL;
    /** The packet's number in its stream, modulo 2^16. */
    this.sequence = 0;
    /** The frame's index on the grid, modulo 2^32: see unwrapFrame. */
    this.frame = 0;
    /** How many earlier payloads the packet repeats. */
    this.redundancy = 0;
    /** Where each payload starts in the bytes that were read. */
    this.payloadStart = new Uint16Array(MAX_REDUNDANCY + 1);
    /** How many bytes each payload has. */
    this.payloadBytes = new Uint16Array(MAX_REDUNDANCY + 1);
    /** How many speakers the packet lists; 0 when it has no list. Only the server's have one. */
    this.speakers = 0;
    /** Who they are: the participants' ids, modulo 2^16. */
    this.speakerIds = new Uint16Array(MAX_LISTED_SPEAKERS);
    /** Of each the level in -dBov, with VOICE_BIT where there is voice (RFC 6465, section 3). */
    this.speakerLevels = new Uint8Array(MAX_LISTED_SPEAKERS);
    /** A clock packet's number, modulo 2^16. */
    this.id = 0;
    /** A clock reply's sample clock, with its fraction, at the arrival of the request. */
    this.clock = 0;
  }
}
