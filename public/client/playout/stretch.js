/**
 * @import { AudioFormat } from '../../shared/sound/audio-format.js'
 * @import { PlayoutDelay } from './playout-delay.js'
 * @import { StreamDecoder } from './stream-decoder.js'
 */

import { framesToScale, TimeScale } from '../../shared/sound/time-scale.js';

/** The loudest level at which a frame may be lengthened or shortened, in -dBov. */
const QUIET_LEVEL = 50;

/**
 * The length from which quiet is no pause between words, in milliseconds: then small errors are
 * corrected too.
 */
const LONG_QUIET_MS = 1000;

/** The lack of delay from which quiet is lengthened, in milliseconds: any quiet, and a long one. */
const SHORT_MS = 6;
export const SHORT_IN_LONG_QUIET_MS = 1;
/** The surplus from which a long quiet is shortened, and unsent silence, in milliseconds. */
const LONG_IN_LONG_QUIET_MS = 4;
const LONG_IN_REST_MS = 2;

/**
 * The surplus from which loud sound is shortened too, and up to which it is, in milliseconds. Less
 * is left to resampling.
 */
const MUCH_LONG_MS = 20;
const LITTLE_LONG_MS = 4;

/**
 * Makes quiet sound longer or shorter, and loud sound shorter by whole periods of the voice, so
 * that the delay reaches its target unheard.
 */
export class Stretch {
  #format;
  #delay;
  #sound;
  /** The length of the present quiet, in milliseconds; 0 when it is loud. */
  #quietMs = LONG_QUIET_MS;
  #timeScale;
  /** Whether loud sound is being shortened. */
  #hurries = false;

  /** Samples. */
  counters = { inserted: 0, dropped: 0 };

  /**
   * @param {AudioFormat} format
   * @param {PlayoutDelay} delay
   * @param {StreamDecoder} sound
   */
  constructor(format, delay, sound) {
    this.#format = format;
    this.#delay = delay;
    this.#sound = sound;
    this.#timeScale = new TimeScale(format);
  }

  /** @param {number} level a played frame's, in -dBov */
  played(level) {
    this.#quietMs = level >= QUIET_LEVEL ? this.#quietMs + this.#format.frameMs : 0;
  }

  /** @param {number} ms of silence for which there are no packets */
  rested(ms) {
    this.#quietMs += ms;
  }

  /** Whether the delay is too short, and it is quiet enough to lengthen it. */
  get isShort() {
    const shortMs = this.#quietMs >= LONG_QUIET_MS ? SHORT_IN_LONG_QUIET_MS : SHORT_MS;
    return this.#quietMs > 0 && this.#delay.surplusMs < -shortMs;
  }

  /** Whether the delay is too short, in unsent silence. */
  get isShortInRest() {
    return this.#delay.surplusMs < -SHORT_IN_LONG_QUIET_MS;
  }

  /** The samples by which unsent silence is too long. */
  get restSurplus() {
    const surplus = this.#delay.surplusMs;
    return surplus > LONG_IN_REST_MS ? Math.floor((surplus * this.#format.sampleRate) / 1000) : 0;
  }

  /** @param {number} samples of silence that are not given */
  skipped(samples) {
    this.counters.dropped += samples;
    this.#delay.moved((-samples * 1000) / this.#format.sampleRate);
  }

  /**
   * Gives concealed sound, or silence, that lengthens the delay.
   * @param {Float32Array} out one frame long
   * @param {number} mostSilence samples of silence at once
   * @returns {number} the samples of it that are to be heard
   */
  insert(out, mostSilence) {
    const { frameSamples, sampleRate } = this.#format;
    const { sounding, fadeSamples, leastSilence } = this.#sound;
    const most = sounding ? frameSamples - fadeSamples : mostSilence;
    const wanted = Math.ceil((-this.#delay.surplusMs * sampleRate) / 1000);
    const least = sounding ? fadeSamples : leastSilence;
    const count = Math.max(least, Math.min(wanted, most));
    this.counters.inserted += count;
    this.#delay.moved((count * 1000) / sampleRate);
    if (sounding) {
      this.#sound.conceal(out);
      this.#sound.shorten(out, count);
    } else {
      this.#sound.silence(out, count);
    }
    return count;
  }

  /**
   * How many frames are to be played together, where they are there: 1 where loud sound isn't to be
   * shortened.
   */
  get together() {
    if (!this.#hurries) return 1;
    const spare = Math.floor(this.#delay.surplusMs / this.#format.frameMs);
    return Math.max(1, Math.min(framesToScale(this.#format), spare + 1));
  }

  /**
   * Shortens sound that was played when the delay is too long.
   * @param {Float32Array} out
   * @param {number} samples  of it
   * @returns {number} the samples of it that are to be heard
   */
  shorten(out, samples) {
    const surplus = this.#delay.surplusMs;
    this.#hurries = surplus > (this.#hurries ? LITTLE_LONG_MS : MUCH_LONG_MS);
    let count = samples;
    if (this.#quietMs > 0) count = this.#cut(out, samples, surplus);
    else if (this.#hurries)
      count = this.#timeScale.shorten(
        out,
        samples,
        samples,
        (surplus * this.#format.sampleRate) / 1000,
      );
    this.counters.dropped += samples - count;
    if (count < samples) this.#delay.moved(((count - samples) * 1000) / this.#format.sampleRate);
    return count;
  }

  /**
   * @param {Float32Array} out quiet
   * @param {number} samples
   * @param {number} surplus in milliseconds
   */
  #cut(out, samples, surplus) {
    const fade = this.#sound.fadeSamples;
    if (surplus <= (this.#quietMs >= LONG_QUIET_MS ? LONG_IN_LONG_QUIET_MS : this.#delay.longMs))
      return samples;
    const count = Math.max(fade, samples - Math.floor((surplus * this.#format.sampleRate) / 1000));
    if (count > samples - fade) return samples;
    this.#sound.shorten(out, count);
    return count;
  }
}
