/**
 * A list of packets, as in HTTP/1 bodies: each behind its length in bytes, a big-endian uint16.
 * Reading makes views and copies nothing. Neither reading nor writing throws, whatever a peer sent.
 */

/** Bytes of a length. */
export const LIST_LENGTH_BYTES = 2;

/** Longest entry of a list, in bytes. */
export const MAX_LIST_ENTRY_BYTES = 0xffff;

/** Longest list in a request, and in an answer, in bytes. */
export const MAX_LIST_BYTES = 64 * 1024;

/**
 * Adds one packet to a list.
 * @param {Uint8Array} out
 * @param {number} at end of the list so far
 * @param {Uint8Array} bytes the packet
 * @returns {number} new end of the list; -1 without writing when there is no room, or the packet is
 *   longer than MAX_LIST_ENTRY_BYTES
 */
export function writeListEntry(out, at, bytes) {
  const length = bytes.length;
  if (length > MAX_LIST_ENTRY_BYTES || at + LIST_LENGTH_BYTES + length > out.length) return -1;
  out[at] = length >>> 8;
  out[at + 1] = length;
  out.set(bytes, at + LIST_LENGTH_BYTES);
  return at + LIST_LENGTH_BYTES + length;
}

/**
 * Reads a list.
 * @param {Uint8Array} bytes
 * @param {(packet: Uint8Array) => void} onPacket called for each packet, in order, with a view of
 *   `bytes`, which may be empty
 * @returns {boolean} false when the list ends within an entry; the whole entries before it were
 *   passed on
 */
export function readList(bytes, onPacket) {
  const end = bytes.length;
  let at = 0;
  while (at + LIST_LENGTH_BYTES <= end) {
    const start = at + LIST_LENGTH_BYTES;
    const next = start + ((bytes[at] << 8) | bytes[at + 1]);
    if (next > end) return false;
    onPacket(bytes.subarray(start, next));
    at = next;
  }
  return at === end;
}
