/** @import { SampleRing } from './sample-ring.js' */

/** Takes what the microphone gives, a block at a time, into the ring that the encoder's worker reads. */
export class Capture {
  #ring;
  #mono = new Float32Array(128);

  /** @param {SampleRing} ring */
  constructor(ring) {
    this.#ring = ring;
  }

  /**
   * @param {ReadonlyArray<Float32Array>} channels one block each; none while nothing is connected,
   *   which is silence, so that the count of samples goes on with the sound card
   * @returns {boolean} whether the worker must be woken
   */
  process(channels) {
    this.#ring.write(channels.length === 1 ? channels[0] : this.#mix(channels));
    return this.#ring.reached();
  }

  /** @param {ReadonlyArray<Float32Array>} channels */
  #mix(channels) {
    if (channels.length === 0) return this.#mono.fill(0);
    const { length } = channels[0];
    if (this.#mono.length !== length) this.#mono = new Float32Array(length);
    for (let i = 0; i < length; i++) {
      let sum = 0;
      for (let c = 0; c < channels.length; c++) sum += channels[c][i];
      this.#mono[i] = sum / channels.length;
    }
    return this.#mono;
  }
}
