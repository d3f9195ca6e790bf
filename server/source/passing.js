/**
 * @import { PacketBuffer } from '../../public/shared/stream/packet-buffer.js'
 * @import { ReceiverStats } from './receiver-stats.js'
 */

import { FrameState } from './pcm-ring.js';

/** One source's frames as they are passed on undecoded, where the room's sound is forwarded. */
export class Passing {
  #packets;
  #stats;
  #maxConcealed;
  #frame = -1;
  /** The last frame with sound, while the sound goes on; -Infinity in silence. */
  #soundFrame = -Infinity;

  /**
   * @param {PacketBuffer} packets  the source's
   * @param {ReceiverStats} stats  the source's
   * @param {number} maxConcealed for how many frames in a row listeners may be told that sound is
   *   missing
   */
  constructor(packets, stats, maxConcealed) {
    this.#packets = packets;
    this.#stats = stats;
    this.#maxConcealed = maxConcealed;
  }

  /**
   * The sender's frame that was passed on last: its payload is in the source's packets; -1 before
   * it.
   */
  get frame() {
    return this.#frame;
  }

  /** Whether the last frame was silent, or none. */
  get isQuiet() {
    return this.#soundFrame === -Infinity;
  }

  /**
   * Passes on the next frame.
   * @param {number} frame  the sender's
   * @returns {number} a FrameState: the sound of a concealed one is missing
   */
  pass(frame) {
    if (frame > this.#frame && this.#packets.has(frame)) return this.#take(frame);
    if (frame - this.#soundFrame > this.#maxConcealed) {
      this.#soundFrame = -Infinity;
      return FrameState.absent;
    }
    this.#stats.concealed();
    return FrameState.concealed;
  }

  /** @param {number} frame  that has a packet */
  #take(frame) {
    const hasSound = this.#packets.hasSound(frame);
    this.#frame = frame;
    this.#soundFrame = hasSound ? frame : -Infinity;
    if (hasSound && this.#packets.isRedundant(frame)) this.#stats.recovered();
    return hasSound ? FrameState.received : FrameState.silent;
  }
}
