/** @import { Packet } from '../../shared/packet.js' */

import { MAX_PACKET_BYTES, MAX_REDUNDANCY } from '../../shared/packet.js';

/** Streams don't change more often within the time that packets wait. */
const CHANGES = 4;

/**
 * Where a listener goes over to its other stream, that stream's payloads of the frames before: they aren't heard,
 * since the first stream's were, but the decoder has to have them to go on from.
 */
export class Primers {
  #frames = new Float64Array(CHANGES).fill(-1);
  #counts = new Uint8Array(CHANGES);
  #lengths = new Uint16Array(CHANGES * MAX_REDUNDANCY);
  #payloads = Array.from({ length: CHANGES * MAX_REDUNDANCY }, () => new Uint8Array(0));
  #next = 0;

  /**
   * Keeps what a packet repeats of the frames before one.
   * @param {number} first the first frame that is to be heard
   * @param {number} frame the packet's own
   * @param {Packet} packet
   * @param {Uint8Array} bytes the packet's; not kept
   */
  keep(first, frame, packet, bytes) {
    const own = frame - first;
    const count = packet.redundancy - own;
    if (count <= 0) return;
    const change = this.#next;
    this.#next = (change + 1) % CHANGES;
    this.#frames[change] = first;
    this.#counts[change] = count;
    for (let r = 1; r <= count; r++) {
      const at = change * MAX_REDUNDANCY + r - 1;
      const start = packet.payloadStart[own + r];
      const length = packet.payloadBytes[own + r];
      if (this.#payloads[at].length === 0) this.#payloads[at] = new Uint8Array(MAX_PACKET_BYTES);
      this.#payloads[at].set(bytes.subarray(start, start + length));
      this.#lengths[at] = length;
    }
  }

  /**
   * Gives what is to be decoded before a frame, oldest first.
   * @param {number} frame
   * @param {(payload: Uint8Array, length: number) => void} give  starts with so many bytes of payload, 0: silence
   */
  take(frame, give) {
    const change = this.#frames.indexOf(frame);
    if (change < 0) return;
    this.#frames[change] = -1;
    for (let r = this.#counts[change]; r > 0; r--) {
      const at = change * MAX_REDUNDANCY + r - 1;
      give(this.#payloads[at], this.#lengths[at]);
    }
  }

  /** Forgets everything. */
  clear() {
    this.#frames.fill(-1);
  }
}
