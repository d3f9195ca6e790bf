/**
 * @import { AudioFormat } from '../../shared/sound/audio-format.js'
 * @import { Clock } from '../../shared/clock.js'
 *
 * Messages to the file's worker; their buffers come back.
 * @typedef {{ begin: { sampleRate: number, channels: number, timeReference: number } }
 *   | { buffer: ArrayBuffer, at: number, bytes: number } | { end: string }} FilePart
 *   begin: first. buffer: `bytes` of sound, at a place in the sound. end: '', or the code of a
 *   sentence
 */

import { FrameGrid } from './uplink.js';
import { createAudioFormat } from '../../shared/sound/audio-format.js';
import { SAMPLE_BYTES, writeSample24 } from '../../shared/sound/wav.js';

/** Length of a block, in milliseconds, and most of them that wait for the disk: 20 s. */
const BLOCK_MS = 500;
const MAX_WAITING = 40;

/** Length of the fades when the person mutes themself, in milliseconds. */
const FADE_MS = 5;

/** Smallest jump of the room's clock that means another clock, in milliseconds. */
const OTHER_CLOCK_MS = 1000;

/**
 * Records captured sound before the codec, as 24-bit samples on the grid of the room's clock. It
 * goes on while the connection is lost. Frames without sound are left out: the file has silence
 * there.
 */
export class OwnRecording {
  #format;
  #port;
  #clock;
  #grid;
  /** The room's sample clock at a time; null until it is known. */
  #read = /** @type {{ sample: number, atMs: number } | null} */ (null);
  /** Samples between the present clock and the one that the recording began with. */
  #shift = 0;
  #muted;
  #gain;
  #fadeStep;
  /** The first sample on the room's clock; -1 before it. */
  #origin = -1;
  #blockBytes;
  #block;
  #filled = 0;
  /** Place of the block in the sound, and of the next sample; in bytes. */
  #blockAt = 0;
  #at = 0;
  /** Buffers that came back. @type {ArrayBuffer[]} */
  #free = [];
  #waiting = 0;
  #ended = false;
  /** Samples with the file's channels, where they come with others. */
  #refitted = new Float32Array(0);
  /** Sound is never moved faster than by a slow steering. */
  resting = false;

  /**
   * @param {object} options
   * @param {AudioFormat} options.format  the room's
   * @param {number} [options.channels]  of the file; the room's by default
   * @param {MessagePort} options.port  to the file's worker; see FilePart
   * @param {boolean} options.muted
   * @param {Pick<Clock, 'now'>} options.clock
   */
  constructor({ format: room, channels = room.channels, port, muted, clock }) {
    const format = createAudioFormat({ ...room, channels });
    this.#format = format;
    this.#port = port;
    this.#clock = clock;
    this.#muted = muted;
    this.#gain = muted ? 0 : 1;
    this.#fadeStep = 1000 / (FADE_MS * format.sampleRate);
    this.#blockBytes = Math.ceil(BLOCK_MS / format.frameMs) * format.frameValues * SAMPLE_BYTES;
    this.#block = new Uint8Array(this.#blockBytes);
    this.#grid = new FrameGrid({ format, clockSync: this, sink: this, followsBursts: false });
    port.onmessage = ({ data }) => {
      this.#waiting -= 1;
      this.#free.push(data);
    };
  }

  /**
   * Ends the recording if the room has come back with another sample rate. A file has only one, so
   * later sound would play at another speed.
   * @param {Pick<AudioFormat, 'sampleRate'>} format  the room's
   */
  joined({ sampleRate }) {
    if (sampleRate !== this.#format.sampleRate) this.stop('own-rate');
  }

  /**
   * @param {{ sample: number, atMs: number }} read  the room's sample clock; another server's
   *   continues the first one
   */
  follow({ sample, atMs }) {
    if (Number.isNaN(sample)) return;
    const expected = this.sampleClockAt(atMs);
    const off = expected - (sample + this.#shift);
    if (Math.abs(off) > (OTHER_CLOCK_MS * this.#format.sampleRate) / 1000) this.#shift += off;
    this.#read = { sample, atMs };
  }

  /** @param {number} nowMs @returns {number} NaN until it is known */
  sampleClockAt(nowMs) {
    if (this.#read === null) return NaN;
    const { sample, atMs } = this.#read;
    return sample + this.#shift + ((nowMs - atMs) * this.#format.sampleRate) / 1000;
  }

  /**
   * @param {Float32Array} samples
   * @param {number} count
   * @param {number} [rate]
   * @param {number} [burst]
   * @param {number} [channels]  of the samples; the file's by default
   */
  capture(samples, count, rate, burst, channels = this.#format.channels) {
    if (this.#ended) return;
    const isFitting = channels === this.#format.channels;
    const fitting = isFitting ? samples : this.#refit(samples, count, channels);
    this.#grid.capture(fitting, count, this.#clock.now(), rate, burst);
  }

  /**
   * One channel becomes both of the file, and the first of two becomes its only one.
   * @param {Float32Array} samples
   * @param {number} count
   * @param {number} channels
   */
  #refit(samples, count, channels) {
    const own = this.#format.channels;
    if (this.#refitted.length < count * own) this.#refitted = new Float32Array(count * own);
    for (let i = 0; i < count * own; i++)
      this.#refitted[i] = samples[Math.floor(i / own) * channels];
    return this.#refitted;
  }

  /** Captured sound goes on from another device, or after a gap. */
  restartCapture() {
    this.#grid.restartCapture();
  }

  /** @param {boolean} muted true: the file gets silence */
  mute(muted) {
    this.#muted = muted;
  }

  /**
   * Called by the grid.
   * @param {number} frame
   * @param {Float32Array | null} pcm
   */
  send(frame, pcm) {
    if (this.#ended || pcm === null) return;
    const { frameSamples, channels, sampleRate } = this.#format;
    const sample = frame * frameSamples;
    if (this.#origin < 0) {
      this.#origin = sample;
      this.#tell({ begin: { sampleRate, channels, timeReference: sample } });
    }
    const at = (sample - this.#origin) * channels * SAMPLE_BYTES;
    if (at !== this.#at) this.#flush();
    if (this.#filled === 0) this.#blockAt = this.#at = at;
    this.#write(pcm);
    if (this.#filled === this.#blockBytes) this.#flush();
  }

  /** @param {Float32Array} pcm */
  #write(pcm) {
    const { channels } = this.#format;
    const [most, step] = this.#muted ? [0, -this.#fadeStep] : [1, this.#fadeStep];
    for (let i = 0; i < pcm.length;) {
      if (this.#gain !== most) this.#gain = Math.max(0, Math.min(1, this.#gain + step));
      for (let c = 0; c < channels; c++, i++) {
        writeSample24(pcm[i] * this.#gain, this.#block, this.#filled);
        this.#filled += SAMPLE_BYTES;
      }
    }
    this.#at += pcm.length * SAMPLE_BYTES;
  }

  #flush() {
    if (this.#filled === 0) return;
    const { buffer } = this.#block;
    const part = { buffer, at: this.#blockAt, bytes: this.#filled };
    this.#filled = 0;
    this.#tell(part, [buffer]);
    this.#block = new Uint8Array(this.#free.pop() ?? new ArrayBuffer(this.#blockBytes));
    if (++this.#waiting > MAX_WAITING) this.stop('own-slow');
  }

  /** @param {FilePart} part @param {Transferable[]} [transfer] */
  #tell(part, transfer = []) {
    this.#port.postMessage(part, transfer);
  }

  /**
   * Ends the recording. Idempotent.
   * @param {string} [code]  of a sentence, when the person didn't ask for it
   */
  stop(code = '') {
    if (this.#ended) return;
    this.#flush();
    if (this.#ended) return;
    this.#ended = true;
    this.#tell({ end: code });
  }

  close() {}
}
