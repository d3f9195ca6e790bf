/**
 * @import { AudioFormat } from '../../shared/audio-format.js'
 * @import { Clock } from '../../shared/clock.js'
 * @import { PayloadEncoder } from '../../shared/payload.js'
 */

import { levelOf } from '../../shared/level.js';
import { lengthBytes } from '../../shared/packet-lengths.js';
import {
  AUDIO_HEADER_BYTES,
  MAX_PACKET_BYTES,
  MAX_REDUNDANCY,
  Packet,
  SILENT_LEVEL,
  writeAudioHeader,
} from '../../shared/packet.js';
import { Redundancy } from '../../shared/redundancy.js';
import { VoiceActivity } from './voice-activity.js';
import { VoiceFlag } from './voice-flag.js';

/** So many silent frames are sent after sound, so that a loss isn't noticed; */
const SILENT_FRAMES = 2;
/** then one in so many milliseconds. */
const SILENT_MS = 200;

/** How fast sound is faded out and in, in milliseconds, */
const FADE_MS = 5;
/** and how much silence is encoded behind it, so that codecs on the way keep nothing of it: two lookaheads. */
const FLUSH_MS = 5;

const PAYLOADS = MAX_REDUNDANCY + 1;

/**
 * Frames of the grid as packets: what is silent is left out, what may be lost is repeated. Sound ends
 * with a fade and begins with its first sample.
 */
export class FrameSender {
  #encoder;
  #send;
  #packet = new Packet();
  #bytes = new Uint8Array(MAX_PACKET_BYTES);
  /** The last frames' payloads, in turn, and their lengths: 0 is silence. */
  #payloads = Array.from({ length: PAYLOADS }, () => new Uint8Array(MAX_PACKET_BYTES - AUDIO_HEADER_BYTES));
  #lengths = new Uint16Array(PAYLOADS);
  #turn = 0;
  #frame = -1;
  #suppresses;
  #silentInterval;
  /** Silent frames since the last sound. */
  #silentFrames = SILENT_FRAMES;
  #activity;
  #voiceFlag;
  #redundancy;
  #muted = false;
  #wasMuted = false;
  #gain = 1;
  #fadeStep;
  #channels;
  /** Numbers of silence that were encoded behind the last sound, and how many are needed. */
  #flushed;
  #flushValues;
  #sentLevel = SILENT_LEVEL;

  counters = { sent: 0, silent: 0, leftOut: 0, repeated: 0, blocked: 0 };
  /** The last frame's level in -dBov, as the microphone gave it unless it is muted, and whether there is voice. */
  level = SILENT_LEVEL;
  voice = false;

  /**
   * @param {object} options
   * @param {AudioFormat} options.format
   * @param {PayloadEncoder} options.encoder  closed with this
   * @param {(bytes: Uint8Array) => boolean} options.send  may not keep the bytes
   * @param {boolean} [options.suppressesSilence]  whether packets may be left out in silence; default false
   * @param {'auto' | 0 | 1 | 2} [options.redundancy]  default 0
   * @param {Pick<Clock, 'now'>} [options.clock]
   */
  constructor({ format, encoder, send, suppressesSilence = false, redundancy = 0, clock }) {
    this.#encoder = encoder;
    this.#send = send;
    this.#suppresses = suppressesSilence;
    this.#silentInterval = Math.max(1, Math.round(SILENT_MS / format.frameMs));
    this.#fadeStep = 1000 / (FADE_MS * format.sampleRate);
    this.#channels = format.channels;
    this.#flushValues = (FLUSH_MS * format.sampleRate * format.channels) / 1000;
    this.#flushed = this.#flushValues;
    this.#activity = new VoiceActivity(format);
    this.#voiceFlag = new VoiceFlag(format.frameMs);
    this.#redundancy = new Redundancy(redundancy, clock);
  }

  /** @param {boolean} muted what is sent is silence */
  mute(muted) {
    this.#muted = muted;
  }

  /** @param {boolean} suppresses whether packets are left out in silence */
  suppressSilence(suppresses) {
    this.#suppresses = suppresses;
  }

  /** Whether nothing is to be heard, and packets are left out. */
  get resting() {
    return this.#suppresses && this.#silentFrames > 0;
  }

  /** @param {number | null} lostPercent of what was sent, as the server tells it */
  report(lostPercent) {
    this.#redundancy.report(lostPercent);
  }

  /**
   * Sends one frame of captured sound, or leaves it out.
   * @param {number} frame above the one before
   * @param {Float32Array} pcm one frame; faded in place
   */
  sound(frame, pcm) {
    const hasSound = !this.#suppresses || this.#activity.next(pcm);
    this.level = this.#muted && this.#gain === 0 ? SILENT_LEVEL : levelOf(pcm);
    this.voice = this.#voiceFlag.next(this.level);
    if (hasSound && !this.#muted) this.#open(pcm);
    else this.#close(pcm);
    this.#sentLevel = this.#gain === 1 ? this.level : levelOf(pcm);
    const isSilent = this.#sentLevel === SILENT_LEVEL;
    const isOver = isSilent && this.#flushed >= this.#flushValues;
    if (!isOver) this.#flushed = isSilent ? this.#flushed + pcm.length : silentEnd(pcm);
    this.#next(frame, isOver ? null : pcm);
  }

  /** @param {number} frame one of silence, for which nothing was captured */
  silence(frame) {
    this.level = SILENT_LEVEL;
    this.voice = false;
    this.#flushed = this.#flushValues;
    this.#next(frame, null);
  }

  /**
   * A word that begins with the frame isn't faded in: nothing of it is lost. What else comes after
   * silence is.
   * @param {Float32Array} pcm
   */
  #open(pcm) {
    if (this.#activity.beginsWithSound && !this.#wasMuted) this.#gain = 1;
    this.#wasMuted = false;
    for (let i = 0; i < pcm.length && this.#gain < 1; ) {
      this.#gain = Math.min(1, this.#gain + this.#fadeStep);
      for (let c = 0; c < this.#channels; c++) pcm[i++] *= this.#gain;
    }
  }

  /** @param {Float32Array} pcm */
  #close(pcm) {
    this.#wasMuted = this.#muted;
    // Where nothing was heard there is nothing to fade.
    if (this.#flushed >= this.#flushValues) this.#gain = 0;
    for (let i = 0; i < pcm.length; ) {
      this.#gain = Math.max(0, this.#gain - this.#fadeStep);
      for (let c = 0; c < this.#channels; c++) pcm[i++] *= this.#gain;
    }
  }

  /**
   * @param {number} frame
   * @param {Float32Array | null} pcm null: silence
   */
  #next(frame, pcm) {
    // What was repeated must be the frames right before this one.
    if (frame !== this.#frame + 1) this.#lengths.fill(0);
    this.#frame = frame;
    this.#turn = (this.#turn + 1) % PAYLOADS;
    const length = pcm === null ? 0 : this.#encoder.encode(pcm, this.#payloads[this.#turn], 0);
    this.#lengths[this.#turn] = length;
    this.#silentFrames = pcm === null ? this.#silentFrames + 1 : 0;
    if (this.#isLeftOut()) this.counters.leftOut += 1;
    else this.#write();
  }

  #isLeftOut() {
    if (!this.#suppresses || this.#silentFrames <= SILENT_FRAMES) return false;
    return this.#silentFrames % this.#silentInterval !== 0;
  }

  #write() {
    const packet = this.#packet;
    const length = this.#lengths[this.#turn];
    packet.frame = this.#frame;
    packet.sequence = (packet.sequence + 1) & 0xffff;
    packet.level = length === 0 ? SILENT_LEVEL : this.#sentLevel;
    packet.voice = length > 0 && this.voice;
    packet.redundancy = this.#repeats(length);
    for (let r = 1; r <= packet.redundancy; r++) packet.payloadBytes[r] = this.#lengthBefore(r);
    let at = writeAudioHeader(this.#bytes, packet);
    for (let r = packet.redundancy; r >= 0; r--) at = this.#copy(r, at);
    this.counters.sent += 1;
    this.counters.repeated += packet.redundancy;
    if (length === 0) this.counters.silent += 1;
    if (!this.#send(this.#bytes.subarray(0, at))) this.counters.blocked += 1;
  }

  /** @param {number} r @returns {number} the bytes of the payload so many frames ago */
  #lengthBefore(r) {
    return this.#lengths[(this.#turn + PAYLOADS - r) % PAYLOADS];
  }

  /**
   * @param {number} length the packet's own payload's
   * @returns {number} how many payloads are repeated: those that there are, from the last with sound on, and fit
   */
  #repeats(length) {
    let bytes = AUDIO_HEADER_BYTES + length;
    let repeats = 0;
    const most = this.#redundancy.count;
    for (let r = 1; r <= most; r++) {
      const before = this.#lengthBefore(r);
      bytes += lengthBytes(before) + before;
      if (bytes > MAX_PACKET_BYTES) break;
      if (before > 0) repeats = r;
    }
    return repeats;
  }

  /**
   * @param {number} r
   * @param {number} at
   * @returns {number} where the next byte goes
   */
  #copy(r, at) {
    const payload = this.#payloads[(this.#turn + PAYLOADS - r) % PAYLOADS];
    const length = this.#lengthBefore(r);
    for (let i = 0; i < length; i++) this.#bytes[at + i] = payload[i];
    return at + length;
  }

  /** Idempotent. */
  close() {
    this.#encoder.close();
  }
}

/**
 * @param {Float32Array} pcm
 * @returns {number} how many numbers at its end are silent
 */
function silentEnd(pcm) {
  let count = 0;
  while (count < pcm.length && pcm[pcm.length - 1 - count] === 0) count += 1;
  return count;
}
