/** How long a jump takes, in samples: 5 ms at 48 kHz. */
const RAMP_SAMPLES = 240;

/** Where sound goes over from one source to another, or to silence, the step between them fades away. */
export class Declick {
  /** The last sample, and the step away from it, of each of two channels. */
  #last = new Float32Array(2);
  #step = new Float32Array(2);
  #left = 0;
  #jumps = false;

  /** What comes next is of another source. */
  jump() {
    this.#jumps = true;
  }

  /**
   * @param {Float32Array} samples what comes next, interleaved where it is stereo; changed in place
   * @param {number} count of them, those of both channels at once
   * @param {number} [channels]
   */
  smooth(samples, count, channels = 1) {
    if (count === 0) return;
    if (this.#jumps) {
      this.#jumps = false;
      for (let c = 0; c < channels; c++) this.#step[c] = this.#last[c] - samples[c];
      this.#left = RAMP_SAMPLES;
    }
    for (let i = 0; i < count && this.#left > 0; i++) {
      for (let c = 0; c < channels; c++) samples[i * channels + c] += (this.#step[c] * this.#left) / RAMP_SAMPLES;
      this.#left -= 1;
    }
    for (let c = 0; c < channels; c++) this.#last[c] = samples[(count - 1) * channels + c];
  }
}
