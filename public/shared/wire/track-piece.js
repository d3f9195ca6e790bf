/**
 * The sound of a backing track, in pieces that can each be decoded alone. A piece is a list of Opus
 * packets of 20 ms at 48 kHz, each after its length (RFC 6716, section 3.2.1). Its first packets
 * only prepare the decoder (RFC 7845, section 4.6). During its last packet the next piece fades in.
 */

import { payloadSamples } from '../stream/codec.js';
import { lengthBytes, readLength, writeLength } from './packet-format.js';

export const TRACK_RATE = 48_000;
export const TRACK_CHANNELS = 2;

/** Interval between the beginnings of pieces, and length of their cross-fade, in seconds. */
export const PIECE_SECONDS = 10;
export const FADE_SECONDS = 0.02;

/** Longest track, in seconds. */
export const MAX_TRACK_SECONDS = 900;

/** Longest piece, in bytes: 190 kbit/s. */
export const MAX_PIECE_BYTES = 240_000;

/** Samples of a packet, at TRACK_RATE. */
export const PACKET_SAMPLES = TRACK_RATE * FADE_SECONDS;

/** Packets before a piece's own sound. */
export const LEAD_PACKETS = 4;

/** All packets of a piece. */
export const PIECE_PACKETS = LEAD_PACKETS + PIECE_SECONDS / FADE_SECONDS + 1;

/**
 * @param {number} seconds  of a track, of which a server or a client may say any number
 * @returns {number} number of its pieces, at most those of the longest track
 */
export const piecesOf = (seconds) =>
  Math.ceil(Math.min(seconds, MAX_TRACK_SECONDS) / PIECE_SECONDS);

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
