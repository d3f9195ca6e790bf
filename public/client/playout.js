/**
 * @import { AudioFormat } from '../shared/audio-format.js'
 * @import { Packet } from '../shared/packet.js'
 * @import { PayloadDecoder } from '../shared/payload.js'
 */

import { MAX_PACKET_BYTES, SILENT_LEVEL, Stream, unwrapFrame } from '../shared/packet.js';
import { PacketSlots } from './packet-slots.js';
import { MAX_DELAY_MS, PlayoutDelay } from './playout-delay.js';
import { Resampler } from './resampler.js';
import { Splicer } from './splicer.js';

/** How much sound is kept at most, in milliseconds. */
const CAPACITY_MS = 1000;

/** A loss longer than this isn't made up any further: the rest is silence. */
const MAX_CONCEAL_MS = 120;

/** So many packets in a row whose time can't be right: then it is the time that has changed. */
const RESYNC_PACKETS = 10;

/** A frame at least as soft as this may be lengthened or shortened, in -dBov. */
const QUIET_LEVEL = 50;

/** A quiet of so many milliseconds is no pause between words: its length may change by little. */
const LONG_QUIET_MS = 1000;

/** So much too short, in milliseconds, and what is quiet is lengthened: any quiet, or a long one. */
const SHORT_MS = 6;
const SHORT_IN_LONG_QUIET_MS = 1;
/** So much too long, and it is shortened; */
const LONG_MS = 12;
const LONG_IN_LONG_QUIET_MS = 4;
/** sound is, too, after so long. What is less is left to resampling. */
const PATIENCE_MS = 2000;

/** Longer than wanted by more than this, in milliseconds, and frames are left out at once. */
const HARD_MS = 150;

const INDEX_NEVER = -1;

/** Resampling may make a piece of sound longer than a frame, by less than so many samples. */
export const PULL_EXTRA = 8;

/**
 * The playout buffer: packets wait under their frame index until the sound card wants them. It waits
 * for as long as the jitter asks, and makes up for what doesn't come. It is played at the speed at
 * which frames come, a few parts per million beside the sound card's, and so that small changes of
 * the delay aren't heard; larger ones lengthen or shorten what is quiet. A frame that isn't there is
 * made up without giving it up: if it comes meanwhile it is heard, and the delay has grown by a
 * frame; if the next one comes, it is lost.
 */
export class Playout {
  #format;
  #decoders;
  #slots;
  #splicer;
  #scratch;
  #maxConceals;
  #delay;
  #next = INDEX_NEVER;
  #newest = INDEX_NEVER;
  /** @type {number} the stream that is heard: one of Stream */
  #stream = Stream.fullMix;
  /** Whether the decoder would go on with sound, rather than silence. */
  #sounding = false;
  /** How long it has been quiet, in milliseconds; 0 when it is not. */
  #quietMs = LONG_QUIET_MS;
  #resampler;
  #piece;
  #heard = 0;
  /** Frames that were made up since the last one that was there. */
  #conceals = 0;
  #longFrames = 0;
  #strangers = 0;

  /**
   * Packets: `received` in time, `late` for their frame, `duplicate`, `strange` with a time that
   * can't be; frames: `played`, `lost` that never came, `skipped` unheard to catch up, `concealed`,
   * `garbage`; `underruns`: how often the sound card found nothing; samples inserted and dropped.
   */
  counters = {
    received: 0,
    late: 0,
    duplicate: 0,
    strange: 0,
    played: 0,
    lost: 0,
    skipped: 0,
    concealed: 0,
    garbage: 0,
    underruns: 0,
    inserted: 0,
    dropped: 0,
  };

  /**
   * @param {AudioFormat} format
   * @param {PayloadDecoder[]} decoders by Stream; closed with this
   */
  constructor(format, decoders) {
    this.#format = format;
    this.#decoders = decoders;
    this.#slots = new PacketSlots(Math.max(16, Math.ceil(CAPACITY_MS / format.frameMs)));
    this.#splicer = new Splicer(format);
    this.#scratch = new Float32Array(format.frameSamples);
    this.#resampler = new Resampler(2 * format.frameSamples + PULL_EXTRA);
    this.#piece = new Float32Array(format.frameSamples);
    this.#maxConceals = Math.max(1, Math.round(MAX_CONCEAL_MS / format.frameMs));
    this.#delay = new PlayoutDelay(format.frameMs);
  }

  /** What waiting for jitter adds now, in milliseconds. */
  get delayMs() {
    return Math.max(0, this.#delay.actualMs);
  }

  /** What it should add, in milliseconds. */
  get wantedMs() {
    return this.#delay.wantedMs;
  }

  /** How fast the sound card runs against the server's sample clock, in ppm; 0 while that isn't known. */
  get driftPpm() {
    return this.#delay.driftPpm;
  }

  /** Of the frames that were due, those whose packet was there in time, in percent; null before the first. */
  get receivedPercent() {
    const { received, late, lost } = this.counters;
    const due = received + late + lost;
    return due === 0 ? null : (100 * received) / due;
  }

  /**
   * Takes an audio packet as it comes.
   * @param {Packet} packet as read
   * @param {Uint8Array} bytes the packet's; not kept
   * @param {number} arrivalMs
   */
  receive(packet, bytes, arrivalMs) {
    if (bytes.length > MAX_PACKET_BYTES) return;
    const frame = this.#newest < 0 ? packet.frame : unwrapFrame(packet.frame, this.#newest);
    if (this.#next < 0) this.#start(frame);
    else if (!this.#isPlausible(frame, arrivalMs)) return;
    if (this.#slots.has(frame) && !this.#slots.put(frame, packet, 0, bytes)) {
      this.counters.duplicate += 1;
      return;
    }
    this.#delay.arrived(frame, arrivalMs, this.#isMissed(frame));
    this.#keep(frame, packet, bytes);
    this.#keepRepeated(frame, packet, bytes, arrivalMs);
  }

  /** @param {number} frame whether it was wanted before it came */
  #isMissed(frame) {
    return frame < this.#next || (frame === this.#next && this.#conceals > 0);
  }

  /** @param {number} frame */
  #start(frame) {
    this.#next = frame;
    this.#newest = frame;
    this.#strangers = 0;
  }

  /**
   * @param {number} frame
   * @param {number} arrivalMs
   */
  #isPlausible(frame, arrivalMs) {
    const lateness = this.#delay.lateness(frame, arrivalMs);
    if (frame >= 0 && Math.abs(lateness) <= MAX_DELAY_MS + HARD_MS) {
      this.#strangers = 0;
      return true;
    }
    this.counters.strange += 1;
    this.#strangers += 1;
    if (this.#strangers < RESYNC_PACKETS || frame < 0) return false;
    this.#delay.reset();
    this.#slots.clear();
    this.#start(frame);
    return true;
  }

  /**
   * @param {number} frame
   * @param {Packet} packet
   * @param {Uint8Array} bytes
   */
  #keep(frame, packet, bytes) {
    if (frame < this.#next) {
      this.counters.late += 1;
      if (this.counters.lost > 0) this.counters.lost -= 1;
    } else {
      this.counters.received += 1;
    }
    if (frame > this.#newest) this.#newest = frame;
    if (frame > this.#newest - this.#slots.capacity) this.#slots.put(frame, packet, 0, bytes);
  }

  /**
   * Frames that come only by being repeated come later: the delay must know, or they are of no use.
   * @param {number} frame
   * @param {Packet} packet
   * @param {Uint8Array} bytes
   * @param {number} arrivalMs
   */
  #keepRepeated(frame, packet, bytes, arrivalMs) {
    for (let r = 1; r <= packet.redundancy && frame - r >= this.#next - 1 && frame >= r; r++) {
      if (this.#slots.has(frame - r)) continue;
      this.#delay.arrived(frame - r, arrivalMs, this.#isMissed(frame - r));
      if (frame - r >= this.#next) this.#slots.put(frame - r, packet, r, bytes);
    }
  }

  /**
   * Gives the next piece of sound, when the sound card wants it.
   * @param {Float32Array} out a frame long, better PULL_EXTRA samples longer; filled from its start
   * @param {number} nowMs
   * @param {number} [outputMs] how long what is given waits for the sound card
   * @returns {number} how many samples it is: about a frame, or less where the delay is being changed
   */
  pull(out, nowMs, outputMs = 0) {
    // Where out is no longer than a frame, what didn't fit is a piece of its own in time.
    if (this.#resampler.missing(PULL_EXTRA) > 0) this.#take(nowMs, outputMs);
    const count = this.#resampler.read(out, 0, out.length);
    for (let i = 0; i < count; i++) if (!(Math.abs(out[i]) <= 1)) out[i] = Math.sign(out[i]);
    this.#heard += count;
    return count;
  }

  /**
   * Gives the resampler the next piece.
   * @param {number} nowMs
   * @param {number} outputMs
   */
  #take(nowMs, outputMs) {
    if (this.#next >= 0) {
      const heardMs = nowMs + outputMs - (this.#heard * 1000) / this.#format.sampleRate;
      this.#delay.pulled(this.#next, nowMs, heardMs);
    }
    const count = this.#nextPiece(this.#piece);
    this.#resampler.write(this.#piece, 0, count);
    this.#resampler.step = this.#delay.step;
  }

  /**
   * @param {Float32Array} out one frame long
   * @returns {number} how many samples of it are to be heard
   */
  #nextPiece(out) {
    if (this.#next < 0) return this.#silence(out, this.#format.frameSamples);
    this.#catchUp();
    if (!this.#slots.has(this.#next)) this.#giveUpLost();
    if (!this.#slots.has(this.#next)) return this.#conceal(out);
    this.#conceals = 0;
    const shortMs = this.#quietMs >= LONG_QUIET_MS ? SHORT_IN_LONG_QUIET_MS : SHORT_MS;
    if (this.#quietMs > 0 && this.#delay.surplusMs < -shortMs) return this.#insert(out);
    return this.#play(out);
  }

  /** Leaves out frames whose time is over, where it isn't heard or can't be helped. */
  #catchUp() {
    const { frameMs } = this.#format;
    const surplus = this.#delay.surplusMs;
    const frames = Math.floor((surplus + SHORT_IN_LONG_QUIET_MS) / frameMs);
    if (frames <= 0) return;
    if (surplus > HARD_MS) {
      if (this.#sounding && this.#conceals === 0) this.#cutSound();
      this.#leaveOut(frames);
      return;
    }
    for (let i = 0; i < frames; i++) {
      const isSilent = !this.#slots.has(this.#next) || this.#slots.length(this.#next) === 0;
      if (this.#conceals === 0 && (this.#sounding || !isSilent)) return;
      this.#leaveOut(1);
    }
  }

  /** @param {number} frames to be left out */
  #leaveOut(frames) {
    const looked = Math.min(frames, this.#slots.capacity);
    let there = 0;
    for (let i = 0; i < looked; i++) if (this.#slots.has(this.#next + i)) there += 1;
    this.counters.skipped += there;
    this.counters.lost += frames - there;
    this.#next += frames;
    this.#delay.moved(-frames * this.#format.frameMs);
  }

  /** What was made up stands for lost frames, when one that came after them is there. */
  #giveUpLost() {
    for (let frames = 1; frames <= this.#conceals; frames++) {
      if (!this.#slots.has(this.#next + frames)) continue;
      this.#leaveOut(frames);
      return;
    }
  }

  /**
   * Makes up a frame in place of one that isn't there.
   * @param {Float32Array} out
   */
  #conceal(out) {
    const { frameSamples, frameMs } = this.#format;
    if (this.#conceals === 0 && this.#newest < this.#next) this.counters.underruns += 1;
    this.#conceals += 1;
    this.#delay.moved(frameMs);
    if (this.#sounding && this.#conceals > this.#maxConceals) this.#cutSound();
    if (!this.#sounding) return this.#silence(out, frameSamples);
    this.#decoders[this.#stream].conceal(out, 0);
    this.counters.concealed += 1;
    this.#splicer.join(out, frameSamples);
    return frameSamples;
  }

  /** What follows doesn't go on from the sound before it. */
  #cutSound() {
    this.#decoders[this.#stream].conceal(this.#scratch, 0);
    this.#splicer.cut(this.#scratch, 0);
    this.#sounding = false;
  }

  /**
   * @param {Float32Array} out
   * @param {number} count
   */
  #silence(out, count) {
    out.fill(0);
    this.#splicer.join(out, count);
    return count;
  }

  /**
   * Lengthens what is quiet, since the delay is too short.
   * @param {Float32Array} out
   */
  #insert(out) {
    const { frameSamples, sampleRate } = this.#format;
    const fade = this.#splicer.samples;
    const wanted = Math.ceil((-this.#delay.surplusMs * sampleRate) / 1000);
    const most = this.#sounding ? frameSamples - fade : frameSamples;
    const count = Math.max(fade, Math.min(wanted, most));
    this.counters.inserted += count;
    this.#delay.moved((count * 1000) / sampleRate);
    if (!this.#sounding) return this.#silence(out, count);
    this.#decoders[this.#stream].conceal(out, 0);
    this.#splicer.join(out, frameSamples);
    if (count < frameSamples) this.#splicer.cut(out, count);
    return count;
  }

  /**
   * Plays the next frame, which is there.
   * @param {Float32Array} out
   */
  #play(out) {
    const frame = this.#next;
    const length = this.#slots.length(frame);
    if (length === 0) {
      if (this.#sounding) this.#cutSound();
      out.fill(0);
    } else {
      this.#decode(out, frame, length);
    }
    const isQuiet = length === 0 || this.#slots.level(frame) >= QUIET_LEVEL;
    this.#quietMs = isQuiet ? this.#quietMs + this.#format.frameMs : 0;
    this.#splicer.join(out, this.#format.frameSamples);
    this.counters.played += 1;
    this.#next += 1;
    return this.#shorten(out);
  }

  /**
   * @param {Float32Array} out
   * @param {number} frame
   * @param {number} length
   */
  #decode(out, frame, length) {
    const stream = this.#slots.stream(frame);
    if (!this.#sounding) this.#splicer.cutSilence();
    else if (stream !== this.#stream) this.#cutSound();
    this.#stream = stream;
    this.#sounding = true;
    const payload = this.#slots.payload(frame);
    if (!this.#decoders[stream].decode(payload, 0, length, out, 0)) this.counters.garbage += 1;
  }

  /**
   * Shortens the frame when the delay is too long.
   * @param {Float32Array} out
   * @returns {number} how many samples of it are to be heard
   */
  #shorten(out) {
    const { frameSamples, frameMs, sampleRate } = this.#format;
    const surplus = this.#delay.surplusMs;
    const fade = this.#splicer.samples;
    this.#longFrames = surplus > LONG_MS ? this.#longFrames + 1 : 0;
    const longMs = this.#quietMs >= LONG_QUIET_MS ? LONG_IN_LONG_QUIET_MS : LONG_MS;
    const isLong = this.#quietMs > 0 ? surplus > longMs : this.#longFrames * frameMs > PATIENCE_MS;
    if (!isLong) return frameSamples;
    const count = Math.max(fade, frameSamples - Math.floor((surplus * sampleRate) / 1000));
    if (count > frameSamples - fade) return frameSamples;
    this.counters.dropped += frameSamples - count;
    this.#delay.moved(((count - frameSamples) * 1000) / sampleRate);
    this.#splicer.cut(out, count);
    return count;
  }

  /** The level of what was played last, in -dBov. */
  get level() {
    return this.#sounding && this.#next > 0 && this.#slots.has(this.#next - 1)
      ? this.#slots.level(this.#next - 1)
      : SILENT_LEVEL;
  }

  /** Idempotent. */
  close() {
    for (const decoder of this.#decoders) decoder.close();
  }
}
