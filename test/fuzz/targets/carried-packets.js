/** @import { Target } from '../target.js' */

import { PacketReader, withLength } from '../../../public/shared/wire/stream-packets.js';
import { MAX_PACKET_BYTES } from '../../../public/shared/wire/packet.js';
import { check } from '../target.js';

/** @param {number[]} lengths */
const streamOf = (...lengths) =>
  Uint8Array.from(
    lengths.flatMap((length) => [...withLength(new Uint8Array(length).fill(length))]),
  );

/** @param {Uint8Array} input @param {number} size  of the pieces in which it comes */
function read(input, size) {
  /** @type {Uint8Array[]} */
  const packets = [];
  const reader = new PacketReader((packet) => void packets.push(packet.slice()));
  for (let at = 0; at < input.length; at += size)
    if (!reader.push(input.subarray(at, at + size))) break;
  return packets;
}

/**
 * The packets on a stream are the same wherever it is cut, and are what it begins with.
 * @type {Target}
 */
export const carriedPackets = {
  name: 'carried-packets',
  cost: 20,
  valid: [streamOf(1), streamOf(20, 3, 160), streamOf(MAX_PACKET_BYTES, 1)],
  run(input) {
    const packets = read(input, Infinity);
    const bytes = Buffer.concat(packets.map(withLength));
    check(
      Buffer.compare(bytes, input.subarray(0, bytes.length)) === 0,
      'packets are what was written',
    );
    check(
      packets.every(({ length }) => length > 0 && length <= MAX_PACKET_BYTES),
      'packets have a length that packets have',
    );
    for (const size of [1, 7])
      check(
        Buffer.compare(Buffer.concat(read(input, size).map(withLength)), bytes) === 0,
        'pieces change nothing',
      );
  },
};
