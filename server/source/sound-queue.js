/**
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { PcmRing } from './pcm-ring.js'
 */

import { framesToScale, TimeScale } from '../../public/shared/sound/time-scale.js';
import { FrameState } from './pcm-ring.js';

const NO_SAMPLES = new Float32Array(0);

/**
 * Decoded sound on its way to a ring, of a voice that is heard later than it should be: it gets
 * shorter on the way, so the ring's frames and the sender's lie no longer on one grid. Counts are
 * of samples of all channels at once.
 */
export class SoundQueue {
  #format;
  #timeScale;
  #count = 0;
  #fresh = 0;

  /**
   * The samples that wait come first; behind them is room for more frames. None until there is
   * something to wait.
   */
  samples = NO_SAMPLES;

  /** @param {AudioFormat} format */
  constructor(format) {
    this.#format = format;
    this.#timeScale = new TimeScale(format);
    /** How many frames should wait, so that they can be made shorter. */
    this.together = framesToScale(format);
  }

  /** How many samples wait. */
  get count() {
    return this.#count;
  }

  /** Whether a frame is there to be given. */
  get isFull() {
    return this.#count >= this.#format.frameSamples;
  }

  /**
   * Makes room for a frame at the end.
   * @param {number} _frame  of the ring's, which isn't known yet
   * @returns {number} index into samples
   */
  claim(_frame) {
    const { frameValues, channels } = this.#format;
    if (this.samples === NO_SAMPLES)
      this.samples = new Float32Array((this.together + 2) * frameValues);
    return this.#count * channels;
  }

  /**
   * Says what the frame at the end is. Sound is to be written before; silence fills up what waits
   * to whole frames.
   * @param {number} _frame
   * @param {number} state  one of FrameState
   */
  mark(_frame, state) {
    const { frameSamples, channels } = this.#format;
    if (state >= FrameState.concealed) {
      this.#count += frameSamples;
      this.#fresh += frameSamples;
      return;
    }
    const whole = Math.ceil(this.#count / frameSamples) * frameSamples;
    this.samples.fill(0, this.#count * channels, whole * channels);
    this.#count = whole;
  }

  /**
   * Makes what waits shorter.
   * @param {number} most  samples
   * @returns {number} by how many samples
   */
  shorten(most) {
    const count = this.#timeScale.shorten(this.samples, this.#count, this.#fresh, most);
    const samples = this.#count - count;
    this.#count = count;
    this.#fresh = 0;
    return samples;
  }

  /**
   * Moves the first frame to a ring.
   * @param {PcmRing} ring
   * @param {number} frame
   */
  give(ring, frame) {
    const { frameSamples, frameValues, channels } = this.#format;
    const at = ring.claim(frame);
    for (let i = 0; i < frameValues; i++) ring.samples[at + i] = this.samples[i];
    this.samples.copyWithin(0, frameValues, this.#count * channels);
    this.#count -= frameSamples;
    ring.mark(frame, FrameState.received);
  }

  /** Gives the memory back. */
  clear() {
    this.samples = NO_SAMPLES;
    this.#count = 0;
  }
}
