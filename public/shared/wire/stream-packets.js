/**
 * Packets on a stream: each behind its length of two bytes, so that none waits for the stream's
 * end. A length of 0 says that no packet follows.
 */

import { MAX_PACKET_BYTES } from './packet.js';

export const LENGTH_BYTES = 2;

/** @param {Uint8Array} bytes  a packet @returns {Uint8Array<ArrayBuffer>} */
export function withLength(bytes) {
  const all = new Uint8Array(LENGTH_BYTES + bytes.length);
  writeWithLength(all, bytes);
  return all;
}

/**
 * @param {Uint8Array} out gets the packet at its beginning, behind its length
 * @param {Uint8Array} bytes  the packet
 */
export function writeWithLength(out, bytes) {
  out[0] = bytes.length >> 8;
  out[1] = bytes.length & 255;
  out.set(bytes, LENGTH_BYTES);
}

/** Finds the packets in the bytes of a stream. */
export class PacketReader {
  #bytes = new Uint8Array(LENGTH_BYTES + MAX_PACKET_BYTES);
  #count = 0;
  #take;

  /**
   * @param {(bytes: Uint8Array) => void} take gets each packet, with bytes that are valid during
   *   the call only
   */
  constructor(take) {
    this.#take = take;
  }

  /**
   * @param {Uint8Array} bytes
   * @returns {boolean} false after the last packet, and for an invalid one: push nothing more
   */
  push(bytes) {
    const buffer = this.#bytes;
    for (let at = 0; at < bytes.length;) {
      const wanted = this.#count < LENGTH_BYTES ? LENGTH_BYTES : LENGTH_BYTES + this.#length;
      const part = bytes.subarray(at, at + wanted - this.#count);
      buffer.set(part, this.#count);
      this.#count += part.length;
      at += part.length;
      if (this.#count < LENGTH_BYTES) continue;
      if (this.#length === 0 || this.#length > MAX_PACKET_BYTES) return false;
      if (this.#count < LENGTH_BYTES + this.#length) continue;
      const end = this.#count;
      this.#count = 0;
      this.#take(buffer.subarray(LENGTH_BYTES, end));
    }
    return true;
  }

  /** Length of the next packet. */
  get #length() {
    return (this.#bytes[0] << 8) | this.#bytes[1];
  }
}
