/**
 * @import { AudioFormat } from '../shared/audio-format.js'
 * @import { PayloadEncoder } from '../shared/payload.js'
 * @import { ClockSync } from './clock-sync.js'
 */

import { levelOf } from '../shared/level.js';
import { MAX_PACKET_BYTES, Packet, SILENT_LEVEL, writeAudioHeader } from '../shared/packet.js';
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

/** How fast a mute fades, in milliseconds. */
const FADE_MS = 5;

/**
 * What the microphone gives, as packets on the frame grid of the server's sample clock. The first
 * sample's place comes from the time at which sound arrives, and from then on samples are counted;
 * only when they are more than a frame off is that corrected, by whole frames.
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
  /** The sample clock at captured sample 0; NaN until it is known. */
  #anchor = NaN;
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
    return this.#skip + this.#format.frameSamples - this.#filled;
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
    if (Number.isNaN(this.#anchor)) return;
    let at = 0;
    if (this.#skip > 0) {
      at = Math.min(this.#skip, count);
      this.#skip -= at;
    }
    const { frameSamples } = this.#format;
    while (at < count) {
      const taken = Math.min(count - at, frameSamples - this.#filled);
      for (let i = 0; i < taken; i++) this.#pcm[this.#filled + i] = samples[at + i];
      at += taken;
      this.#filled += taken;
      if (this.#filled === frameSamples) this.#complete();
    }
  }

  /**
   * @param {number} nowMs
   * @param {number} offset
   * @param {number} count
   */
  #watch(nowMs, offset, count) {
    const least = this.#offset.add(nowMs, offset);
    this.#chunks += 1;
    if (Number.isNaN(this.#watchedSinceMs)) this.#watchedSinceMs = nowMs;
    if (this.#chunks < WATCH_CHUNKS || nowMs - this.#watchedSinceMs < WATCH_MS) return;
    if (Number.isNaN(this.#anchor)) this.#fix(Math.round(least), count);
    else if (Math.abs(least - this.#anchor) > this.#format.frameSamples) this.#correct(least);
  }

  /**
   * Fixes the samples' place: the chunk's first sample is at anchor + captured - count.
   * @param {number} anchor
   * @param {number} count
   */
  #fix(anchor, count) {
    const { frameSamples } = this.#format;
    const position = anchor + this.#captured - count;
    const frame = Math.max(Math.ceil(position / frameSamples), this.#frame, 0);
    this.#anchor = anchor;
    this.#skip = frame * frameSamples - position;
    this.#frame = frame;
    this.#filled = 0;
  }

  /**
   * Moves by whole frames: a later place leaves out indices, an earlier one drops sound.
   * @param {number} least where captured sample 0 really is
   */
  #correct(least) {
    const { frameSamples } = this.#format;
    const frames = Math.round((least - this.#anchor) / frameSamples);
    this.#anchor += frames * frameSamples;
    this.counters.reanchored += 1;
    if (frames > 0) {
      this.#frame += frames;
      this.counters.skippedFrames += frames;
    } else {
      this.#skip -= frames * frameSamples;
      this.counters.droppedFrames -= frames;
    }
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
    const isPlaced = !Number.isNaN(this.#anchor);
    const isFresh = nowMs - this.#capturedMs < CAPTURE_GAP_MS;
    if (isPlaced && isFresh) return false;
    const clock = this.#clockSync.sampleClockAt(nowMs);
    if (Number.isNaN(clock)) return false;
    if (isPlaced) this.#forget();
    const ended = Math.floor(clock / this.#format.frameSamples) - 1;
    if (this.#frame < 0 || this.#frame < ended - MAX_MADE_UP) this.#frame = Math.max(0, ended);
    this.level = SILENT_LEVEL;
    this.voice = false;
    while (this.#frame <= ended) this.#sendFrame(true);
    return true;
  }

  /** What was captured has ended: when sound comes again its place is another. */
  #forget() {
    this.#anchor = NaN;
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
