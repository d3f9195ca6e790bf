/**
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { DropReason, Packet } from '../../public/shared/wire/packet.js'
 * @import { PayloadDecoder } from '../../public/shared/stream/payload.js'
 * @import { SampleClock } from '../clock/sample-clock.js'
 * @import { MixMath } from '../codec/mix-math.js'
 * @import { Lateness } from './lateness.js'
 * @import { Traffic } from './receiver-stats.js'
 * @import { LevelGain } from './voice-decoder.js'
 */

import { unwrapFrame, VOICE_BIT } from '../../public/shared/wire/packet.js';
import { mostConcealed } from '../../public/shared/stream/concealment.js';
import { PacketBuffer } from '../../public/shared/stream/packet-buffer.js';
import { UndecodedFrames } from './undecoded-frames.js';
import { FrameState, PcmRing } from './pcm-ring.js';
import { ReceiverStats } from './receiver-stats.js';
import { SoundQueue } from './sound-queue.js';
import { VoiceDecoder } from './voice-decoder.js';

/**
 * Most that a frame may end ahead of the sample clock, in milliseconds: beyond it the sender's
 * clock is wrong.
 */
const MAX_EARLY_MS = 500;

/**
 * Sound that primes a decoder which begins amid a stream, in milliseconds. After it the level is
 * within 2.5 dB at the worst moment, for all frame lengths (test/unit/source/priming.test.js).
 * After 10 ms it can be 8 dB too soft.
 */
const PRIMING_MS = 80;

/**
 * Time behind the clock, beyond the server-side delay, for which packets and PCM are kept, in
 * milliseconds.
 */
export const HISTORY_MS = 1000;

/**
 * Time from the first packet to the first one whose lateness counts, in milliseconds: the sender's
 * sound is still being set up.
 */
const SET_UP_MS = 500;

/**
 * Time after the first packet when earlier lateness is forgotten, in milliseconds: the page has
 * started.
 */
const STARTED_MS = 4000;

/**
 * Time without sound after which the buffers are freed, in milliseconds: more than the largest D
 * and the history.
 */
const REST_MS = 5000;

/** Smallest decrease of the offset that is worth a move, in frames. */
const WORTH_FRAMES = 1.5;

/**
 * Lateness of the first packet after a stall from which held-up sound is heard later, in
 * milliseconds: shorter stalls are concealed.
 */
const STALL_MS = 40;

/**
 * One participant's voice: packets by frame, decoded into a ring of PCM when a mix pulls them.
 *
 * A packet is kept under its frame index by `receive()`. Frames are decoded by `pull()`, in order
 * up to the asked one: from its packet, from a later packet's redundancy, or by concealment. A
 * source knows no session, listener or room.
 *
 * A straggler's voice is delayed by an offset: its frames are mixed that much later than the sample
 * clock says. Packets are kept by the sender's frames. The ring and the frames in this interface
 * are the mix's: the sender's plus the offset. After a stall a voice is delayed too, and catches
 * up: a queue between the decoder and the ring shortens it.
 */
export class Source {
  #format;
  #sampleClock;
  #decoder;
  #stats;
  #queue;
  #leavesOutSilence;
  #maxDelayFrames;
  #maxPastFrames;
  #maxEarlyFrames;
  #soundThrough = -1;
  #firstFrame = -1;
  #keptFrom = -1;
  /** Sender's first frame whose own packet may still be decoded; -1 before the first packet. */
  #next = -1;
  /** Sender's last frame with a payload. */
  #newest = -1;
  /** Sender's last frame that is hidden here; -1 for none. */
  #hidden = -1;
  /** Last frame that was pulled when it was due. */
  #mixed = -1;
  /** Frame that was passed on last, and its state: several groups may ask for it. */
  #passed = { frame: -1, state: /** @type {number} */ (FrameState.absent) };
  /** Delay of the source in frames, without the sound in the queue, and the delay to aim for. */
  #offset = 0;
  #wantedOffset = 0;
  #mayFallBehind = false;
  #rests = true;
  /** Time for which each delivery needs decoded audio. @type {Map<object, number>} */
  #keepMs = new Map();
  /** Times when lateness begins to count, and when it restarts, on the monotonic clock. */
  #countsFromMs = Infinity;
  #startedMs = Infinity;
  #isFinished = false;
  /** First frame of the same person's next source. */
  #successorFrame = Infinity;

  /**
   * @param {object} options
   * @param {string} options.id of the member; a decimal number
   * @param {AudioFormat} options.format
   * @param {SampleClock} options.sampleClock
   * @param {number} options.maxDelayMs largest server-side delay of the room
   * @param {PayloadDecoder} options.decoder closed with the source
   * @param {Lateness} options.lateness new
   * @param {LevelGain | null} [options.balance] null to leave levels unchanged
   * @param {boolean} [options.leavesOutSilence] true when the sender may leave out silent frames
   * @param {MixMath} [options.math]
   */
  constructor({
    id,
    format,
    sampleClock,
    maxDelayMs,
    decoder,
    lateness,
    balance = null,
    leavesOutSilence = false,
    math,
  }) {
    this.id = id;
    /** Number of the source in packets' lists of speakers. */
    this.number = Number(id) & 0xffff;
    this.#format = format;
    this.#sampleClock = sampleClock;
    this.#stats = new ReceiverStats(lateness);
    this.#queue = new SoundQueue(format);
    this.#leavesOutSilence = leavesOutSilence;
    this.#maxDelayFrames = Math.floor(maxDelayMs / format.frameMs);
    this.#maxPastFrames = Math.ceil((HISTORY_MS + maxDelayMs) / format.frameMs);
    this.#maxEarlyFrames = Math.ceil(MAX_EARLY_MS / format.frameMs);
    this.ring = new PcmRing(format.frameSamples, keptFrames(format, HISTORY_MS), format.channels);
    this.packets = new PacketBuffer(this.#maxPastFrames + this.#maxEarlyFrames + 2);
    this.#decoder = new VoiceDecoder({
      format,
      packets: this.packets,
      decoder,
      balance,
      stats: this.#stats,
      math,
    });
    /** Frames that are passed on undecoded. */
    this.undecoded = new UndecodedFrames(this.packets, this.#stats, this.#decoder.maxConcealed);
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

  /** Delay of the source beyond others, in milliseconds. */
  get offsetMs() {
    return this.#offset * this.#format.frameMs;
  }

  /**
   * Delays the source by this much more than others. The delay rises at once, because the next
   * frame would be missing otherwise. It falls if that is worth a move, by shortening silence or
   * sound.
   * @param {number} ms 0 and more; a part of a frame counts as one
   */
  set offsetMs(ms) {
    const frames = Math.max(0, ms / this.#format.frameMs - 1e-9);
    const decrease = this.#wantedOffset - frames;
    if (frames === 0 || decrease < 0 || decrease > WORTH_FRAMES)
      this.#wantedOffset = Math.ceil(frames);
    if (this.#wantedOffset > this.#offset) this.#offset = this.#wantedOffset;
  }

  /** @param {boolean} may true to delay late sound after a stall, rather than drop it */
  set mayFallBehind(may) {
    this.#mayFallBehind = may;
  }

  /** First frame that came; -1 before it. */
  get firstFrame() {
    return this.#firstFrame < 0 ? -1 : this.#firstFrame + this.#offset;
  }

  /** Last frame that came with sound; -1 before it. */
  get soundThrough() {
    return this.#soundThrough < 0 ? -1 : this.#soundThrough + this.#offset;
  }

  /** Earliest frame in the last packet. */
  get keptFrom() {
    return this.#keptFrom + this.#offset;
  }

  /** Last audible frame if no more comes: concealment fades after the sound. -1 without sound. */
  get endsWith() {
    return this.#soundThrough < 0 ? -1 : this.soundThrough + this.#decoder.maxConcealed;
  }

  /** Level of the last decoded frame, in -dBov. */
  get level() {
    return this.#decoder.level;
  }

  /** True when the sender found voice in the last decoded frame. */
  get voice() {
    return this.#decoder.voice;
  }

  /**
   * Keeps a packet under its frame index, and counts its lateness.
   * @param {Packet} packet of audio, as read from `bytes`
   * @param {Uint8Array} bytes
   * @param {number} arrivalMs on the monotonic clock
   * @param {number} stallMs length of a stall of the server just before, which isn't the packet's
   *   lateness
   * @param {number} mixedThrough last frame that the room's tick has mixed; -1 before it
   * @returns {number} the packet's frame, by the sender's clock, when this is its first packet;
   *   else -1
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
    const isAwaited = this.#mayFallBehind && frame > this.#newest && packet.payloadBytes[0] > 0;
    const first = frame - this.#packedFrames(frame, packet);
    if (!this.#keep(frame, bytes, packet, first)) return this.drop('duplicate');
    this.#noteStart(arrivalMs);
    const latenessMs =
      ((clock - (frame + 1) * size) * 1000) / this.#sampleClock.sampleRate - stallMs;
    // A repeated frame didn't have to wait for its own packet.
    if (!wasRepeated && arrivalMs >= this.#countsFromMs) {
      this.lateness.add(
        latenessMs + (frame - first) * this.#format.frameMs,
        arrivalMs,
        packet.payloadBytes[0] > 0,
      );
    }
    const mixed = Math.max(mixedThrough, this.#mixed);
    if (isAwaited) this.#fallBehind(first, mixed);
    for (let packed = first; packed < frame; packed++)
      this.#stats.packed(packed + this.#offset > mixed);
    this.#stats.arrived(
      frame + this.#offset > mixed,
      latenessMs,
      packet.redundancy - (frame - first),
    );
    return frame;
  }

  /**
   * Counts the earlier frames that this packet carries for the first time. They lie between the
   * last packet and this one, when no packet between them is missing.
   * @param {number} frame
   * @param {Packet} packet
   */
  #packedFrames(frame, { redundancy, payloadBytes }) {
    if (!this.#stats.sequences.follows || this.#newest < 0) return 0;
    const between = frame - this.#newest - 1;
    return between > 0 && between <= redundancy && payloadBytes[between] > 0 ? between : 0;
  }

  /** @param {number} arrivalMs */
  #noteStart(arrivalMs) {
    if (this.#countsFromMs === Infinity) {
      this.#countsFromMs = arrivalMs + SET_UP_MS;
      this.#startedMs = arrivalMs + STARTED_MS;
    } else if (arrivalMs >= this.#startedMs) {
      this.#startedMs = Infinity;
      this.lateness.forget();
    }
  }

  /**
   * Keeps the packet's own frame, and missing earlier frames that it repeats.
   * @param {number} frame
   * @param {Uint8Array} bytes
   * @param {Packet} packet
   * @param {number} first frame that it was sent for
   * @returns {boolean} false when the frame's own packet was there already
   */
  #keep(frame, bytes, packet, first) {
    const { packets } = this;
    const level = packet.level | (packet.voice ? VOICE_BIT : 0);
    if (!packets.put(frame, bytes, packet.payloadStart[0], packet.payloadBytes[0], false, level))
      return false;
    this.#keptFrom = frame;
    if (this.#firstFrame < 0) {
      this.#firstFrame = frame;
      this.#next = Math.max(frame, this.#hidden + 1);
    }
    if (frame > this.#newest) this.#newest = frame;
    if (packet.payloadBytes[0] > 0) this.#sounds(frame);
    for (let r = 1; r <= packet.redundancy && frame - r >= this.#firstFrame; r++) {
      const length = packet.payloadBytes[r];
      if (packets.has(frame - r)) continue;
      // Kept even after its mix: the decoder continues from it.
      const isRepeated = frame - r < first;
      packets.put(frame - r, bytes, packet.payloadStart[r], length, isRepeated, level);
      this.#keptFrom = frame - r;
      if (length === 0) continue;
      if (isRepeated) this.#stats.repeated(r);
      this.#sounds(frame - r);
    }
    return true;
  }

  /**
   * Delays the sound that a stall held up, so that it is heard.
   * @param {number} frame first one after the stall
   * @param {number} mixed last frame that was mixed
   */
  #fallBehind(frame, mixed) {
    const behind = mixed + 1 - frame;
    if (behind > this.#maxDelayFrames || (behind - this.#offset) * this.#format.frameMs < STALL_MS)
      return;
    this.#offset = behind;
    this.#next = Math.max(frame, this.#hidden + 1);
    this.#queue.clear();
  }

  /** @param {number} frame that came with sound */
  #sounds(frame) {
    this.#rests = false;
    if (frame > this.#soundThrough) this.#soundThrough = frame;
  }

  /**
   * Counts an unused packet.
   * @param {DropReason | 'early' | 'past' | 'flood' | 'control' | 'duplicate' | 'unheard'} reason
   * @returns {-1}
   */
  drop(reason) {
    this.#stats.drop(reason);
    return -1;
  }

  /**
   * Begins to decode the next frame to be pulled, if all frames before it are decoded.
   * @param {number} frame
   */
  prepare(frame) {
    const next = this.#next;
    if (
      next < 0 ||
      next !== frame - this.#offset ||
      this.#offset !== this.#wantedOffset ||
      this.#queue.count > 0
    )
      return;
    if (this.packets.hasSound(next)) this.#decoder.prepare(next);
  }

  /**
   * Decodes in order up to a frame. A frame without a packet comes from a later packet's
   * redundancy, or is concealed; after a silent frame it is silent. This is provisional until a
   * later frame is decoded: if its packet still comes, it replaces the frame in the ring.
   * @param {number} frame
   * @param {boolean} due true when the frame's time has come. Before it a missing packet is waited
   *   for, so a reader whose clock runs ahead costs others nothing
   * @returns {number} the frame's FrameState
   */
  pull(frame, due) {
    const mixed = this.#mixed;
    if (due && frame > mixed) this.#advance(frame);
    const last = frame - this.#offset;
    if (this.#next < 0 || last < 0 || this.#queue.count > 0) return this.ring.state(frame);
    while (this.#next <= last) {
      const next = this.#next;
      if (this.packets.has(next)) {
        this.#decoder.decode(next, this.ring, next + this.#offset, next + this.#offset > mixed);
      } else if (
        due &&
        (next < last - this.#decoder.maxConcealed ||
          this.packets.hasAny(next, Math.min(last, this.#newest)))
      ) {
        this.#conceal(next + this.#offset);
      } else {
        break;
      }
      this.#next = next + 1;
    }
    if (due)
      for (let f = Math.min(frame, this.#next + this.#offset); f <= frame; f++) this.#conceal(f);
    return this.ring.state(frame);
  }

  /**
   * Goes on to a due frame, with less delay where that is possible.
   * @param {number} frame pulled frame
   */
  #advance(frame) {
    const leftOut = this.#mixed < 0 ? 0 : frame - this.#mixed - 1;
    // The mix leaves frames out after a stall. Sound in the queue would be heard too late for good.
    if (leftOut > 0 && this.#queue.count > 0) this.skipTo(frame);
    this.#mixed = frame;
    if (this.#offset > this.#wantedOffset) this.#shorten(frame);
    if (this.#catchesUp(frame)) this.#catchUp(frame);
  }

  /**
   * Passes on a due frame undecoded: the counterpart of pull() in a room that forwards. In silence
   * the source's delay shrinks.
   * @param {number} frame
   * @returns {number} a FrameState: `undecoded.frame` has the payload of a received frame; a
   *   concealed one is missing
   */
  pass(frame) {
    if (frame !== this.#passed.frame) {
      this.#passed.state = this.#passOn(frame);
      this.#passed.frame = frame;
    }
    return this.#passed.state;
  }

  /** @param {number} frame @returns {number} see pass() */
  #passOn(frame) {
    if (frame > this.#mixed) this.#mixed = frame;
    if (frame - this.#offset <= this.#hidden) return FrameState.absent;
    while (
      this.undecoded.isQuiet &&
      this.#offset > this.#wantedOffset &&
      !this.packets.hasSound(frame - this.#offset)
    )
      this.#offset -= 1;
    return this.undecoded.pass(frame - this.#offset);
  }

  /**
   * @param {number} frame pulled frame
   * @returns {boolean} true when it goes through the queue, to be shortened
   */
  #catchesUp(frame) {
    if (this.#queue.count > 0) return true;
    if (this.#offset <= this.#wantedOffset || this.#next < 0 || this.#next !== frame - this.#offset)
      return false;
    return this.packets.hasSound(this.#next) && this.packets.hasSound(this.#next + 1);
  }

  /** Gives the mix a frame of shortened sound. @param {number} frame */
  #catchUp(frame) {
    const queue = this.#queue;
    const size = this.#format.frameSamples;
    const surplus = (this.#offset - this.#wantedOffset) * size + queue.count;
    const enough = Math.min(queue.together, Math.floor(surplus / size) + 1) * size;
    while (!queue.isFull || (queue.count < enough && this.packets.hasSound(this.#next)))
      this.#enqueue(frame);
    queue.shorten(
      this.packets.hasSound(this.#next) ? surplus : Math.min(surplus, queue.count - size),
    );
    while (!queue.isFull) this.#enqueue(frame);
    queue.give(this.ring, frame);
    this.#offset = frame + 1 - this.#next;
  }

  /** Adds the next frame, or its substitute, to the queue. @param {number} frame pulled frame */
  #enqueue(frame) {
    const next = this.#next;
    const isThere = this.packets.has(next);
    const isLost = !isThere && this.packets.hasAny(next, Math.min(frame, this.#newest));
    if (isThere) this.#decoder.decode(next, this.#queue, frame, true);
    else if (this.#decoder.conceals) this.#decoder.conceal(this.#queue, frame);
    else this.#queue.mark(frame, FrameState.silent);
    if (isThere || isLost || !this.#decoder.conceals) this.#next = next + 1;
  }

  /**
   * Leaves out silence while the delay is larger than wanted.
   * @param {number} frame pulled frame
   */
  #shorten(frame) {
    while (this.#offset > this.#wantedOffset && this.#decoder.last !== FrameState.received) {
      if (this.packets.hasSound(frame - this.#offset)) return;
      this.#offset -= 1;
      if (this.#next >= 0) this.#next = Math.max(this.#next, frame - this.#offset);
    }
  }

  /**
   * Forgets the undecoded frames before this one. For the decoder sound begins there.
   * @param {number} frame
   */
  skipTo(frame) {
    const next = frame - this.#offset;
    if (this.#next >= next) return;
    this.#next = next;
    this.#queue.clear();
    this.#decoder.begin();
  }

  /**
   * Forgets the undecoded frames, except the ones right before this frame, which prime the decoder.
   * @param {number} frame
   */
  prime(frame) {
    this.skipTo(Math.max(0, frame - primingFrames(this.#format)));
  }

  /**
   * Hides what has been sent so far, also packets on their way: it was for others. The packets
   * stay, for a recording.
   */
  hide() {
    const now = Math.floor(this.#sampleClock.now() / this.#format.frameSamples);
    this.#hidden = Math.max(this.#newest, now);
    this.ring.rest();
    if (this.#firstFrame >= 0) this.skipTo(this.#hidden + 1 + this.#offset);
  }

  /**
   * Forgets frames that are older than any request may be.
   * @param {number} frame last mixed frame
   */
  skipHistory(frame) {
    this.skipTo(frame - this.#maxPastFrames);
  }

  /** @param {number} frame without a packet: silent after silence, concealed after sound */
  #conceal(frame) {
    if (this.ring.state(frame) !== FrameState.absent) return;
    if (this.#decoder.conceals) this.#decoder.conceal(this.ring, frame);
    else if (this.#decoder.last === FrameState.silent && this.#leavesOutSilence)
      this.ring.mark(frame, FrameState.silent);
  }

  /** Counts a frame that isn't mixed: it is neither late nor lost. @param {number} frame */
  leaveOut(frame) {
    if (!this.hasSound(frame)) return;
    this.#stats.unmixed();
    if (this.packets.isRedundant(frame - this.#offset)) this.#stats.recovered();
  }

  /** @param {number} frame @returns {boolean} true when it has a packet */
  has(frame) {
    const sent = frame - this.#offset;
    return sent > this.#hidden && sent >= 0 && this.packets.has(sent);
  }

  /** @param {number} frame @returns {boolean} true when it has a packet with sound */
  hasSound(frame) {
    const sent = frame - this.#offset;
    return sent > this.#hidden && sent >= 0 && this.packets.hasSound(sent);
  }

  /**
   * @param {number} frame
   * @returns {boolean} true when the frame before it has sound, hidden or not
   */
  continuesIn(frame) {
    const before = frame - 1 - this.#offset;
    return before >= 0 && this.packets.hasSound(before);
  }

  /** @param {number} frame that has a packet @returns {number} its level as sent, with VOICE_BIT */
  sentLevel(frame) {
    return this.packets.level(frame - this.#offset);
  }

  /** @param {number} sample @returns {boolean} true when the sender had begun by then */
  hasSentAt(sample) {
    return this.#firstFrame >= 0 && sample >= this.firstFrame * this.#format.frameSamples;
  }

  /**
   * Keeps decoded audio for as long as the slowest reader of any delivery needs it.
   * @param {object} delivery
   * @param {number} ms time between its fastest and its slowest reader; 0 when its tick is the only
   *   one, or no more
   */
  keepFor(delivery, ms) {
    if (ms > 0) this.#keepMs.set(delivery, ms);
    else this.#keepMs.delete(delivery);
    this.ring.resize(keptFrames(this.#format, Math.max(0, ...this.#keepMs.values())));
  }

  /** Marks the end of the packets. Received frames are still mixed. */
  finish() {
    this.#isFinished = true;
  }

  /**
   * Ends a finished source at the beginning of the same person's next one.
   * @param {number} frame first one of the next source
   */
  endBefore(frame) {
    if (frame < this.#successorFrame) this.#successorFrame = frame;
  }

  /**
   * @param {number} frame
   * @returns {boolean} true when the source is silent from this frame on, forever
   */
  isOver(frame) {
    return this.#isFinished && (frame > this.endsWith || frame >= this.#successorFrame);
  }

  /**
   * Ends a second of the statistics, and frees the buffers after a long silence.
   * @param {number} nowMs on the monotonic clock
   * @param {number | null} roundTripMs null when the transport doesn't know it
   */
  endSecond(nowMs, roundTripMs) {
    this.#stats.endSecond(nowMs, roundTripMs);
    const oldest = this.#sampleClock.at(nowMs - REST_MS) / this.#format.frameSamples;
    if (this.#rests || this.#soundThrough >= Math.floor(oldest)) return;
    this.#rests = true;
    this.ring.rest();
    this.packets.rest();
    this.#queue.clear();
  }

  stats() {
    return this.#stats.snapshot();
  }

  /** @param {Traffic} traffic */
  addTo(traffic) {
    this.#stats.addTo(traffic);
  }

  /** Frees the decoder. Idempotent. */
  close() {
    this.#decoder.close();
  }
}

/** @param {AudioFormat} format */
const primingFrames = ({ frameMs }) => Math.max(2, Math.ceil(PRIMING_MS / frameMs));

/**
 * Number of decoded frames to keep: at least as many as one pull may make up. A pull skips the
 * frames that are made up already.
 * @param {AudioFormat} format @param {number} ms
 */
const keptFrames = (format, ms) =>
  Math.max(mostConcealed(format) + 1, Math.ceil(ms / format.frameMs)) + 2;
