/**
 * @import { SampleRing } from './sample-ring.js'
 *
 * Receiver of the blocks of sound: a ring, or its replacement.
 * @typedef {object} Blocks
 * @property {number} channels
 * @property {(block: Float32Array) => void} write  block valid during the call
 * @property {() => boolean} reached  true when the worker must be woken now
 * @property {(samples: number, gapMs: number) => void} setBurst tells how the sound card gives
 *   blocks: see SampleRing
 */

import { Bursts } from './bursts.js';

/** Writes the microphone's sound, block by block, into the ring that the encoder's worker reads. */
export class Capture {
  #ring;
  /** Interleaved if the ring is stereo. */
  #block;
  #bursts;

  /**
   * @param {SampleRing | Blocks} ring of one channel or two
   * @param {number} sampleRate Hz
   * @param {() => number} [now] milliseconds: Date.now, since a worklet has no other clock
   */
  constructor(ring, sampleRate, now = Date.now) {
    this.#ring = ring;
    this.#bursts = new Bursts(now, 128_000 / sampleRate);
    this.#block = new Float32Array(128 * ring.channels);
  }

  /**
   * @param {ReadonlyArray<Float32Array>} channels one block each; none while nothing is connected:
   *   silence keeps the count of samples in step with the sound card
   * @returns {boolean} true when the worker must be woken
   */
  process(channels) {
    const sides = this.#ring.channels;
    this.#bursts.next();
    const { usualBlocks, gapMs } = this.#bursts;
    this.#ring.setBurst((usualBlocks * this.#block.length) / sides, gapMs);
    if (channels.length > 0 && this.#block.length !== channels[0].length * sides) {
      this.#block = new Float32Array(channels[0].length * sides);
    }
    if (channels.length === 0) this.#block.fill(0);
    else interleave(channels, sides, this.#block);
    this.#ring.write(this.#block);
    return this.#ring.reached();
  }
}

/**
 * @param {ReadonlyArray<Float32Array>} channels a microphone's, at least one
 * @param {number} sides 1: mixes all; 2: interleaves the first two, or one as both sides
 * @param {Float32Array} out filled: one channel's length × sides
 */
export function interleave(channels, sides, out) {
  const { length } = channels[0];
  if (sides === 1) {
    for (let i = 0; i < length; i++) {
      let sum = 0;
      for (let c = 0; c < channels.length; c++) sum += channels[c][i];
      out[i] = sum / channels.length;
    }
    return;
  }
  const left = channels[0];
  const right = channels[channels.length > 1 ? 1 : 0];
  for (let i = 0; i < length; i++) {
    out[2 * i] = left[i];
    out[2 * i + 1] = right[i];
  }
}
