/**
 * Arithmetic on the sound of a tick. The native addon has the same functions
 * (native/src/mix_math.rs), with the same results: only a level may be rounded the other way.
 *
 * @typedef {object} MixMath
 * @property {(out: Float32Array, sounds: ReadonlyArray<Float32Array>) => void} sumSounds fills
 *   `out` with the sum of sounds of its length, none of which shares its memory
 * @property {(pcm: Float32Array, at: number, samples: number) => number} levelOf measures the level
 *   of `samples` values from `at` on, in -dBov: 0 to 127
 * @property {new (sampleRate: number, channels: number) => MixLimiter} MixLimiter
 * @property {(isAlike: boolean) => void} [shareAnalysis] with true, until it is called with false:
 *   the next frames are of nearly the same sound, so that encoders may share its analysis
 *
 * @typedef {object} MixLimiter  peak limiter of one stream
 * @property {(pcm: Float32Array) => number} limit limits one frame in place; returns its level
 * @property {(out: Float32Array, full: Float32Array, own: Float32Array) => number} limitLess fills
 *   `out` with `full` less `own`, limited; returns its level. All have one length, and `out` shares
 *   no memory with the others
 */

import { levelOf } from '../../public/shared/sound/level.js';
import { Limiter } from '../../public/shared/sound/limiter.js';

/** @type {MixMath} */
export const mixMath = Object.freeze({
  sumSounds(out, sounds) {
    if (sounds.length === 0) out.fill(0);
    else out.set(sounds[0]);
    for (let i = 1; i < sounds.length; i++) {
      const sound = sounds[i];
      for (let v = 0; v < out.length; v++) out[v] += sound[v];
    }
  },
  levelOf,
  MixLimiter: class extends Limiter {
    /** @param {Float32Array} pcm */
    limit(pcm) {
      this.process(pcm);
      return levelOf(pcm);
    }

    /** @param {Float32Array} out @param {Float32Array} full @param {Float32Array} own */
    limitLess(out, full, own) {
      for (let v = 0; v < out.length; v++) out[v] = full[v] - own[v];
      return this.limit(out);
    }
  },
});
