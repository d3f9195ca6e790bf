/**
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { OggOpus } from './ogg-opus.js'
 */

import { mostConcealed } from '../../public/shared/stream/payload.js';
import { readOpusFrames } from '../../public/shared/wire/packet.js';
import { GRANULE_RATE } from './ogg-opus.js';
import { isOpusPacket, MAX_PACKET_SAMPLES, silenceOf, writeMissing } from './opus-packet.js';

/** The most packets of 120 ms that fill the time before somebody agreed in one go: four minutes. */
const MAX_PACKETS_AT_ONCE = 2000;

/** Payloads of the room's frames as Opus packets in a file, one frame after the other without a gap. */
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
  /** Whether the last frame is one that a decoder makes up. */
  conceals = false;
  /** How many frames that don't come are still concealed: none after silence. */
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
    this.#starts = new Uint16Array(opusFrames);
    this.#lengths = new Uint16Array(opusFrames);
    this.#silence = silenceOf(this.#opusFrameSamples);
    this.#maxConcealed = mostConcealed({ frameMs });
  }

  /** The number of frames that there are. */
  get frames() {
    return this.#ogg.samples / (this.#opusFrames * this.#opusFrameSamples);
  }

  /**
   * Fills the time before the person agreed.
   * @param {number} frames the number that there are to be
   * @returns {boolean} false when there is more to fill: to be called again
   */
  fill(frames) {
    let samples = (frames - this.frames) * this.#opusFrames * this.#opusFrameSamples;
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
   * Adds a frame as it was sent.
   * @param {Uint8Array} bytes
   * @param {number} start of the payload
   * @param {number} length
   * @returns {boolean} false when it isn't Opus of the room's format: then it is missing
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

  /** Adds a frame that was sent as silence. */
  putSilence() {
    this.conceals = false;
    this.#concealed = 0;
    this.#putAll(this.#silence, this.#silence.length);
  }

  /** Adds a frame that didn't come: a decoder is to go on from sound, for as many frames as a listener’s does; after silence it was left out. */
  putMissing() {
    if (this.#concealed === 0) return this.putSilence();
    this.conceals = true;
    this.#concealed -= 1;
    this.#putAll(this.#missing, this.#missingBytes);
  }

  /** @param {Uint8Array} packet  of one Opus frame @param {number} length */
  #putAll(packet, length) {
    for (let i = 0; i < this.#opusFrames; i++) this.#ogg.put(packet, 0, length, this.#opusFrameSamples);
  }

  end() {
    this.#ogg.end();
  }
}
