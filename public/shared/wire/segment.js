/**
 * A recording's sound, sent on demand in segments of a second. A segment is a list of Opus packets
 * of 20 ms at 48 kHz, each after its length (RFC 6716, section 3.2.1). It begins with the last
 * packets of the previous segment. They aren't heard: they prepare a decoder that begins here, or
 * comes from another rate (RFC 7845, section 4.6).
 */

import { readPiece } from './piece-packets.js';
import { PACKET_SAMPLES } from './track-piece.js';

export { joinPackets } from './piece-packets.js';
export { PACKET_SAMPLES };

export const SEGMENT_RATE = 48_000;

/** Packets of a segment's own sound, and packets before it. */
export const OWN_PACKETS = SEGMENT_RATE / PACKET_SAMPLES;
export const LEAD_PACKETS = 4;

/** All packets of a segment. */
export const SEGMENT_PACKETS = LEAD_PACKETS + OWN_PACKETS;

/** Longest segment, in bytes: four times a segment of the highest rate. */
export const MAX_SEGMENT_BYTES = SEGMENT_PACKETS * (2 + 1275);

/** Bytes before a segment on its stream. */
export const SEGMENT_HEADER_BYTES = 8;

/**
 * Calls back with each packet of a segment.
 * @param {Uint8Array} bytes
 * @param {(start: number, length: number) => void} [take]
 * @returns {boolean} false for an invalid segment, though `take` has got packets
 */
export const readSegment = (bytes, take) => readPiece(bytes, take, SEGMENT_PACKETS);

/**
 * Joins the parts of a segment's stream.
 * @param {{ number: number, epoch: number, rate: number }} head number: its second; epoch: of the
 *   request that it answers, modulo 2^16; rate: in bits a second
 * @param {Uint8Array} segment
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function writeSegment({ number, epoch, rate }, segment) {
  const bytes = new Uint8Array(SEGMENT_HEADER_BYTES + segment.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, number);
  view.setUint16(4, epoch & 0xffff);
  view.setUint16(6, Math.round(rate / 1000));
  bytes.set(segment, SEGMENT_HEADER_BYTES);
  return bytes;
}

/**
 * Reads a segment's stream.
 * @param {Uint8Array} bytes
 * @returns {{ number: number, epoch: number, rate: number, segment: Uint8Array } | null} null for
 *   an invalid segment
 */
export function readSegmentStream(bytes) {
  if (
    bytes.length < SEGMENT_HEADER_BYTES ||
    bytes.length > SEGMENT_HEADER_BYTES + MAX_SEGMENT_BYTES
  )
    return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const segment = bytes.subarray(SEGMENT_HEADER_BYTES);
  if (!readSegment(segment)) return null;
  return {
    number: view.getUint32(0),
    epoch: view.getUint16(4),
    rate: view.getUint16(6) * 1000,
    segment,
  };
}
