/**
 * @import { PacketBuffer } from '../../public/shared/stream/packet-buffer.js'
 * @import { ReceiverStats } from './receiver-stats.js'
 */

import { FrameState } from './pcm-ring.js';

/** Frames of one source that are passed on undecoded, in a room that forwards. */
export class UndecodedFrames {
  #packets;
  #stats;
  #maxConcealed;
  #frame = -1;
  /** Last frame with sound, while the sound continues; -Infinity in silence. */
  #soundFrame = -Infinity;

  /**
   * @param {PacketBuffer} packets of the source
   * @param {ReceiverStats} stats of the source
   * @param {number} maxConcealed most frames in a row that may be reported missing
   */
  constructor(packets, stats, maxConcealed) {
    this.#packets = packets;
    this.#stats = stats;
    this.#maxConcealed = maxConcealed;
  }

  /**
   * Sender's frame that was passed on last, whose payload is in the source's packets; -1 before it.
   */
  get frame() {
    return this.#frame;
  }

  /** True when the last frame was silent, or there was none. */
  get isQuiet() {
    return this.#soundFrame === -Infinity;
  }

  /**
   * Passes on the next frame.
   * @param {number} frame of the sender
   * @returns {number} a FrameState: the sound of a concealed frame is missing
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
