/**
 * @import { AudioFormat } from '../../shared/sound/audio-format.js'
 * @import { PlayoutDelay } from './playout-delay.js'
 * @import { StreamDecoder } from './stream-decoder.js'
 */

import { framesToScale, TimeScale } from '../../shared/sound/time-scale.js';

/** Loudest level at which a frame may be lengthened or shortened, in -dBov. */
const QUIET_LEVEL = 50;

/**
 * Length of quiet that is no mere pause between words, in milliseconds: small errors are corrected
 * in it too.
 */
const LONG_QUIET_MS = 1000;

/**
 * Missing delay from which quiet is lengthened, in milliseconds: for short quiet, and for long
 * quiet.
 */
const SHORT_MS = 6;
export const SHORT_IN_LONG_QUIET_MS = 1;
/** Surplus delay from which sound is shortened, in milliseconds: long quiet, and unsent silence. */
const LONG_IN_LONG_QUIET_MS = 4;
const LONG_IN_REST_MS = 2;

/**
 * Surplus delay at which shortening of loud sound starts and stops, in milliseconds. Resampling
 * corrects the rest.
 */
const MUCH_LONG_MS = 20;
const LITTLE_LONG_MS = 4;

/**
 * Brings the delay to its target inaudibly: makes quiet sound longer or shorter, and shortens loud
 * sound by whole periods of the voice.
 */
export class Stretch {
  #format;
  #delay;
  #sound;
  /** Length of the present quiet, in milliseconds; 0 while it is loud. */
  #quietMs = LONG_QUIET_MS;
  #timeScale;
  /** True while loud sound is being shortened. */
  #isHurrying = false;

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

  /** True when the delay is too short and the sound is quiet enough to be lengthened. */
  get isShort() {
    const shortMs = this.#quietMs >= LONG_QUIET_MS ? SHORT_IN_LONG_QUIET_MS : SHORT_MS;
    return this.#quietMs > 0 && this.#delay.surplusMs < -shortMs;
  }

  /** True when the delay is too short during unsent silence. */
  get isShortInRest() {
    return this.#delay.surplusMs < -SHORT_IN_LONG_QUIET_MS;
  }

  /** Samples of unsent silence to leave out. */
  get restSurplus() {
    const surplus = this.#delay.surplusMs;
    return surplus > LONG_IN_REST_MS ? Math.floor((surplus * this.#format.sampleRate) / 1000) : 0;
  }

  /** @param {number} samples of silence that were left out */
  skipped(samples) {
    this.counters.dropped += samples;
    this.#delay.moved((-samples * 1000) / this.#format.sampleRate);
  }

  /**
   * Lengthens the delay by concealed sound or silence.
   * @param {Float32Array} out one frame long
   * @param {number} mostSilence most samples of silence at once
   * @returns {number} samples to play
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
   * Number of frames to play together if they are there: 1 unless loud sound is to be shortened.
   */
  get together() {
    if (!this.#isHurrying) return 1;
    const spare = Math.floor(this.#delay.surplusMs / this.#format.frameMs);
    return Math.max(1, Math.min(framesToScale(this.#format), spare + 1));
  }

  /**
   * Shortens decoded sound when the delay is too long.
   * @param {Float32Array} out
   * @param {number} samples  its length
   * @returns {number} samples to play
   */
  shorten(out, samples) {
    const surplus = this.#delay.surplusMs;
    this.#isHurrying = surplus > (this.#isHurrying ? LITTLE_LONG_MS : MUCH_LONG_MS);
    let count = samples;
    if (this.#quietMs > 0) count = this.#cut(out, samples, surplus);
    else if (this.#isHurrying)
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
