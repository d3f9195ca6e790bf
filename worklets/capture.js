/** @import { SampleRing } from './sample-ring.js' */

/** Takes what the microphone gives, a block at a time, into the ring that the encoder's worker reads. */
export class Capture {
  #ring;
  /** Interleaved, where the ring is stereo. */
  #block;

  /** @param {SampleRing} ring of one channel or two */
  constructor(ring) {
    this.#ring = ring;
    this.#block = new Float32Array(128 * ring.channels);
  }

  /**
   * @param {ReadonlyArray<Float32Array>} channels one block each; none while nothing is connected,
   *   which is silence, so that the count of samples goes on with the sound card. One is both sides of stereo
   * @returns {boolean} whether the worker must be woken
   */
  process(channels) {
    const sides = this.#ring.channels;
    if (channels.length > 0 && this.#block.length !== channels[0].length * sides) {
      this.#block = new Float32Array(channels[0].length * sides);
    }
    if (channels.length === 0) this.#block.fill(0);
    else if (sides === 1) this.#mix(channels);
    else this.#interleave(channels);
    this.#ring.write(this.#block);
    return this.#ring.reached();
  }

  /** @param {ReadonlyArray<Float32Array>} channels */
  #mix(channels) {
    for (let i = 0; i < this.#block.length; i++) {
      let sum = 0;
      for (let c = 0; c < channels.length; c++) sum += channels[c][i];
      this.#block[i] = sum / channels.length;
    }
  }

  /** @param {ReadonlyArray<Float32Array>} channels */
  #interleave(channels) {
    const left = channels[0];
    const right = channels[channels.length > 1 ? 1 : 0];
    for (let i = 0; i < left.length; i++) {
      this.#block[2 * i] = left[i];
      this.#block[2 * i + 1] = right[i];
    }
  }
}
