/**
 * The wire format, version 1: writing and reading of packets, in the browser and on the server.
 * `docs/protocol.md` describes it byte by byte. Reading never throws or allocates: it fills the
 * caller's object, or returns the reason to drop the packet.
 *
 * @import { DropReason, Packet } from './packet-format.js'
 */

import { readAudio, readVoice } from './audio-packet.js';
import { readBundle } from './bundle.js';
import { MAX_PACKET_BYTES, PACKET_VERSION, PacketType } from './packet-format.js';

export * from './packet-format.js';
export {
  AUDIO_HEADER_BYTES,
  speakersBytes,
  VOICE_NUMBER_BYTES,
  writeAudioHeader,
  writeVoiceHeader,
} from './audio-packet.js';

/**
 * Reads a packet's type alone, to forward the packet unread.
 * @param {Uint8Array} bytes
 * @returns {number} one of PacketType; 0 for none, or for another version
 */
export function packetType(bytes) {
  return bytes.length > 0 && bytes[0] >>> 4 === PACKET_VERSION ? bytes[0] & 0x0f : 0;
}

/**
 * Reads an audio, bundle, voice, clock request or clock reply packet.
 *
 * @param {Uint8Array} bytes
 * @param {Packet} packet filled; undefined content after a dropped packet
 * @returns {DropReason | null} null for a good packet
 */
export function readPacket(bytes, packet) {
  if (bytes.length === 0) return 'empty';
  if (bytes.length > MAX_PACKET_BYTES) return 'oversized';
  if (bytes[0] >>> 4 !== PACKET_VERSION) return 'version';
  packet.type = bytes[0] & 0x0f;
  switch (packet.type) {
    case PacketType.audio:
      return readAudio(bytes, packet);
    case PacketType.bundle:
      return readBundle(bytes, packet);
    case PacketType.voice:
      return readVoice(bytes, packet);
    case PacketType.clockRequest:
      return readClock(bytes, packet, CLOCK_REQUEST_BYTES);
    case PacketType.clockReply:
      return readClock(bytes, packet, CLOCK_REPLY_BYTES);
    default:
      return 'type';
  }
}

/**
 * Returns the frame index nearest to a known one, of all indexes that are equal modulo 2^32.
 * @param {number} low the index in the packet
 * @param {number} near a frame index close to it, such as the sample clock's
 * @returns {number} may be negative if a peer sends nonsense
 */
export function unwrapFrame(low, near) {
  const difference = (low - near) | 0;
  return near + difference;
}

/**
 * Bytes of a clock request, with which a client asks for the server's sample clock, and of the
 * reply.
 */
export const CLOCK_REQUEST_BYTES = 4;
export const CLOCK_REPLY_BYTES = 12;

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

/**
 * Reads a clock request or reply with a known version and type.
 * @param {Uint8Array} bytes
 * @param {Packet} packet filled
 * @param {number} length of such a packet, in bytes
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
