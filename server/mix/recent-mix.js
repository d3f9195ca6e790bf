import { LENGTH_BYTES, writeWithLength } from '../../public/shared/wire/stream-packets.js';
import { MAX_PACKET_BYTES } from '../../public/shared/wire/packet.js';

/**
 * Most packets that are kept: two seconds of packets of 60 ms. Only packets of short frames come
 * more often.
 */
const MOST = 34;

/**
 * Recent packets of a mix, each with its frame and the frames since the packet before it. They are
 * kept behind their lengths, as streams have them, in memory that is allocated once.
 */
export class RecentMix {
  /** @type {Uint8Array[]} */
  #slots = [];
  #lengths = new Uint16Array(MOST);
  #frames = new Float64Array(MOST);
  #newest = -1;
  #count = 0;

  get size() {
    return this.#count;
  }

  /**
   * Keeps a copy of a packet.
   * @param {number} frame its own, above the previous one
   * @param {Uint8Array} bytes at most MAX_PACKET_BYTES
   */
  put(frame, bytes) {
    const slot = (this.#newest + 1) % MOST;
    this.#slots[slot] ??= new Uint8Array(LENGTH_BYTES + MAX_PACKET_BYTES);
    writeWithLength(this.#slots[slot], bytes);
    this.#lengths[slot] = bytes.length;
    this.#frames[slot] = frame;
    this.#newest = slot;
    this.#count = Math.min(MOST, this.#count + 1);
  }

  /** @param {number} back  0: the newest packet, and so on; below size */
  frame(back) {
    return this.#frames[this.#slot(back)];
  }

  /** @param {number} back  as in frame() @returns {Uint8Array} valid until the next put() */
  packet(back) {
    const slot = this.#slot(back);
    return this.#slots[slot].subarray(LENGTH_BYTES, LENGTH_BYTES + this.#lengths[slot]);
  }

  /**
   * @param {number} back as in frame()
   * @returns {Uint8Array} packet behind its length (stream-packets.js); valid until the next put()
   */
  framed(back) {
    const slot = this.#slot(back);
    return this.#slots[slot].subarray(0, LENGTH_BYTES + this.#lengths[slot]);
  }

  /** @param {number} back */
  #slot(back) {
    return (this.#newest + MOST - back) % MOST;
  }

  /**
   * @param {number} frame
   * @returns {number} number of the newest packets that are of this frame and later ones
   */
  since(frame) {
    let count = 0;
    while (count < this.#count && this.frame(count) >= frame) count += 1;
    return count;
  }

  /** Forgets all packets, and keeps the memory. */
  clear() {
    this.#count = 0;
  }
}
