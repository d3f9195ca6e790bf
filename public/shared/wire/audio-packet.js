/**
 * Audio packets: a header, the list of heard speakers, and the payloads of one frame and of earlier
 * ones.
 * @import { DropReason, Packet } from './packet-format.js'
 */

import {
  LEVEL_MASK,
  MAX_LISTED_SPEAKERS,
  MAX_REDUNDANCY,
  PACKET_VERSION,
  PacketType,
  Stream,
  VOICE_BIT,
  lengthBytes,
  readLength,
  writeLength,
} from './packet-format.js';
import { RATES } from '../sound/audio-format.js';

/** Length of an audio packet's header, in bytes. */
export const AUDIO_HEADER_BYTES = 9;

const REDUNDANCY_MASK = 0b011;
const STREAM_BIT = 0b100;
const SPEAKERS_BIT = 0b1000;
/** Layer of a broadcast, counted from 1; 0 in packets of the room's own streams. */
const LAYER_SHIFT = 4;
const LAYER_MASK = 0b0111_0000;
const RESERVED_MASK = 0b1000_0000;

/** Bytes of a speaker's number and level. */
const SPEAKER_BYTES = 3;

/**
 * Bytes of a speaker's number, by which a voice packet is longer than the forwarded audio packet.
 */
export const VOICE_NUMBER_BYTES = 2;

/** Bytes of a list of speakers, after the header. @param {number} speakers 0 for no list */
export const speakersBytes = (speakers) => (speakers === 0 ? 0 : 1 + SPEAKER_BYTES * speakers);

/**
 * Writes an audio packet's header, its list of speakers, if any, and the lengths of its repeated
 * payloads. The payloads follow: the repeated ones, oldest first, then the packet's own. Uses from
 * `packet`: stream, voice, level, sequence, frame, the speakers, redundancy, and payloadBytes of
 * the repeated ones.
 *
 * @param {Uint8Array} out
 * @param {Packet} packet
 * @returns {number} place of the first payload
 */
export function writeAudioHeader(out, packet) {
  out[0] = (PACKET_VERSION << 4) | PacketType.audio;
  out[1] = packet.redundancy | streamBits(packet.stream) | (packet.speakers > 0 ? SPEAKERS_BIT : 0);
  out[2] = (packet.voice ? VOICE_BIT : 0) | packet.level;
  out[3] = packet.sequence >>> 8;
  out[4] = packet.sequence;
  writeUint32(out, 5, packet.frame);
  let at = AUDIO_HEADER_BYTES;
  if (packet.speakers > 0) at = writeSpeakers(out, at, packet);
  for (let r = packet.redundancy; r > 0; r--) at = writeLength(out, at, packet.payloadBytes[r]);
  return at;
}

/** @param {number} stream one of Stream, except voices */
function streamBits(stream) {
  if (stream >= Stream.layers) return (stream - Stream.layers + 1) << LAYER_SHIFT;
  return stream === Stream.mixMinus ? STREAM_BIT : 0;
}

/**
 * @param {number} flags
 * @returns {number} one of Stream; -1 for an unknown layer, or a layer of a mix-minus
 */
function streamOf(flags) {
  const layer = (flags & LAYER_MASK) >> LAYER_SHIFT;
  if (layer === 0) return flags & STREAM_BIT ? Stream.mixMinus : Stream.fullMix;
  return layer > RATES.length || flags & STREAM_BIT ? -1 : Stream.layers + layer - 1;
}

/**
 * Writes a voice packet's header: the speaker's number before an audio packet's header, without a
 * list of speakers.
 * @param {Uint8Array} out
 * @param {Packet} packet
 * @returns {number} place of the first payload
 */
export function writeVoiceHeader(out, packet) {
  out[0] = (PACKET_VERSION << 4) | PacketType.voice;
  out[1] = packet.number >>> 8;
  out[2] = packet.number;
  out[3] = packet.redundancy;
  out[4] = (packet.voice ? VOICE_BIT : 0) | packet.level;
  out[5] = packet.sequence >>> 8;
  out[6] = packet.sequence;
  writeUint32(out, 7, packet.frame);
  let at = AUDIO_HEADER_BYTES + VOICE_NUMBER_BYTES;
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
 * Reads an audio packet with a known version and type.
 * @param {Uint8Array} bytes
 * @param {Packet} packet filled
 * @returns {DropReason | null}
 */
export function readAudio(bytes, packet) {
  const end = bytes.length;
  if (end < AUDIO_HEADER_BYTES) return 'truncated';
  const flags = bytes[1];
  const redundancy = flags & REDUNDANCY_MASK;
  const stream = streamOf(flags);
  if (flags & RESERVED_MASK || redundancy > MAX_REDUNDANCY || stream < 0) return 'malformed';
  packet.redundancy = redundancy;
  packet.stream = stream;
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
 * Reads a voice packet with a known version and type: one participant's audio packet, forwarded
 * unchanged.
 * @param {Uint8Array} bytes
 * @param {Packet} packet filled
 * @returns {DropReason | null}
 */
export function readVoice(bytes, packet) {
  if (bytes.length < AUDIO_HEADER_BYTES + VOICE_NUMBER_BYTES) return 'truncated';
  if (bytes[3] & ~REDUNDANCY_MASK || bytes[3] > MAX_REDUNDANCY) return 'malformed';
  packet.number = (bytes[1] << 8) | bytes[2];
  packet.redundancy = bytes[3];
  packet.stream = Stream.fullMix;
  packet.voice = (bytes[4] & VOICE_BIT) !== 0;
  packet.level = bytes[4] & LEVEL_MASK;
  packet.sequence = (bytes[5] << 8) | bytes[6];
  packet.frame = readUint32(bytes, 7);
  packet.speakers = 0;
  return readPayloads(bytes, packet, AUDIO_HEADER_BYTES + VOICE_NUMBER_BYTES);
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
 * @param {Uint8Array} bytes
 * @param {Packet} packet  its redundancy is known
 * @param {number} at place of the repeated payloads' lengths
 * @returns {DropReason | null}
 */
export function readPayloads(bytes, packet, at) {
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
 * @param {Uint8Array} out
 * @param {number} at
 * @param {number} value modulo 2^32; may exceed it
 */
export function writeUint32(out, at, value) {
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
export function readUint32(bytes, at) {
  return ((bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]) >>> 0;
}
