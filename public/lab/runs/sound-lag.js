/**
 * @import { AudioFormat } from '../../shared/audio-format.js'
 * @import { SoundWindow } from './listener.js'
 */

import { align } from '../../shared/signal.js';
import { createKnownSignal } from './known-signal.js';

/** Sounds are compared at about this rate, in Hz: the known signal has nothing above half of it. */
const COMPARED_RATE = 8000;

/** Less alike than this, what was heard isn't what was said. */
const LEAST_CORRELATION = 0.5;

/** So much later than the server-side delay it is looked for too, in milliseconds: codecs, and surprises. */
const MARGIN_MS = 300;

/**
 * How many samples of a format make one that is compared.
 * @param {number} sampleRate Hz
 */
const comparedStep = (sampleRate) => (sampleRate % COMPARED_RATE === 0 ? sampleRate / COMPARED_RATE : 1);

/**
 * Brings sound to the rate at which it is compared, by the mean of neighbours.
 * @param {Float32Array} samples
 * @param {number} sampleRate Hz
 * @returns {Float32Array<ArrayBuffer>}
 */
export function lowerRate(samples, sampleRate) {
  const step = comparedStep(sampleRate);
  const lowered = new Float32Array(Math.floor(samples.length / step));
  for (let i = 0; i < lowered.length; i++) {
    let sum = 0;
    for (let j = 0; j < step; j++) sum += samples[i * step + j];
    lowered[i] = sum / step;
  }
  return lowered;
}

/** Finds the known signal in what was heard. */
export class SoundLag {
  #format;
  #rate;
  #step;
  #known;

  /** @param {AudioFormat} format */
  constructor(format) {
    this.#format = format;
    this.#step = comparedStep(format.sampleRate);
    this.#rate = format.sampleRate / this.#step;
    this.#known = lowerRate(createKnownSignal(format), format.sampleRate);
  }

  /**
   * How far behind the clock of its frames the sound in a window is.
   * @param {Pick<SoundWindow, 'frame' | 'sound'>} window
   * @param {number} serverDelayMs
   * @returns {{ lagMs: number, correlation: number } | null} null when the signal isn't found in it
   */
  find({ frame, sound }, serverDelayMs) {
    const most = Math.ceil(((serverDelayMs + MARGIN_MS) * this.#rate) / 1000);
    const start = (frame * this.#format.frameSamples) / this.#step - most;
    const said = this.#said(Math.round(start), sound.length + most);
    const { lag, correlation } = align(sound, said);
    if (!(correlation >= LEAST_CORRELATION)) return null;
    return { lagMs: ((most - lag) * 1000) / this.#rate, correlation };
  }

  /**
   * @param {number} start compared samples, of the sample clock
   * @param {number} count
   */
  #said(start, count) {
    const known = this.#known;
    const said = new Float32Array(count);
    let at = ((start % known.length) + known.length) % known.length;
    for (let i = 0; i < count; i++) {
      said[i] = known[at];
      at = at + 1 === known.length ? 0 : at + 1;
    }
    return said;
  }

  /**
   * When the sound in each packet of a window was heard: from a sample's going in at the one to the arrival
   * of the packet that has it at the other.
   *
   * @param {SoundWindow} window
   * @param {number} serverDelayMs
   * @returns {{ latenciesMs: { atMs: number, latencyMs: number }[], correlation: number } | null}
   *   null when the signal isn't found in it
   */
  latencies(window, serverDelayMs) {
    const found = this.find(window, serverDelayMs);
    if (found === null) return null;
    const latenciesMs = [];
    for (let i = 0; i < window.arrivalsMs.length; i++) {
      const atMs = window.arrivalsMs[i];
      const saidMs = window.startMs + i * this.#format.frameMs - found.lagMs;
      if (Number.isFinite(atMs)) latenciesMs.push({ atMs, latencyMs: atMs - saidMs });
    }
    return { latenciesMs, correlation: found.correlation };
  }
}
