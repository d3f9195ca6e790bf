/**
 * @import { AudioFormat } from '../../shared/sound/audio-format.js'
 * @import { Clock } from '../../shared/clock.js'
 * @import { PayloadEncoder } from '../../shared/stream/payload.js'
 */

import { levelOf } from '../../shared/sound/level.js';
import { MAX_SENT_BYTES, SILENT_LEVEL } from '../../shared/wire/packet.js';
import { PacketStream } from '../../shared/stream/packet-stream.js';
import { Redundancy } from '../../shared/stream/redundancy.js';
import { VoiceActivity, VoiceFlag } from './voice-activity.js';

/** Length of the fades at both ends of a sound, in milliseconds. */
const FADE_MS = 5;

/**
 * Silence encoded after a sound, in milliseconds: two lookaheads, so that no codec on the path
 * keeps a rest of it.
 */
const FLUSH_MS = 5;

/** Longest duration of a packet with two frames, in milliseconds. */
const MAX_PACKED_MS = 40;

const noLimit = () => MAX_SENT_BYTES;

/**
 * Sends frames of the grid as packets: skips silence, and repeats payloads according to the
 * reported loss. A sound begins with its first sample and ends with a fade.
 */
export class FrameSender {
  #stream;
  #send;
  #limit;
  #suppresses;
  #activity;
  #voiceFlag;
  #redundancy;
  #effort;
  #canPack;
  /** True when the last frame waits for the next one's packet. */
  #isHeld = false;
  #muted = false;
  #wasMuted = false;
  #gain = 1;
  #fadeStep;
  #channels;
  /** Values of silence encoded after the last sound, and the number needed. */
  #flushed;
  #flushValues;
  #sentLevel = SILENT_LEVEL;

  /**
   * Counters. Packets: `sent`, of them `silent`; `leftOut`; `blocked` for lack of room in the
   * connection. Payloads: `repeated`. Frames: `packed` into the next one's packet.
   */
  counters = { sent: 0, silent: 0, leftOut: 0, repeated: 0, blocked: 0, packed: 0 };
  /** Bytes of all packets sent. */
  bytes = 0;
  /** Level of the last frame in -dBov, as captured; silent while muted. */
  level = SILENT_LEVEL;
  /** True when the last frame has voice. */
  voice = false;

  /**
   * @param {object} options
   * @param {AudioFormat} options.format
   * @param {Pick<PayloadEncoder, 'begin' | 'end' | 'close'>} options.encoder closed with this
   * @param {(bytes: Uint8Array) => boolean} options.send must not keep the bytes
   * @param {() => number} [options.limit] most bytes that `send` accepts now, asked for each frame
   * @param {boolean} [options.suppressesSilence] true when packets may be left out in silence;
   *   default false
   * @param {'auto' | 0 | 1 | 2} [options.redundancy] default 0
   * @param {Pick<Clock, 'now'>} [options.clock]
   * @param {{ readonly complexity: number, readonly framesPerPacket?: 1 | 2 }} [options.effort] the
   *   encoder's complexity, and how many frames make a packet; checked for each frame
   */
  constructor({
    format,
    encoder,
    send,
    limit = noLimit,
    suppressesSilence = false,
    redundancy = 0,
    clock,
    effort,
  }) {
    this.#stream = new PacketStream({
      encoder,
      frameMs: format.frameMs,
      suppresses: suppressesSilence,
      effort,
    });
    this.#send = send;
    this.#limit = limit;
    this.#suppresses = suppressesSilence;
    this.#fadeStep = 1000 / (FADE_MS * format.sampleRate);
    this.#channels = format.channels;
    this.#flushValues = (FLUSH_MS * format.sampleRate * format.channels) / 1000;
    this.#flushed = this.#flushValues;
    this.#activity = new VoiceActivity(format);
    this.#voiceFlag = new VoiceFlag(format.frameMs);
    this.#redundancy = new Redundancy(redundancy, clock);
    this.#effort = effort;
    this.#canPack = 2 * format.frameMs <= MAX_PACKED_MS;
  }

  /** @param {boolean} muted true: send silence instead of sound */
  mute(muted) {
    this.#muted = muted;
  }

  /** @param {boolean} suppresses true when packets are left out in silence */
  suppressSilence(suppresses) {
    this.#suppresses = suppresses;
    this.#stream.suppressSilence(suppresses);
  }

  /** True while silence is left out. */
  get resting() {
    return this.#suppresses && this.#stream.isSilent;
  }

  /**
   * @param {number | null} lostPercent share of the sent packets that were lost, as the server
   *   reports it
   * @param {number | null} roundTripMs as the server reports it
   */
  report(lostPercent, roundTripMs) {
    this.#redundancy.report(lostPercent, roundTripMs);
  }

  /**
   * Sends one frame, holds it for the next one's packet, or skips it.
   * @param {number} frame higher than the last
   * @param {Float32Array | null} pcm one frame of captured sound, faded in place; null: nothing was
   *   captured
   */
  send(frame, pcm) {
    const sound = pcm === null ? this.#nothing() : this.#shape(pcm);
    const packed = this.#isHeld ? 1 : 0;
    this.#isHeld = packed === 0 && this.#holds(sound);
    this.#stream.limit = this.#limit();
    const isSent = this.#stream.encode(frame, sound, !this.#isHeld);
    if (this.#isHeld) return;
    if (!isSent) {
      this.counters.leftOut += 1;
      return;
    }
    const { packet } = this.#stream;
    const isSilent = this.#stream.payloadBytes === 0;
    packet.level = isSilent ? SILENT_LEVEL : this.#sentLevel;
    packet.voice = !isSilent && this.voice;
    const bytes = this.#stream.write(Math.max(packed, this.#redundancy.count));
    this.counters.sent += 1;
    const sentAlong = Math.min(packed, packet.redundancy);
    this.counters.packed += sentAlong;
    this.counters.repeated += packet.redundancy - sentAlong;
    if (isSilent) this.counters.silent += 1;
    this.bytes += bytes.length;
    if (!this.#send(bytes)) this.counters.blocked += 1;
  }

  /**
   * True when a frame waits for the next one's packet. The first frame of a sound doesn't, nor one
   * too large to share a packet. While packets get lost none does, since two would be missing then.
   * @param {Float32Array | null} sound
   */
  #holds(sound) {
    const isLong = this.#canPack && this.#effort?.framesPerPacket === 2;
    const { payloadBytes } = this.#stream;
    return (
      isLong &&
      sound !== null &&
      payloadBytes > 0 &&
      3 * payloadBytes < this.#limit() &&
      this.#redundancy.count === 0
    );
  }

  #nothing() {
    this.level = SILENT_LEVEL;
    this.voice = false;
    this.#flushed = this.#flushValues;
    return null;
  }

  /**
   * Detects sound and voice, and fades both ends of a sound.
   * @param {Float32Array} pcm changed in place
   * @returns {Float32Array | null} null when the frame is silent and no silence need be encoded
   *   after a sound
   */
  #shape(pcm) {
    const hasSound = !this.#suppresses || this.#activity.next(pcm);
    this.level = this.#muted && this.#gain === 0 ? SILENT_LEVEL : levelOf(pcm);
    this.voice = this.#voiceFlag.next(this.level);
    if (hasSound && !this.#muted) this.#open(pcm);
    else this.#close(pcm);
    this.#sentLevel = this.#gain === 1 ? this.level : levelOf(pcm);
    const isSilent = this.#sentLevel === SILENT_LEVEL;
    if (isSilent && this.#flushed >= this.#flushValues) return null;
    this.#flushed = isSilent ? this.#flushed + pcm.length : silentEnd(pcm);
    return pcm;
  }

  /**
   * Fades in after silence, unless a word begins with the frame: its start must not be lost.
   * @param {Float32Array} pcm
   */
  #open(pcm) {
    if (this.#activity.beginsWithSound && !this.#wasMuted) this.#gain = 1;
    this.#wasMuted = false;
    for (let i = 0; i < pcm.length && this.#gain < 1;) {
      this.#gain = Math.min(1, this.#gain + this.#fadeStep);
      for (let c = 0; c < this.#channels; c++) pcm[i++] *= this.#gain;
    }
  }

  /** @param {Float32Array} pcm faded out */
  #close(pcm) {
    this.#wasMuted = this.#muted;
    // Without earlier sound there is nothing to fade.
    if (this.#flushed >= this.#flushValues) this.#gain = 0;
    for (let i = 0; i < pcm.length;) {
      this.#gain = Math.max(0, this.#gain - this.#fadeStep);
      for (let c = 0; c < this.#channels; c++) pcm[i++] *= this.#gain;
    }
  }

  /** Idempotent. */
  close() {
    this.#stream.close();
  }
}

/** Counts the silent values at the end. @param {Float32Array} pcm @returns {number} */
function silentEnd(pcm) {
  let count = 0;
  while (count < pcm.length && pcm[pcm.length - 1 - count] === 0) count += 1;
  return count;
}
