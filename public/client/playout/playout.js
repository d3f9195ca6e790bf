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

/**
 * The length of the pieces in which unsent silence is given, in milliseconds: sound may begin after
 * each.
 */
const REST_MS = 5;

/** Samples by which resampling may make a piece of sound longer. */
const PULL_EXTRA = 8;

/**
 * @param {AudioFormat} format
 * @returns {number} the samples that Playout.pull() gives at most
 */
export const pullSamples = (format) => framesToScale(format) * format.frameSamples + PULL_EXTRA;

/**
 * The playout buffer: packets wait under their frame index until the sound card wants them. It
 * waits for as long as the jitter asks, and makes up for what doesn't come. It is played at the
 * speed at which frames come, a few parts per million beside the sound card's, and so that small
 * changes of the delay aren't heard; larger ones lengthen or shorten what is quiet, or shorten a
 * voice. A frame that isn't there is made up without giving it up: if it comes meanwhile it is
 * heard, and the delay has grown by a frame; if the next one comes, it is lost. After a silent
 * packet nothing is missed: time runs on in silence until there is sound again, and the delay is
 * put right on the way.
 */
export class Playout {
  #format;
  #buffer;
  #sound;
  #delay;
  #stretch;
  #maxConceals;
  #resampler;
  /** The piece that is given next, and the places of its frames. */
  #piece;
  #frames;
  #heard = 0;
  /** Frames that were concealed since the last one that was there. */
  #conceals = 0;
  /** Those of them for which no frame that never came has been left out yet. */
  #owed = 0;
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
   * Packets: `received` in time, `late` for their frame, `lost` that never came, `duplicate`,
   * `strange` with an implausible time. Frames: `played`, `recovered` from a later packet,
   * `skipped` unheard to catch up, `concealed`, `garbage`. `underruns`: times when nothing had
   * come. Samples: `inserted`, `dropped`.
   */
  get counters() {
    return { ...this.#buffer.counters, ...this.#counters, ...this.#stretch.counters };
  }

  /** @param {number} stride  how many frames there are to a packet from now on */
  set stride(stride) {
    this.#buffer.stride = stride;
  }

  /**
   * Sets how long sound waits for what is late or lost.
   * @param {number | null} ms  null: as long as the jitter asks
   * @param {number} nowMs
   */
  fixDelay(ms, nowMs) {
    this.#delay.fix(ms, nowMs);
  }

  /**
   * When frame 0 of the room's clock would have been heard, in milliseconds; NaN while that isn't
   * known.
   */
  get originMs() {
    return this.#delay.originMs;
  }

  /** The frame that is played next; -1 before the first packet. */
  get nextFrame() {
    return this.#buffer.next;
  }

  /** The delay that waiting for jitter adds now, in milliseconds. */
  get delayMs() {
    return Math.max(0, this.#delay.actualMs);
  }

  /** The delay that it should add, in milliseconds. */
  get wantedMs() {
    return this.#delay.wantedMs;
  }

  /** The sound card's drift against the server's sample clock, in ppm; 0 while that isn't known. */
  get driftPpm() {
    return this.#delay.driftPpm;
  }

  /**
   * The share of the sent frames that were there in time, repeated ones too, in percent; null
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
   * @returns {number | null} of the packets of the last seconds, those that never came, in percent,
   *   before any of it was mended; null when there were none
   */
  lostPercent(nowMs) {
    return this.#buffer.lostPercent(nowMs);
  }

  /**
   * Takes an audio packet as it comes.
   * @param {Packet} packet as read
   * @param {Uint8Array} bytes the packet's, MAX_PACKET_BYTES at most; not kept
   * @param {number} arrivalMs
   */
  receive(packet, bytes, arrivalMs) {
    const first = this.#buffer.receive(packet, bytes, arrivalMs);
    if (first >= 0) this.#sound.follow(first, this.#buffer.newest, packet, bytes);
  }

  /** Whether the next piece is there, so that nothing would have to be made up for it. */
  get ready() {
    if (this.#buffer.isFilling) return false;
    for (let after = 0; after <= this.#owed; after++)
      if (this.#buffer.has(after)) return this.#conceals > 0 || this.#areTogether;
    return false;
  }

  /** Whether all frames that are to be shortened together are there. */
  get #areTogether() {
    for (let after = this.#stretch.together - 1; after > 0; after--)
      if (!this.#buffer.has(after)) return false;
    return true;
  }

  /**
   * Notes when the next piece would be heard; called where it isn't pulled for long.
   * @param {number} nowMs
   * @param {number} waitMs see pull()
   * @param {number} aheadMs
   */
  look(nowMs, waitMs, aheadMs) {
    if (this.#buffer.isFilling) return;
    this.#buffer.pulled(nowMs, waitMs, aheadMs, (this.#heard * 1000) / this.#format.sampleRate);
  }

  /**
   * Gives the next piece of sound, when the sound card wants it.
   * @param {Float32Array} out pullSamples() long, or only a frame; filled from its start,
   *   interleaved where the format is stereo
   * @param {number} nowMs
   * @param {number} [waitMs] how long this piece waits for the sound card
   * @param {number} [aheadMs] how long it does at least, where it comes only just in time
   * @returns {number} its samples: about a frame, or another number where the delay is being
   *   changed
   */
  pull(out, nowMs, waitMs = 0, aheadMs = waitMs) {
    // Samples that don't fit an `out` of only a frame become a piece of their own in time.
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
   * @returns {number} the samples of it that are to be heard
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
    this.#owed = 0;
    buffer.meet();
    if (this.#stretch.isShort || this.#delay.isStarved(nowMs))
      return this.#stretch.insert(out, this.#restSamples);
    return this.#play(out);
  }

  /**
   * Leaves out silent and lost frames whose time is over, where that isn't heard; all of them where
   * the delay is far too long.
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
    this.#owed = Math.max(0, this.#owed - frames);
  }

  /** Takes concealed frames for lost, once one that comes after them is there. */
  #giveUpLost() {
    for (let frames = 1; frames <= this.#owed; frames++) {
      if (!this.#buffer.has(frames)) continue;
      this.#leaveOut(frames);
      return;
    }
  }

  /**
   * Conceals a frame that isn't there.
   * @param {Float32Array} out
   */
  #conceal(out) {
    const { frameSamples, frameMs } = this.#format;
    if (this.#conceals === 0 && this.#buffer.isEmpty) this.#counters.underruns += 1;
    this.#conceals += 1;
    this.#owed += 1;
    this.#buffer.miss();
    this.#delay.moved(frameMs);
    if (this.#sound.sounding && this.#conceals > this.#maxConceals) this.#sound.breakOff();
    if (!this.#sound.sounding) return this.#silence(out, frameSamples);
    this.#sound.conceal(out);
    this.#counters.concealed += 1;
    return frameSamples;
  }

  /**
   * @param {Float32Array} out
   * @param {number} count
   */
  #silence(out, count) {
    this.#sound.silence(out, count);
    return count;
  }

  /**
   * Gives silence while the buffer is filled. It is no pause, which would be made longer.
   * @param {Float32Array} out
   */
  #await(out) {
    this.#stretch.played(0);
    return this.#silence(out, this.#restSamples);
  }

  /**
   * Gives unsent silence, which may be made longer or shorter unheard.
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
   * Plays the next frame, which is there, and those that are to be shortened with it.
   * @param {Float32Array} out
   */
  #play(out) {
    const frames = this.#areTogether ? this.#stretch.together : 1;
    for (let i = 0; i < frames; i++) this.#playFrame(i === 0 ? out : this.#frames[i]);
    return this.#stretch.shorten(this.#piece, frames * this.#format.frameSamples);
  }

  /** @param {Float32Array} out one frame long */
  #playFrame(out) {
    const { next, stream, payload, payloadBytes, level, isRepeated } = this.#buffer;
    this.#buffer.beginFrame();
    if (!this.#sound.play(next, stream, payload, payloadBytes, out)) this.#counters.garbage += 1;
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
