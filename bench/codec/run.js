/**
 * One codec at one setting, over speech: what each frame takes, and what comes out.
 */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { quantile, sorted } from '../../testkit/statistics.js';
import { barkDistance, preEcho, segmentalSnr, weightedSnr } from './quality.js';

/**
 * @typedef {import('../../server/codec/codec.js').Codec} Codec
 * @typedef {Required<import('../../server/codec/codec.js').EncoderSettings>} Settings
 *
 * @typedef {object} CodecFigures
 * @property {number} encodeMedianUs      microseconds a frame
 * @property {number} encodeP99Us
 * @property {number} decodeMedianUs
 * @property {number} decodeP99Us
 * @property {number} lookaheadMs
 * @property {number} bitrate             b/s that were used
 * @property {number} longestBytes        of a payload
 * @property {string} mode                SILK, hybrid or CELT: what most frames are coded in
 * @property {number} barkDistanceDb      see codec-quality.js
 * @property {number} preEchoDb
 * @property {number} segmentalSnrDb
 * @property {number} weightedSnrDb
 * @property {Round[]} rounds           the medians of each turn
 *
 * @typedef {{ encodeUs: number, decodeUs: number }} Round
 */

setFlagsFromString('--expose-gc');
const collectGarbage = /** @type {() => void} */ (runInNewContext('gc'));

const ALLOCATION_FRAMES = 200;
const ALLOCATION_TRIES = 5;

export class CodecRun {
  #settings;
  #sound;
  #decoded;
  #payload = new Uint8Array(1275);
  #bytes = 0;
  #longest = 0;
  #modes = { SILK: 0, hybrid: 0, CELT: 0 };
  /** @type {number[]} */
  #encodeUs = [];
  /** @type {number[]} */
  #decodeUs = [];
  /** @type {Round[]} */
  #rounds = [];

  /**
   * @param {import('../../server/codec/codec.js').Encoder} encoder
   * @param {import('../../server/codec/codec.js').Decoder} decoder
   * @param {Settings} settings
   * @param {Float32Array} sound at 48 kHz
   */
  constructor(encoder, decoder, settings, sound) {
    this.encoder = encoder;
    this.decoder = decoder;
    this.#settings = settings;
    this.#sound = sound;
    this.#decoded = new Float32Array(sound.length);
  }

  /**
   * @param {Codec} codec
   * @param {Settings} settings
   * @param {Float32Array} sound at 48 kHz
   */
  static open(codec, settings, sound) {
    return new CodecRun(
      codec.createEncoder(settings),
      codec.createDecoder(settings),
      settings,
      sound,
    );
  }

  close() {
    this.encoder.close();
    this.decoder.close();
  }

  /**
   * Encodes and decodes a part of the sound: one turn.
   * @param {number} from sample, a multiple of the frame
   * @param {number} to sample
   */
  advance(from, to) {
    const { frameSamples } = this.#settings;
    const payload = this.#payload;
    const first = this.#encodeUs.length;
    for (let at = from; at + frameSamples <= to; at += frameSamples) {
      const frame = this.#sound.subarray(at, at + frameSamples);
      const start = performance.now();
      const length = this.encoder.encode(frame, payload, 0);
      const encoded = performance.now();
      const middle = performance.now();
      const isDecoded = this.decoder.decode(payload, 0, length, this.#decoded, at);
      const end = performance.now();
      if (!isDecoded) throw new Error(`no Opus came out of ${JSON.stringify(this.#settings)}`);
      this.#encodeUs.push((encoded - start) * 1000);
      this.#decodeUs.push((end - middle) * 1000);
      this.#bytes += length;
      this.#longest = Math.max(this.#longest, length);
      this.#modes[modeOf(payload[0])]++;
    }
    this.#rounds.push({
      encodeUs: quantile(sorted(this.#encodeUs.slice(first)), 0.5),
      decodeUs: quantile(sorted(this.#decodeUs.slice(first)), 0.5),
    });
  }

  /** Encoded and decoded sound, aligned. */
  get sounds() {
    const { lookahead } = this.encoder;
    return {
      original: this.#sound.subarray(0, this.#sound.length - lookahead),
      decoded: this.#decoded.subarray(lookahead),
    };
  }

  /** @returns {CodecFigures} once the sound has been run through to its end */
  figures() {
    const { sampleRate, frameSamples } = this.#settings;
    const { lookahead } = this.encoder;
    const { original, decoded } = this.sounds;
    const modes = /** @type {[string, number][]} */ (Object.entries(this.#modes));
    return {
      encodeMedianUs: quantile(sorted(this.#encodeUs), 0.5),
      encodeP99Us: quantile(sorted(this.#encodeUs), 0.99),
      decodeMedianUs: quantile(sorted(this.#decodeUs), 0.5),
      decodeP99Us: quantile(sorted(this.#decodeUs), 0.99),
      lookaheadMs: (lookahead * 1000) / sampleRate,
      bitrate: (this.#bytes * 8 * sampleRate) / (this.#encodeUs.length * frameSamples),
      longestBytes: this.#longest,
      mode: modes.reduce((most, one) => (one[1] > most[1] ? one : most))[0],
      barkDistanceDb: barkDistance(original, decoded),
      preEchoDb: preEcho(original, decoded),
      segmentalSnrDb: segmentalSnr(original, decoded),
      weightedSnrDb: weightedSnr(original, decoded),
      rounds: this.#rounds,
    };
  }
}

/**
 * @param {() => unknown} action
 * @returns {number} bytes, each time
 */
export function allocatedBy(action) {
  return Math.max(0, Math.round((growthOver(action) - growthOver(() => 0)) / ALLOCATION_FRAMES));
}

/** @param {() => unknown} action */
function growthOver(action) {
  let most = 0;
  for (let t = 0; t < ALLOCATION_TRIES; t++) {
    collectGarbage();
    const before = process.memoryUsage();
    for (let i = 0; i < ALLOCATION_FRAMES; i++) action();
    const after = process.memoryUsage();
    // The largest: memory that the collector's own threads give back only lowers it.
    most = Math.max(
      most,
      after.heapUsed - before.heapUsed + after.arrayBuffers - before.arrayBuffers,
    );
  }
  return most;
}

/**
 * @typedef {object} MemoryFigures
 * @property {number} encoderBytes          memory of the library for one, once used
 * @property {number} decoderBytes
 * @property {number} encodeAllocatedBytes  on JavaScript's heap and in array buffers, a frame
 * @property {number} decodeAllocatedBytes
 */

/**
 * @param {Codec} codec
 * @param {Settings} settings
 * @returns {MemoryFigures}
 */
export function memoryOf(codec, settings) {
  const frame = new Float32Array(settings.frameSamples);
  const payload = new Uint8Array(1275);
  const [encoder, decoder] = [codec.createEncoder(settings), codec.createDecoder(settings)];
  const length = encoder.encode(frame, payload, 0);
  const encode = () => encoder.encode(frame, payload, 0);
  const decode = () => decoder.decode(payload, 0, length, frame, 0);
  const allocated = {
    encodeAllocatedBytes: allocatedBy(encode),
    decodeAllocatedBytes: allocatedBy(decode),
  };
  /** All stay open to the end, so that none takes memory that another has just given back. */
  const opened = [encoder, decoder];
  const encoderBytes = bytesOfEach(opened, () => {
    const one = codec.createEncoder(settings);
    one.encode(frame, payload, 0);
    return one;
  });
  const decoderBytes = bytesOfEach(opened, () => {
    const one = codec.createDecoder(settings);
    one.decode(payload, 0, length, frame, 0);
    return one;
  });
  for (const one of opened) one.close();
  return { encoderBytes, decoderBytes, ...allocated };
}

/**
 * @param {{ close: () => void }[]} opened
 * @param {() => { close: () => void }} open
 */
function bytesOfEach(opened, open) {
  const count = 2000;
  collectGarbage();
  const before = process.memoryUsage().rss;
  for (let i = 0; i < count; i++) opened.push(open());
  collectGarbage();
  return (process.memoryUsage().rss - before) / count;
}

/**
 * @param {number} toc a payload's first byte (RFC 6716, table 2)
 * @returns {'SILK' | 'hybrid' | 'CELT'}
 */
function modeOf(toc) {
  const config = toc >> 3;
  if (config >= 16) return 'CELT';
  return config >= 12 ? 'hybrid' : 'SILK';
}
