/**
 * One frame of the grid as a packet's payload: one Opus frame, or several behind their lengths.
 * @import { AudioFormat } from './audio-format.js'
 * @import { Decoder, Encoder } from './codec.js'
 */

import { lengthBytes, readOpusFrames, writeLength } from './packet.js';

/** No Opus frame of one payload is longer, in bytes: what its length can say. */
const MAX_OPUS_FRAME_BYTES = 1275;

/** Encodes frames of the grid to payloads. */
export class PayloadEncoder {
  #encoder;
  #opusFrames;
  #opusFrameSamples;
  #scratch = new Uint8Array(MAX_OPUS_FRAME_BYTES);

  /**
   * @param {Encoder} encoder closed with this
   * @param {AudioFormat} format
   */
  constructor(encoder, { opusFrames, opusFrameSamples }) {
    this.#encoder = encoder;
    this.#opusFrames = opusFrames;
    this.#opusFrameSamples = opusFrameSamples;
  }

  /**
   * @param {Float32Array} pcm one frame of the grid, [-1, 1]
   * @param {Uint8Array} out
   * @param {number} at
   * @returns {number} the payload's bytes; 0 when it failed or doesn't fit
   */
  encode(pcm, out, at) {
    const last = this.#opusFrames - 1;
    if (last === 0) return this.#encoder.encode(pcm, out, at);
    let end = at;
    for (let i = 0; i <= last; i++) {
      const opusFrame = pcm.subarray(i * this.#opusFrameSamples, (i + 1) * this.#opusFrameSamples);
      const bytes = this.#encoder.encode(opusFrame, this.#scratch, 0);
      if (bytes === 0 || end + lengthBytes(bytes) + bytes > out.length) return 0;
      if (i < last) end = writeLength(out, end, bytes);
      for (let b = 0; b < bytes; b++) out[end + b] = this.#scratch[b];
      end += bytes;
    }
    return end - at;
  }

  /** @param {number} complexity 0 to 10, from the next frame on */
  setComplexity(complexity) {
    this.#encoder.setComplexity(complexity);
  }

  close() {
    this.#encoder.close();
  }
}

/** Decodes payloads to frames of the grid. */
export class PayloadDecoder {
  #decoder;
  #opusFrames;
  #opusFrameSamples;
  #starts;
  #lengths;

  /**
   * @param {Decoder} decoder closed with this
   * @param {AudioFormat} format
   */
  constructor(decoder, { opusFrames, opusFrameSamples }) {
    this.#decoder = decoder;
    this.#opusFrames = opusFrames;
    this.#opusFrameSamples = opusFrameSamples;
    this.#starts = new Uint16Array(opusFrames);
    this.#lengths = new Uint16Array(opusFrames);
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number} start where the payload starts
   * @param {number} length its bytes
   * @param {Float32Array} out
   * @param {number} at where the frame's samples go
   * @returns {boolean} false when there was garbage in it; what of the frame was garbage is concealed
   */
  decode(bytes, start, length, out, at) {
    if (!readOpusFrames(bytes, start, length, this.#opusFrames, this.#starts, this.#lengths)) {
      this.conceal(out, at);
      return false;
    }
    let good = true;
    for (let i = 0; i < this.#opusFrames; i++) {
      if (this.#decoder.decode(bytes, this.#starts[i], this.#lengths[i], out, at)) {
        at += this.#opusFrameSamples;
        continue;
      }
      this.#decoder.conceal(out, at);
      at += this.#opusFrameSamples;
      good = false;
    }
    return good;
  }

  /**
   * Makes up one lost frame of the grid.
   * @param {Float32Array} out
   * @param {number} at
   */
  conceal(out, at) {
    for (let i = 0; i < this.#opusFrames; i++) {
      this.#decoder.conceal(out, at + i * this.#opusFrameSamples);
    }
  }

  close() {
    this.#decoder.close();
  }
}
