/** @import { OggOpus } from '../recording/ogg-opus.js' */

import { GRANULE_RATE } from '../recording/ogg-opus.js';
import { padPacket } from '../recording/opus-packet.js';

/**
 * Bytes a second of a file for a browser or VLC. Chromium and Firefox read a file in blocks of 32
 * KiB, VLC in blocks of 4 KiB after a longer start. With fewer bytes a file would begin late and
 * stay late: a silent room by 48 s and more, speech by 5 s (`node bench/readers.js listen`). At
 * this rate a block lasts 1.3 s.
 */
const BYTES_PER_SECOND = 25_600;

/** Longest packet, in bytes. */
const MAX_PADDED_BYTES = 4000;

/** Shared by all files: a packet is copied before the next. */
const padded = new Uint8Array(MAX_PADDED_BYTES);

/**
 * A file whose packets are padded (RFC 6716, section 3.2.5) to a steady rate. Decoders drop the
 * padding.
 */
export class PaddedFile {
  #file;
  /** Bytes by which the packets so far fall short of the rate. */
  #owed = 0;

  /** @param {Pick<OggOpus, 'put' | 'end' | 'samples'>} file  Ogg or WebM; ended with this */
  constructor(file) {
    this.#file = file;
  }

  get samples() {
    return this.#file.samples;
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number} start of one whole Opus packet
   * @param {number} length
   * @param {number} samples duration at GRANULE_RATE
   */
  put(bytes, start, length, samples) {
    this.#owed += (samples * BYTES_PER_SECOND) / GRANULE_RATE;
    const whole = padPacket(
      padded,
      bytes,
      start,
      length,
      Math.min(MAX_PADDED_BYTES, Math.floor(this.#owed)),
    );
    this.#owed = Math.max(0, this.#owed - Math.max(length, whole));
    if (whole === 0) this.#file.put(bytes, start, length, samples);
    else this.#file.put(padded, 0, whole, samples);
  }

  end() {
    this.#file.end();
  }
}
