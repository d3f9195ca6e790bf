/** @import { AudioFormat } from '../../public/shared/sound/audio-format.js' */

import { rampGain } from '../../public/shared/sound/level.js';

/** Level that speech is brought to, in -dBov. */
const TARGET = 23;

/** Largest gain, up or down, in dB. */
const MOST_DB = 12;

/** Fastest change of the gain, in dB a second of speech. */
const SPEED_DB = 3;

/** Gate below the speech's level, in dB: softer sound is a pause within it. */
const GATE_DB = 15;

/** Fall of the gate for a speaker who has become softer, in dB a second. */
const GATE_FALL_DB = 2;

/** Time constant of the speech's level over the last frames, in seconds. */
const LEVEL_SECONDS = 1.5;

/** Softest level that counts as speech, in -dBov: below it noise would be amplified. */
const SOFTEST = 50;

/**
 * Time in which an amplified gain falls without voice, in seconds; with voice it is back within a
 * frame.
 */
const REST_SECONDS = 0.2;

/**
 * Brings one speaker's speech slowly to the common level. It learns from frames with voice only,
 * and doesn't amplify the noise between them. Its gain moves linearly over each frame, so there is
 * no step.
 */
export class LevelBalance {
  #samples;
  #channels;
  #seconds;
  /** Level of the speech in dB over full scale; NaN before the first. */
  #speech = NaN;
  /** Gain to reach for speech, in dB, and the gain at the end of the last frame, as a factor. */
  #wantedDb = 0;
  #gain = 1;

  /** @param {AudioFormat} format */
  constructor({ frameSamples, frameMs, channels }) {
    this.#channels = channels;
    this.#samples = frameSamples;
    this.#seconds = frameMs / 1000;
  }

  /** Current gain for speech, in dB. */
  get gainDb() {
    return this.#wantedDb;
  }

  /**
   * Brings one decoded frame to its level, in place.
   * @param {Float32Array} pcm
   * @param {number} at index of the frame
   * @param {number} level of the frame, in -dBov
   * @param {boolean} voice true when there is voice in it
   */
  process(pcm, at, level, voice) {
    const isVoice = voice && level <= SOFTEST;
    if (isVoice) this.#learn(-level);
    const wanted = 10 ** (this.#wantedDb / 20);
    let goal = wanted;
    if (!isVoice && wanted > 1) {
      const step = ((wanted - 1) * this.#seconds) / REST_SECONDS;
      goal = Math.max(1, Math.min(this.#gain, wanted) - step);
    }
    this.#ramp(pcm, at, goal);
  }

  /** Holds the gain over a concealed frame. @param {Float32Array} pcm @param {number} at */
  hold(pcm, at) {
    this.#ramp(pcm, at, this.#gain);
  }

  /** @param {number} db of a frame with voice, over full scale */
  #learn(db) {
    if (Number.isNaN(this.#speech)) this.#speech = db;
    else if (db > this.#speech - GATE_DB)
      this.#speech += (db - this.#speech) * (this.#seconds / LEVEL_SECONDS);
    else this.#speech -= GATE_FALL_DB * this.#seconds;
    const target = Math.max(-MOST_DB, Math.min(MOST_DB, -TARGET - this.#speech));
    const most = SPEED_DB * this.#seconds;
    this.#wantedDb += Math.max(-most, Math.min(most, target - this.#wantedDb));
  }

  /** @param {Float32Array} pcm @param {number} at @param {number} goal */
  #ramp(pcm, at, goal) {
    const from = this.#gain;
    this.#gain = goal;
    if (from === 1 && goal === 1) return;
    rampGain(pcm, at, this.#samples, this.#channels, from, goal);
  }
}
