/**
 * @import { AudioFormat } from '../../shared/sound/audio-format.js'
 * @import { Codec } from '../../shared/stream/codec.js'
 * @import { SoundWindow } from './listener.js'
 */

import { MAX_HEADER_BYTES, MAX_SENT_BYTES } from '../../shared/wire/packet.js';
import { PayloadEncoder } from '../../shared/stream/payload.js';
import { align } from '../../shared/sound/signal.js';

/** Period of the known signal, in milliseconds: longer than any delay to find. */
const PERIOD_MS = 4800;

/** Band of the known signal, in Hz, in which speech is strong and codecs keep the waveform. */
const LOW_HZ = 120;
const HIGH_HZ = 900;

/** Root mean square of the known signal. */
const LEVEL = 0.1;

/** Rates of the loudness variation, in cycles a period, like those of syllables and words. */
const SYLLABLES = Object.freeze([5, 19, 23]);

/** Rate of comparing sounds, in Hz; the known signal has nothing above half of it. */
const COMPARED_RATE = 8000;

/** Least correlation of a sound that counts as the known signal. */
const LEAST_CORRELATION = 0.5;

/** Search range beyond the server-side delay, in milliseconds, for codecs and the network. */
const MARGIN_MS = 300;

/**
 * Makes the known signal, which is unlike itself at any other time. It is noise in the band of a
 * voice, with the varying loudness of talk but no silence. It is always the same for one format.
 *
 * @param {AudioFormat} format
 * @returns {Float32Array} a whole number of frames, [-1, 1]
 */
export function createKnownSignal({ sampleRate, frameSamples, frameMs }) {
  const samples = new Float32Array(Math.ceil(PERIOD_MS / frameMs) * frameSamples);
  const low = 1 - Math.exp((-2 * Math.PI * HIGH_HZ) / sampleRate);
  const high = 1 - Math.exp((-2 * Math.PI * LOW_HZ) / sampleRate);
  const next = noise();
  let once = 0;
  let twice = 0;
  let slow = 0;
  let energy = 0;
  for (let i = 0; i < samples.length; i++) {
    once += low * (next() - once);
    twice += low * (once - twice);
    slow += high * (twice - slow);
    samples[i] = (twice - slow) * loudness(i / samples.length);
    energy += samples[i] ** 2;
  }
  const gain = LEVEL / Math.sqrt(energy / samples.length);
  return samples.map((sample) => Math.max(-1, Math.min(1, sample * gain)));
}

/** @param {number} at the position in the period, 0 to 1 */
function loudness(at) {
  let sum = 0;
  for (const turns of SYLLABLES) sum += Math.sin(2 * Math.PI * turns * at);
  return 0.6 + (0.4 * sum) / SYLLABLES.length;
}

/**
 * Marsaglia's xorshift with 32 bits of state (Journal of Statistical Software 8, 2003), from a
 * fixed seed.
 */
function noise() {
  let state = 0x2545f491;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state / 2 ** 31;
  };
}

/**
 * Encodes the known signal as one payload for each frame. The second of two passes is used, since
 * the signal is sent repeatedly and its start follows its end.
 *
 * @param {Codec} codec
 * @param {AudioFormat} format
 * @param {number} bitrate in b/s
 * @returns {Uint8Array[]}
 */
function encodeKnownSignal(codec, format, bitrate) {
  const signal = createKnownSignal(format);
  const { sampleRate, opusFrameSamples: frameSamples, frameSamples: size } = format;
  const encoder = new PayloadEncoder(
    codec.createEncoder({ sampleRate, frameSamples, bitrate }),
    format,
  );
  const out = new Uint8Array(MAX_SENT_BYTES - MAX_HEADER_BYTES);
  const frames = signal.length / size;
  const payloads = [];
  for (let i = 0; i < 2 * frames; i++) {
    const at = (i % frames) * size;
    const bytes = encoder.encode(signal.subarray(at, at + size), out, 0);
    if (i >= frames) payloads.push(out.slice(0, bytes));
  }
  encoder.close();
  return payloads;
}

/**
 * @returns {typeof encodeKnownSignal} a function that encodes only once for each format and bit
 *   rate
 */
export function createKnownSignalEncoder() {
  /** @type {Map<string, Uint8Array[]>} */
  const encoded = new Map();
  return (codec, format, bitrate) => {
    const key = JSON.stringify([format, bitrate]);
    let payloads = encoded.get(key);
    if (!payloads) encoded.set(key, (payloads = encodeKnownSignal(codec, format, bitrate)));
    return payloads;
  };
}

/** Samples of a format per compared sample. @param {number} sampleRate in Hz */
const comparedStep = (sampleRate) =>
  sampleRate % COMPARED_RATE === 0 ? sampleRate / COMPARED_RATE : 1;

/**
 * Reduces a sound to the compared rate by averaging neighbours.
 * @param {Float32Array} samples
 * @param {number} sampleRate in Hz
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

/** Finds the known signal in the heard sound. */
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
   * Measures the lag of a window's sound behind the clock of its frames.
   * @param {Pick<SoundWindow, 'frame' | 'sound'>} window
   * @param {number} serverDelayMs
   * @returns {{ lagMs: number, correlation: number } | null} null when the signal isn't found
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
   * The known signal on the sample clock.
   * @param {number} start in compared samples
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
   * Latency of the sound in each packet of a window, from a sample's capture to the arrival of its
   * packet at the listener.
   * @param {SoundWindow} window
   * @param {number} serverDelayMs
   * @returns {{ latenciesMs: { atMs: number, latencyMs: number }[], correlation: number } | null}
   *   null when the signal isn't found
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
