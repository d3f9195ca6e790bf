/** The most points of a waveform; beyond it each two become one. */
export const MAX_PEAKS = 2000;

/** The sound that a point stands for at first, in milliseconds. */
const FIRST_STEP_MS = 100;

/** The value of a point at full scale. */
const FULL_SCALE = 100;

/**
 * The waveform of a mix while it is recorded: the peaks of equal stretches, between MAX_PEAKS / 2
 * and MAX_PEAKS of them once it is long.
 */
export class Peaks {
  #points = new Uint8Array(MAX_PEAKS);
  #count = 0;
  #frameSeconds;
  #framesEach;
  #frames = 0;
  #peak = 0;

  /** @param {number} frameSeconds  how long a frame lasts */
  constructor(frameSeconds) {
    this.#frameSeconds = frameSeconds;
    this.#framesEach = Math.max(1, Math.round(FIRST_STEP_MS / 1000 / frameSeconds));
  }

  /** Adds a frame. @param {Float32Array} pcm */
  add(pcm) {
    for (let i = 0; i < pcm.length; i++) {
      const value = Math.abs(pcm[i]);
      if (value > this.#peak) this.#peak = value;
    }
    if (++this.#frames < this.#framesEach) return;
    this.#points[this.#count++] = Math.min(FULL_SCALE, Math.round(this.#peak * FULL_SCALE));
    this.#frames = 0;
    this.#peak = 0;
    if (this.#count === MAX_PEAKS) this.#fold();
  }

  #fold() {
    const points = this.#points;
    for (let i = 0; i < MAX_PEAKS / 2; i++) points[i] = Math.max(points[2 * i], points[2 * i + 1]);
    this.#count = MAX_PEAKS / 2;
    this.#framesEach *= 2;
  }

  /**
   * @returns {{ step: number, peaks: number[] }} step: the seconds that a point stands for; peaks:
   *   0 to 100, full scale
   */
  toJSON() {
    return {
      step: this.#framesEach * this.#frameSeconds,
      peaks: [...this.#points.subarray(0, this.#count)],
    };
  }
}
