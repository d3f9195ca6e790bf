/**
 * Clock packets: a client asks for the server's sample clock, and is told.
 * @import { DropReason, Packet } from './packet-format.js'
 */

import { PACKET_VERSION, PacketType } from './packet-format.js';

/** The bytes of a clock request and of a clock reply. */
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
 * Reads a clock request or reply, whose version and type are known.
 * @param {Uint8Array} bytes
 * @param {Packet} packet filled
 * @param {number} length what such a packet must have
 * @returns {DropReason | null}
 */
export function readClock(bytes, packet, length) {
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
