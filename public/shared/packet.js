/**
 * The wire format, version 1: how packets are written and read, in the browser and on the server.
 * `docs/protocol.md` describes it byte by byte. Reading never throws and never allocates: it fills
 * an object that the caller keeps, or answers with the reason for which the packet is dropped.
 */

export const PACKET_VERSION = 1;

/** The largest packet, in bytes: what fits one QUIC datagram on any path (RFC 9000, section 14). */
export const MAX_PACKET_BYTES = 1200;

/** The bytes in front of an audio packet's payloads. */
export const AUDIO_HEADER_BYTES = 9;

/** The bytes of a clock request and of a clock reply. */
export const CLOCK_REQUEST_BYTES = 4;
export const CLOCK_REPLY_BYTES = 12;

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

const REDUNDANCY_MASK = 0b011;
const STREAM_BIT = 0b100;
const SPEAKERS_BIT = 0b1000;
const RESERVED_MASK = 0b1111_0000;

/** A speaker's number and level. */
const SPEAKER_BYTES = 3;

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
 * The bytes that a list of speakers takes behind the header.
 * @param {number} speakers 0 for no list
 */
export const speakersBytes = (speakers) => (speakers === 0 ? 0 : 1 + SPEAKER_BYTES * speakers);

/**
 * Writes an audio packet's header, its list of speakers, if any, and its repeated payloads' lengths;
 * the payloads follow it, oldest first, the packet's own at the end. Reads of `packet`: stream, voice,
 * level, sequence, frame, the speakers, redundancy, and payloadBytes of the repeated ones.
 *
 * @param {Uint8Array} out
 * @param {Packet} packet
 * @returns {number} where the first payload goes
 */
export function writeAudioHeader(out, packet) {
  out[0] = (PACKET_VERSION << 4) | PacketType.audio;
  const stream = packet.stream === Stream.mixMinus ? STREAM_BIT : 0;
  out[1] = packet.redundancy | stream | (packet.speakers > 0 ? SPEAKERS_BIT : 0);
  out[2] = (packet.voice ? VOICE_BIT : 0) | packet.level;
  out[3] = packet.sequence >>> 8;
  out[4] = packet.sequence;
  writeUint32(out, 5, packet.frame);
  let at = AUDIO_HEADER_BYTES;
  if (packet.speakers > 0) at = writeSpeakers(out, at, packet);
  for (let r = packet.redundancy; r > 0; r--) at = writeLength(out, at, packet.payloadBytes[r]);
  return at;
}

/**
 * @param {Uint8Array} out
 * @param {number} at
 * @param {Packet} packet
 * @returns {number} where the next byte goes
 */
function writeSpeakers(out, at, packet) {
  out[at++] = packet.speakers;
  for (let i = 0; i < packet.speakers; i++) {
    out[at++] = packet.speakerIds[i] >>> 8;
    out[at++] = packet.speakerIds[i];
    out[at++] = packet.speakerLevels[i];
  }
  return at;
}

/**
 * @param {Uint8Array} bytes longer than a header
 * @param {Packet} packet
 * @returns {DropReason | null}
 */
function readSpeakers(bytes, packet) {
  let at = AUDIO_HEADER_BYTES;
  const count = bytes[at++];
  if (count === 0 || count > MAX_LISTED_SPEAKERS) return 'malformed';
  if (at + SPEAKER_BYTES * count > bytes.length) return 'truncated';
  packet.speakers = count;
  for (let i = 0; i < count; i++) {
    packet.speakerIds[i] = (bytes[at] << 8) | bytes[at + 1];
    packet.speakerLevels[i] = bytes[at + 2];
    at += SPEAKER_BYTES;
  }
  return null;
}

/**
 * @param {Uint8Array} out
 * @param {number} id modulo 2^16
 * @returns {number} the packet's bytes
 */
export function writeClockRequest(out, id) {
  out[0] = (PACKET_VERSION << 4) | PacketType.clockRequest;
  out[1] = 0;
  out[2] = id >>> 8;
  out[3] = id;
  return CLOCK_REQUEST_BYTES;
}

const float64 = new DataView(new ArrayBuffer(8));

/**
 * @param {Uint8Array} out
 * @param {number} id the request's, modulo 2^16
 * @param {number} clock the sample clock at the request's arrival, in samples, with its fraction
 * @returns {number} the packet's bytes
 */
export function writeClockReply(out, id, clock) {
  out[0] = (PACKET_VERSION << 4) | PacketType.clockReply;
  out[1] = 0;
  out[2] = id >>> 8;
  out[3] = id;
  float64.setFloat64(0, clock);
  for (let i = 0; i < 8; i++) out[4 + i] = float64.getUint8(i);
  return CLOCK_REPLY_BYTES;
}

const utf8 = new TextEncoder();
const fromUtf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * A control message as a packet, for HTTP/1, which has no other way to carry one. May be longer
 * than MAX_PACKET_BYTES.
 * @param {object} message
 * @returns {Uint8Array}
 */
export function writeControl(message) {
  const json = utf8.encode(JSON.stringify(message));
  const out = new Uint8Array(1 + json.length);
  out[0] = (PACKET_VERSION << 4) | PacketType.control;
  out.set(json, 1);
  return out;
}

/**
 * @param {Uint8Array} bytes a control packet
 * @returns {unknown} the message, or undefined when it isn't JSON
 */
export function readControl(bytes) {
  try {
    return JSON.parse(fromUtf8.decode(bytes.subarray(1)));
  } catch {
    return undefined;
  }
}

/**
 * A packet's type, for those who pass packets on unread.
 * @param {Uint8Array} bytes
 * @returns {number} one of PacketType; 0 when there is none, or of another version
 */
export function packetType(bytes) {
  return bytes.length > 0 && bytes[0] >>> 4 === PACKET_VERSION ? bytes[0] & 0x0f : 0;
}

/**
 * Reads an audio, clock request or clock reply packet.
 *
 * @param {Uint8Array} bytes
 * @param {Packet} packet filled; left in no particular state when the packet is dropped
 * @returns {DropReason | null} null when the packet is good
 */
export function readPacket(bytes, packet) {
  if (bytes.length === 0) return 'empty';
  if (bytes.length > MAX_PACKET_BYTES) return 'oversized';
  if (bytes[0] >>> 4 !== PACKET_VERSION) return 'version';
  packet.type = bytes[0] & 0x0f;
  switch (packet.type) {
    case PacketType.audio:
      return readAudio(bytes, packet);
    case PacketType.clockRequest:
      return readClock(bytes, packet, CLOCK_REQUEST_BYTES);
    case PacketType.clockReply:
      return readClock(bytes, packet, CLOCK_REPLY_BYTES);
    default:
      return 'type';
  }
}

/**
 * @param {Uint8Array} bytes
 * @param {Packet} packet
 * @returns {DropReason | null}
 */
function readAudio(bytes, packet) {
  const end = bytes.length;
  if (end < AUDIO_HEADER_BYTES) return 'truncated';
  const flags = bytes[1];
  const redundancy = flags & REDUNDANCY_MASK;
  if (flags & RESERVED_MASK || redundancy > MAX_REDUNDANCY) return 'malformed';
  packet.redundancy = redundancy;
  packet.stream = flags & STREAM_BIT ? Stream.mixMinus : Stream.fullMix;
  packet.voice = (bytes[2] & VOICE_BIT) !== 0;
  packet.level = bytes[2] & LEVEL_MASK;
  packet.sequence = (bytes[3] << 8) | bytes[4];
  packet.frame = readUint32(bytes, 5);
  packet.speakers = 0;
  if (flags & SPEAKERS_BIT) {
    if (end === AUDIO_HEADER_BYTES) return 'truncated';
    const reason = readSpeakers(bytes, packet);
    if (reason !== null) return reason;
  }
  return readPayloads(bytes, packet, AUDIO_HEADER_BYTES + speakersBytes(packet.speakers));
}

/**
 * @param {Uint8Array} bytes
 * @param {Packet} packet
 * @param {number} at where the repeated payloads' lengths are
 * @returns {DropReason | null}
 */
function readPayloads(bytes, packet, at) {
  const end = bytes.length;
  const { redundancy } = packet;
  for (let r = redundancy; r > 0; r--) {
    const length = readLength(bytes, at, end);
    if (length < 0) return 'truncated';
    packet.payloadBytes[r] = length;
    at += lengthBytes(length);
  }
  for (let r = redundancy; r > 0; r--) {
    packet.payloadStart[r] = at;
    at += packet.payloadBytes[r];
  }
  if (at > end) return 'truncated';
  packet.payloadStart[0] = at;
  packet.payloadBytes[0] = end - at;
  return null;
}

/**
 * @param {Uint8Array} bytes
 * @param {Packet} packet
 * @param {number} length what such a packet must have
 * @returns {DropReason | null}
 */
function readClock(bytes, packet, length) {
  if (bytes.length < length) return 'truncated';
  if (bytes.length > length || bytes[1] !== 0) return 'malformed';
  packet.id = (bytes[2] << 8) | bytes[3];
  if (packet.type === PacketType.clockReply) {
    for (let i = 0; i < 8; i++) float64.setUint8(i, bytes[4 + i]);
    packet.clock = float64.getFloat64(0);
    if (!(packet.clock >= 0 && packet.clock <= Number.MAX_SAFE_INTEGER)) return 'malformed';
  }
  return null;
}

/**
 * The frame index nearest to a known one, of those that are equal modulo 2^32.
 * @param {number} low the index as the packet has it
 * @param {number} near a frame index close to it, such as the sample clock's own
 * @returns {number} may be negative, when a peer sends nonsense
 */
export function unwrapFrame(low, near) {
  const difference = (low - near) | 0;
  return near + difference;
}

/**
 * @param {Uint8Array} out
 * @param {number} at
 * @param {number} value modulo 2^32; may be above it
 */
function writeUint32(out, at, value) {
  const low = value >>> 0;
  out[at] = low >>> 24;
  out[at + 1] = low >>> 16;
  out[at + 2] = low >>> 8;
  out[at + 3] = low;
}

/**
 * @param {Uint8Array} bytes
 * @param {number} at
 */
function readUint32(bytes, at) {
  return ((bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]) >>> 0;
}

/**
 * The Opus frames of one payload. A payload of m Opus frames is m - 1 of them, each behind its
 * length, then the last, which takes the rest.
 *
 * @param {Uint8Array} bytes
 * @param {number} start where the payload starts
 * @param {number} length its bytes
 * @param {number} opusFrames how many it must hold
 * @param {Uint16Array} starts filled: where each Opus frame starts; at least opusFrames long
 * @param {Uint16Array} lengths filled: how many bytes each has
 * @returns {boolean} false when the payload doesn't hold so many, or has an empty one
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
