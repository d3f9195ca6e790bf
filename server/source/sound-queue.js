/**
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { PcmRing } from './pcm-ring.js'
 */

import { framesToScale, TimeScale } from '../../public/shared/sound/time-scale.js';
import { FrameState } from './pcm-ring.js';

const NO_SAMPLES = new Float32Array(0);

/**
 * Queue of decoded sound between the decoder and the ring of a delayed voice. The sound is
 * shortened here, so the ring's frames are no longer on the sender's grid. Counts are of samples of
 * all channels at once.
 */
export class SoundQueue {
  #format;
  /** Made when sound is first shortened: most voices are never late. @type {TimeScale | null} */
  #timeScale = null;
  #count = 0;
  #fresh = 0;

  /** Waiting samples, followed by room for more frames. Allocated when the first frame waits. */
  samples = NO_SAMPLES;

  /** @param {AudioFormat} format */
  constructor(format) {
    this.#format = format;
    /** Number of frames to wait for before shortening. */
    this.together = framesToScale(format);
  }

  /** Number of waiting samples. */
  get count() {
    return this.#count;
  }

  /** True when a whole frame waits. */
  get isFull() {
    return this.#count >= this.#format.frameSamples;
  }

  /**
   * Makes room for a frame at the end.
   * @param {number} _frame of the ring, not known yet
   * @returns {number} index into samples
   */
  claim(_frame) {
    const { frameValues, channels } = this.#format;
    if (this.samples === NO_SAMPLES)
      this.samples = new Float32Array((this.together + 2) * frameValues);
    return this.#count * channels;
  }

  /**
   * Marks the frame at the end. Sound is written before this call; silence pads the queue to whole
   * frames.
   * @param {number} _frame
   * @param {number} state one of FrameState
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
   * Shortens the waiting sound.
   * @param {number} most samples
   * @returns {number} number of samples removed
   */
  shorten(most) {
    this.#timeScale ??= new TimeScale(this.#format);
    const count = this.#timeScale.shorten(this.samples, this.#count, this.#fresh, most);
    const samples = this.#count - count;
    this.#count = count;
    this.#fresh = 0;
    return samples;
  }

  /** Moves the first frame to a ring. @param {PcmRing} ring @param {number} frame */
  give(ring, frame) {
    const { frameSamples, frameValues, channels } = this.#format;
    const at = ring.claim(frame);
    for (let i = 0; i < frameValues; i++) ring.samples[at + i] = this.samples[i];
    this.samples.copyWithin(0, frameValues, this.#count * channels);
    this.#count -= frameSamples;
    ring.mark(frame, FrameState.received);
  }

  /** Frees the memory. */
  clear() {
    this.samples = NO_SAMPLES;
    this.#count = 0;
  }
}
