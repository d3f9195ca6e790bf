/**
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { OggOpus } from './ogg-opus.js'
 */

import { mostConcealedInFile } from '../../public/shared/stream/concealment.js';
import { readOpusFrames } from '../../public/shared/wire/packet.js';
import { GRANULE_RATE } from './ogg-opus.js';
import { isOpusPacket, MAX_PACKET_SAMPLES, silenceOf, writeMissing } from './opus-packet.js';

/** Limit of packets of 120 ms that fill the time before consent in one call: four minutes. */
const MAX_PACKETS_AT_ONCE = 2000;

/** Sound that a decoder needs to converge, in samples: 80 ms (RFC 7845, section 4.2). */
const CONVERGENCE_SAMPLES = (GRANULE_RATE * 80) / 1000;

/**
 * Returns the start of a file that players drop, in samples of GRANULE_RATE. It is whole Opus
 * frames, because VLC and GStreamer drop nothing smaller (`node bench/readers.js`).
 * @param {Pick<AudioFormat, 'sampleRate' | 'opusFrameSamples'>} format
 */
export function preSkipOf({ sampleRate, opusFrameSamples }) {
  const frame = (opusFrameSamples * GRANULE_RATE) / sampleRate;
  return Math.ceil(CONVERGENCE_SAMPLES / frame) * frame;
}

/** Writes the room's frames as Opus packets to a file, without gaps. */
export class Track {
  #ogg;
  #opusFrames;
  #opusFrameSamples;
  #starts;
  #lengths;
  #longSilence = silenceOf(MAX_PACKET_SAMPLES);
  #silence;
  #missing = new Uint8Array(2);
  #missingBytes = 0;
  /** True when a decoder conceals at least part of the last frame. */
  conceals = false;
  /** Number of missing Opus frames that are still concealed: none after silence. */
  #concealed = 0;
  #maxConcealed;

  /**
   * @param {Pick<OggOpus, 'put' | 'end' | 'samples'>} ogg  the file, Ogg or WebM; ended with this
   * @param {AudioFormat} format
   */
  constructor(ogg, { sampleRate, frameMs, opusFrames, opusFrameSamples }) {
    this.#ogg = ogg;
    this.#opusFrames = opusFrames;
    this.#opusFrameSamples = (opusFrameSamples * GRANULE_RATE) / sampleRate;
    this.#starts = new Uint32Array(opusFrames);
    this.#lengths = new Uint16Array(opusFrames);
    this.#silence = silenceOf(this.#opusFrameSamples);
    this.#maxConcealed = mostConcealedInFile({ frameMs, opusFrames });
  }

  /** The number of frames. */
  get frames() {
    return this.#ogg.samples / (this.#opusFrames * this.#opusFrameSamples);
  }

  /**
   * Fills the time before the person agreed.
   * @param {number} frames  the target number
   * @returns {boolean} false if more is left to fill: call it again
   */
  fill(frames) {
    let samples = this.#samplesTo(frames);
    for (let i = 0; samples > 0 && i < MAX_PACKETS_AT_ONCE; i++) {
      const long = samples >= MAX_PACKET_SAMPLES;
      const packet = long ? this.#longSilence : this.#silence;
      const lasts = long ? MAX_PACKET_SAMPLES : this.#opusFrameSamples;
      this.#ogg.put(packet, 0, packet.length, lasts);
      samples -= lasts;
    }
    return samples <= 0;
  }

  /**
   * Fills most of that time ahead. Only the longest packets are used, so the file is the same.
   * @param {number} frames  as for `fill`
   */
  fillAhead(frames) {
    let samples = this.#samplesTo(frames);
    for (let i = 0; samples >= MAX_PACKET_SAMPLES && i < MAX_PACKETS_AT_ONCE; i++) {
      this.#ogg.put(this.#longSilence, 0, this.#longSilence.length, MAX_PACKET_SAMPLES);
      samples -= MAX_PACKET_SAMPLES;
    }
  }

  /** Samples of GRANULE_RATE that lack to a number of frames. @param {number} frames */
  #samplesTo(frames) {
    return (frames - this.frames) * this.#opusFrames * this.#opusFrameSamples;
  }

  /**
   * Adds a frame as it was sent.
   * @param {Uint8Array} bytes
   * @param {number} start  of the payload
   * @param {number} length
   * @returns {boolean} false for a payload that isn't Opus in the room's format: it counts as
   *   missing
   */
  put(bytes, start, length) {
    const count = this.#opusFrames;
    let good = readOpusFrames(bytes, start, length, count, this.#starts, this.#lengths);
    for (let i = 0; good && i < count; i++) {
      good = isOpusPacket(bytes, this.#starts[i], this.#lengths[i], this.#opusFrameSamples);
    }
    if (!good) {
      this.putMissing();
      return false;
    }
    for (let i = 0; i < count; i++) {
      this.#ogg.put(bytes, this.#starts[i], this.#lengths[i], this.#opusFrameSamples);
    }
    this.#missingBytes = writeMissing(this.#missing, bytes, this.#starts[count - 1]);
    this.conceals = false;
    this.#concealed = this.#maxConcealed;
    return true;
  }

  putSilence() {
    this.#concealed = 0;
    this.putMissing();
  }

  /**
   * Adds a missing frame. After sound a decoder conceals it, for about as long as a listener's
   * does; after silence it was left out by the sender.
   */
  putMissing() {
    this.conceals = this.#concealed > 0;
    for (let i = 0; i < this.#opusFrames; i++) {
      if (this.#concealed > 0)
        this.#ogg.put(this.#missing, 0, this.#missingBytes, this.#opusFrameSamples);
      else this.#ogg.put(this.#silence, 0, this.#silence.length, this.#opusFrameSamples);
      this.#concealed = Math.max(0, this.#concealed - 1);
    }
  }

  end() {
    this.#ogg.end();
  }
}
