/** @import { SampleRing } from './sample-ring.js' */

import { Bursts } from './bursts.js';

/** Length of the fades before and after a gap, in milliseconds. */
const FADE_MS = 2.5;

/** Plays the sound that the decoder's worker has put into the ring, a block at a time. */
export class Playback {
  #ring;
  #perMs;
  #step;
  /** The gain of samples that are there; below 1 after a gap. */
  #gain = 0;
  /** Last sample of each channel before a gap, and the gain of its fade-out. */
  #last;
  #fade = 0;
  #playing = false;
  /** True when sound ran out; a gap in silence doesn't count. */
  #wasSound = false;
  /** True after the first sound: time begins with it. */
  #begun = false;
  #bursts;
  /** Interleaved if the ring is stereo. */
  #block = new Float32Array(0);

  /**
   * @param {SampleRing} ring
   * @param {number} sampleRate Hz
   * @param {() => number} [now] milliseconds: Date.now, since a worklet has no other clock
   */
  constructor(ring, sampleRate, now = Date.now) {
    this.#ring = ring;
    this.#perMs = sampleRate / 1000;
    this.#bursts = new Bursts(now, 128_000 / sampleRate);
    this.#last = new Float32Array(ring.channels);
    this.#step = 1 / Math.max(1, (sampleRate * FADE_MS) / 1000);
  }

  /**
   * @param {ReadonlyArray<Float32Array>} channels one block each; filled, all equally if the ring
   *   is mono
   * @returns {boolean} true when the worker must be woken
   */
  process(channels) {
    if (channels.length === 0) return false;
    const { length } = channels[0];
    this.#bursts.next();
    this.#ring.setBurst(Math.round(this.#bursts.needMs * this.#perMs), this.#bursts.gapMs);
    const out = this.#ring.channels === 1 ? channels[0] : this.#blockOf(length);
    this.#begun ||= this.#ring.available > 0;
    const there = this.#begun ? this.#ring.play(out) : 0;
    if (there > 0) this.#rise(out, there);
    if (there < length) this.#fall(out, there, length);
    this.#spread(out, channels);
    return this.#ring.fellBelow();
  }

  /** @param {number} length */
  #blockOf(length) {
    if (this.#block.length !== 2 * length) this.#block = new Float32Array(2 * length);
    return this.#block;
  }

  /**
   * @param {Float32Array} out the first channel itself, or interleaved
   * @param {ReadonlyArray<Float32Array>} channels
   */
  #spread(out, channels) {
    if (out === channels[0]) {
      for (let c = 1; c < channels.length; c++) channels[c].set(out);
      return;
    }
    const { length } = channels[0];
    if (channels.length === 1) {
      for (let i = 0; i < length; i++) channels[0][i] = (out[2 * i] + out[2 * i + 1]) / 2;
      return;
    }
    for (let c = 0; c < channels.length; c++) {
      for (let i = 0; i < length; i++) channels[c][i] = c < 2 ? out[2 * i + c] : 0;
    }
  }

  /** @param {Float32Array} out @param {number} there */
  #rise(out, there) {
    const sides = this.#last.length;
    for (let i = 0; i < there && this.#gain < 1; i++) {
      this.#gain = Math.min(1, this.#gain + this.#step);
      this.#fade = Math.max(0, this.#fade - this.#step);
      for (let c = 0; c < sides; c++) {
        out[i * sides + c] = out[i * sides + c] * this.#gain + this.#last[c] * this.#fade;
      }
    }
    for (let c = 0; c < sides; c++) this.#last[c] = out[(there - 1) * sides + c];
    this.#playing = true;
  }

  /**
   * @param {Float32Array} out
   * @param {number} from
   * @param {number} to
   */
  #fall(out, from, to) {
    const sides = this.#last.length;
    if (this.#playing) {
      this.#wasSound = this.#last.some((sample) => sample !== 0);
      if (this.#wasSound) this.#ring.countUnderrun();
      this.#playing = false;
      this.#gain = 0;
      this.#fade = 1;
    }
    if (this.#wasSound) this.#ring.countMissed(to - from);
    for (let i = from; i < to; i++) {
      this.#fade = Math.max(0, this.#fade - this.#step);
      for (let c = 0; c < sides; c++) out[i * sides + c] = this.#last[c] * this.#fade;
    }
  }
}
