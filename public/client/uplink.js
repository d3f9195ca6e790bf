/**
 * @import { AudioFormat } from '../shared/audio-format.js'
 * @import { PayloadEncoder } from '../shared/payload.js'
 * @import { ClockSync } from './clock-sync.js'
 */

import { levelOf } from '../shared/level.js';
import { MAX_PACKET_BYTES, Packet, SILENT_LEVEL, writeAudioHeader } from '../shared/packet.js';
import { DriftMeter } from './drift-meter.js';
import { Resampler } from './resampler.js';
import { SlidingMinimum } from './sliding-minimum.js';
import { VoiceFlag } from './voice-flag.js';

/** How long sound is watched before its place on the grid is fixed, in milliseconds, */
const WATCH_MS = 100;
/** and in chunks at least. */
const WATCH_CHUNKS = 4;

/** The window in which the least late chunk shows where the captured sound is. */
const WINDOW_MS = 1000;

/** Without captured sound for so long, silence is sent by the timer. */
const CAPTURE_GAP_MS = 200;

/** Silent frames that a late timer makes up for; more than that is a gap. */
const MAX_MADE_UP = 10;

/** How fast a place beside the grid is left: so many ppm for each millisecond, and at most. */
const PPM_A_MS = 100;
const MAX_CORRECTION_PPM = 100;

/** No sound card's drift is followed further than this, in ppm. */
const MAX_DRIFT_PPM = 300;

/** Captured samples that are resampled at once. */
const CHUNK_SAMPLES = 1024;

/** How fast a mute fades, in milliseconds. */
const FADE_MS = 5;

/**
 * What the microphone gives, as packets on the frame grid of the server's sample clock. The first
 * sample's place comes from the time at which sound arrives, and from then on samples are counted.
 * No two sound cards run at one speed, so the samples are stretched by a few parts per million to
 * stay on the grid; only when they are more than a frame off do they jump.
 */
export class Uplink {
  #format;
  #clockSync;
  #encoder;
  #send;
  #packet = new Packet();
  #bytes = new Uint8Array(MAX_PACKET_BYTES);
  #pcm;
  #filled = 0;
  #voice;

  /** Samples that were ever captured, those that were dropped included. */
  #captured = 0;
  /** The least, over the window, of the sample clock at arrival less the captured samples. */
  #offset = new SlidingMinimum(WINDOW_MS);
  #chunks = 0;
  #watchedSinceMs = NaN;
  #capturedMs = -Infinity;
  #drift = new DriftMeter();
  #resampler = new Resampler(CHUNK_SAMPLES);
  /** Whether it is known where the captured samples are on the grid. */
  #placed = false;
  #skip = 0;
  /** The next frame to be sent; -1 before the first. */
  #frame = -1;
  #sequence = 0;
  #muted = false;
  #gain = 1;
  #silentBefore = true;

  /** What was sent and corrected. */
  counters = { sent: 0, silent: 0, blocked: 0, reanchored: 0, skippedFrames: 0, droppedFrames: 0 };
  /** The last frame's level in -dBov, and whether there is voice. */
  level = SILENT_LEVEL;
  voice = false;

  /**
   * @param {object} options
   * @param {AudioFormat} options.format
   * @param {ClockSync} options.clockSync
   * @param {PayloadEncoder} options.encoder  closed with this
   * @param {(bytes: Uint8Array) => boolean} options.send  may not keep the bytes
   */
  constructor({ format, clockSync, encoder, send }) {
    this.#format = format;
    this.#clockSync = clockSync;
    this.#encoder = encoder;
    this.#send = send;
    this.#pcm = new Float32Array(format.frameSamples);
    this.#voice = new VoiceFlag(format.frameMs);
  }

  /** @param {boolean} muted what is sent is silence, with as many packets */
  mute(muted) {
    this.#muted = muted;
  }

  /** How many samples complete the frame. */
  get missing() {
    return this.#skip + Math.max(1, this.#resampler.missing(this.#format.frameSamples - this.#filled));
  }

  /** How fast the sound card runs against the server's sample clock, in ppm; 0 while that isn't known. */
  get driftPpm() {
    return -this.#drift.ppm;
  }

  /**
   * Takes what was captured, and sends each frame that it completes.
   * @param {Float32Array} samples
   * @param {number} count of them
   * @param {number} nowMs when the last of them was captured
   */
  capture(samples, count, nowMs) {
    this.#captured += count;
    this.#capturedMs = nowMs;
    const clock = this.#clockSync.sampleClockAt(nowMs);
    if (Number.isNaN(clock)) return;
    this.#watch(nowMs, clock - this.#captured, count);
    if (!this.#placed) return;
    let at = Math.min(this.#skip, count);
    this.#skip -= at;
    while (at < count) {
      const taken = Math.min(count - at, this.#resampler.room);
      this.#resampler.write(samples, at, taken);
      at += taken;
      this.#fill();
    }
  }

  #fill() {
    const { frameSamples } = this.#format;
    for (;;) {
      this.#filled += this.#resampler.read(this.#pcm, this.#filled, frameSamples - this.#filled);
      if (this.#filled < frameSamples) return;
      this.#complete();
    }
  }

  /**
   * @param {number} nowMs
   * @param {number} offset
   * @param {number} count
   */
  #watch(nowMs, offset, count) {
    const { sampleRate, frameSamples } = this.#format;
    const least = this.#offset.add(nowMs, offset);
    this.#drift.add(nowMs, (offset * 1000) / sampleRate);
    this.#chunks += 1;
    if (Number.isNaN(this.#watchedSinceMs)) this.#watchedSinceMs = nowMs;
    if (this.#chunks < WATCH_CHUNKS || nowMs - this.#watchedSinceMs < WATCH_MS) return;
    const position = least + this.#captured - count;
    if (!this.#placed) {
      this.#place(position);
      return;
    }
    // Where the next sample to be sent really is, less where it would be sent.
    const error = position + this.#skip - this.#resampler.pending - this.#frame * frameSamples - this.#filled;
    if (Math.abs(error) > frameSamples) this.#jump(position, error);
    else this.#steer((error * 1000) / sampleRate);
  }

  /** @param {number} position where the chunk's first sample is on the sample clock */
  #place(position) {
    const { frameSamples } = this.#format;
    const first = Math.round(position);
    this.#frame = Math.max(Math.ceil(first / frameSamples), this.#frame, 0);
    this.#skip = this.#frame * frameSamples - first;
    this.#filled = 0;
    this.#resampler.reset();
    // It may be another device from here on.
    this.#drift.reset();
    this.#placed = true;
  }

  /**
   * A later place leaves out frames, an earlier one drops sound.
   * @param {number} position
   * @param {number} error
   */
  #jump(position, error) {
    const before = this.#frame;
    this.#place(position);
    this.counters.reanchored += 1;
    this.counters.skippedFrames += this.#frame - before;
    if (error < 0) this.counters.droppedFrames += Math.round(-error / this.#format.frameSamples);
  }

  /** @param {number} errorMs */
  #steer(errorMs) {
    const drift = clamp(this.driftPpm, MAX_DRIFT_PPM);
    this.#resampler.step = 1 + (drift - clamp(errorMs * PPM_A_MS, MAX_CORRECTION_PPM)) * 1e-6;
  }

  #complete() {
    this.#filled = 0;
    this.#fadeMute();
    const silent = this.#muted && this.#gain === 0 && this.#silentBefore;
    this.level = silent ? SILENT_LEVEL : levelOf(this.#pcm);
    // The encoder still holds the end of the frame before, so one silent frame goes through it.
    const empty = this.level === SILENT_LEVEL && this.#silentBefore;
    this.#silentBefore = this.level === SILENT_LEVEL;
    this.voice = this.#voice.next(this.level);
    this.#sendFrame(empty);
  }

  /** Brings the gain to where muting wants it, without a click. */
  #fadeMute() {
    const target = this.#muted ? 0 : 1;
    if (this.#gain === 1 && target === 1) return;
    const step = 1000 / (FADE_MS * this.#format.sampleRate);
    for (let i = 0; i < this.#pcm.length; i++) {
      if (this.#gain < target) this.#gain = Math.min(1, this.#gain + step);
      else if (this.#gain > target) this.#gain = Math.max(0, this.#gain - step);
      this.#pcm[i] *= this.#gain;
    }
  }

  /** @param {boolean} empty whether the packet says only that the frame is silent */
  #sendFrame(empty) {
    const packet = this.#packet;
    packet.frame = this.#frame++;
    this.#sequence = (this.#sequence + 1) & 0xffff;
    packet.sequence = this.#sequence;
    packet.level = empty ? SILENT_LEVEL : this.level;
    packet.voice = !empty && this.voice;
    const start = writeAudioHeader(this.#bytes, packet);
    const payload = empty ? 0 : this.#encoder.encode(this.#pcm, this.#bytes, start);
    if (payload === 0) this.counters.silent += 1;
    this.counters.sent += 1;
    if (!this.#send(this.#bytes.subarray(0, start + payload))) this.counters.blocked += 1;
  }

  /**
   * Sends silence for the frames that have passed while nothing was captured: for those who only
   * listen, and while a microphone is away. To be called at the end of each frame.
   * @param {number} nowMs
   * @returns {boolean} false while sound is captured
   */
  idle(nowMs) {
    const isFresh = nowMs - this.#capturedMs < CAPTURE_GAP_MS;
    if (this.#placed && isFresh) return false;
    const clock = this.#clockSync.sampleClockAt(nowMs);
    if (Number.isNaN(clock)) return false;
    if (this.#placed) this.#forget();
    const ended = Math.floor(clock / this.#format.frameSamples) - 1;
    if (this.#frame < 0 || this.#frame < ended - MAX_MADE_UP) this.#frame = Math.max(0, ended);
    this.level = SILENT_LEVEL;
    this.voice = false;
    while (this.#frame <= ended) this.#sendFrame(true);
    return true;
  }

  /** What was captured has ended: when sound comes again its place is another. */
  #forget() {
    this.#placed = false;
    this.#watchedSinceMs = NaN;
    this.#chunks = 0;
    this.#offset.reset();
    this.#filled = 0;
    this.#skip = 0;
    this.#silentBefore = true;
  }

  /** Idempotent. */
  close() {
    this.#encoder.close();
  }
}

/**
 * @param {number} value
 * @param {number} most
 */
const clamp = (value, most) => Math.max(-most, Math.min(most, value));
