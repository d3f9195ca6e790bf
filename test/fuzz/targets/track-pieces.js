/** @import { Target } from '../target.js' */

import { joinPackets, readPiece } from '../../../public/shared/wire/piece-packets.js';
import { PIECE_PACKETS } from '../../../public/shared/wire/track-piece.js';
import { check } from '../target.js';

/**
 * One CELT frame of 20 ms in full band, of some bytes (RFC 6716, section 3.1).
 * @param {number} bytes
 */
const packetOf = (bytes) => new Uint8Array(bytes).fill(31 << 3, 0, 1);

/** @param {(i: number) => number} bytesOf */
const pieceOf = (bytesOf) =>
  joinPackets(Array.from({ length: PIECE_PACKETS }, (_, i) => packetOf(bytesOf(i))));

/** Packets lie within the piece, follow one another, and make it again. @type {Target} */
export const trackPieces = {
  name: 'track-pieces',
  cost: 20,
  valid: [
    pieceOf(() => 1),
    pieceOf((i) => 1 + (i % 7)),
    pieceOf((i) => (i % 100 === 0 ? 252 + i : 3)),
  ],
  run(input) {
    /** @type {Uint8Array[]} */
    const packets = [];
    let end = 0;
    const isPiece = readPiece(input, (start, length) => {
      check(
        start > end && start + length <= input.length,
        'packets follow one another, within the piece',
      );
      end = start + length;
      packets.push(input.subarray(start, end));
    });
    check(packets.length <= PIECE_PACKETS, 'a piece has so many packets');
    if (!isPiece) return;
    check(packets.length === PIECE_PACKETS, 'a piece has all of its packets');
    check(Buffer.compare(joinPackets(packets), input) === 0, 'a piece is written as it was read');
  },
};
