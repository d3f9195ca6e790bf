/**
 * The bytes of a piece of sound: Opus packets of 20 ms at 48 kHz, each after its length (RFC 6716,
 * section 3.2.1).
 */

import { payloadSamples } from '../stream/codec.js';
import { lengthBytes, readLength, writeLength } from './packet-format.js';
import { PACKET_SAMPLES, PIECE_PACKETS, TRACK_RATE } from './track-piece.js';

/**
 * Puts a piece together.
 * @param {Uint8Array[]} packets
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function joinPackets(packets) {
  const bytes = new Uint8Array(
    packets.reduce((sum, { length }) => sum + lengthBytes(length) + length, 0),
  );
  let at = 0;
  for (const packet of packets) {
    at = writeLength(bytes, at, packet.length);
    bytes.set(packet, at);
    at += packet.length;
  }
  return bytes;
}

/**
 * Calls back with each packet of a piece.
 * @param {Uint8Array} bytes
 * @param {(start: number, length: number) => void} [take]
 * @param {number} [packets] required number of packets
 * @returns {boolean} false for an invalid piece, though `take` has got packets
 */
export function readPiece(bytes, take = () => {}, packets = PIECE_PACKETS) {
  let [at, count] = [0, 0];
  for (; at < bytes.length && count < packets; count++) {
    const length = readLength(bytes, at, bytes.length);
    if (length < 0) return false;
    const start = at + lengthBytes(length);
    if (payloadSamples(bytes, start, length, TRACK_RATE) !== PACKET_SAMPLES) return false;
    take(start, length);
    at = start + length;
  }
  return at === bytes.length && count === packets;
}
