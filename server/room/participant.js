/**
 * @import { AudioFormat } from '../../public/shared/audio-format.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { DropReason } from '../../public/shared/packet.js'
 * @import { LazyDecoder } from '../audio/lazy-codec.js'
 * @import { LevelBalance } from '../audio/level-balance.js'
 * @import { Session } from '../transport/session.js'
 * @import { SampleClock } from './clock.js'
 * @import { Downlink } from './downlink.js'
 * @import { Lateness } from './lateness.js'
 */

import { levelOf } from '../../public/shared/level.js';
import { errors } from '../../public/shared/errors.js';
import {
  Packet,
  PacketType,
  readPacket,
  SILENT_LEVEL,
  unwrapFrame,
  VOICE_BIT,
  writeClockReply,
} from '../../public/shared/packet.js';
import { PacketBuffer } from '../audio/packet-buffer.js';
import { FrameState, RingBuffer } from '../audio/ring-buffer.js';
import { Heard } from './heard.js';
import { out, written } from './packet-out.js';
import { Quality } from './quality.js';
import { Reception } from './reception.js';
import { TokenBucket } from './token-bucket.js';
import { Speaker } from './speaker.js';

/** How far ahead of the sample clock a frame may end: more is a clock that is wrong. */
export const MAX_EARLY_MS = 500;

/** How far behind the clock, the server-side delay included, packets are kept and PCM is readable. */
const HISTORY_MS = 1000;

/**
 * Who was silent for so long, and is heard by none as of before, needs no samples. More than the
 * largest delay and the history, so that nothing is forgotten that anybody might still hear.
 */
const REST_MS = 5000;

/** A loss longer than this isn't concealed any further: the decoder has faded out by then. */
const MAX_CONCEAL_MS = 120;

/** Clock requests beyond this many a second aren't answered. */
const MAX_CLOCK_REQUESTS = 50;

/** Packets are read at this many times the frames' rate, for one who catches up, and so many seconds' of it at once. */
const MAX_RATE = 3;
const MAX_BURST_SECONDS = 2;

/** The first packets of one who joins come as its sound is being set up: they say nothing of the way. */
const SET_UP_MS = 500;

/** One object reads every packet: nothing of it is kept after the call. */
const packet = new Packet();

/**
 * One person in a room: the packets that arrive, the ring buffer that they are decoded into when a
 * mix needs them, and what is sent to this person alone.
 */
export class Participant {
  muted = false;
  /** The place of the raised hand in the order in which they went up; 0 while it is down. */
  hand = 0;
  /** How good the connection is, as the others know it, and as it was last measured. @type {number} */
  quality = Quality.unknown;
  /** @type {number} */
  measuredQuality = Quality.unknown;
  /** Lost on the way down of late, as the client reports it; null where it hasn't. @type {number | null} */
  reportedLossPercent = null;
  /** What else the client told of its own; null where it hasn't. */
  reported = {
    playoutDelayMs: /** @type {number | null} */ (null),
    soundLatencyMs: /** @type {number | null} */ (null),
    driftPpm: /** @type {number | null} */ (null),
  };
  /** How much more this person may write in the chat now; null before the first. @type {TokenBucket | null} */
  chatBucket = null;
  /** When anything was last heard from the session, on the monotonic clock. */
  lastHeardMs = 0;
  /** The server-side delay that this person was told of, in milliseconds. */
  toldDelayMs = -1;
  /** The frame that was answered last; -1 before it. */
  answeredFrame = -1;
  /** How far behind its clock its last answer was read, in samples; -1 before the first. */
  readDelaySamples = -1;
  /** A server-side delay of its own; null where it has the room's. @type {number | null} */
  ownDelayMs = null;
  /** The same in samples. @type {number | null} */
  ownDelaySamples = null;
  /** The last frame that came with sound. */
  soundThrough = -1;
  /** How loud the last frame was that was decoded, in -dBov, and whether there was voice in it. */
  level = SILENT_LEVEL;
  voice = false;
  /** Whether its session was lost, and its place is kept. */
  away = false;
  /** The first frame that came; -1 before it. */
  firstFrame = -1;
  /** Whether this person wants to be recorded, and whether it is done. */
  agreed = false;
  recorded = false;
  /** From when on lateness counts, on the monotonic clock. */
  #countsFromMs = Infinity;
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
  #clockRequests = new TokenBucket({ atOnce: MAX_CLOCK_REQUESTS, perSecond: MAX_CLOCK_REQUESTS });
  #rate;
  #closed = false;

  /**
   * @param {object} options
   * @param {string} options.id
   * @param {string} options.name
   * @param {Session} options.session
   * @param {'tick' | 'reply'} options.delivery
   * @param {AudioFormat} options.format
   * @param {SampleClock} options.sampleClock
   * @param {number} options.maxDelayMs  the largest server-side delay that the room can be set to
   * @param {boolean} options.leavesOutSilence  whether this person may send nothing while it is silent
   * @param {Lateness} options.lateness  new: of this person's frames
   * @param {(participant: Participant) => void} [options.onClosed]  called once, before anything is freed
   * @param {Downlink} options.downlink  closed with this
   * @param {LazyDecoder} options.decoder  closed with this
   * @param {{ frame: number }} options.ticked  the last frame that the room's tick has mixed; -1 before it
   * @param {LevelBalance | null} options.balance  null where levels are left as they are
   */
  constructor(options) {
    const { id, name, session, delivery, format, sampleClock, maxDelayMs, lateness } = options;
    this.id = id;
    this.leavesOutSilence = options.leavesOutSilence;
    this.onClosed = options.onClosed;
    this.name = name;
    /** What the person is shown as: in a room unlike everybody else's. */
    this.label = name;
    this.session = session;
    this.delivery = delivery;
    this.reception = new Reception(lateness);
    /** Asked for when the server-side delay would rise. */
    this.roundTripMs = () => session.stats().rttMs;
    /** What it has heard of the others, where its delivery is `reply`. */
    this.heard = new Heard((HISTORY_MS * format.sampleRate) / 1000);
    this.ring = new RingBuffer(format.frameSamples, historyFrames(format, 0));
    this.format = format;
    this.sampleClock = sampleClock;
    this.decoder = options.decoder;
    this.downlink = options.downlink;
    this.ticked = options.ticked;
    this.balance = options.balance;
    this.speaker = new Speaker(this);
    this.maxPastFrames = Math.ceil((HISTORY_MS + maxDelayMs) / format.frameMs);
    this.maxEarlyFrames = Math.ceil(MAX_EARLY_MS / format.frameMs);
    this.maxConcealed = Math.max(2, Math.ceil(MAX_CONCEAL_MS / format.frameMs));
    this.packets = new PacketBuffer(this.maxPastFrames + this.maxEarlyFrames + 2);
    const perSecond = (MAX_RATE * 1000) / format.frameMs + MAX_CLOCK_REQUESTS;
    this.#rate = new TokenBucket({ atOnce: MAX_BURST_SECONDS * perSecond, perSecond });
  }

  /**
   * Takes a packet as it comes: checks it, counts it, keeps it under its frame index. Who sends too many has
   * them dropped unread.
   *
   * @param {Uint8Array} bytes
   * @param {number} arrivalMs on the monotonic clock
   * @param {number} [stallMs]  so long the server itself had been standing still, just before
   * @returns {number} the frame that an audio packet was for, if it is the first for that frame; else -1
   */
  receive(bytes, arrivalMs, stallMs = 0) {
    if (this.#rate.take(arrivalMs) > 0) return this.#drop('flood');
    const reason = readPacket(bytes, packet);
    if (reason !== null) return this.#drop(reason);
    if (packet.type === PacketType.clockRequest) return this.#answerClock(arrivalMs);
    if (packet.type !== PacketType.audio) return this.#drop('type');

    this.reception.sequences.arrived(packet.sequence);
    const { frameSamples } = this.format;
    const clock = this.sampleClock.at(arrivalMs);
    const current = Math.floor(clock / frameSamples);
    const frame = unwrapFrame(packet.frame, current);
    if (frame > current + this.maxEarlyFrames) return this.#drop('early');
    if (frame < 0 || frame < current - this.maxPastFrames) return this.#drop('past');
    const latenessMs = ((clock - (frame + 1) * frameSamples) * 1000) / this.sampleClock.sampleRate;
    return this.#keep(bytes, frame, latenessMs - stallMs, arrivalMs);
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number} frame
   * @param {number} latenessMs
   * @param {number} arrivalMs
   * @returns {number} the frame, or -1 when it was there already
   */
  #keep(bytes, frame, latenessMs, arrivalMs) {
    const { reception, packets } = this;
    const isFirst = !packets.has(frame);
    const level = packet.level | (packet.voice ? VOICE_BIT : 0);
    if (!packets.put(frame, bytes, packet.payloadStart[0], packet.payloadBytes[0], false, level)) {
      reception.duplicate += 1;
      return -1;
    }
    if (this.#next < 0) {
      this.#next = this.firstFrame = frame;
      this.#countsFromMs = arrivalMs + SET_UP_MS;
    }
    if (frame > this.#newest) this.#newest = frame;
    if (packet.payloadBytes[0] > 0) this.#sounds(frame);
    for (let r = 1; r <= packet.redundancy && frame - r >= this.firstFrame; r++) {
      // Kept even where its mix has been made: the decoder goes on from it.
      const bytesOfIt = packet.payloadBytes[r];
      if (packets.has(frame - r)) continue;
      packets.put(frame - r, bytes, packet.payloadStart[r], bytesOfIt, true, level);
      if (bytesOfIt === 0) continue;
      reception.repeated(r);
      this.#sounds(frame - r);
    }
    // Who had it from a later packet already needn't have waited for its own.
    if (isFirst && arrivalMs >= this.#countsFromMs) {
      reception.lateness.add(latenessMs, arrivalMs, packet.payloadBytes[0] > 0);
    }
    reception.arrived(frame > this.#mixed && frame > this.ticked.frame, latenessMs, packet.redundancy);
    return frame;
  }

  /** @param {number} frame that came with sound */
  #sounds(frame) {
    this.#rests = false;
    if (frame > this.soundThrough) this.soundThrough = frame;
  }

  /** @param {DropReason | 'early' | 'past' | 'flood'} reason */
  #drop(reason) {
    this.reception.dropped[reason] += 1;
    return -1;
  }

  /** @param {number} arrivalMs */
  #answerClock(arrivalMs) {
    if (this.#clockRequests.take(arrivalMs) > 0) return this.#drop('flood');
    const bytes = writeClockReply(out, packet.id, Math.max(0, this.sampleClock.at(arrivalMs)));
    this.session.send(written(bytes));
    return -1;
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
    const oldest = frame - this.maxConcealed;
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
      const good = this.decoder.decode(bytes, 0, length, this.ring.samples, at);
      this.#measure(at, (this.packets.level(frame) & VOICE_BIT) !== 0);
      if (!good) this.reception.garbage += 1;
      if (inTime && this.packets.isRedundant(frame)) this.reception.recovered += 1;
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
    this.level = levelOf(samples, at, this.format.frameSamples);
    this.balance?.process(samples, at, this.level, voice);
  }

  /** @param {number} frame one that has no packet, and is given what is likely, unless it was before */
  #makeUp(frame) {
    if (this.ring.state(frame) !== FrameState.absent) return;
    if (this.#lastState === FrameState.silent) {
      if (this.leavesOutSilence) this.ring.mark(frame, FrameState.silent);
    } else if (this.#lastState === FrameState.received && this.#concealedInARow < this.maxConcealed) {
      this.#conceal(frame);
    }
  }

  /** @param {number} frame */
  #conceal(frame) {
    const { samples } = this.ring;
    const at = this.ring.claim(frame);
    this.decoder.conceal(samples, at);
    fadeOut(samples, at, this.format.frameSamples, this.#concealedInARow, this.maxConcealed);
    this.balance?.hold(samples, at);
    this.ring.mark(frame, FrameState.concealed);
    this.#concealedInARow += 1;
    this.reception.concealed += 1;
  }

  /**
   * From now on this person reads so far behind its own clock.
   * @param {number} delayMs
   */
  readAt(delayMs) {
    this.ownDelayMs = delayMs;
    this.ownDelaySamples = Math.round((delayMs * this.format.sampleRate) / 1000);
  }

  /**
   * How far apart those who read this person's ring may be: decoded audio is kept for the last of them.
   * @param {number} spreadMs
   */
  keepFor(spreadMs) {
    this.ring.resize(historyFrames(this.format, spreadMs));
  }

  /**
   * @param {number} sample
   * @returns {boolean} whether this person had begun to send by then
   */
  hasSentAt(sample) {
    return this.firstFrame >= 0 && sample >= this.firstFrame * this.format.frameSamples;
  }

  /**
   * What the server counts of this person's uplink, and in `reply` of what it hears; and what the client told.
   */
  stats() {
    const { driftPpm, playoutDelayMs, soundLatencyMs } = this.reported;
    const { droppedOut } = this.session.stats();
    const told = { droppedOut, downLostPercent: this.reportedLossPercent, playoutDelayMs, soundLatencyMs, driftPpm };
    const uplink = { ...this.reception.snapshot(), ...told };
    return this.delivery === 'reply' ? { ...uplink, ...this.heard.snapshot() } : uplink;
  }

  /**
   * The client tells of the way down and of its sound cards; what it leaves out stays as it was.
   * @param {{ playoutDelayMs?: number, soundLatencyMs?: number, driftPpm?: number }} report within bounds
   */
  report({ playoutDelayMs, soundLatencyMs, driftPpm }) {
    const { reported } = this;
    reported.playoutDelayMs = playoutDelayMs ?? reported.playoutDelayMs;
    reported.soundLatencyMs = soundLatencyMs ?? reported.soundLatencyMs;
    reported.driftPpm = driftPpm ?? reported.driftPpm;
  }

  /** @param {number} nowMs ends a second, for what is told of the last one and of the last ten */
  endSecond(nowMs) {
    this.#rest(nowMs);
    this.heard.endSecond();
    this.reception.endSecond(nowMs, this.roundTripMs());
  }

  /** Gives back, until there is sound again, what only sound needs. @param {number} nowMs */
  #rest(nowMs) {
    const { frameSamples } = this.format;
    const frame = Math.floor(this.sampleClock.at(nowMs - REST_MS) / frameSamples);
    this.downlink.stream.rest(frame);
    if (this.soundThrough >= frame || this.#rests) return;
    this.#rests = true;
    this.ring.rest();
    this.packets.rest();
  }

  /**
   * Goes on where the holder of the same place was: what the person chose stays so.
   * @param {Participant} before
   */
  continue(before) {
    this.label = before.label;
    this.muted = before.muted;
    this.hand = before.hand;
    // Coming back is no way to write more.
    this.chatBucket = before.chatBucket;
  }

  /** What others are told of this person. */
  describe() {
    const { id, name, label, muted, away, hand, quality, recorded } = this;
    return { id, name, label, transport: this.session.transport.name, muted, away, hand, quality, recorded };
  }

  /**
   * Ends the session, and says why.
   * @param {ErrorCode} code
   */
  end(code) {
    const { close, message } = errors[code];
    this.session.sendControl({ type: 'closing', code, message });
    this.session.close(close, message);
    this.close();
  }

  /** Frees the codecs; the session is the room's to close. */
  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.onClosed?.(this);
    this.downlink.close();
    this.decoder.close();
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
 * @param {number} count its samples
 * @param {number} index of the frame among those concealed in a row
 * @param {number} frames that are concealed in a row at most
 */
function fadeOut(samples, at, count, index, frames) {
  const whole = Math.ceil(frames / 2);
  if (index < whole) return;
  const step = 1 / ((frames - whole) * count);
  let gain = 1 - (index - whole) / (frames - whole);
  for (let i = at; i < at + count; i++) {
    gain -= step;
    samples[i] *= gain;
  }
}
