/**
 * @import { AudioFormat } from '../../shared/sound/audio-format.js'
 * @import { Packet } from '../../shared/wire/packet.js'
 * @import { OneStreamDecoder } from './stream-decoder.js'
 */

import { SILENT_LEVEL } from '../../shared/wire/packet.js';
import { mostConcealed } from '../../shared/stream/concealment.js';
import { framesToScale } from '../../shared/sound/time-scale.js';
import { JitterBuffer } from './jitter-buffer.js';
import { Resampler } from '../clock/resampler.js';
import { StreamDecoder } from './stream-decoder.js';
import { SHORT_IN_LONG_QUIET_MS, Stretch } from './stretch.js';

/** Length of the pieces of unsent silence, in milliseconds: sound may begin after each. */
const REST_MS = 5;

/** Samples by which resampling may lengthen a piece of sound. */
const PULL_EXTRA = 8;

/** @param {AudioFormat} format @returns {number} the samples that Playout.pull() gives at most */
export const pullSamples = (format) => framesToScale(format) * format.frameSamples + PULL_EXTRA;

/**
 * The playout buffer keeps packets under their frame index until the sound card asks. It waits as
 * long as the jitter requires, and replaces missing sound. Playing follows the speed of the
 * arriving frames, a few parts per million off the sound card's, and hides small changes of delay.
 * Larger changes lengthen or shorten quiet sound, or shorten a voice.
 *
 * A missing frame is concealed but not given up. If it comes in the meantime it is played, and the
 * delay has grown by a frame; once the next one comes, it is lost. After a silent packet nothing is
 * missed: time runs on in silence until the next sound, and the delay is corrected on the way.
 */
export class Playout {
  #format;
  #buffer;
  #sound;
  #delay;
  #stretch;
  #maxConceals;
  #resampler;
  /** The next piece, and the places of its frames. */
  #piece;
  #frames;
  #heard = 0;
  /** Frames concealed since the last real one. */
  #conceals = 0;
  /** Concealed frames for which no lost frame was skipped yet. */
  #unmatched = 0;
  #restSamples;

  /** Frames. */
  #counters = { played: 0, recovered: 0, concealed: 0, garbage: 0, underruns: 0 };

  /**
   * @param {AudioFormat} format
   * @param {OneStreamDecoder[]} decoders by Stream; closed with this
   */
  constructor(format, decoders) {
    this.#format = format;
    this.#buffer = new JitterBuffer(format);
    this.#delay = this.#buffer.delay;
    this.#sound = new StreamDecoder(format, decoders);
    this.#stretch = new Stretch(format, this.#delay, this.#sound);
    this.#resampler = new Resampler(format.frameSamples + pullSamples(format), format.channels);
    const piece = new Float32Array(framesToScale(format) * format.frameValues);
    this.#piece = piece;
    this.#frames = Array.from({ length: framesToScale(format) }, (_, i) =>
      piece.subarray(i * format.frameValues, (i + 1) * format.frameValues),
    );
    this.#maxConceals = mostConcealed(format);
    this.#restSamples = Math.min(format.frameSamples, (REST_MS * format.sampleRate) / 1000);
  }

  /**
   * Counters. Packets: `received` in time, `late`, `lost`, `duplicate`, `strange` (implausible
   * time). Frames: `played`, `recovered` from a later packet, `skipped` unheard to catch up,
   * `concealed`, `garbage`. `underruns`: times without any sound to play. Samples: `inserted`,
   * `dropped`.
   */
  get counters() {
    return { ...this.#buffer.counters, ...this.#counters, ...this.#stretch.counters };
  }

  /** @param {number} stride number of new frames in each packet from now on */
  set stride(stride) {
    this.#buffer.stride = stride;
  }

  /**
   * Sets how long sound waits for late or lost packets.
   * @param {number | null} ms null: follow the jitter
   * @param {number} nowMs
   */
  fixDelay(ms, nowMs) {
    this.#delay.fix(ms, nowMs);
  }

  /**
   * Time at which frame 0 of the room's clock would have been heard, in milliseconds; NaN while it
   * is unknown.
   */
  get originMs() {
    return this.#delay.originMs;
  }

  /** Next frame to play; -1 before the first packet. */
  get nextFrame() {
    return this.#buffer.next;
  }

  /** Delay that waiting for jitter adds now, in milliseconds. */
  get delayMs() {
    return Math.max(0, this.#delay.actualMs);
  }

  /** Delay that waiting should add, in milliseconds. */
  get wantedMs() {
    return this.#delay.wantedMs;
  }

  /** Drift of the sound card against the server's sample clock, in ppm; 0 while it is unknown. */
  get driftPpm() {
    return this.#delay.driftPpm;
  }

  /**
   * Share of the sent frames that were there in time, repeated ones included, in percent; null
   * before the first.
   */
  get receivedPercent() {
    const { received, recovered, late, lost } = this.counters;
    const due = received + late + lost;
    return due === 0 ? null : Math.min(100, (100 * (received + recovered)) / due);
  }

  stats() {
    const { delayMs, wantedMs, receivedPercent, driftPpm } = this;
    return {
      ...this.counters,
      delayMs,
      wantedMs,
      receivedPercent,
      driftPpm,
      movedMs: this.#delay.movedMs,
    };
  }

  /**
   * @param {number} nowMs
   * @returns {number | null} share of the last seconds' packets that never came, in percent, before
   *   any repair; null without packets
   */
  lostPercent(nowMs) {
    return this.#buffer.lostPercent(nowMs);
  }

  /**
   * Receives an audio packet.
   * @param {Packet} packet as read
   * @param {Uint8Array} bytes the packet's, MAX_PACKET_BYTES at most; not kept
   * @param {number} arrivalMs
   */
  receive(packet, bytes, arrivalMs) {
    const first = this.#buffer.receive(packet, bytes, arrivalMs);
    if (first >= 0) this.#sound.follow(first, this.#buffer.newest, packet, bytes);
  }

  /** True when the next piece is there, so that nothing needs concealing. */
  get ready() {
    if (this.#buffer.isFilling) return false;
    for (let after = 0; after <= this.#unmatched; after++)
      if (this.#buffer.has(after)) return this.#conceals > 0 || this.#areTogether;
    return false;
  }

  /** True when all frames to be shortened together are there. */
  get #areTogether() {
    for (let after = this.#stretch.together - 1; after > 0; after--)
      if (!this.#buffer.has(after)) return false;
    return true;
  }

  /**
   * Notes when the next piece would be heard, during a long time without pulls.
   * @param {number} nowMs
   * @param {number} waitMs see pull()
   * @param {number} aheadMs
   */
  look(nowMs, waitMs, aheadMs) {
    if (this.#buffer.isFilling) return;
    this.#buffer.pulled(nowMs, waitMs, aheadMs, (this.#heard * 1000) / this.#format.sampleRate);
  }

  /**
   * Gives the next piece of sound.
   * @param {Float32Array} out pullSamples() long, or only a frame; filled from its start,
   *   interleaved when stereo
   * @param {number} nowMs
   * @param {number} [waitMs] time that this piece waits for the sound card
   * @param {number} [aheadMs] time that it waits at least, when it comes just in time
   * @returns {number} its samples: about a frame, or another number while the delay changes
   */
  pull(out, nowMs, waitMs = 0, aheadMs = waitMs) {
    // Samples beyond an `out` of one frame later become a piece of their own.
    if (this.#resampler.missing(PULL_EXTRA) > 0) {
      this.#buffer.fill(nowMs);
      this.look(nowMs, waitMs, aheadMs);
      this.#resampler.write(this.#piece, 0, this.#nextPiece(this.#frames[0], nowMs));
      this.#resampler.step = this.#delay.step;
    }
    const { channels } = this.#format;
    const count = this.#resampler.read(out, 0, out.length / channels);
    for (let i = 0; i < count * channels; i++)
      if (!(Math.abs(out[i]) <= 1)) out[i] = Math.sign(out[i]);
    this.#heard += count;
    return count;
  }

  /**
   * @param {Float32Array} out one frame long
   * @param {number} nowMs
   * @returns {number} samples of it to play
   */
  #nextPiece(out, nowMs) {
    const buffer = this.#buffer;
    if (buffer.next < 0) return this.#silence(out, this.#restSamples);
    if (buffer.isFilling) return this.#await(out);
    this.#catchUp(nowMs);
    if (!buffer.has()) {
      if (buffer.resting) return this.#rest(out);
      this.#giveUpLost();
      if (!buffer.has()) return this.#conceal(out);
    }
    this.#conceals = 0;
    this.#unmatched = 0;
    buffer.meet();
    if (this.#stretch.isShort || this.#delay.isStarved(nowMs))
      return this.#stretch.insert(out, this.#restSamples);
    return this.#play(out);
  }

  /**
   * Skips overdue silent and lost frames, which is inaudible; skips all overdue frames when the
   * delay is far too long.
   * @param {number} nowMs
   */
  #catchUp(nowMs) {
    const { frameMs } = this.#format;
    const surplus = Math.min(this.#delay.surplusMs, this.#buffer.heldMs - this.#delay.wantedMs);
    const frames = Math.floor((surplus + SHORT_IN_LONG_QUIET_MS) / frameMs);
    if (frames <= 0) return;
    if (surplus > this.#delay.hardMs(nowMs)) {
      if (this.#sound.sounding && this.#conceals === 0) this.#sound.breakOff();
      this.#leaveOut(frames);
      return;
    }
    for (let i = 0; i < frames; i++) {
      const isSilent = !this.#buffer.has() || this.#buffer.payloadBytes === 0;
      if (!isSilent || this.#buffer.isEmpty || (this.#conceals === 0 && this.#sound.sounding))
        return;
      this.#leaveOut(1);
    }
  }

  /** @param {number} frames */
  #leaveOut(frames) {
    this.#buffer.leaveOut(frames);
    this.#unmatched = Math.max(0, this.#unmatched - frames);
  }

  /** Counts concealed frames as lost once a later one is there. */
  #giveUpLost() {
    for (let frames = 1; frames <= this.#unmatched; frames++) {
      if (!this.#buffer.has(frames)) continue;
      this.#leaveOut(frames);
      return;
    }
  }

  /** Conceals a missing frame. @param {Float32Array} out */
  #conceal(out) {
    const { frameSamples, frameMs } = this.#format;
    if (this.#conceals === 0 && this.#buffer.isEmpty) this.#counters.underruns += 1;
    this.#conceals += 1;
    this.#unmatched += 1;
    this.#buffer.miss();
    this.#delay.moved(frameMs);
    if (this.#sound.sounding && this.#conceals > this.#maxConceals) this.#sound.breakOff();
    if (!this.#sound.sounding) return this.#silence(out, frameSamples);
    this.#sound.conceal(out);
    this.#counters.concealed += 1;
    return frameSamples;
  }

  /** @param {Float32Array} out @param {number} count */
  #silence(out, count) {
    this.#sound.silence(out, count);
    return count;
  }

  /**
   * Gives silence while the buffer fills. It isn't a pause that may be lengthened.
   * @param {Float32Array} out
   */
  #await(out) {
    this.#stretch.played(0);
    return this.#silence(out, this.#restSamples);
  }

  /**
   * Gives unsent silence, which may be lengthened or shortened inaudibly.
   * @param {Float32Array} out
   */
  #rest(out) {
    const { frameSamples, sampleRate } = this.#format;
    this.#stretch.rested((this.#restSamples * 1000) / sampleRate);
    if (this.#stretch.isShortInRest && !this.#sound.sounding)
      return this.#stretch.insert(out, this.#restSamples);
    const left = frameSamples - this.#buffer.rested - this.#sound.fadeSamples;
    const skipped = Math.min(this.#stretch.restSurplus, left);
    if (skipped > 0) {
      this.#buffer.rest(skipped);
      this.#stretch.skipped(skipped);
    }
    const count = Math.min(this.#restSamples, frameSamples - this.#buffer.rested);
    this.#buffer.rest(count);
    return this.#silence(out, count);
  }

  /**
   * Plays the next frame, which is there, and the frames to be shortened with it.
   * @param {Float32Array} out
   */
  #play(out) {
    const frames = this.#areTogether ? this.#stretch.together : 1;
    for (let i = 0; i < frames; i++) this.#playFrame(i === 0 ? out : this.#frames[i]);
    return this.#stretch.shorten(this.#piece, frames * this.#format.frameSamples);
  }

  /** @param {Float32Array} out one frame long */
  #playFrame(out) {
    const { next, stream, payload, payloadStart, payloadBytes, level, isRepeated } = this.#buffer;
    this.#buffer.beginFrame();
    if (!this.#sound.play(next, stream, payload, payloadStart, payloadBytes, out))
      this.#counters.garbage += 1;
    this.#stretch.played(payloadBytes === 0 ? SILENT_LEVEL : level);
    this.#counters.played += 1;
    if (isRepeated) this.#counters.recovered += 1;
    this.#buffer.advance();
  }

  /** Idempotent. */
  close() {
    this.#sound.close();
  }
}
