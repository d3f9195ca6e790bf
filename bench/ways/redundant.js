/**
 * A way with redundancy: each packet has the one before it too, as the product's packets have
 * frames of before.
 * @import { Way } from './way.js'
 */

import { readNumbered } from './numbered-packet.js';

/** Number of packets for which repeats are recognised. */
const REMEMBERED = 1000;

/** Bytes that say how long the packet's own part is. */
const LENGTH_BYTES = 2;

/** @param {Way} way @returns {Way} */
export const redundant = (way) => ({
  missing: way.missing,

  receive({ onPacket, ...options }) {
    /** The numbers that have come. @type {Set<number>} */
    const known = new Set();
    const take = (/** @type {Uint8Array} */ bytes) => {
      const number = readNumbered(bytes)?.number;
      if (number === undefined || known.has(number)) return;
      known.add(number).delete(number - REMEMBERED);
      onPacket(bytes);
    };
    return way.receive({ ...options, onPacket: (bytes) => partsOf(bytes).forEach(take) });
  },

  async connect(options) {
    const { send, ...rest } = await way.connect(options);
    let before = new Uint8Array();
    return {
      ...rest,
      send(bytes) {
        const packet = new Uint8Array(LENGTH_BYTES + bytes.length + before.length);
        new DataView(packet.buffer).setUint16(0, bytes.length);
        packet.set(bytes, LENGTH_BYTES);
        packet.set(before, LENGTH_BYTES + bytes.length);
        before = Uint8Array.from(bytes);
        send(packet);
      },
    };
  },
});

/**
 * @param {Uint8Array} bytes
 * @returns {Uint8Array[]} the packet, and the one before it; of what is cut off none
 */
function partsOf(bytes) {
  if (bytes.length < LENGTH_BYTES) return [];
  const end = LENGTH_BYTES + new DataView(bytes.buffer, bytes.byteOffset).getUint16(0);
  return end > bytes.length ? [] : [bytes.subarray(LENGTH_BYTES, end), bytes.subarray(end)];
}
