/**
 * @import { AudioFormat } from '../../shared/sound/audio-format.js'
 * @import { Clock } from '../../shared/clock.js'
 * @import { Sink } from './capture-feeds.js'
 */

import { inTime, LOAD_MS, systemClock } from '../../shared/clock.js';

/** The only sample rate of the model, in Hz. */
const MODEL_RATE = 48_000;

/** Samples in a frame of the model: 10 ms. */
const MODEL_SAMPLES = 480;

/**
 * Delay of the model, in milliseconds. Its windows have two frames and overlap by one, so what
 * comes out is one frame older than what went in.
 */
export const MODEL_DELAY_MS = (1000 * MODEL_SAMPLES) / MODEL_RATE;

/** Full scale of the model's samples, which are those of 16 bits. */
const FULL_SCALE = 32_768;

/** Bytes of a sample in the model's memory. */
const SAMPLE_BYTES = 4;

/**
 * RNNoise, a recurrent network that keeps speech and lowers everything else (J.-M. Valin, "A hybrid
 * DSP/deep learning approach to real-time full-band speech enhancement", MMSP 2018). Functions are
 * those of its rnnoise.h. docs/noise-suppression.md compares it to others.
 * @typedef {object} NoiseModel
 * @property {Float32Array} HEAPF32  its memory
 * @property {(bytes: number) => number} _malloc  0 when there is no room
 * @property {(model: number) => number} _rnnoise_create  model: 0 is the built-in one
 * @property {(state: number, out: number, samples: number) => number} _rnnoise_process_frame
 */

/**
 * Loads the model, which only those need who choose it.
 * @param {() => Promise<NoiseModel>} load
 * @param {Sink} sink
 * @param {Pick<AudioFormat, 'sampleRate' | 'channels'>} format  the room's
 * @param {() => void} failed
 * @param {Clock} [clock]
 * @returns {Promise<NoiseSuppressor>} rejects when the model can't be loaded or used, or is late
 */
export async function openNoiseSuppressor(
  load,
  sink,
  { sampleRate, channels },
  failed,
  clock = systemClock,
) {
  if (sampleRate !== MODEL_RATE) throw new RangeError(`the noise model has no ${sampleRate} Hz`);
  const late = () => new Error(`the noise model took longer than ${LOAD_MS / 1000} s`);
  const model = await inTime(load(), LOAD_MS, late, clock);
  return new NoiseSuppressor(model, sink, channels, failed);
}

/**
 * Removes noise from captured sound on its way to a sink, frame by frame of the model. A piece of
 * captured sound is passed on as soon as it completes frames. Nothing is allocated for a frame.
 */
export class NoiseSuppressor {
  #sink;
  #model;
  #channels;
  #failed;
  #isBroken = false;
  /** Address of each channel's state, and of its frame, in the model's memory. */
  #states = /** @type {{ state: number, frame: number }[]} */ ([]);
  /** Samples of each channel in the frame that is being filled. */
  #filled = 0;
  /** Completed frames, interleaved. Grows to the longest piece. */
  #out;

  /**
   * @param {NoiseModel} model
   * @param {Sink} sink  gets the sound, later by MODEL_DELAY_MS
   * @param {number} channels  1 or 2, of the captured sound
   * @param {() => void} failed called once when the model fails; sound then passes unchanged
   * @throws {Error} when the model has no room
   */
  constructor(model, sink, channels, failed) {
    this.#model = model;
    this.#sink = sink;
    this.#channels = channels;
    this.#failed = failed;
    this.#out = new Float32Array(2 * MODEL_SAMPLES * channels);
    for (let c = 0; c < channels; c++) {
      const state = model._rnnoise_create(0);
      const frame = model._malloc(MODEL_SAMPLES * SAMPLE_BYTES);
      if (state === 0 || frame === 0) throw new Error('the noise model has no memory left');
      this.#states.push({ state, frame });
    }
  }

  /** Delay of the sound that goes through it, in milliseconds. */
  get delayMs() {
    return this.#isBroken ? 0 : MODEL_DELAY_MS;
  }

  /** As Sink has it: the worklet wakes the worker for each frame of the model. */
  get samplesToFrame() {
    return this.#isBroken ? this.#sink.samplesToFrame : MODEL_SAMPLES - this.#filled;
  }

  /**
   * As Sink has it.
   * @param {Float32Array} samples interleaved when stereo; not kept
   * @param {number} count  samples of each channel
   * @param {number} [rate] in Hz; the model fails unless it is MODEL_RATE
   * @param {number} [burst]
   */
  capture(samples, count, rate = MODEL_RATE, burst = 0) {
    if (!this.#isBroken && rate !== MODEL_RATE) this.#fail();
    if (this.#isBroken) return this.#sink.capture(samples, count, rate, burst);
    const frames = Math.floor((this.#filled + count) / MODEL_SAMPLES);
    const needed = frames * MODEL_SAMPLES * this.#channels;
    if (this.#out.length < needed) this.#out = new Float32Array(needed);
    let written = 0;
    for (let at = 0; at < count;) {
      const taken = Math.min(count - at, MODEL_SAMPLES - this.#filled);
      this.#fill(samples, at, taken);
      at += taken;
      if (this.#filled < MODEL_SAMPLES) break;
      this.#filled = 0;
      if (!this.#process(written)) return;
      written += MODEL_SAMPLES;
    }
    // A frame of the model waits for the burst that completes it.
    const longest = burst % MODEL_SAMPLES === 0 ? burst : burst + MODEL_SAMPLES;
    if (written > 0) this.#sink.capture(this.#out, written, rate, longest);
  }

  /** @param {Float32Array} samples @param {number} from @param {number} count */
  #fill(samples, from, count) {
    const channels = this.#channels;
    const memory = this.#model.HEAPF32;
    for (let c = 0; c < channels; c++) {
      const at = this.#states[c].frame / SAMPLE_BYTES + this.#filled;
      for (let i = 0; i < count; i++)
        memory[at + i] = FULL_SCALE * samples[(from + i) * channels + c];
    }
    this.#filled += count;
  }

  /**
   * @param {number} to sample of the output
   * @returns {boolean} false when the model has failed
   */
  #process(to) {
    const channels = this.#channels;
    for (let c = 0; c < channels; c++) {
      const { state, frame } = this.#states[c];
      try {
        this.#model._rnnoise_process_frame(state, frame, frame);
      } catch {
        this.#fail();
        return false;
      }
      const at = frame / SAMPLE_BYTES;
      const memory = this.#model.HEAPF32;
      for (let i = 0; i < MODEL_SAMPLES; i++)
        this.#out[(to + i) * channels + c] = memory[at + i] / FULL_SCALE;
    }
    return true;
  }

  #fail() {
    this.#isBroken = true;
    this.#failed();
  }
}
