/** @import { Packet } from '../../public/shared/wire/packet.js' */

import { MAX_PACKET_BYTES, MAX_REDUNDANCY } from '../../public/shared/wire/packet.js';

/** Packets that are kept: the last, and those of the frames that it may repeat. */
const KEPT = MAX_REDUNDANCY + 1;

/** The stream that a relay passes on, as a fan-out has it: the packets as they came, each with all the repeats that fit. */
export class PassedStream {
  /** @type {{ bytes: Uint8Array, length: number, frame: number, isSilent: boolean }[]} */
  #kept = Array.from({ length: KEPT }, () => ({ bytes: new Uint8Array(MAX_PACKET_BYTES), length: 0, frame: -1, isSilent: true }));
  #turn = 0;
  #redundancy = 0;
  #soundFrame = -Infinity;
  /** The last packet's. */
  frame = -Infinity;
  /** Whether it has been told that the sound has ended. */
  #hasEnded = true;
  /** Whether the last packet is the one that says so. */
  endsSound = false;
  /** Whether it is of a silence of which most packets are left out. */
  isSparse = false;

  #onClose;

  /** @param {() => void} [onClose]  nobody wants it any more */
  constructor(onClose = () => {}) {
    this.#onClose = onClose;
  }

  /** Whether packets come. */
  get isReady() {
    return this.frame >= 0;
  }

  /** As a layer has it: the packet of a frame has come, or there is none. @param {number} frame */
  beginMix(frame) {
    return this.frame === frame;
  }

  end() {}

  close() {
    this.#onClose();
  }

  /** @param {Uint8Array} bytes  of a packet; copied @param {Packet} read  what is in them */
  take(bytes, { frame, payloadBytes, redundancy }) {
    const isSilent = payloadBytes[0] === 0;
    if (!isSilent) {
      this.#soundFrame = frame;
      this.#hasEnded = false;
    }
    this.endsSound = !this.#hasEnded && isSilent && frame - this.#soundFrame >= 2;
    if (this.endsSound) this.#hasEnded = true;
    this.isSparse = isSilent && frame - this.frame > 2;
    this.frame = frame;
    this.#redundancy = redundancy;
    this.#turn = (this.#turn + 1) % KEPT;
    const kept = this.#kept[this.#turn];
    kept.bytes.set(bytes);
    kept.length = bytes.length;
    kept.frame = frame;
    kept.isSilent = isSilent;
  }

  /** @param {number} back  frames before the last */
  #before(back) {
    return this.#kept[(this.#turn + KEPT - back) % KEPT];
  }

  /** The last packet, with whatever repeats are in it. */
  write() {
    return this.writeStride();
  }

  /** @param {number} [_redundancy] @param {number} [back]  how many frames before the last one the packet is */
  writeStride(_redundancy, back = 0) {
    const { bytes, length } = this.#before(back);
    return bytes.subarray(0, length);
  }

  /** @param {number} redundancy @returns {number} how many of so many frames before the last one aren't in its packet */
  leavesOut(redundancy) {
    for (let r = this.#redundancy + 1; r <= redundancy; r++) {
      const { frame, isSilent } = this.#before(r);
      if (frame === this.frame - r && !isSilent) return redundancy - r + 1;
    }
    return 0;
  }
}
