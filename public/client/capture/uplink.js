/**
 * @import { AudioFormat } from '../../shared/sound/audio-format.js'
 * @import { ClockSync } from '../clock/clock-sync.js'
 */

import { BurstModel } from './burst-model.js';
import { DriftMeter, SlidingMinimum } from '../clock/drift-meter.js';
import { FrameSender } from './frame-sender.js';
import { Resampler } from '../clock/resampler.js';

/** Time and number of chunks to observe before the sound gets its place on the grid. */
const WATCH_MS = 100;
const WATCH_CHUNKS = 4;

/** Window whose least late chunk shows the place of the captured sound, in milliseconds. */
const WINDOW_MS = 1000;

/** Time without captured sound after which the timer sends silence, in milliseconds. */
const CAPTURE_GAP_MS = 200;

/** Maximum number of silent frames that a late timer makes up for; a longer time leaves a gap. */
const MAX_MADE_UP = 10;

/** Largest error of place that stays, in milliseconds: during sound, and in silence. */
const KEPT_MS = 1;
const KEPT_IN_SILENCE_MS = 0.5;
/** Speed of steering sound back onto the grid: ppm per millisecond of error, and the maximum. */
const PPM_A_MS = 100;
const MAX_CORRECTION_PPM = 100;

/** Largest drift of a sound card that is followed, in ppm. */
const MAX_DRIFT_PPM = 300;

/**
 * Time by which a piece of sound that arrives at a frame's end should exceed the frame, in
 * milliseconds.
 */
const SLACK_MS = 1;

/**
 * Largest shift of sound to an earlier time than its own, in milliseconds: the server-side delay
 * makes up for it. Longest burst that is planned for.
 */
const MAX_EARLIER_MS = 5;
const MAX_BURST_MS = 25;

/**
 * Smallest change that moves sound to where the server-side delay covers it anyway, and the
 * server's memory of lateness, in milliseconds.
 */
const SPARE_CHANGE_MS = 3;
const REMEMBERED_MS = 20_000;

/** Time for which another period of bursts must last before sound is placed by it. */
const NEW_PERIOD_MS = 2000;

/** Most captured samples resampled at once. */
const CHUNK_SAMPLES = 1024;

/**
 * Receiver of the frames of a grid.
 * @typedef {object} FrameSink
 * @property {(frame: number, pcm: Float32Array | null) => void} send  frame: higher than the last;
 *   pcm: may be changed, and is reused; null when nothing was captured
 * @property {boolean} resting  true in silence, when sound may move unheard
 * @property {() => void} close
 */

/**
 * Puts captured sound as frames on the grid of the server's sample clock. The first sample's place
 * comes from its arrival time; from then on samples are counted. One resampler converts to the
 * room's rate and stretches by a few parts per million, since no two sound cards run equally fast.
 * Samples jump only when they are more than a frame off.
 *
 * A browser delivers sound in bursts of a piece or more (see BurstModel), and the burst that
 * completes a frame sends it. When frames and bursts fit into each other, sound is shifted so that
 * bursts complete frames on arrival. Otherwise a burst would keep sound of the next frame waiting.
 *
 * A burst of several frames completes them all at once. It is shifted to later, so that the first
 * of them is in time and the others are early. At its true time the first frame would be late by
 * the rest of the burst, and the server-side delay would cover that for everybody. Sound whose
 * bursts don't fit is shifted by a whole burst, since a frame may have to wait for all of one.
 */
export class FrameGrid {
  #format;
  #clockSync;
  #sink;
  #followsBursts;
  #capturedTo;
  #pcm;
  #filled = 0;

  /** Rate of the captured sound in Hz, and its samples per sample of the room. */
  #rate;
  #ratio = 1;
  /** Number of captured samples, dropped ones included. */
  #captured = 0;
  /**
   * Minimum, over the window, of the sample clock at arrival minus the captured samples, in samples
   * of the room.
   */
  #offset = new SlidingMinimum(WINDOW_MS);
  #chunks = 0;
  #watchedSinceMs = NaN;
  #capturedMs = -Infinity;
  #drift = new DriftMeter();
  #bursts = new BurstModel();
  /** Period of bursts that the place is planned for, and since when there is another. */
  #plannedMs = 0;
  #otherSinceMs = Infinity;
  #resampler;
  /** True when the place of captured samples on the grid is known. */
  #placed = false;
  /** Samples of the room by which sound is shifted to later, now and finally; negative: earlier. */
  #gridOffset = 0;
  #finalOffset = 0;
  /** The shift that bursts need, and the steps in which it may be smaller; 0: any. */
  #burstOffset = 0;
  #offsetStep = 0;
  /** Least delay that others need beyond this sound, and since when that is observed. */
  #spareMs = Infinity;
  #spareSinceMs = Infinity;
  /** From the last frame's end to the arrival that completed it, in milliseconds. */
  #heldMs = 0;
  #skip = 0;
  /** True while the place is being corrected. */
  #steering = false;
  #silence;
  /** Next frame to send; -1 before the first. */
  #frame = -1;
  #corrected = { reanchored: 0, skippedFrames: 0, droppedFrames: 0, movedMs: 0 };

  /**
   * @param {object} options
   * @param {AudioFormat} options.format
   * @param {Pick<ClockSync, 'sampleClockAt'>} options.clockSync
   * @param {FrameSink} options.sink  closed with this
   * @param {boolean} [options.followsBursts]  false: sound is at its true place, however it comes
   * @param {() => number} [options.capturedTo]  place of another grid, which captures each piece
   *   before this one, and which this one keeps to: its property of that name
   */
  constructor({ format, clockSync, sink, followsBursts = true, capturedTo }) {
    this.#format = format;
    this.#rate = format.sampleRate;
    this.#clockSync = clockSync;
    this.#sink = sink;
    this.#followsBursts = followsBursts && !capturedTo;
    this.#capturedTo = capturedTo;
    const { frameValues, channels } = format;
    this.#pcm = new Float32Array(frameValues);
    this.#resampler = new Resampler(CHUNK_SAMPLES, channels);
    this.#silence = new Float32Array((CHUNK_SAMPLES / 2) * channels);
  }

  /**
   * Corrections of place. `reanchored`: times. `skippedFrames`, `droppedFrames`: frames. `movedMs`:
   * sum of all movements of the sent sound in either direction.
   */
  get corrected() {
    return this.#corrected;
  }

  /** Place on the grid of the next captured sample, in samples; NaN before sound has its place. */
  get capturedTo() {
    if (!this.#placed) return NaN;
    const pending = (this.#resampler.pending - this.#skip) / this.#ratio;
    return this.#frame * this.#format.frameSamples + this.#filled + pending;
  }

  /** Placing of sound by its bursts, as ClientStats has it, in milliseconds. */
  get placing() {
    return {
      laterMs: (this.#gridOffset * 1000) / this.#format.sampleRate,
      burstMs: this.#bursts.periodMs,
      burstPhaseMs: this.#heldMs,
    };
  }

  /** Number of captured samples that complete the frame. */
  get missing() {
    return (
      this.#skip + Math.max(1, this.#resampler.missing(this.#format.frameSamples - this.#filled))
    );
  }

  /** Drift of the sound card against the server's sample clock, in ppm; 0 while it is unknown. */
  get driftPpm() {
    return -this.#drift.ppm;
  }

  /**
   * Captures sound, and sends each frame that it completes.
   * @param {Float32Array} samples interleaved when stereo
   * @param {number} count samples per channel
   * @param {number} nowMs capture time of the last sample
   * @param {number} [rate] in Hz: at most the room's, which is the default; a change of rate means
   *   another device
   * @param {number} [burst] samples that the sound card gives at once, where the audio thread has
   *   counted them
   */
  capture(samples, count, nowMs, rate = this.#format.sampleRate, burst = 0) {
    if (rate !== this.#rate) this.#begin(rate);
    this.#captured += count;
    this.#capturedMs = nowMs;
    this.#bursts.add(nowMs, (count * 1000) / rate, (burst * 1000) / rate);
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
        this.#heldMs =
          ((clock - (this.#frame + 1) * frameSamples) * 1000) / this.#format.sampleRate;
        this.#sink.send(this.#frame++, this.#pcm);
      }
    }
  }

  /** @param {number} rate in Hz */
  #begin(rate) {
    this.#rate = rate;
    this.#ratio = rate / this.#format.sampleRate;
    this.#resampler.step = this.#ratio;
    this.restartCapture();
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
    const captured = this.#capturedTo
      ? this.#capturedTo() - count / this.#ratio
      : least + (this.#captured - count) / this.#ratio;
    // The other grid has no place yet, or is looking for another one.
    if (Number.isNaN(captured)) return;
    if (!this.#placed) {
      this.#place(captured);
      return;
    }
    this.#replan(nowMs, least);
    this.#moveOffset((count * 1000) / this.#rate);
    // Place of the next sample, minus the place that it would get.
    const error = captured + this.#gridOffset - this.capturedTo;
    const errorMs = (error * 1000) / sampleRate;
    const most = this.#capturedTo ? (2 * KEPT_MS * sampleRate) / 1000 : frameSamples;
    if (Math.abs(error) > most) this.#jump(captured, error);
    else if (this.#sink.resting && Math.abs(errorMs) > KEPT_IN_SILENCE_MS)
      this.#shift(Math.round(error));
    else this.#steer(errorMs, (count * 1000) / this.#rate);
  }

  /** @param {number} samples in either direction */
  #moved(samples) {
    this.#corrected.movedMs += (Math.abs(samples) * 1000) / this.#format.sampleRate;
  }

  /** @param {number} captured the chunk's first sample on the sample clock */
  #place(captured) {
    const { frameSamples } = this.#format;
    this.#planOffset(this.#offset.value);
    this.#gridOffset = this.#finalOffset;
    this.#observeSpare(NaN);
    const first = Math.round(captured + this.#gridOffset);
    this.#frame = Math.max(Math.ceil(first / frameSamples), this.#frame, 0);
    this.#skip = Math.round((this.#frame * frameSamples - first) * this.#ratio);
    this.#filled = 0;
    this.#resampler.reset();
    // The sound may come from another device now, which drifts differently.
    this.#drift.reset();
    this.#placed = true;
  }

  /**
   * Plans by how many samples sound is shifted to later, or to earlier if negative.
   * @param {number} least see #offset
   */
  #planOffset(least) {
    const { sampleRate, frameSamples } = this.#format;
    const { periodMs, sinceMs, isRegular } = this.#bursts;
    this.#plannedMs = periodMs;
    if (!this.#followsBursts) return;
    const perMs = sampleRate / 1000;
    const burst = periodMs * perMs;
    const [short, long] = [Math.min(frameSamples, burst), Math.max(frameSamples, burst)];
    const most = MAX_BURST_MS * perMs;
    if (!isRegular || short > most || Math.abs(long / short - Math.round(long / short)) > 1e-6) {
      this.#offsetStep = 0;
      this.#finalOffset = this.#burstOffset = Math.min(burst, most);
      return;
    }
    const end = least + this.#captured / this.#ratio - sinceMs * perMs;
    const frames = (end - SLACK_MS * perMs) / short;
    let offset = (Math.round(frames) - frames) * short;
    if (offset < -MAX_EARLIER_MS * perMs) offset += short;
    const later = Math.min(Math.max(0, burst - frameSamples), most);
    this.#offsetStep = short;
    this.#finalOffset = this.#burstOffset = offset + Math.floor(later / frameSamples) * short;
  }

  /**
   * Follows the delay that the room has for others. If it covers the bursts anyway, sound needs no
   * shift for them.
   * @param {{ neededDelayMs?: number, othersDelayMs?: number }} stats  of the server
   * @param {number} nowMs
   */
  followDelay({ neededDelayMs, othersDelayMs }, nowMs) {
    if (neededDelayMs === undefined || othersDelayMs === undefined || !this.#placed) return;
    if (!this.#followsBursts) return;
    if (!Number.isFinite(this.#spareSinceMs)) this.#observeSpare(nowMs);
    if (nowMs < this.#spareSinceMs) return;
    this.#spareMs = Math.min(this.#spareMs, othersDelayMs - neededDelayMs);
    if (nowMs < this.#spareSinceMs + REMEMBERED_MS) return;
    const perMs = this.#format.sampleRate / 1000;
    const offset = this.#coveredOffset(this.#gridOffset - this.#spareMs * perMs);
    const isMove = Math.abs(offset - this.#finalOffset) >= SPARE_CHANGE_MS * perMs;
    if (isMove) this.#finalOffset = offset;
    // The state before a move is remembered for a while.
    this.#observeSpare(isMove ? nowMs : nowMs - REMEMBERED_MS);
  }

  /** @param {number} nowMs from REMEMBERED_MS later on; NaN: not yet */
  #observeSpare(nowMs) {
    this.#spareMs = Infinity;
    this.#spareSinceMs = nowMs + REMEMBERED_MS;
  }

  /**
   * @param {number} least shift of which the server-side delay covers the rest, in samples
   * @returns {number} the smallest possible shift that is no smaller
   */
  #coveredOffset(least) {
    const most = this.#burstOffset;
    if (this.#offsetStep === 0) return Math.min(most, Math.max(0, least));
    const lowest = (-MAX_EARLIER_MS * this.#format.sampleRate) / 1000;
    const steps = Math.floor((most - Math.max(lowest, least)) / this.#offsetStep);
    return most - Math.max(0, steps) * this.#offsetStep;
  }

  /**
   * Plans a new place once the period of bursts has differed for a while from the planned one.
   * @param {number} nowMs
   * @param {number} least see #offset
   */
  #replan(nowMs, least) {
    if (Math.abs(this.#bursts.periodMs - this.#plannedMs) < KEPT_MS) this.#otherSinceMs = Infinity;
    else this.#otherSinceMs = Math.min(this.#otherSinceMs, nowMs);
    if (nowMs - this.#otherSinceMs >= NEW_PERIOD_MS) this.#planOffset(least);
  }

  /**
   * Moves the place to the planned one: at once in silence, and so slowly in sound that it is
   * unheard.
   * @param {number} forMs
   */
  #moveOffset(forMs) {
    const left = this.#finalOffset - this.#gridOffset;
    if (left === 0) return;
    const most = this.#sink.resting
      ? this.#format.frameSamples / 2
      : MAX_CORRECTION_PPM * 1e-6 * forMs * (this.#format.sampleRate / 1000);
    this.#gridOffset += clamp(left, most);
  }

  /**
   * Jumps to the right place: to a later one by skipping frames, to an earlier one by dropping
   * sound.
   * @param {number} captured the chunk's first sample on the sample clock
   * @param {number} error
   */
  #jump(captured, error) {
    const before = this.#frame;
    this.#place(captured);
    this.#moved(error);
    this.#corrected.reanchored += 1;
    this.#corrected.skippedFrames += this.#frame - before;
    if (error < 0) this.#corrected.droppedFrames += Math.round(-error / this.#format.frameSamples);
  }

  /**
   * Moves captured sound at once, in silence.
   * @param {number} samples of the room by which it is really later; negative: earlier
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

  /** @param {number} errorMs @param {number} forMs */
  #steer(errorMs, forMs) {
    const drift = clamp(this.driftPpm, MAX_DRIFT_PPM);
    if (Math.abs(errorMs) > KEPT_MS) this.#steering = true;
    else if (Math.abs(errorMs) < KEPT_MS / 4) this.#steering = false;
    const correction = this.#steering ? clamp(errorMs * PPM_A_MS, MAX_CORRECTION_PPM) : 0;
    this.#corrected.movedMs += Math.abs(correction) * 1e-6 * forMs;
    this.#resampler.step = this.#ratio * (1 + (drift - correction) * 1e-6);
  }

  /**
   * Sends silence for frames that passed without captured sound: for listeners, and while a
   * microphone is away. Called at the end of each frame.
   * @param {number} nowMs
   * @returns {boolean} false while sound is captured
   */
  idle(nowMs) {
    const isFresh = nowMs - this.#capturedMs < CAPTURE_GAP_MS;
    if (this.#placed && isFresh) return false;
    const clock = this.#clockSync.sampleClockAt(nowMs);
    if (Number.isNaN(clock)) return false;
    if (this.#placed) this.restartCapture();
    const ended = Math.floor(clock / this.#format.frameSamples) - 1;
    if (this.#frame < 0 || this.#frame < ended - MAX_MADE_UP) this.#frame = Math.max(0, ended);
    for (; this.#frame <= ended; this.#frame++) this.#sink.send(this.#frame, null);
    return true;
  }

  /**
   * Restarts capture after a gap or a device change: the next sample gets a new place on the grid.
   */
  restartCapture() {
    this.#placed = false;
    this.#watchedSinceMs = NaN;
    this.#chunks = 0;
    this.#offset.reset();
    this.#bursts.reset();
    this.#filled = 0;
    this.#skip = 0;
  }

  /** Idempotent. */
  close() {
    this.#sink.close();
  }
}

/** Sends the microphone's sound, as frames on the grid. */
export class Uplink extends FrameGrid {
  #sender;

  /**
   * @param {{ clockSync: ClockSync, capturedTo?: () => number } &
   *   ConstructorParameters<typeof FrameSender>[0]} options  capturedTo: as FrameGrid has it
   */
  constructor({ clockSync, capturedTo, ...options }) {
    const sink = new FrameSender(options);
    super({ format: options.format, clockSync, sink, capturedTo });
    this.#sender = sink;
  }

  /** The counters of FrameSender, and of corrections of place. */
  get counters() {
    return { ...this.#sender.counters, ...this.corrected };
  }

  get bytes() {
    return this.#sender.bytes;
  }

  stats() {
    const { level, voice } = this.#sender;
    return { ...this.counters, level, voice, driftPpm: this.driftPpm, ...this.placing };
  }

  /** @param {boolean} muted true: send silence instead of sound */
  mute(muted) {
    this.#sender.mute(muted);
  }

  /** @param {boolean} suppresses true when packets are left out in silence */
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
}

/** @param {number} value @param {number} most */
const clamp = (value, most) => Math.max(-most, Math.min(most, value));
