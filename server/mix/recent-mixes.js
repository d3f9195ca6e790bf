import { MAX_REDUNDANCY } from '../../public/shared/packet.js';

/** The full mix of the frame that is mixed now, and those of the frames before it. */
export class RecentMixes {
  #buffers;
  #frame = -1;
  /** How many of the last frames, one after the other, were sound. */
  #sounding = 0;

  /** The frames right before this one that were sound, as everybody heard them who wasn't in them, oldest first. @type {Float32Array[]} */
  before = [];

  /** @param {number} frameValues */
  constructor(frameValues) {
    this.#buffers = Array.from({ length: MAX_REDUNDANCY + 1 }, () => new Float32Array(frameValues));
  }

  /** This frame's: to be filled. */
  get full() {
    return this.#buffers[0];
  }

  /** @param {number} frame is mixed next */
  turn(frame) {
    const buffers = this.#buffers;
    const oldest = buffers[MAX_REDUNDANCY];
    for (let i = MAX_REDUNDANCY; i > 0; i--) buffers[i] = buffers[i - 1];
    buffers[0] = oldest;
    if (frame !== this.#frame + 1) this.#sounding = 0;
    this.#frame = frame;
    this.before.length = 0;
    for (let i = Math.min(this.#sounding, MAX_REDUNDANCY); i > 0; i--) this.before.push(buffers[i]);
  }

  /** @param {boolean} sounding whether there is anything in it */
  filled(sounding) {
    this.#sounding = sounding ? this.#sounding + 1 : 0;
  }
}
