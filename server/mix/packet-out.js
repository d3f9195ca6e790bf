import { MAX_PACKET_BYTES } from '../../public/shared/packet.js';

/** One buffer writes every packet of the server: sessions don't keep it. */
export const out = new Uint8Array(MAX_PACKET_BYTES);

/** @type {Uint8Array[]} */
const views = [];

/**
 * The buffer's beginning.
 * @param {number} bytes
 * @returns {Uint8Array} the same one each time
 */
export const written = (bytes) => (views[bytes] ??= out.subarray(0, bytes));
