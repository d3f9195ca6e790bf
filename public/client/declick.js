/** How long a jump takes, in samples: 5 ms at 48 kHz. */
const RAMP_SAMPLES = 240;

/** Where sound goes over from one source to another, or to silence, the step between them fades away. */
export class Declick {
  #last = 0;
  #step = 0;
  #left = 0;
  #jumps = false;

  /** What comes next is of another source. */
  jump() {
    this.#jumps = true;
  }

  /**
   * @param {Float32Array} samples what comes next; changed in place
   * @param {number} count of them
   */
  smooth(samples, count) {
    if (count === 0) return;
    if (this.#jumps) {
      this.#jumps = false;
      this.#step = this.#last - samples[0];
      this.#left = RAMP_SAMPLES;
    }
    for (let i = 0; i < count && this.#left > 0; i++) {
      samples[i] += (this.#step * this.#left) / RAMP_SAMPLES;
      this.#left -= 1;
    }
    this.#last = samples[count - 1];
  }
}
