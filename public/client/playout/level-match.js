/** @import { AudioFormat } from '../../shared/audio-format.js' */

import { rampGain } from '../../shared/gain.js';

/**
 * How much of a wrong level Opus carries from one frame to the next, by the frame's length in milliseconds: it codes
 * levels by their difference to a share of those before (RFC 6716, section 4.3.2.1).
 */
const CARRIED = Object.freeze(/** @type {[number, number][]} */ ([[2.5, 0.9], [5, 0.8], [10, 0.65], [20, 0.5]]));

/** Over how long the gain goes from one frame's to the next one's, in milliseconds: as Opus frames overlap. */
const RAMP_MS = 2.5;

/** What is further off than this isn't the same sound. */
const MOST = 2;

/** Mean of the squares. @param {Float32Array} values */
function powerOf(values) {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] * values[i];
  return sum / values.length;
}

/**
 * A decoder that begins again in the middle of a stream has the levels of another time, and is too soft or too loud
 * for some frames. Where it was given a frame that was heard, from another stream, the difference is known.
 */
export class LevelMatch {
  /** What of a wrong level is left after an Opus frame, and after one of the room's. */
  #carried;
  #left;
  #channels;
  #rampSamples;
  /** Of the last frame that was heard, and that one decoded by the decoder that takes over; 0: unknown. */
  #heard = 0;
  #primed = 0;
  /** What the decoder's sound is to be multiplied with, and what its last frame was. */
  #gain = 1;
  #before = 1;

  /** @param {AudioFormat} format */
  constructor({ sampleRate, frameMs, opusFrames, channels }) {
    const opusMs = frameMs / opusFrames;
    this.#carried = CARRIED.find(([ms]) => ms >= opusMs)?.[1] ?? 0.5;
    this.#left = this.#carried ** opusFrames;
    this.#channels = channels;
    this.#rampSamples = Math.ceil((RAMP_MS * sampleRate) / 1000);
  }

  /** @param {Float32Array} frame that the other decoder made of a frame which was heard */
  primed(frame) {
    this.#primed = powerOf(frame);
  }

  /** Another decoder takes over, or one begins after silence. */
  begin() {
    const isKnown = this.#heard > 0 && this.#primed > 0;
    const ratio = isKnown ? Math.sqrt(this.#heard / this.#primed) : 1;
    this.#gain = Math.min(MOST, Math.max(1 / MOST, ratio)) ** this.#carried;
    this.#before = this.#gain;
    this.#primed = 0;
  }

  /** @param {Float32Array} frame as decoded; set right in place */
  apply(frame) {
    const gain = this.#gain;
    if (gain !== 1) {
      const channels = this.#channels;
      const ramp = this.#rampSamples;
      rampGain(frame, 0, ramp, channels, this.#before, gain);
      rampGain(frame, ramp * channels, frame.length / channels - ramp, channels, gain, gain);
    }
    this.#before = gain;
    // What is left is less than can be heard.
    this.#gain = Math.abs(gain - 1) < 0.01 ? 1 : gain ** this.#left;
    this.#heard = powerOf(frame);
  }

  /** What is heard isn't a decoded frame. */
  forget() {
    this.#heard = 0;
  }
}
