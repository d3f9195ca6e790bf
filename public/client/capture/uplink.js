/**
 * @import { AudioFormat } from '../../shared/sound/audio-format.js'
 * @import { ClockSync } from '../clock/clock-sync.js'
 */

import { DriftMeter } from '../clock/drift-meter.js';
import { FrameSender } from './frame-sender.js';
import { Resampler } from '../clock/resampler.js';
import { SlidingMinimum } from '../clock/sliding-minimum.js';

/**
 * Sound is watched for this long, and for this many chunks, before its place on the grid is fixed.
 */
const WATCH_MS = 100;
const WATCH_CHUNKS = 4;

/** The window in which the least late chunk shows where the captured sound is, in milliseconds. */
const WINDOW_MS = 1000;

/** The time without captured sound after which silence is sent by the timer, in milliseconds. */
const CAPTURE_GAP_MS = 200;

/** The most silent frames that a late timer makes up for; beyond them there is a gap. */
const MAX_MADE_UP = 10;

/**
 * The largest error of place that is left alone, in milliseconds: while there is sound, and in
 * silence.
 */
const KEPT_MS = 1;
const KEPT_IN_SILENCE_MS = 0.5;
/**
 * The speed at which sound is steered back onto the grid: ppm for each millisecond of error, and at
 * most.
 */
const PPM_A_MS = 100;
const MAX_CORRECTION_PPM = 100;

/** The largest drift of a sound card that is followed, in ppm. */
const MAX_DRIFT_PPM = 300;

/**
 * The time by which a piece of sound that comes when a frame ends is to be longer than it, in
 * milliseconds.
 */
const SLACK_MS = 1;

/** The most by which sound is put aside from its time, in milliseconds. */
const MOST_ASIDE_MS = 5;

/** The most captured samples that are resampled at once. */
const CHUNK_SAMPLES = 1024;

/**
 * Sends the microphone's sound as frames on the grid of the server's sample clock. The first
 * sample's place comes from the time at which sound arrives, and from then on samples are counted.
 * One resampler brings the sound to the room's rate, and stretches it by a few parts per million,
 * since no two sound cards run at one speed; only when the samples are more than a frame off do
 * they jump.
 *
 * A browser hands sound out in pieces, mostly of 10 ms, and a frame goes out with the piece that
 * completes it. Where frames and pieces fit into each other, the sound is put aside by half of the
 * shorter at most, so that pieces complete frames just as they come: else a piece would hold sound
 * back that belongs to the next frame.
 */
export class Uplink {
  #format;
  #clockSync;
  #sender;
  #pcm;
  #filled = 0;

  /** The captured sound's rate in Hz, and its samples to one of the room's. */
  #rate;
  #ratio = 1;
  /** Captured samples, those that were dropped included. */
  #captured = 0;
  /**
   * The minimum, over the window, of the sample clock at arrival less the captured samples, in
   * samples of the room.
   */
  #offset = new SlidingMinimum(WINDOW_MS);
  #chunks = 0;
  #watchedSinceMs = NaN;
  #capturedMs = -Infinity;
  #drift = new DriftMeter();
  #resampler;
  /** Whether it is known where the captured samples are on the grid. */
  #placed = false;
  /**
   * The samples of the room by which sound is put later than it was captured; negative: earlier.
   */
  #aside = 0;
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
    this.#rate = options.format.sampleRate;
    this.#clockSync = clockSync;
    this.#sender = new FrameSender(options);
    const { frameValues, channels } = options.format;
    this.#pcm = new Float32Array(frameValues);
    this.#resampler = new Resampler(CHUNK_SAMPLES, channels);
    this.#silence = new Float32Array((CHUNK_SAMPLES / 2) * channels);
  }

  /**
   * FrameSender's counters and the corrections of place: `reanchored` times, frames `skippedFrames`
   * and `droppedFrames`, and `movedMs`, the sum of all movements of the sent sound, to and fro.
   */
  get counters() {
    return { ...this.#sender.counters, ...this.#corrected };
  }

  /** Bytes of packets that were sent. */
  get bytes() {
    return this.#sender.bytes;
  }

  stats() {
    const { level, voice } = this.#sender;
    return { ...this.counters, level, voice, driftPpm: this.driftPpm };
  }

  /** @param {boolean} muted whether silence is sent in place of sound */
  mute(muted) {
    this.#sender.mute(muted);
  }

  /** @param {boolean} suppresses whether packets are left out in silence */
  suppressSilence(suppresses) {
    this.#sender.suppressSilence(suppresses);
  }

  /**
   * @param {number | null} lostPercent share of the sent packets that were lost, as the server
   *   reports it
   * @param {number | null} roundTripMs as the server reports it
   */
  report(lostPercent, roundTripMs) {
    this.#sender.report(lostPercent, roundTripMs);
  }

  /** The captured samples that complete the frame. */
  get missing() {
    return (
      this.#skip + Math.max(1, this.#resampler.missing(this.#format.frameSamples - this.#filled))
    );
  }

  /** The sound card's drift against the server's sample clock, in ppm; 0 while that isn't known. */
  get driftPpm() {
    return -this.#drift.ppm;
  }

  /**
   * Takes captured sound, and sends each frame that it completes.
   * @param {Float32Array} samples interleaved, where the format is stereo
   * @param {number} count of them, those of both channels at once
   * @param {number} nowMs when the last of them was captured
   * @param {number} [rate] the sound's, in Hz: the room's by default, or a lower one; another rate
   *   is taken for another device
   */
  capture(samples, count, nowMs, rate = this.#format.sampleRate) {
    if (rate !== this.#rate) this.#begin(rate);
    this.#captured += count;
    this.#capturedMs = nowMs;
    const clock = this.#clockSync.sampleClockAt(nowMs);
    if (Number.isNaN(clock)) return;
    this.#watch(nowMs, clock - this.#captured / this.#ratio, count);
    if (!this.#placed) return;
    const { frameSamples } = this.#format;
    let at = Math.min(this.#skip, count);
    this.#skip -= at;
    while (at < count) {
      const taken = Math.min(count - at, this.#resampler.room);
      this.#resampler.write(samples, at, taken);
      at += taken;
      while (
        (this.#filled += this.#resampler.read(
          this.#pcm,
          this.#filled,
          frameSamples - this.#filled,
        )) === frameSamples
      ) {
        this.#filled = 0;
        this.#sender.send(this.#frame++, this.#pcm);
      }
    }
  }

  /** @param {number} rate in Hz */
  #begin(rate) {
    this.#rate = rate;
    this.#ratio = rate / this.#format.sampleRate;
    this.#resampler.step = this.#ratio;
    this.captureAnew();
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
    const captured = least + (this.#captured - count) / this.#ratio;
    if (!this.#placed) {
      this.#place(captured, count);
      return;
    }
    const position = captured + this.#aside;
    // The place of the next sample to be sent, less the place that it would be sent at.
    const pending = (this.#resampler.pending - this.#skip) / this.#ratio;
    const error = position - pending - this.#frame * frameSamples - this.#filled;
    const errorMs = (error * 1000) / sampleRate;
    if (Math.abs(error) > frameSamples) this.#jump(captured, count, error);
    else if (this.#sender.resting && Math.abs(errorMs) > KEPT_IN_SILENCE_MS)
      this.#shift(Math.round(error));
    else this.#steer(errorMs, (count * 1000) / this.#rate);
  }

  /** @param {number} samples to or fro */
  #moved(samples) {
    this.#corrected.movedMs += (Math.abs(samples) * 1000) / this.#format.sampleRate;
  }

  /**
   * @param {number} captured the chunk's first sample on the sample clock
   * @param {number} count
   */
  #place(captured, count) {
    const { frameSamples } = this.#format;
    this.#aside = this.#asideFor(captured, count / this.#ratio);
    const first = Math.round(captured + this.#aside);
    this.#frame = Math.max(Math.ceil(first / frameSamples), this.#frame, 0);
    this.#skip = Math.round((this.#frame * frameSamples - first) * this.#ratio);
    this.#filled = 0;
    this.#resampler.reset();
    // It may be another device from here on.
    this.#drift.reset();
    this.#placed = true;
  }

  /**
   * @param {number} captured the piece's first sample on the sample clock
   * @param {number} samples of it, at the room's rate
   * @returns {number} samples by which it is to be put later, or earlier where negative; 0 where
   *   frames don't fit
   */
  #asideFor(captured, samples) {
    const { sampleRate, frameSamples } = this.#format;
    const [short, long] = [Math.min(frameSamples, samples), Math.max(frameSamples, samples)];
    const perMs = sampleRate / 1000;
    if (
      short > 2 * MOST_ASIDE_MS * perMs ||
      Math.abs(long / short - Math.round(long / short)) > 1e-6
    )
      return 0;
    const beyond = (captured + samples - SLACK_MS * perMs) / short;
    return (Math.round(beyond) - beyond) * short;
  }

  /**
   * A later place leaves out frames, an earlier one drops sound.
   * @param {number} captured the chunk's first sample on the sample clock
   * @param {number} count
   * @param {number} error
   */
  #jump(captured, count, error) {
    const before = this.#frame;
    this.#place(captured, count);
    this.#moved(error);
    this.#corrected.reanchored += 1;
    this.#corrected.skippedFrames += this.#frame - before;
    if (error < 0) this.#corrected.droppedFrames += Math.round(-error / this.#format.frameSamples);
  }

  /**
   * Moves captured sound at once, in silence.
   * @param {number} samples of the room by which it comes later than it was taken for; negative:
   *   earlier
   */
  #shift(samples) {
    this.#steering = false;
    this.#moved(samples);
    const captured = Math.round(samples * this.#ratio);
    if (captured < 0) this.#skip -= captured;
    else
      this.#resampler.write(
        this.#silence,
        0,
        Math.min(captured, CHUNK_SAMPLES / 2, this.#resampler.room),
      );
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
    this.#resampler.step = this.#ratio * (1 + (drift - correction) * 1e-6);
  }

  /**
   * Sends silence for the frames that have passed while nothing was captured: for those who only
   * listen, and while a microphone is away. Called at the end of each frame.
   * @param {number} nowMs
   * @returns {boolean} false while sound is captured
   */
  idle(nowMs) {
    const isFresh = nowMs - this.#capturedMs < CAPTURE_GAP_MS;
    if (this.#placed && isFresh) return false;
    const clock = this.#clockSync.sampleClockAt(nowMs);
    if (Number.isNaN(clock)) return false;
    if (this.#placed) this.captureAnew();
    const ended = Math.floor(clock / this.#format.frameSamples) - 1;
    if (this.#frame < 0 || this.#frame < ended - MAX_MADE_UP) this.#frame = Math.max(0, ended);
    for (; this.#frame <= ended; this.#frame++) this.#sender.send(this.#frame, null);
    return true;
  }

  /** Captured sound has stopped, and comes anew: its place on the grid is another. */
  captureAnew() {
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
