import { describe, expect, it } from 'vitest';
import { PacketReader, withLength } from '../../../../public/shared/wire/stream-packets.js';
import { MAX_PACKET_BYTES } from '../../../../public/shared/wire/packet.js';

const packets = [1, 2, 255, 256, MAX_PACKET_BYTES].map((length, i) =>
  new Uint8Array(length).fill(i + 1),
);
const bytes = Uint8Array.from(packets.flatMap((packet) => [...withLength(packet)]));

/**
 * Reads input in pieces of a length.
 * @param {Uint8Array} all
 * @param {number} size
 */
function read(all, size) {
  const found = /** @type {Uint8Array[]} */ ([]);
  const reader = new PacketReader((packet) => void found.push(packet.slice()));
  for (let at = 0; at < all.length; at += size)
    if (!reader.push(all.subarray(at, at + size))) return { found, isWhole: false };
  return { found, isWhole: true };
}

describe('packets on a stream', () => {
  it.each([1, 2, 3, 7, 257, 1202, 5000])(
    'are found wherever the stream is cut: pieces of %i',
    (size) => {
      expect(read(bytes, size)).toEqual({ found: packets, isWhole: true });
    },
  );

  it.each([0, MAX_PACKET_BYTES + 1, 65535])('are none of %i bytes', (length) => {
    const wrong = Uint8Array.from([...withLength(packets[0]), length >> 8, length & 255, 1, 2, 3]);
    for (const size of [1, 100])
      expect(read(wrong, size)).toEqual({ found: [packets[0]], isWhole: false });
  });
});
