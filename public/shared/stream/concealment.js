/** @import { AudioFormat } from '../sound/audio-format.js' */

/**
 * The longest gap that is concealed, in milliseconds. From 100 ms on libopus makes noise as loud as
 * the lost voice (test/unit/shared/stream/concealment.test.js, docs/codec.md).
 */
const MAX_CONCEAL_MS = 80;

/**
 * The time from which concealed sound is faded, in milliseconds: two lost frames of 20 ms are left
 * as they are.
 */
const FADE_FROM_MS = 40;

/**
 * @param {Pick<AudioFormat, 'frameMs'>} format
 * @returns {number} the frames in a row that are concealed at most
 */
export const mostConcealed = ({ frameMs }) => Math.ceil(MAX_CONCEAL_MS / frameMs);

/**
 * @param {Pick<AudioFormat, 'frameMs' | 'opusFrames'>} format
 * @returns {number} the Opus frames in a row that players of a file conceal, who fade as libopus
 *   does alone: one at least
 */
export const mostConcealedInFile = ({ frameMs, opusFrames }) =>
  Math.max(1, Math.floor((MAX_CONCEAL_MS * opusFrames) / frameMs));

/**
 * Fades concealed sound to silence, however long its frames are: libopus fades by a share a frame,
 * so that frames of 20 ms and more would end in a cut.
 */
export class ConcealmentFade {
  #channels;
  #from;
  #over;
  /** Samples that were concealed since the last payload. */
  #concealed = 0;

  /** @param {Pick<AudioFormat, 'sampleRate' | 'channels'>} format */
  constructor({ sampleRate, channels }) {
    this.#channels = channels;
    this.#from = (FADE_FROM_MS * sampleRate) / 1000;
    this.#over = (MAX_CONCEAL_MS * sampleRate) / 1000;
  }

  /** Whether there is only silence to come. */
  get isOver() {
    return this.#concealed >= this.#over;
  }

  /** A payload was decoded. */
  reset() {
    this.#concealed = 0;
  }

  /**
   * @param {Float32Array} pcm  concealed sound, interleaved; faded in place
   * @param {number} at  index of its first number
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
