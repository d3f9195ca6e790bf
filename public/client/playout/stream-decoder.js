/**
 * @import { AudioFormat } from '../../shared/audio-format.js'
 * @import { PayloadDecoder } from '../../shared/payload.js'
 */

import { Stream } from '../../shared/packet.js';
import { LevelMatch } from './level-match.js';
import { Splicer } from './splicer.js';

/** Sound whose last millisecond is no louder than this has ended by itself: -60 dBFS. */
const ENDED = 0.001;

/**
 * A listener's two streams as one sound: frames are decoded, made up or silent, and one goes on from
 * the other without a click. All pieces but silence are a frame long.
 */
export class StreamDecoder {
  #decoders;
  #splicer;
  #levels;
  #frameSamples;
  #perMs;
  #scratch;
  /** @type {number} the stream that is heard: one of Stream */
  #stream = Stream.fullMix;
  /** By stream: whether its decoder has nothing left of a sound that was broken off. */
  #clean = [true, true];
  /** How loud the end of what was heard last is, and its last sample of each channel. */
  #end = 0;
  #last;
  #channels;

  /** Whether the decoder would go on with sound, rather than silence. */
  sounding = false;

  /**
   * @param {AudioFormat} format
   * @param {PayloadDecoder[]} decoders by Stream; closed with this
   */
  constructor(format, decoders) {
    this.#decoders = decoders;
    this.#splicer = new Splicer(format);
    this.#levels = new LevelMatch(format);
    this.#frameSamples = format.frameSamples;
    this.#perMs = Math.ceil(format.sampleRate / 1000);
    this.#channels = format.channels;
    this.#last = new Float32Array(format.channels);
    this.#scratch = new Float32Array(format.frameValues);
  }

  /** Silence must be so many samples long at least. */
  get leastSilence() {
    return this.sounding || this.#splicer.pending ? this.#splicer.samples : 1;
  }

  /** What is cut must be so many samples long at least. */
  get fadeSamples() {
    return this.#splicer.samples;
  }

  /**
   * @param {number} stream one of Stream
   * @param {Uint8Array} payload
   * @param {number} length its bytes, not 0
   * @param {Float32Array} out
   * @returns {boolean} false when there was garbage in it
   */
  decode(stream, payload, length, out) {
    if (this.sounding && stream !== this.#stream) this.breakOff();
    // After silence the first sample is the first of the sound's own.
    if (!this.sounding && !this.#clean[stream]) this.#splicer.cutSilence();
    if (!this.sounding) this.#levels.begin();
    this.#stream = stream;
    this.#clean[stream] = true;
    this.sounding = true;
    const good = this.#decoders[stream].decode(payload, 0, length, out, 0);
    this.#levels.apply(out);
    this.#join(out, this.#frameSamples);
    return good;
  }

  /**
   * Decodes a frame that isn't heard, since the other stream's was: the next one goes on from it.
   * @param {number} stream one of Stream
   * @param {Uint8Array} payload
   * @param {number} length its bytes; 0: it was silent
   */
  prime(stream, payload, length) {
    if (this.sounding && stream === this.#stream) return;
    if (this.sounding) this.breakOff();
    if (length === 0) return;
    this.#clean[stream] = this.#decoders[stream].decode(payload, 0, length, this.#scratch, 0);
    this.#levels.primed(this.#scratch);
  }

  /** @param {Float32Array} out a frame that is made up, from what was before */
  conceal(out) {
    this.#decoders[this.#stream].conceal(out, 0);
    this.#clean[this.#stream] = false;
    this.#levels.forget();
    this.#join(out, this.#frameSamples);
  }

  /**
   * @param {Float32Array} out
   * @param {number} count how much of it
   */
  silence(out, count) {
    if (this.sounding) this.#endSound();
    this.#levels.forget();
    out.fill(0, 0, count * this.#channels);
    this.#join(out, count);
  }

  /** A sound that has faded out is over, and its decoder is as the encoder is. Another one is faded out here. */
  #endSound() {
    if (this.#end > ENDED) {
      this.breakOff();
      return;
    }
    this.#splicer.cutTo(this.#last);
    this.sounding = false;
  }

  /** What follows doesn't go on from the sound before it. */
  breakOff() {
    this.#decoders[this.#stream].conceal(this.#scratch, 0);
    this.#clean[this.#stream] = false;
    this.#splicer.cut(this.#scratch, 0);
    this.sounding = false;
  }

  /**
   * What was given last is heard only so far: the rest of it is faded into what follows.
   * @param {Float32Array} out
   * @param {number} count
   */
  shorten(out, count) {
    this.#splicer.cut(out, count);
  }

  /**
   * @param {Float32Array} out
   * @param {number} count
   */
  #join(out, count) {
    this.#splicer.join(out, count);
    this.#end = 0;
    const channels = this.#channels;
    for (let i = Math.max(0, count - this.#perMs) * channels; i < count * channels; i++) {
      const size = Math.abs(out[i]);
      if (size > this.#end) this.#end = size;
    }
    for (let c = 0; c < channels; c++) this.#last[c] = out[(count - 1) * channels + c];
  }

  /** Idempotent. */
  close() {
    for (const decoder of this.#decoders) decoder.close();
  }
}
