/**
 * @import { AudioFormat } from '../../public/shared/audio-format.js'
 * @import { Packet } from '../../public/shared/packet.js'
 * @import { LazyDecoder } from '../codec/lazy-codec.js'
 * @import { LevelBalance } from '../mix/level-balance.js'
 * @import { Reception } from './receiver-stats.js'
 */

import { levelOf, rampGain } from '../../public/shared/level.js';
import { SILENT_LEVEL, VOICE_BIT } from '../../public/shared/packet.js';
import { PacketBuffer } from '../../public/shared/packet-buffer.js';
import { FrameState, RingBuffer } from './pcm-ring.js';

/** How far ahead of the sample clock a frame may end: more is a clock that is wrong. */
const MAX_EARLY_MS = 500;

/** How far behind the clock, the server-side delay included, packets are kept and PCM is readable. */
export const HISTORY_MS = 1000;

/** A loss longer than this isn't concealed any further: the decoder has faded out by then. */
const MAX_CONCEAL_MS = 120;

/**
 * What one person says: the payloads that came, by frame, and the ring buffer that they are decoded into when a
 * mix needs them.
 */
export class UplinkSound {
  /** The last frame that came with sound. */
  soundThrough = -1;
  /** How loud the last frame was that was decoded, in -dBov, and whether there was voice in it. */
  level = SILENT_LEVEL;
  voice = false;
  /** The first frame that came; -1 before it. */
  firstFrame = -1;
  /** The earliest frame that the last packet brought. */
  keptFrom = -1;
  /** The first frame whose own packet may still be decoded; -1 before the first packet. */
  #next = -1;
  /** The last frame that there was ever a payload for. */
  #newest = -1;
  /** The last frame that a mix on the server's tick, or one as late, has asked for. */
  #mixed = -1;
  #concealedInARow = 0;
  /** Whether there is nothing that only sound needs. */
  #rests = true;
  /** What the last frame that was decoded held. @type {number} */
  #lastState = FrameState.absent;
  #format;
  #decoder;
  #reception;
  #ticked;
  #balance;
  #leavesOutSilence;
  #maxConcealed;

  /**
   * @param {object} options
   * @param {AudioFormat} options.format
   * @param {number} options.maxDelayMs  the largest server-side delay that the room can be set to
   * @param {LazyDecoder} options.decoder  closed with this
   * @param {Reception} options.reception  counts what was recovered and concealed
   * @param {{ frame: number }} options.ticked  the last frame that the room's tick has mixed; -1 before it
   * @param {LevelBalance | null} options.balance  null where levels are left as they are
   * @param {boolean} options.leavesOutSilence  whether nothing may come while there is silence
   */
  constructor({ format, maxDelayMs, decoder, reception, ticked, balance, leavesOutSilence }) {
    this.#format = format;
    this.#decoder = decoder;
    this.#reception = reception;
    this.#ticked = ticked;
    this.#balance = balance;
    this.#leavesOutSilence = leavesOutSilence;
    this.#maxConcealed = Math.max(2, Math.ceil(MAX_CONCEAL_MS / format.frameMs));
    this.maxPastFrames = Math.ceil((HISTORY_MS + maxDelayMs) / format.frameMs);
    this.maxEarlyFrames = Math.ceil(MAX_EARLY_MS / format.frameMs);
    this.ring = new RingBuffer(format.frameSamples, historyFrames(format, 0), format.channels);
    this.packets = new PacketBuffer(this.maxPastFrames + this.maxEarlyFrames + 2);
  }

  /**
   * Keeps what a packet brings: its own frame, and earlier ones that aren't there yet.
   * @param {number} frame the packet's
   * @param {Uint8Array} bytes
   * @param {Packet} packet as read from them
   * @returns {boolean} false where the frame's own packet was there already
   */
  keep(frame, bytes, packet) {
    const { packets } = this;
    const level = packet.level | (packet.voice ? VOICE_BIT : 0);
    if (!packets.put(frame, bytes, packet.payloadStart[0], packet.payloadBytes[0], false, level)) return false;
    this.keptFrom = frame;
    if (this.#next < 0) this.#next = this.firstFrame = frame;
    if (frame > this.#newest) this.#newest = frame;
    if (packet.payloadBytes[0] > 0) this.#sounds(frame);
    for (let r = 1; r <= packet.redundancy && frame - r >= this.firstFrame; r++) {
      // Kept even where its mix has been made: the decoder goes on from it.
      const bytesOfIt = packet.payloadBytes[r];
      if (packets.has(frame - r)) continue;
      packets.put(frame - r, bytes, packet.payloadStart[r], bytesOfIt, true, level);
      this.keptFrom = frame - r;
      if (bytesOfIt === 0) continue;
      this.#reception.repeated(r);
      this.#sounds(frame - r);
    }
    return true;
  }

  /** @param {number} frame that came with sound */
  #sounds(frame) {
    this.#rests = false;
    if (frame > this.soundThrough) this.soundThrough = frame;
  }

  /** The last frame in which anything is to be heard, if no more comes: what is made up fades. */
  get endsWith() {
    return this.soundThrough < 0 ? -1 : this.soundThrough + this.#maxConcealed;
  }

  /**
   * @param {number} frame
   * @returns {boolean} whether its mix has been made
   */
  isMixed(frame) {
    return frame <= this.#mixed || frame <= this.#ticked.frame;
  }

  /**
   * Decodes in order up to a frame, for a mix that needs it. A frame whose packet isn't there is taken from a
   * later packet's redundancy, or concealed; after a silent one it is silent, since nothing is sent of it.
   * While nothing behind it has been decoded this is provisional: its packet, when it comes after all, takes
   * its place in the ring.
   *
   * @param {number} frame
   * @param {boolean} due whether the frame's time has come. Before it, what is missing is still
   *   waited for: a reader whose clock runs ahead mustn't cost others a packet that is on its way
   * @returns {number} the frame's FrameState
   */
  pull(frame, due) {
    const mixed = this.#mixed;
    if (due && frame > mixed) this.#mixed = frame;
    if (this.#next < 0 || frame < 0) return FrameState.absent;
    const oldest = frame - this.#maxConcealed;
    while (this.#next <= frame) {
      const next = this.#next;
      if (this.packets.has(next)) {
        this.#decode(next, next > mixed);
      } else if (due && (next < oldest || this.#hasBetween(next, frame))) {
        this.#makeUp(next);
      } else {
        break;
      }
      this.#next = next + 1;
    }
    if (due) for (let f = this.#next; f <= frame; f++) this.#makeUp(f);
    return this.ring.state(frame);
  }

  /**
   * What comes before a frame and hasn't been decoded never will be: sound begins there for the decoder.
   * @param {number} frame
   */
  skipTo(frame) {
    if (this.#next >= frame) return;
    this.#next = frame;
    this.#lastState = FrameState.silent;
    this.#concealedInARow = 0;
  }

  /**
   * @param {number} after
   * @param {number} through
   * @returns {boolean} whether a packet for a later frame is there, up to and with `through`
   */
  #hasBetween(after, through) {
    const last = Math.min(through, this.#newest);
    for (let frame = after + 1; frame <= last; frame++) if (this.packets.has(frame)) return true;
    return false;
  }

  /**
   * @param {number} frame one that has a packet
   * @param {boolean} inTime whether its mix is still to be made
   */
  #decode(frame, inTime) {
    const length = this.packets.length(frame);
    this.#concealedInARow = 0;
    this.#lastState = length === 0 ? FrameState.silent : FrameState.received;
    if (length > 0) {
      const at = this.ring.claim(frame);
      const bytes = this.packets.bytes(frame);
      const good = this.#decoder.decode(bytes, 0, length, this.ring.samples, at);
      this.#measure(at, (this.packets.level(frame) & VOICE_BIT) !== 0);
      if (!good) this.#reception.garbage += 1;
      if (inTime && this.packets.isRedundant(frame)) this.#reception.recovered += 1;
    }
    this.ring.mark(frame, this.#lastState);
  }

  /**
   * @param {number} at where a frame's sound is in the ring
   * @param {boolean} voice
   */
  #measure(at, voice) {
    const { samples } = this.ring;
    this.voice = voice;
    this.level = levelOf(samples, at, this.#format.frameValues);
    this.#balance?.process(samples, at, this.level, voice);
  }

  /** @param {number} frame one that has no packet, and is given what is likely, unless it was before */
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
    const { samples } = this.ring;
    const at = this.ring.claim(frame);
    this.#decoder.conceal(samples, at);
    fadeOut(samples, at, this.#format, this.#concealedInARow, this.#maxConcealed);
    this.#balance?.hold(samples, at);
    this.ring.mark(frame, FrameState.concealed);
    this.#concealedInARow += 1;
    this.#reception.concealed += 1;
  }

  /**
   * How far apart those who read the ring may be: decoded audio is kept for the last of them.
   * @param {number} spreadMs
   */
  keepFor(spreadMs) {
    this.ring.resize(historyFrames(this.#format, spreadMs));
  }

  /**
   * @param {number} sample
   * @returns {boolean} whether this person had begun to send by then
   */
  hasSentAt(sample) {
    return this.firstFrame >= 0 && sample >= this.firstFrame * this.#format.frameSamples;
  }

  /**
   * Gives back, until there is sound again, what only sound needs.
   * @param {number} frame unless there was sound since this one
   */
  rest(frame) {
    if (this.soundThrough >= frame || this.#rests) return;
    this.#rests = true;
    this.ring.rest();
    this.packets.rest();
  }

  /** Frees the decoder. */
  close() {
    this.#decoder.close();
  }
}

/**
 * @param {AudioFormat} format
 * @param {number} spreadMs how far apart the readers are
 */
const historyFrames = ({ frameMs }, spreadMs) => Math.ceil((HISTORY_MS + spreadMs) / frameMs) + 2;

/**
 * Lets a long concealment end in silence: it fades over its second half.
 * @param {Float32Array} samples
 * @param {number} at where the frame begins
 * @param {AudioFormat} format
 * @param {number} index of the frame among those concealed in a row
 * @param {number} frames that are concealed in a row at most
 */
function fadeOut(samples, at, { frameSamples, channels }, index, frames) {
  const whole = Math.ceil(frames / 2);
  if (index < whole) return;
  const step = 1 / (frames - whole);
  const from = 1 - (index - whole) * step;
  rampGain(samples, at, frameSamples, channels, from, from - step);
}
