/** @import { SampleRing } from './sample-ring.js' */

import { Bursts } from './bursts.js';

/** How long sound takes to fade out when there is no more, and in again, in milliseconds. */
const FADE_MS = 2.5;

/** Gives the speaker what the decoder's worker has put into the ring, a block at a time. */
export class Playback {
  #ring;
  #step;
  /** What the samples that are there are multiplied with; below 1 after a gap. */
  #gain = 0;
  /** The last sample before a gap, and what of it is still to be heard. */
  #last = 0;
  #fade = 0;
  #playing = false;
  #bursts;

  /**
   * @param {SampleRing} ring
   * @param {number} sampleRate Hz
   * @param {() => number} [now]  milliseconds: Date.now, since a worklet has no other clock
   */
  constructor(ring, sampleRate, now = Date.now) {
    this.#ring = ring;
    this.#bursts = new Bursts(now);
    this.#step = 1 / Math.max(1, (sampleRate * FADE_MS) / 1000);
  }

  /**
   * @param {ReadonlyArray<Float32Array>} channels one block each; filled, all with the same
   * @returns {boolean} whether the worker must be woken
   */
  process(channels) {
    if (channels.length === 0) return false;
    const out = channels[0];
    this.#bursts.next();
    this.#ring.setBurst(this.#bursts.blocks * out.length, this.#bursts.gapMs);
    const there = this.#ring.read(out);
    if (there > 0) this.#rise(out, there);
    if (there < out.length) this.#fall(out, there);
    for (let c = 1; c < channels.length; c++) channels[c].set(out);
    return this.#ring.fellBelow();
  }

  /**
   * @param {Float32Array} out
   * @param {number} there
   */
  #rise(out, there) {
    for (let i = 0; i < there && this.#gain < 1; i++) {
      this.#gain = Math.min(1, this.#gain + this.#step);
      this.#fade = Math.max(0, this.#fade - this.#step);
      out[i] = out[i] * this.#gain + this.#last * this.#fade;
    }
    this.#last = out[there - 1];
    this.#playing = true;
  }

  /**
   * @param {Float32Array} out
   * @param {number} from
   */
  #fall(out, from) {
    if (this.#playing) {
      this.#ring.countUnderrun();
      this.#playing = false;
      this.#gain = 0;
      this.#fade = 1;
    }
    for (let i = from; i < out.length; i++) {
      this.#fade = Math.max(0, this.#fade - this.#step);
      out[i] = this.#last * this.#fade;
    }
  }
}
