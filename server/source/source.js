/**
 * @import { AudioFormat } from '../../public/shared/audio-format.js'
 * @import { DropReason, Packet } from '../../public/shared/packet.js'
 * @import { PayloadDecoder } from '../../public/shared/payload.js'
 * @import { SampleClock } from '../clock/sample-clock.js'
 * @import { Lateness } from './lateness.js'
 * @import { Traffic } from './traffic.js'
 *
 * @typedef {object} LevelGain  moves a source's level towards that of all; see LevelBalance
 * @property {(pcm: Float32Array, at: number, level: number, voice: boolean) => void} process  a decoded frame, in place
 * @property {(pcm: Float32Array, at: number) => void} hold  a concealed frame, in place
 */

import { levelOf, rampGain } from '../../public/shared/level.js';
import { SILENT_LEVEL, unwrapFrame, VOICE_BIT } from '../../public/shared/packet.js';
import { MAX_CONCEAL_MS } from '../../public/shared/payload.js';
import { PacketBuffer } from '../../public/shared/packet-buffer.js';
import { FrameState, PcmRing } from './pcm-ring.js';
import { ReceiverStats } from './receiver-stats.js';

/** How far ahead of the sample clock a frame may end, in milliseconds: beyond it the sender's clock is wrong. */
const MAX_EARLY_MS = 500;

/** How far behind the clock, beyond the server-side delay, packets are kept and PCM is readable, in milliseconds. */
export const HISTORY_MS = 1000;

/** Lateness counts from this long after the first packet, in milliseconds: before it the sender's sound is being set up. */
const SET_UP_MS = 500;

/** After this long without sound the buffers are given back, in milliseconds: more than the largest D and the history. */
const REST_MS = 5000;

/**
 * One participant's voice: packets by frame, decoded into a ring of PCM when a mix pulls them.
 *
 * `receive()` keeps a packet under its frame index and does no more. `pull()` decodes in order up to a frame: from its
 * packet, from a later packet's redundancy, or by concealment. A source knows no session, listener or room.
 *
 * A straggler's voice is heard later than others': its frames have their places in the mix an offset later than the
 * sample clock would have them. Packets are kept by the sender's frames; the ring, and all frames that others ask for or
 * are told, are the mix's: the sender's and the offset.
 */
export class Source {
  #format;
  #sampleClock;
  #decoder;
  #stats;
  #balance;
  #leavesOutSilence;
  #maxConcealed;
  #maxPastFrames;
  #maxEarlyFrames;
  #soundThrough = -1;
  #level = SILENT_LEVEL;
  #voice = false;
  #firstFrame = -1;
  #keptFrom = -1;
  /** The sender's first frame whose own packet may still be decoded; -1 before the first packet. */
  #next = -1;
  /** The sender's last frame for which a payload came. */
  #newest = -1;
  /** The last frame that was pulled when it was due. */
  #mixed = -1;
  /** By how many frames the source is heard later, and by how many it should be. */
  #offset = 0;
  #wantedOffset = 0;
  #concealedInARow = 0;
  /** The FrameState of the last decoded frame. @type {number} */
  #lastState = FrameState.absent;
  #rests = true;
  /** When lateness begins to count, on the monotonic clock. */
  #countsFromMs = Infinity;
  #drains = false;
  /** The first frame that the same person's next source holds. */
  #successorFrame = Infinity;

  /**
   * @param {object} options
   * @param {string} options.id  the member's; a decimal number
   * @param {AudioFormat} options.format
   * @param {SampleClock} options.sampleClock
   * @param {number} options.maxDelayMs  the largest server-side delay that the room can be set to
   * @param {PayloadDecoder} options.decoder  closed with the source
   * @param {Lateness} options.lateness  new
   * @param {LevelGain | null} [options.balance]  null where levels are left as they are
   * @param {boolean} [options.leavesOutSilence]  whether the sender may leave out silent frames
   */
  constructor({ id, format, sampleClock, maxDelayMs, decoder, lateness, balance = null, leavesOutSilence = false }) {
    this.id = id;
    /** The source's number in packets' lists of speakers. */
    this.number = Number(id) & 0xffff;
    this.#format = format;
    this.#sampleClock = sampleClock;
    this.#decoder = decoder;
    this.#stats = new ReceiverStats(lateness);
    this.#balance = balance;
    this.#leavesOutSilence = leavesOutSilence;
    this.#maxConcealed = Math.max(2, Math.ceil(MAX_CONCEAL_MS / format.frameMs));
    this.#maxPastFrames = Math.ceil((HISTORY_MS + maxDelayMs) / format.frameMs);
    this.#maxEarlyFrames = Math.ceil(MAX_EARLY_MS / format.frameMs);
    /** The decoded sound, to be read. */
    this.ring = new PcmRing(format.frameSamples, historyFrames(format, 0), format.channels);
    /** The payloads, to be read. */
    this.packets = new PacketBuffer(this.#maxPastFrames + this.#maxEarlyFrames + 2);
  }

  get format() {
    return this.#format;
  }

  get sampleClock() {
    return this.#sampleClock;
  }

  get lateness() {
    return this.#stats.lateness;
  }

  /** By how much the source is heard later than others, in milliseconds. */
  get offsetMs() {
    return this.#offset * this.#format.frameMs;
  }

  /**
   * Has the source heard so much later than others. It rises at once, since the next frame would be missing otherwise,
   * and falls in silence, which gets shorter.
   * @param {number} ms  0 and more; a part of a frame counts as one
   */
  set offsetMs(ms) {
    this.#wantedOffset = Math.max(0, Math.ceil(ms / this.#format.frameMs - 1e-9));
    if (this.#wantedOffset > this.#offset) this.#offset = this.#wantedOffset;
  }

  /** The first frame that came; -1 before it. */
  get firstFrame() {
    return this.#firstFrame < 0 ? -1 : this.#firstFrame + this.#offset;
  }

  /** The last frame that came with sound; -1 before it. */
  get soundThrough() {
    return this.#soundThrough < 0 ? -1 : this.#soundThrough + this.#offset;
  }

  /** The earliest frame that the last packet brought. */
  get keptFrom() {
    return this.#keptFrom + this.#offset;
  }

  /** The last frame that is audible when no more comes: concealment fades after the sound. -1 without sound. */
  get endsWith() {
    return this.#soundThrough < 0 ? -1 : this.soundThrough + this.#maxConcealed;
  }

  /** The level of the last decoded frame, in -dBov. */
  get level() {
    return this.#level;
  }

  /** Whether the sender found voice in the last decoded frame. */
  get voice() {
    return this.#voice;
  }

  /**
   * Keeps a packet under its frame index, and counts when it came.
   * @param {Packet} packet  of audio, as read from `bytes`
   * @param {Uint8Array} bytes
   * @param {number} arrivalMs  on the monotonic clock
   * @param {number} stallMs  how long the server had stood still just before, which isn't the packet's lateness
   * @param {number} mixedThrough  the last frame that the room's tick has mixed; -1 before it
   * @returns {number} the packet's frame, by the sender's clock, when this is the first packet for it; else -1
   */
  receive(packet, bytes, arrivalMs, stallMs, mixedThrough) {
    this.#stats.sequences.arrived(packet.sequence);
    const size = this.#format.frameSamples;
    const clock = this.#sampleClock.at(arrivalMs);
    const current = Math.floor(clock / size);
    const frame = unwrapFrame(packet.frame, current);
    if (frame > current + this.#maxEarlyFrames) return this.drop('early');
    if (frame < 0 || frame < current - this.#maxPastFrames) return this.drop('past');
    const wasRepeated = this.packets.has(frame);
    if (!this.#keep(frame, bytes, packet)) return this.drop('duplicate');
    if (this.#countsFromMs === Infinity) this.#countsFromMs = arrivalMs + SET_UP_MS;
    const latenessMs = ((clock - (frame + 1) * size) * 1000) / this.#sampleClock.sampleRate - stallMs;
    // A frame that a later packet had repeated needn't have waited for its own packet.
    if (!wasRepeated && arrivalMs >= this.#countsFromMs) {
      this.lateness.add(latenessMs, arrivalMs, packet.payloadBytes[0] > 0);
    }
    const heard = frame + this.#offset;
    this.#stats.arrived(heard > mixedThrough && heard > this.#mixed, latenessMs, packet.redundancy);
    return frame;
  }

  /**
   * Keeps the packet's own frame, and the earlier frames that it repeats where they are missing.
   * @param {number} frame
   * @param {Uint8Array} bytes
   * @param {Packet} packet
   * @returns {boolean} false when the frame's own packet was there already
   */
  #keep(frame, bytes, packet) {
    const { packets } = this;
    const level = packet.level | (packet.voice ? VOICE_BIT : 0);
    if (!packets.put(frame, bytes, packet.payloadStart[0], packet.payloadBytes[0], false, level)) return false;
    this.#keptFrom = frame;
    if (this.#next < 0) this.#next = this.#firstFrame = frame;
    if (frame > this.#newest) this.#newest = frame;
    if (packet.payloadBytes[0] > 0) this.#sounds(frame);
    for (let r = 1; r <= packet.redundancy && frame - r >= this.#firstFrame; r++) {
      const length = packet.payloadBytes[r];
      if (packets.has(frame - r)) continue;
      // Kept even where its mix has been made: the decoder goes on from it.
      packets.put(frame - r, bytes, packet.payloadStart[r], length, true, level);
      this.#keptFrom = frame - r;
      if (length === 0) continue;
      this.#stats.repeated(r);
      this.#sounds(frame - r);
    }
    return true;
  }

  /** @param {number} frame that came with sound */
  #sounds(frame) {
    this.#rests = false;
    if (frame > this.#soundThrough) this.#soundThrough = frame;
  }

  /**
   * Counts a packet that isn't used.
   * @param {DropReason | 'early' | 'past' | 'flood' | 'control' | 'duplicate' | 'unheard'} reason
   * @returns {-1}
   */
  drop(reason) {
    this.#stats.drop(reason);
    return -1;
  }

  /**
   * Decodes in order up to a frame. A frame without a packet is taken from a later packet's redundancy, or concealed;
   * after a silent frame it is silent. As long as nothing behind it has been decoded this is provisional: its packet,
   * when it comes after all, takes its place in the ring.
   *
   * @param {number} frame
   * @param {boolean} due  whether the frame's time has come. Before it a missing packet is waited for, so that a reader
   *   whose clock runs ahead costs others nothing
   * @returns {number} the frame's FrameState
   */
  pull(frame, due) {
    const mixed = this.#mixed;
    if (due && frame > mixed) {
      this.#mixed = frame;
      if (this.#offset > this.#wantedOffset) this.#shorten(frame);
    }
    const last = frame - this.#offset;
    if (this.#next < 0 || last < 0) return FrameState.absent;
    const oldest = last - this.#maxConcealed;
    while (this.#next <= last) {
      const next = this.#next;
      if (this.packets.has(next)) {
        this.#decode(next, next + this.#offset > mixed);
      } else if (due && (next < oldest || this.#hasBetween(next, last))) {
        this.#makeUp(next + this.#offset);
      } else {
        break;
      }
      this.#next = next + 1;
    }
    if (due) for (let f = Math.min(frame, this.#next + this.#offset); f <= frame; f++) this.#makeUp(f);
    return this.ring.state(frame);
  }

  /**
   * Leaves out silence, for as long as the offset is larger than it should be.
   * @param {number} frame  that is pulled
   */
  #shorten(frame) {
    while (this.#offset > this.#wantedOffset && this.#lastState !== FrameState.received) {
      const silent = frame - this.#offset;
      if (this.packets.has(silent) && this.packets.length(silent) > 0) return;
      this.#offset -= 1;
      if (this.#next >= 0 && this.#next <= silent) this.#next = silent + 1;
    }
  }

  /**
   * Forgets the frames before one that haven't been decoded: sound begins there for the decoder.
   * @param {number} frame
   */
  skipTo(frame) {
    const next = frame - this.#offset;
    if (this.#next >= next) return;
    this.#next = next;
    this.#lastState = FrameState.silent;
    this.#concealedInARow = 0;
  }

  /** Forgets all that is older than anybody may ask for. @param {number} frame  the last one that was mixed */
  skipHistory(frame) {
    this.skipTo(frame - this.#maxPastFrames);
  }

  /**
   * @param {number} after
   * @param {number} through
   * @returns {boolean} whether there is a packet for a frame after the one and up to the other
   */
  #hasBetween(after, through) {
    const last = Math.min(through, this.#newest);
    for (let frame = after + 1; frame <= last; frame++) if (this.packets.has(frame)) return true;
    return false;
  }

  /**
   * @param {number} frame  of the sender, that has a packet
   * @param {boolean} inTime  whether its mix is still to be made
   */
  #decode(frame, inTime) {
    const length = this.packets.length(frame);
    const heard = frame + this.#offset;
    this.#concealedInARow = 0;
    this.#lastState = length === 0 ? FrameState.silent : FrameState.received;
    if (length > 0) {
      const at = this.ring.claim(heard);
      const { samples } = this.ring;
      const good = this.#decoder.decode(this.packets.bytes(frame), 0, length, samples, at);
      this.#voice = (this.packets.level(frame) & VOICE_BIT) !== 0;
      this.#level = levelOf(samples, at, this.#format.frameValues);
      this.#balance?.process(samples, at, this.#level, this.#voice);
      if (!good) this.#stats.garbled();
      if (inTime && this.packets.isRedundant(frame)) this.#stats.recovered();
    }
    this.ring.mark(heard, this.#lastState);
  }

  /** @param {number} frame without a packet: silent after silence, concealed after sound */
  #makeUp(frame) {
    if (this.ring.state(frame) !== FrameState.absent) return;
    if (this.#lastState === FrameState.silent) {
      if (this.#leavesOutSilence) this.ring.mark(frame, FrameState.silent);
    } else if (this.#lastState === FrameState.received && this.#concealedInARow < this.#maxConcealed) {
      this.#conceal(frame);
    }
  }

  /** @param {number} frame */
  #conceal(frame) {
    const at = this.ring.claim(frame);
    const { samples } = this.ring;
    this.#decoder.conceal(samples, at);
    fadeOut(samples, at, this.#format, this.#concealedInARow, this.#maxConcealed);
    this.#balance?.hold(samples, at);
    this.ring.mark(frame, FrameState.concealed);
    this.#concealedInARow += 1;
    this.#stats.concealed();
  }

  /**
   * Counts a frame that has no place in the mix: it is neither late nor lost.
   * @param {number} frame
   */
  leaveOut(frame) {
    if (!this.hasSound(frame)) return;
    this.#stats.unmixed();
    if (this.packets.isRedundant(frame - this.#offset)) this.#stats.recovered();
  }

  /**
   * @param {number} frame
   * @returns {boolean} whether there is a packet for it
   */
  has(frame) {
    return frame >= this.#offset && this.packets.has(frame - this.#offset);
  }

  /**
   * @param {number} frame
   * @returns {boolean} whether there is a packet with sound for it
   */
  hasSound(frame) {
    return this.has(frame) && this.packets.length(frame - this.#offset) > 0;
  }

  /**
   * @param {number} frame  that has a packet
   * @returns {number} its level as the sender tells it, with VOICE_BIT
   */
  toldLevel(frame) {
    return this.packets.level(frame - this.#offset);
  }

  /**
   * @param {number} sample
   * @returns {boolean} whether the sender had begun by then
   */
  hasSentAt(sample) {
    return this.#firstFrame >= 0 && sample >= this.firstFrame * this.#format.frameSamples;
  }

  /**
   * Keeps decoded audio for as long as the last of its readers needs.
   * @param {number} spreadMs  how far apart readers may be
   */
  keepFor(spreadMs) {
    this.ring.resize(historyFrames(this.#format, spreadMs));
  }

  /** Says that no more packets will come: what has come is still mixed. */
  drain() {
    this.#drains = true;
  }

  /** Ends a draining source where the same person's next one begins. @param {number} frame  that one's first */
  endBefore(frame) {
    if (frame < this.#successorFrame) this.#successorFrame = frame;
  }

  /**
   * @param {number} frame
   * @returns {boolean} whether nothing is to be heard from this frame on, ever
   */
  isOver(frame) {
    return this.#drains && (frame > this.endsWith || frame >= this.#successorFrame);
  }

  /**
   * Ends a second of the statistics; gives back the buffers after a long silence.
   * @param {number} nowMs  on the monotonic clock
   * @param {number | null} roundTripMs  null where the transport doesn't know it
   */
  endSecond(nowMs, roundTripMs) {
    this.#stats.endSecond(nowMs, roundTripMs);
    const oldest = this.#sampleClock.at(nowMs - REST_MS) / this.#format.frameSamples;
    if (this.#rests || this.#soundThrough >= Math.floor(oldest)) return;
    this.#rests = true;
    this.ring.rest();
    this.packets.rest();
  }

  /** The receiver statistics, as they are shown. */
  stats() {
    return this.#stats.snapshot();
  }

  /** Adds the receiver statistics to a sum. @param {Traffic} traffic */
  addTo(traffic) {
    this.#stats.addTo(traffic);
  }

  /** Frees the decoder. Idempotent. */
  close() {
    this.#decoder.close();
  }
}

/**
 * @param {AudioFormat} format
 * @param {number} spreadMs
 */
const historyFrames = ({ frameMs }, spreadMs) => Math.ceil((HISTORY_MS + spreadMs) / frameMs) + 2;

/**
 * Fades a long concealment to silence over its second half.
 * @param {Float32Array} samples
 * @param {number} at  where the frame begins
 * @param {AudioFormat} format
 * @param {number} index  of the frame among those concealed in a row
 * @param {number} frames  the most that are concealed in a row
 */
function fadeOut(samples, at, { frameSamples, channels }, index, frames) {
  const whole = Math.ceil(frames / 2);
  if (index < whole) return;
  const step = 1 / (frames - whole);
  const from = 1 - (index - whole) * step;
  rampGain(samples, at, frameSamples, channels, from, from - step);
}
