/**
 * One frame of the grid as a packet's payload: one Opus frame, or several behind their lengths.
 * @import { AudioFormat } from './audio-format.js'
 * @import { Decoder, Encoder } from './codec.js'
 */

import { lengthBytes, readOpusFrames, writeLength } from './packet-format.js';
import { AUDIO_HEADER_BYTES, MAX_PACKET_BYTES } from './packet.js';

/** The longest gap that is concealed, in milliseconds: by then the decoder has faded out. What follows is silence. */
export const MAX_CONCEAL_MS = 120;

/** The longest Opus frame of a payload, in bytes: the most that its coded length can say. */
const MAX_OPUS_FRAME_BYTES = 1275;

/**
 * @param {Pick<AudioFormat, 'frameMs' | 'opusFrames'>} format
 * @returns {number} the bit rate at which a frame fills a packet, in bits a second
 */
export function mostBitrate({ frameMs, opusFrames }) {
  return Math.floor(((MAX_PACKET_BYTES - AUDIO_HEADER_BYTES - 2 * opusFrames) * 8000) / frameMs);
}

/**
 * @param {number} bitrate of one channel, in bits a second
 * @param {AudioFormat} format
 * @returns {number} the bit rate of a stream of the format: `bitrate` for each channel, as far as a packet has room
 */
export const streamBitrate = (bitrate, format) =>
  format.channels === 1 ? bitrate : Math.min(bitrate * format.channels, mostBitrate(format));

/**
 * Encodes frames of the grid to payloads. Stereo whose two sides are the same, such as a mono microphone's, goes
 * out as mono.
 */
export class PayloadEncoder {
  #encoder;
  #opusFrames;
  #opusFrameValues;
  #isStereo;
  /** Whether the last frame's sides were the same, and whether it was sent as mono. */
  #hadSameSides = true;
  #isMono = false;
  #scratch = new Uint8Array(MAX_OPUS_FRAME_BYTES);

  /**
   * @param {Encoder} encoder closed with this
   * @param {AudioFormat} format
   */
  constructor(encoder, { opusFrames, opusFrameSamples, channels }) {
    this.#encoder = encoder;
    this.#opusFrames = opusFrames;
    this.#opusFrameValues = opusFrameSamples * channels;
    this.#isStereo = channels === 2;
  }

  /**
   * @param {Float32Array} pcm one frame of the grid, [-1, 1]
   * @param {Uint8Array} out
   * @param {number} at
   * @returns {number} the payload's bytes; 0 when it failed or doesn't fit
   */
  encode(pcm, out, at) {
    if (this.#isStereo) this.#follow(hasSameSides(pcm));
    const last = this.#opusFrames - 1;
    if (last === 0) return this.#encoder.encode(pcm, out, at);
    let end = at;
    for (let i = 0; i <= last; i++) {
      const opusFrame = pcm.subarray(i * this.#opusFrameValues, (i + 1) * this.#opusFrameValues);
      const bytes = this.#encoder.encode(opusFrame, this.#scratch, 0);
      if (bytes === 0 || end + lengthBytes(bytes) + bytes > out.length) return 0;
      if (i < last) end = writeLength(out, end, bytes);
      for (let b = 0; b < bytes; b++) out[end + b] = this.#scratch[b];
      end += bytes;
    }
    return end - at;
  }

  /**
   * Each Opus frame overlaps with the one before, so only the second with the same sides is like mono wholly.
   * @param {boolean} hasSame
   */
  #follow(hasSame) {
    const isMono = hasSame && this.#hadSameSides;
    this.#hadSameSides = hasSame;
    if (isMono !== this.#isMono) this.#encoder.setMono(isMono);
    this.#isMono = isMono;
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
  #opusFrameValues;
  #starts;
  #lengths;

  /**
   * @param {Decoder} decoder closed with this
   * @param {AudioFormat} format
   */
  constructor(decoder, { opusFrames, opusFrameSamples, channels }) {
    this.#decoder = decoder;
    this.#opusFrames = opusFrames;
    this.#opusFrameValues = opusFrameSamples * channels;
    this.#starts = new Uint16Array(opusFrames);
    this.#lengths = new Uint16Array(opusFrames);
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number} start where the payload starts
   * @param {number} length its bytes
   * @param {Float32Array} out
   * @param {number} at where the frame goes
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
        at += this.#opusFrameValues;
        continue;
      }
      this.#decoder.conceal(out, at);
      at += this.#opusFrameValues;
      good = false;
    }
    return good;
  }

  /**
   * Conceals one lost frame of the grid.
   * @param {Float32Array} out
   * @param {number} at
   */
  conceal(out, at) {
    for (let i = 0; i < this.#opusFrames; i++) {
      this.#decoder.conceal(out, at + i * this.#opusFrameValues);
    }
  }

  close() {
    this.#decoder.close();
  }
}

/** @param {Float32Array} pcm interleaved */
function hasSameSides(pcm) {
  for (let i = 0; i < pcm.length; i += 2) if (pcm[i] !== pcm[i + 1]) return false;
  return true;
}
