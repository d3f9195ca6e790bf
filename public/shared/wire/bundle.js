/**
 * Bundle packets: the voices of a frame side by side, as their senders encoded them, and the voices
 * of earlier frames. A payload is one frame: the speaker's number, level, length and bytes of each
 * voice. An empty payload is a silent frame.
 *
 * @import { DropReason, Packet } from './packet-format.js'
 */

import { readPayloads, readUint32, writeUint32 } from './audio-packet.js';
import {
  LEVEL_MASK,
  MAX_REDUNDANCY,
  MAX_VOICES,
  PACKET_VERSION,
  PacketType,
  SILENT_LEVEL,
  Stream,
  VOICE_BIT,
  lengthBytes,
  readLength,
  writeLength,
} from './packet-format.js';

/** Length of a bundle's header, in bytes, without the lengths of repeated frames. */
export const BUNDLE_HEADER_BYTES = 8;

/** Bytes of a voice's number and level, before its length. */
const VOICE_HEAD_BYTES = 3;

/**
 * Bytes of a voice in a bundle.
 * @param {number} length its payload's bytes; 0: the voice continues, but its sound is missing
 */
export const voiceBytes = (length) => VOICE_HEAD_BYTES + lengthBytes(length) + length;

/**
 * Writes a bundle's header and the lengths of its repeated payloads. The payloads follow, oldest
 * first, the packet's own last. Uses from `packet`: sequence, frame, redundancy, and payloadBytes
 * of the repeated ones.
 * @param {Uint8Array} out
 * @param {Packet} packet
 * @returns {number} place of the first payload
 */
export function writeBundleHeader(out, packet) {
  out[0] = (PACKET_VERSION << 4) | PacketType.bundle;
  out[1] = packet.redundancy;
  out[2] = packet.sequence >>> 8;
  out[3] = packet.sequence;
  writeUint32(out, 4, packet.frame);
  let at = BUNDLE_HEADER_BYTES;
  for (let r = packet.redundancy; r > 0; r--) at = writeLength(out, at, packet.payloadBytes[r]);
  return at;
}

/**
 * Writes the head of a voice: number, level and length.
 * @param {Uint8Array} out
 * @param {number} at
 * @param {number} number  the speaker's, modulo 2^16
 * @param {number} level  in -dBov, with VOICE_BIT
 * @param {number} length  the payload's bytes
 * @returns {number} place of the payload
 */
export function writeVoiceHead(out, at, number, level, length) {
  out[at++] = number >>> 8;
  out[at++] = number;
  out[at++] = level;
  return writeLength(out, at, length);
}

/**
 * The voices of one frame, read from a bundle's payload. One object serves any number of frames.
 */
export class VoiceList {
  count = 0;
  /** The speakers' numbers. */
  numbers = new Uint16Array(MAX_VOICES);
  /** Levels in -dBov, with VOICE_BIT for a voice. */
  levels = new Uint8Array(MAX_VOICES);
  /**
   * Start and length of each payload; with a length of 0 the voice continues, but its sound is
   * missing. Starts need 32 bits: a playout's buffer is larger than 64 KiB.
   */
  starts = new Uint32Array(MAX_VOICES);
  lengths = new Uint16Array(MAX_VOICES);

  /**
   * @param {Uint8Array} bytes
   * @param {number} start  of a frame
   * @param {number} length  its bytes
   * @returns {boolean} false for anything but a valid list of different voices
   */
  read(bytes, start, length) {
    const end = start + length;
    this.count = 0;
    for (let at = start; at < end;) {
      if (this.count === MAX_VOICES) return false;
      const payloadBytes = readLength(bytes, at + VOICE_HEAD_BYTES, end);
      if (payloadBytes < 0) return false;
      const number = (bytes[at] << 8) | bytes[at + 1];
      if (this.indexOf(number) >= 0) return false;
      const i = this.count++;
      this.numbers[i] = number;
      this.levels[i] = bytes[at + 2];
      this.starts[i] = at + VOICE_HEAD_BYTES + lengthBytes(payloadBytes);
      this.lengths[i] = payloadBytes;
      at = this.starts[i] + payloadBytes;
      if (at > end) return false;
    }
    return true;
  }

  /**
   * @param {number} number a speaker's
   * @returns {number} its place in the list; -1 if it is missing
   */
  indexOf(number) {
    for (let i = 0; i < this.count; i++) if (this.numbers[i] === number) return i;
    return -1;
  }
}

const voices = new VoiceList();

/**
 * Reads a bundle with a known version and type. Its level is its loudest voice's, and its speakers
 * are the voices of its own frame.
 * @param {Uint8Array} bytes
 * @param {Packet} packet filled
 * @returns {DropReason | null}
 */
export function readBundle(bytes, packet) {
  if (bytes.length < BUNDLE_HEADER_BYTES) return 'truncated';
  if (bytes[1] > MAX_REDUNDANCY) return 'malformed';
  packet.redundancy = bytes[1];
  packet.stream = Stream.voices;
  packet.sequence = (bytes[2] << 8) | bytes[3];
  packet.frame = readUint32(bytes, 4);
  const reason = readPayloads(bytes, packet, BUNDLE_HEADER_BYTES);
  if (reason !== null) return reason;
  for (let r = packet.redundancy; r >= 0; r--) {
    if (!voices.read(bytes, packet.payloadStart[r], packet.payloadBytes[r])) return 'malformed';
  }
  takeSpeakers(packet);
  return null;
}

/** Copies the last read voices to the packet's speakers. @param {Packet} packet */
function takeSpeakers(packet) {
  packet.speakers = voices.count;
  packet.level = SILENT_LEVEL;
  packet.voice = false;
  for (let i = 0; i < voices.count; i++) {
    const level = voices.levels[i];
    packet.speakerIds[i] = voices.numbers[i];
    packet.speakerLevels[i] = level;
    packet.level = Math.min(packet.level, level & LEVEL_MASK);
    packet.voice ||= (level & VOICE_BIT) !== 0;
  }
}
