/**
 * @import { AudioFormat } from '../../shared/audio-format.js'
 * @import { PlayoutDelay } from './playout-delay.js'
 * @import { StreamDecoder } from './stream-decoder.js'
 */

/** The loudest level at which a frame may be lengthened or shortened, in -dBov. */
const QUIET_LEVEL = 50;

/** The length from which quiet is no pause between words, in milliseconds: then small errors are corrected too. */
const LONG_QUIET_MS = 1000;

/** The lack of delay from which quiet is lengthened, in milliseconds: any quiet, and a long one. */
const SHORT_MS = 6;
export const SHORT_IN_LONG_QUIET_MS = 1;
/** The surplus from which it is shortened, in milliseconds: quiet sound, a long quiet, and unsent silence. */
const LONG_MS = 12;
const LONG_IN_LONG_QUIET_MS = 4;
const LONG_IN_REST_MS = 2;
/** The surplus from which, after PATIENCE_MS, loud sound is shortened too. Less is left to resampling. */
const MUCH_LONG_MS = 40;
const PATIENCE_MS = 2000;

/** Makes quiet sound longer or shorter, so that the delay reaches its target unheard. */
export class Stretch {
  #format;
  #delay;
  #sound;
  /** The length of the present quiet, in milliseconds; 0 when it is loud. */
  #quietMs = LONG_QUIET_MS;
  #longFrames = 0;

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
   * Shortens a frame that was played when the delay is too long.
   * @param {Float32Array} out
   * @returns {number} the samples of it that are to be heard
   */
  shorten(out) {
    const { frameSamples, frameMs, sampleRate } = this.#format;
    const surplus = this.#delay.surplusMs;
    const fade = this.#sound.fadeSamples;
    this.#longFrames = surplus > MUCH_LONG_MS ? this.#longFrames + 1 : 0;
    const longMs = this.#quietMs >= LONG_QUIET_MS ? LONG_IN_LONG_QUIET_MS : LONG_MS;
    const isLong = this.#quietMs > 0 ? surplus > longMs : this.#longFrames * frameMs > PATIENCE_MS;
    if (!isLong) return frameSamples;
    const count = Math.max(fade, frameSamples - Math.floor((surplus * sampleRate) / 1000));
    if (count > frameSamples - fade) return frameSamples;
    this.counters.dropped += frameSamples - count;
    this.#delay.moved(((count - frameSamples) * 1000) / sampleRate);
    this.#sound.shorten(out, count);
    return count;
  }
}
