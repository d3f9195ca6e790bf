/** Largest peak that passes: -0.45 dBFS leaves room for Opus's overshoot. */
const CEILING = 0.95;

/** Time constant of the gain's return to 1, in seconds. */
const RELEASE_SECONDS = 0.1;

/** Length of a segment, in samples: the gain changes linearly between segments. */
const SEGMENT_SAMPLES = 32;

/**
 * Peak limiter of one stream. Its gain falls linearly over the segment before a peak that would
 * exceed the ceiling, and returns slowly. It looks ahead within the frame only, so it adds no
 * delay; for a peak in a frame's first segment the gain falls at once. Both channels of stereo
 * share the gain.
 */
export class Limiter {
  #gain = 1;
  #release;
  #channels;
  /** Values in a segment. */
  #segment;

  /** @param {number} sampleRate Hz @param {number} [channels] */
  constructor(sampleRate, channels = 1) {
    this.#channels = channels;
    this.#segment = SEGMENT_SAMPLES * channels;
    this.#release = 1 - Math.exp(-SEGMENT_SAMPLES / (RELEASE_SECONDS * sampleRate));
  }

  /**
   * Limits one frame in place. A stream that never exceeds the ceiling stays unchanged.
   * @param {Float32Array} pcm
   * @param {number} [length] number of values to process
   */
  process(pcm, length = pcm.length) {
    let target = this.#allowed(pcm, 0, length);
    let gain = Math.min(this.#gain, target);
    for (let start = 0; start < length; start += this.#segment) {
      const end = Math.min(start + this.#segment, length);
      const next = this.#allowed(pcm, end, length);
      const released = gain + (1 - gain) * this.#release;
      const goal = Math.min(released > 0.9999 ? 1 : released, target, next);
      if (gain !== 1 || goal !== 1) {
        const channels = this.#channels;
        const step = ((goal - gain) * channels) / (end - start);
        for (let c = 0; c < channels; c++) {
          let moving = gain;
          for (let i = start + c; i < end; i += channels) {
            moving += step;
            pcm[i] *= moving;
          }
        }
      }
      gain = goal;
      target = next;
    }
    this.#gain = gain;
  }

  /**
   * @param {Float32Array} pcm
   * @param {number} start of a segment; behind the frame's end any gain is allowed
   * @param {number} length of the frame
   * @returns {number} largest gain that keeps the segment below the ceiling
   */
  #allowed(pcm, start, length) {
    const end = Math.min(start + this.#segment, length);
    let peak = CEILING;
    for (let i = start; i < end; i++) {
      // Without a branch for the sign, which no processor foretells.
      const size = Math.abs(pcm[i]);
      if (size > peak) peak = size;
    }
    return CEILING / peak;
  }
}
