/**
 * @import { AudioFormat } from '../../shared/audio-format.js'
 * @import { ClockSync } from '../clock/clock-sync.js'
 */

import { DriftMeter } from '../clock/drift-meter.js';
import { FrameSender } from './frame-sender.js';
import { Resampler } from '../clock/resampler.js';
import { SlidingMinimum } from '../clock/sliding-minimum.js';

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

/** A place beside the grid by less than this is kept, in milliseconds: in sound, and in silence, where it is left at once. */
const KEPT_MS = 1;
const KEPT_IN_SILENCE_MS = 0.5;
/** How fast it is left in sound: so many ppm for each millisecond, and at most. */
const PPM_A_MS = 100;
const MAX_CORRECTION_PPM = 100;

/** No sound card's drift is followed further than this, in ppm. */
const MAX_DRIFT_PPM = 300;

/** Captured samples that are resampled at once. */
const CHUNK_SAMPLES = 1024;

/**
 * What the microphone gives, as frames on the grid of the server's sample clock. The first
 * sample's place comes from the time at which sound arrives, and from then on samples are counted.
 * No two sound cards run at one speed, so the samples are stretched by a few parts per million to
 * stay on the grid; only when they are more than a frame off do they jump.
 */
export class Uplink {
  #format;
  #clockSync;
  #sender;
  #pcm;
  #filled = 0;

  /** Samples that were ever captured, those that were dropped included. */
  #captured = 0;
  /** The least, over the window, of the sample clock at arrival less the captured samples. */
  #offset = new SlidingMinimum(WINDOW_MS);
  #chunks = 0;
  #watchedSinceMs = NaN;
  #capturedMs = -Infinity;
  #drift = new DriftMeter();
  #resampler;
  /** Whether it is known where the captured samples are on the grid. */
  #placed = false;
  #skip = 0;
  /** Whether the place is being put right. */
  #steering = false;
  #silence;
  /** The next frame to be sent; -1 before the first. */
  #frame = -1;
  #corrected = { reanchored: 0, skippedFrames: 0, droppedFrames: 0, movedMs: 0 };

  /**
   * @param {{ clockSync: ClockSync } & ConstructorParameters<typeof FrameSender>[0]} options
   */
  constructor({ clockSync, ...options }) {
    this.#format = options.format;
    this.#clockSync = clockSync;
    this.#sender = new FrameSender(options);
    const { frameValues, channels } = options.format;
    this.#pcm = new Float32Array(frameValues);
    this.#resampler = new Resampler(CHUNK_SAMPLES, channels);
    this.#silence = new Float32Array((CHUNK_SAMPLES / 2) * channels);
  }

  /**
   * What was sent, in packets: with sound, `silent` and `leftOut`; payloads `repeated`; and what was corrected:
   * `movedMs` by how much what is sent was ever moved, to and fro, to be at its place on the grid.
   */
  get counters() {
    return { ...this.#sender.counters, ...this.#corrected };
  }

  /** The last frame's level in -dBov. */
  get level() {
    return this.#sender.level;
  }

  /** Whether there is voice in it. */
  get voice() {
    return this.#sender.voice;
  }

  stats() {
    const { level, voice, driftPpm } = this;
    return { ...this.counters, level, voice, driftPpm };
  }

  /** @param {boolean} muted what is sent is silence */
  mute(muted) {
    this.#sender.mute(muted);
  }

  /** @param {boolean} suppresses whether packets are left out in silence */
  suppressSilence(suppresses) {
    this.#sender.suppressSilence(suppresses);
  }

  /** @param {number | null} lostPercent of what was sent of late, as the server tells it */
  report(lostPercent) {
    this.#sender.report(lostPercent);
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
   * @param {Float32Array} samples interleaved, where the format is stereo
   * @param {number} count of them, those of both channels at once
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
    const errorMs = (error * 1000) / sampleRate;
    if (Math.abs(error) > frameSamples) this.#jump(position, error);
    else if (this.#sender.resting && Math.abs(errorMs) > KEPT_IN_SILENCE_MS) this.#shift(Math.round(error));
    else this.#steer(errorMs, (count * 1000) / sampleRate);
  }

  /** @param {number} samples to or fro */
  #moved(samples) {
    this.#corrected.movedMs += (Math.abs(samples) * 1000) / this.#format.sampleRate;
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
    this.#moved(error);
    this.#corrected.reanchored += 1;
    this.#corrected.skippedFrames += this.#frame - before;
    if (error < 0) this.#corrected.droppedFrames += Math.round(-error / this.#format.frameSamples);
  }

  /** @param {number} samples that what is captured comes later than it was taken for, in silence; negative: earlier */
  #shift(samples) {
    this.#steering = false;
    this.#moved(samples);
    if (samples < 0) this.#skip -= samples;
    else this.#resampler.write(this.#silence, 0, Math.min(samples, CHUNK_SAMPLES / 2, this.#resampler.room));
  }

  /**
   * @param {number} errorMs
   * @param {number} forMs
   */
  #steer(errorMs, forMs) {
    const drift = clamp(this.driftPpm, MAX_DRIFT_PPM);
    if (Math.abs(errorMs) > KEPT_MS) this.#steering = true;
    else if (Math.abs(errorMs) < KEPT_MS / 4) this.#steering = false;
    const correction = this.#steering ? clamp(errorMs * PPM_A_MS, MAX_CORRECTION_PPM) : 0;
    this.#corrected.movedMs += Math.abs(correction) * 1e-6 * forMs;
    this.#resampler.step = 1 + (drift - correction) * 1e-6;
  }

  #complete() {
    this.#filled = 0;
    this.#sender.sound(this.#frame, this.#pcm);
    this.#frame += 1;
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
    for (; this.#frame <= ended; this.#frame++) this.#sender.silence(this.#frame);
    return true;
  }

  /** Captured sound has stopped, and comes anew: its place on the grid is another. */
  captureAnew() {
    this.#forget();
  }

  #forget() {
    this.#placed = false;
    this.#watchedSinceMs = NaN;
    this.#chunks = 0;
    this.#offset.reset();
    this.#filled = 0;
    this.#skip = 0;
  }

  /** Idempotent. */
  close() {
    this.#sender.close();
  }
}

/**
 * @param {number} value
 * @param {number} most
 */
const clamp = (value, most) => Math.max(-most, Math.min(most, value));
