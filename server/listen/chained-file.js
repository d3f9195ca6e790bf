/** @import { OggOpus } from '../recording/ogg-opus.js' */

import { MAX_OPUS_BYTES } from '../../public/shared/stream/codec.js';

/** Shortest Opus frame, in samples of GRANULE_RATE: 2.5 ms. */
const LEAST_SAMPLES = 120;

/**
 * An Ogg file with a link for each title (RFC 3533, section 4). A link begins with the last packets
 * of the one before, which tune the decoder in and aren't heard: players drop its pre-skip.
 */
export class ChainedFile {
  #open;
  #file;
  #preSkip;
  /** The last packets, in a ring, as many as the pre-skip has at most. */
  #packets;
  #lengths;
  #durations;
  #count = 0;
  #samples = 0;
  #link = 0;
  /** Title of the next link; null without a change. @type {string | null} */
  #title = null;

  /**
   * @param {(link: number, title: string) => Pick<OggOpus, 'put' | 'end'>} open  opens a link
   * @param {{ title: string, preSkip: number }} options  preSkip: in samples of GRANULE_RATE
   */
  constructor(open, { title, preSkip }) {
    this.#open = open;
    this.#preSkip = preSkip;
    this.#file = open(0, title);
    const slots = Math.ceil(preSkip / LEAST_SAMPLES);
    this.#packets = new Uint8Array(slots * MAX_OPUS_BYTES);
    this.#lengths = new Uint16Array(slots);
    this.#durations = new Uint16Array(slots);
  }

  /** Length of the sound, in samples of GRANULE_RATE, with the pre-skip of the first link. */
  get samples() {
    return this.#samples;
  }

  /** @param {string} title  of the sound from the next packet on */
  set title(title) {
    this.#title = title;
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number} start of one whole Opus packet
   * @param {number} length
   * @param {number} samples duration at GRANULE_RATE
   */
  put(bytes, start, length, samples) {
    if (this.#title !== null) this.#begin(this.#title);
    this.#file.put(bytes, start, length, samples);
    this.#samples += samples;
    const slot = this.#count++ % this.#lengths.length;
    const at = slot * MAX_OPUS_BYTES;
    for (let i = 0; i < length; i++) this.#packets[at + i] = bytes[start + i];
    this.#lengths[slot] = length;
    this.#durations[slot] = samples;
  }

  /** @param {string} title */
  #begin(title) {
    const slots = this.#lengths.length;
    let [first, samples] = [this.#count, 0];
    while (samples < this.#preSkip && first > Math.max(0, this.#count - slots))
      samples += this.#durations[--first % slots];
    // A link needs packets for its whole pre-skip.
    if (samples < this.#preSkip) return;
    this.#title = null;
    this.#file.end();
    this.#file = this.#open(++this.#link, title);
    for (let k = first; k < this.#count; k++) {
      const slot = k % slots;
      const at = slot * MAX_OPUS_BYTES;
      this.#file.put(this.#packets, at, this.#lengths[slot], this.#durations[slot]);
    }
  }

  end() {
    this.#file.end();
  }
}
