/**
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { SpeakerList } from './mix-stream.js'
 * @import { Speaker } from './speaker.js'
 *
 * @typedef {object} Floor  the mix of all speakers who aren't interpreters
 * @property {(mix: Float32Array, from: number, to: number) => SpeakerList | null} addTo adds its
 *   last frame to another mix, with a gain that changes from one value to another; returns its
 *   speakers, or null in silence
 */

/** Gain of the floor under an interpreter: 15 dB softer, so that both are understood. */
const UNDER = 10 ** (-15 / 20);

/** Softest sound of an interpreter that lowers the floor, in -dBov: noise doesn't. */
const SOFTEST = 50;

/** Time for which the floor stays low after an interpreter's sound, in milliseconds. */
const HOLD_MS = 3000;

/** Share of the way to its next gain that the floor goes in a frame of 20 ms: a fade of 0.2 s. */
const FADE = 0.3;

/**
 * The floor beneath the interpreters of a language: low while one of them speaks, and at its own
 * level when they have nothing to say.
 */
export class FloorBed {
  #floor;
  #holdFrames;
  #fade;
  #gain = 1;
  #spokenFrame = -Infinity;

  /** @param {Floor} floor @param {Pick<AudioFormat, 'frameMs'>} format */
  constructor(floor, { frameMs }) {
    this.#floor = floor;
    this.#holdFrames = HOLD_MS / frameMs;
    this.#fade = 1 - (1 - FADE) ** (frameMs / 20);
  }

  /**
   * Adds the floor to a mix of interpreters.
   * @param {number} frame  which the floor has just mixed
   * @param {Float32Array} mix
   * @param {ReadonlyArray<Speaker>} interpreters  in the mix
   * @returns {SpeakerList | null} speakers of the floor; null in silence
   */
  addTo(frame, mix, interpreters) {
    for (let i = 0; i < interpreters.length; i++)
      if (interpreters[i].level < SOFTEST) this.#spokenFrame = frame;
    const from = this.#gain;
    const wanted = frame - this.#spokenFrame <= this.#holdFrames ? UNDER : 1;
    this.#gain += (wanted - from) * this.#fade;
    return this.#floor.addTo(mix, from, this.#gain);
  }
}
