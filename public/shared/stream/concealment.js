/** @import { AudioFormat } from '../sound/audio-format.js' */

/**
 * Longest gap that is concealed, in milliseconds. From 100 ms on libopus makes noise as loud as the
 * lost voice (test/unit/shared/stream/concealment.test.js, docs/codec.md).
 */
const MAX_CONCEAL_MS = 80;

/**
 * Time from which concealed sound fades, in milliseconds: two lost frames of 20 ms stay unfaded.
 */
const FADE_FROM_MS = 40;

/** @param {Pick<AudioFormat, 'frameMs'>} format @returns {number} most frames concealed in a row */
export const mostConcealed = ({ frameMs }) => Math.ceil(MAX_CONCEAL_MS / frameMs);

/**
 * @param {Pick<AudioFormat, 'frameMs' | 'opusFrames'>} format
 * @returns {number} most Opus frames in a row to conceal in a file, whose players only have
 *   libopus's own fade: one at least
 */
export const mostConcealedInFile = ({ frameMs, opusFrames }) =>
  Math.max(1, Math.floor((MAX_CONCEAL_MS * opusFrames) / frameMs));

/**
 * Fades concealed sound to silence, independent of its frame length. By libopus alone it fades by a
 * share per frame: frames of 20 ms and more would end abruptly.
 */
export class ConcealmentFade {
  #channels;
  #from;
  #over;
  /** Samples concealed since the last payload. */
  #concealed = 0;

  /** @param {Pick<AudioFormat, 'sampleRate' | 'channels'>} format */
  constructor({ sampleRate, channels }) {
    this.#channels = channels;
    this.#from = (FADE_FROM_MS * sampleRate) / 1000;
    this.#over = (MAX_CONCEAL_MS * sampleRate) / 1000;
  }

  /** True when only silence remains. */
  get isOver() {
    return this.#concealed >= this.#over;
  }

  /** Called after a payload was decoded. */
  reset() {
    this.#concealed = 0;
  }

  /**
   * @param {Float32Array} pcm concealed sound, interleaved; faded in place
   * @param {number} at index of its first value
   * @param {number} samples
   */
  apply(pcm, at, samples) {
    const channels = this.#channels;
    for (let i = Math.max(0, this.#from - this.#concealed); i < samples; i++) {
      const left = Math.max(0, this.#over - this.#concealed - i);
      for (let c = 0; c < channels; c++)
        pcm[at + i * channels + c] *= left / (this.#over - this.#from);
    }
    this.#concealed += samples;
  }
}
