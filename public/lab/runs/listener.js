/**
 * @import { AudioFormat } from '../../shared/sound/audio-format.js'
 * @import { PayloadDecoder } from '../../shared/stream/payload.js'
 *
 * @typedef {object} SoundWindow  a piece of the sound that was heard
 * @property {number} frame                      its first frame
 * @property {Float32Array<ArrayBuffer>} sound   its frames, at the rate of SoundLag
 * @property {Float64Array<ArrayBuffer>} arrivalsMs arrival time of each frame's packet; NaN without
 *   one
 * @property {number} startMs  start of the first frame at the speaker, on the clock of arrivalsMs
 */

import { lowerRate } from './known-signal.js';

/** Length of a window, in milliseconds: enough to find the known signal in it. */
const WINDOW_MS = 400;

/** Decodes the answers to a client's packets, and reports the sound window by window. */
export class AnswerDecoder {
  #decoder;
  #format;
  #onWindow;
  #frames;
  #sound;
  #arrivalsMs;
  #first = -1;
  #last = -1;

  /**
   * @param {object} options
   * @param {AudioFormat} options.format
   * @param {PayloadDecoder} options.decoder closed with the listener
   * @param {(window: Omit<SoundWindow, 'startMs'>) => void} options.onWindow
   */
  constructor({ format, decoder, onWindow }) {
    this.#decoder = decoder;
    this.#format = format;
    this.#onWindow = onWindow;
    this.#frames = Math.ceil(WINDOW_MS / format.frameMs);
    this.#sound = new Float32Array(this.#frames * format.frameSamples);
    this.#arrivalsMs = new Float64Array(this.#frames).fill(NaN);
  }

  /**
   * @param {number} frame
   * @param {number} arrivalMs
   * @param {Uint8Array} bytes
   * @param {number} start of the payload
   * @param {number} length of the payload; 0 for silence
   */
  receive(frame, arrivalMs, bytes, start, length) {
    if (this.#first < 0) this.#begin(frame);
    while (frame >= this.#first + this.#frames) {
      this.#emit();
      const next = this.#first + this.#frames;
      this.#begin(frame < next + this.#frames ? next : frame);
    }
    const slot = frame - this.#first;
    if (slot < 0) return;
    this.#arrivalsMs[slot] = arrivalMs;
    // An Opus decoder can't go back: of a frame out of order only the arrival is noted.
    if (frame <= this.#last) return;
    this.#last = frame;
    if (length > 0)
      this.#decoder.decode(bytes, start, length, this.#sound, slot * this.#format.frameSamples);
  }

  /** @param {number} frame */
  #begin(frame) {
    this.#first = frame;
    this.#sound.fill(0);
    this.#arrivalsMs.fill(NaN);
  }

  #emit() {
    this.#onWindow({
      frame: this.#first,
      sound: lowerRate(this.#sound, this.#format.sampleRate),
      arrivalsMs: this.#arrivalsMs.slice(),
    });
  }

  /** Drops the unfinished window, after a pause. */
  reset() {
    this.#first = -1;
  }

  close() {
    this.#decoder.close();
  }
}
