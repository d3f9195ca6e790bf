/**
 * Payloads of PCM, for people who asked for them: samples as integers, little-endian, interleaved.
 * Their beginning is one that no Opus packet has, of code 3 without frames (RFC 6716, section
 * 3.2.5, R5). So every decoder tells them apart, packet by packet, and an older one conceals them.
 *
 * @import { AudioFormat } from '../sound/audio-format.js'
 * @import { Encoder } from './codec.js'
 * @import { PayloadEncoder } from './payload.js'
 */

import { MAX_HEADER_BYTES, MAX_SENT_BYTES } from '../wire/packet-format.js';

/** The first byte: code 3. The second has the bits of a sample above a count of no frames. */
const CODE_3 = 0xff;
const COUNT_MASK = 0x3f;
const IS_24_BITS = 0x40;
const HEADER_BYTES = 2;

const SCALE_16 = 2 ** 15;
const SCALE_24 = 2 ** 23;

/**
 * True when frames of PCM fit into packets: frames of 2.5 and 5 ms do, except for 5 ms in stereo
 * with 24 bits.
 * @param {AudioFormat} format
 * @param {number} bits
 */
export const fitsPcm = ({ frameValues, opusFrames }, bits) =>
  opusFrames === 1 && HEADER_BYTES + (frameValues * bits) / 8 <= MAX_SENT_BYTES - MAX_HEADER_BYTES;

/**
 * @param {Uint8Array} bytes
 * @param {number} start  of a payload
 * @param {number} length
 */
export const isPcm = (bytes, start, length) =>
  length > HEADER_BYTES && bytes[start] === CODE_3 && (bytes[start + 1] & COUNT_MASK) === 0;

/**
 * Reads a payload for which isPcm() is true.
 * @param {Uint8Array} bytes
 * @param {number} start
 * @param {number} length
 * @param {Float32Array} out
 * @param {number} at
 * @param {number} values  of a frame
 * @returns {boolean} false when it isn't a frame of this length; `out` is silent then
 */
export function readPcm(bytes, start, length, out, at, values) {
  const kind = bytes[start + 1];
  const sampleBytes = kind === IS_24_BITS ? 3 : 2;
  if ((kind & ~IS_24_BITS) !== 0 || length !== HEADER_BYTES + values * sampleBytes) {
    out.fill(0, at, at + values);
    return false;
  }
  let from = start + HEADER_BYTES;
  if (sampleBytes === 2) {
    for (let i = 0; i < values; i++, from += 2)
      out[at + i] = ((bytes[from] << 16) | (bytes[from + 1] << 24)) / 2 ** 31;
  } else {
    for (let i = 0; i < values; i++, from += 3)
      out[at + i] =
        ((bytes[from] << 8) | (bytes[from + 1] << 16) | (bytes[from + 2] << 24)) / 2 ** 31;
  }
  return true;
}

/**
 * Encodes frames as PCM: rounded, clipped. It has no delay.
 * @implements {Encoder}
 */
export class PcmEncoder {
  lookahead = 0;
  #bits;

  /** @param {number} bits  one of PCM_BITS */
  constructor(bits) {
    this.#bits = bits;
  }

  /** @type {Encoder['encode']} */
  encode(pcm, out, at) {
    const is24 = this.#bits === 24;
    const end = at + HEADER_BYTES + (pcm.length * this.#bits) / 8;
    if (end > out.length) return 0;
    out[at] = CODE_3;
    out[at + 1] = is24 ? IS_24_BITS : 0;
    const scale = is24 ? SCALE_24 : SCALE_16;
    let to = at + HEADER_BYTES;
    for (let i = 0; i < pcm.length; i++) {
      const value = Math.max(-scale, Math.min(scale - 1, Math.round(pcm[i] * scale)));
      out[to++] = value;
      out[to++] = value >> 8;
      if (is24) out[to++] = value >> 16;
    }
    return end - at;
  }

  setComplexity() {}
  setMono() {}
  setPrediction() {}
  close() {}
}

/** Encodes a stream as PCM, or as Opus while that isn't possible. */
export class PcmOrOpus {
  #pcm;
  #opus;
  #isPossible;
  #current;

  /**
   * @param {PayloadEncoder} pcm closed with this
   * @param {PayloadEncoder} opus closed with this
   * @param {() => boolean} isPossible  asked for each frame
   */
  constructor(pcm, opus, isPossible) {
    this.#pcm = pcm;
    this.#opus = opus;
    this.#isPossible = isPossible;
    this.#current = opus;
  }

  /** @type {PayloadEncoder['begin']} */
  begin(pcm, out, at, complexity, predicts) {
    this.#current = this.#isPossible() ? this.#pcm : this.#opus;
    this.#current.begin(pcm, out, at, complexity, predicts);
  }

  end() {
    return this.#current.end();
  }

  close() {
    this.#pcm.close();
    this.#opus.close();
  }
}
