import { OverlapSearch } from '../shared/sound/overlap-search.js';

/**
 * Length of the cross-fade between pieces, and search range for the best next piece, in
 * milliseconds.
 */
const HOP_MS = 15;
const SEARCH_MS = 10;

/** Sound kept before it is played, in seconds. */
const INPUT_SECONDS = 2;

/**
 * Changes the speed of sound but not its pitch, by waveform similarity overlap-add: see
 * OverlapSearch. At speed 1 the sound stays unchanged.
 */
export class PlaybackSpeed {
  #channels;
  #hop;
  #search;
  #overlaps;
  #input;
  /** Samples of the input, and the position in it where the present sound continues. */
  #length = 0;
  #cursor = 0;
  /** Place of the next piece by the speed alone. */
  #nominal = 0;
  /** Samples dropped before the input. */
  #dropped = 0;
  #out;
  speed = 1;

  /** @param {{ sampleRate: number, channels: number }} format */
  constructor({ sampleRate, channels }) {
    this.#channels = channels;
    this.#hop = Math.round((HOP_MS * sampleRate) / 1000);
    this.#search = Math.round((SEARCH_MS * sampleRate) / 1000);
    this.#overlaps = new OverlapSearch({ sampleRate, channels }, INPUT_SECONDS * sampleRate);
    this.#input = new Float32Array(INPUT_SECONDS * sampleRate * channels);
    this.#out = new Float32Array(this.#hop * channels);
  }

  /** Position of the output in the original sound, in samples. */
  get position() {
    return (
      this.#dropped + (this.speed === 1 ? this.#cursor : Math.min(this.#nominal, this.#length))
    );
  }

  /** True when it has no output without more input. */
  get needsInput() {
    if (this.speed === 1) return this.#length - this.#cursor < this.#hop;
    return (
      Math.max(this.#cursor, Math.ceil(this.#nominal) + this.#search) + this.#hop > this.#length
    );
  }

  /**
   * Adds sound.
   * @param {Float32Array} pcm interleaved; at most a second, and only while it needs input
   */
  push(pcm) {
    const channels = this.#channels;
    const keep = Math.max(0, Math.floor(Math.min(this.#cursor, this.#nominal - this.#search)));
    this.#input.copyWithin(0, keep * channels, this.#length * channels);
    this.#length -= keep;
    this.#cursor -= keep;
    this.#nominal -= keep;
    this.#dropped += keep;
    this.#input.set(pcm, this.#length * channels);
    this.#length += pcm.length / channels;
  }

  /**
   * Returns the remaining sound at the end, without a cross-fade.
   * @returns {Float32Array} interleaved
   */
  rest() {
    const rest = this.#input.slice(this.#cursor * this.#channels, this.#length * this.#channels);
    this.#cursor = this.#nominal = this.#length;
    return rest;
  }

  /**
   * Returns the next piece, unless it needs input.
   * @returns {Float32Array} interleaved, valid until the next call
   */
  pull() {
    const [channels, hop] = [this.#channels, this.#hop];
    if (this.speed === 1) {
      this.#out.set(this.#input.subarray(this.#cursor * channels, (this.#cursor + hop) * channels));
      this.#cursor += hop;
      this.#nominal = this.#cursor;
      return this.#out;
    }
    const nominal = Math.round(this.#nominal);
    const from = Math.max(0, nominal - this.#search);
    const to = Math.min(this.#length - hop, nominal + this.#search);
    const lag = this.#overlaps.find(
      this.#input,
      this.#cursor,
      this.#cursor - to,
      this.#cursor - from,
      hop,
    );
    const start = this.#cursor - lag;
    for (let i = 0; i < hop; i++) {
      const weight = (i + 0.5) / hop;
      for (let c = 0; c < channels; c++) {
        const before = this.#input[(this.#cursor + i) * channels + c];
        this.#out[i * channels + c] =
          before + weight * (this.#input[(start + i) * channels + c] - before);
      }
    }
    this.#cursor = start + hop;
    this.#nominal += hop * this.speed;
    return this.#out;
  }
}
