/**
 * The wire format, version 1: how packets are written and read, in the browser and on the server.
 * `docs/protocol.md` describes it byte by byte. Reading never throws and never allocates: it fills
 * an object that the caller keeps, or answers with the reason for which the packet is dropped.
 *
 * @import { DropReason, Packet } from './packet-format.js'
 */

import { readAudio } from './audio-packet.js';
import { CLOCK_REPLY_BYTES, CLOCK_REQUEST_BYTES, readClock } from './clock-packet.js';
import { MAX_PACKET_BYTES, PACKET_VERSION, PacketType } from './packet-format.js';

export * from './packet-format.js';
export { AUDIO_HEADER_BYTES, speakersBytes, writeAudioHeader } from './audio-packet.js';
export { CLOCK_REPLY_BYTES, CLOCK_REQUEST_BYTES, writeClockReply, writeClockRequest } from './clock-packet.js';
export { readControl, writeControl } from './control-packet.js';

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
 * The frame index nearest to a known one, of those that are equal modulo 2^32.
 * @param {number} low the index as the packet has it
 * @param {number} near a frame index close to it, such as the sample clock's own
 * @returns {number} may be negative, when a peer sends nonsense
 */
export function unwrapFrame(low, near) {
  const difference = (low - near) | 0;
  return near + difference;
}
