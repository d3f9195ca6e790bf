/**
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { DropReason, Packet } from '../../public/shared/wire/packet.js'
 * @import { PayloadDecoder } from '../../public/shared/stream/payload.js'
 * @import { SampleClock } from '../clock/sample-clock.js'
 * @import { Lateness } from './lateness.js'
 * @import { Traffic } from './traffic.js'
 * @import { LevelGain } from './voice-decoder.js'
 */

import { unwrapFrame, VOICE_BIT } from '../../public/shared/wire/packet.js';
import { PacketBuffer } from '../../public/shared/stream/packet-buffer.js';
import { Passing } from './passing.js';
import { FrameState, PcmRing } from './pcm-ring.js';
import { ReceiverStats } from './receiver-stats.js';
import { SoundQueue } from './sound-queue.js';
import { VoiceDecoder } from './voice-decoder.js';

/**
 * How far ahead of the sample clock a frame may end, in milliseconds: beyond it the sender's clock
 * is wrong.
 */
const MAX_EARLY_MS = 500;

/**
 * The sound from which a decoder that begins amid a stream finds its way, in milliseconds: then it
 * is within 2.5 dB at the worst moment, at frames of all lengths
 * (test/unit/source/priming.test.js). After 10 ms it can be 8 dB too soft.
 */
const PRIMING_MS = 80;

/**
 * How far behind the clock, beyond the server-side delay, packets are kept and PCM is readable, in
 * milliseconds.
 */
export const HISTORY_MS = 1000;

/**
 * Lateness counts from this long after the first packet, in milliseconds: before it the sender's
 * sound is being set up.
 */
const SET_UP_MS = 500;

/**
 * When what was late till then is forgotten, in milliseconds after the first packet: a page's start
 * is over.
 */
const STARTED_MS = 4000;

/**
 * After this long without sound the buffers are given back, in milliseconds: more than the largest
 * D and the history.
 */
const REST_MS = 5000;

/** How many frames less offset are worth a move. */
const WORTH_FRAMES = 1.5;

/**
 * How late the first packet after a stall must be, so that what was held up is heard later, in
 * milliseconds: less is concealed.
 */
const STALL_MS = 40;

/**
 * One participant's voice: packets by frame, decoded into a ring of PCM when a mix pulls them.
 *
 * `receive()` keeps a packet under its frame index and does no more. `pull()` decodes in order up
 * to a frame: from its packet, from a later packet's redundancy, or by concealment. A source knows
 * no session, listener or room.
 *
 * A straggler's voice is heard later than others': its frames have their places in the mix an
 * offset later than the sample clock would have them. Packets are kept by the sender's frames; the
 * ring, and all frames that others ask for or are told, are the mix's: the sender's and the offset.
 * After a stall a voice is heard later too, and catches up: it is made shorter, through a queue
 * between the decoder and the ring.
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
  /** The sender's first frame whose own packet may still be decoded; -1 before the first packet. */
  #next = -1;
  /** The sender's last frame for which a payload came. */
  #newest = -1;
  /** The last frame that was pulled when it was due. */
  #mixed = -1;
  /**
   * By how many frames the source is heard later, without what waits in the queue, and by how many
   * it should be.
   */
  #offset = 0;
  #wantedOffset = 0;
  #mayFallBehind = false;
  #rests = true;
  /** When lateness begins to count, and when it does anew, on the monotonic clock. */
  #countsFromMs = Infinity;
  #startedMs = Infinity;
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
  constructor({
    id,
    format,
    sampleClock,
    maxDelayMs,
    decoder,
    lateness,
    balance = null,
    leavesOutSilence = false,
  }) {
    this.id = id;
    /** The source's number in packets' lists of speakers. */
    this.number = Number(id) & 0xffff;
    this.#format = format;
    this.#sampleClock = sampleClock;
    this.#stats = new ReceiverStats(lateness);
    this.#queue = new SoundQueue(format);
    this.#leavesOutSilence = leavesOutSilence;
    this.#maxDelayFrames = Math.floor(maxDelayMs / format.frameMs);
    this.#maxPastFrames = Math.ceil((HISTORY_MS + maxDelayMs) / format.frameMs);
    this.#maxEarlyFrames = Math.ceil(MAX_EARLY_MS / format.frameMs);
    /** The decoded sound, to be read. */
    this.ring = new PcmRing(format.frameSamples, historyFrames(format, 0), format.channels);
    /** The payloads, to be read. */
    this.packets = new PacketBuffer(this.#maxPastFrames + this.#maxEarlyFrames + 2);
    this.#decoder = new VoiceDecoder({
      format,
      packets: this.packets,
      decoder,
      balance,
      stats: this.#stats,
    });
    /** What is passed on undecoded. */
    this.passing = new Passing(this.packets, this.#stats, this.#decoder.maxConcealed);
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
   * Has the source heard so much later than others. It rises at once, since the next frame would be
   * missing otherwise; it falls where that is worth a move, in silence, which gets shorter, or by
   * sound that does.
   * @param {number} ms  0 and more; a part of a frame counts as one
   */
  set offsetMs(ms) {
    const frames = Math.max(0, ms / this.#format.frameMs - 1e-9);
    const lessBy = this.#wantedOffset - frames;
    if (frames === 0 || lessBy < 0 || lessBy > WORTH_FRAMES) this.#wantedOffset = Math.ceil(frames);
    if (this.#wantedOffset > this.#offset) this.#offset = this.#wantedOffset;
  }

  /**
   * @param {boolean} may whether it is heard later after a stall, rather than that what came late
   *   isn't heard at all
   */
  set mayFallBehind(may) {
    this.#mayFallBehind = may;
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

  /**
   * The last frame that is audible when no more comes: concealment fades after the sound. -1
   * without sound.
   */
  get endsWith() {
    return this.#soundThrough < 0 ? -1 : this.soundThrough + this.#decoder.maxConcealed;
  }

  /** The level of the last decoded frame, in -dBov. */
  get level() {
    return this.#decoder.level;
  }

  /** Whether the sender found voice in the last decoded frame. */
  get voice() {
    return this.#decoder.voice;
  }

  /**
   * Keeps a packet under its frame index, and counts when it came.
   * @param {Packet} packet  of audio, as read from `bytes`
   * @param {Uint8Array} bytes
   * @param {number} arrivalMs  on the monotonic clock
   * @param {number} stallMs how long the server had stood still just before, which isn't the
   *   packet's lateness
   * @param {number} mixedThrough  the last frame that the room's tick has mixed; -1 before it
   * @returns {number} the packet's frame, by the sender's clock, when this is the first packet for
   *   it; else -1
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
    // A frame that a later packet had repeated needn't have waited for its own packet.
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
   * How many frames before its own a packet was sent for: those that it repeats, where no packet
   * before it is missing that might have been theirs.
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
   * Keeps the packet's own frame, and the earlier frames that it repeats where they are missing.
   * @param {number} frame
   * @param {Uint8Array} bytes
   * @param {Packet} packet
   * @param {number} first  of the frames that it was sent for
   * @returns {boolean} false when the frame's own packet was there already
   */
  #keep(frame, bytes, packet, first) {
    const { packets } = this;
    const level = packet.level | (packet.voice ? VOICE_BIT : 0);
    if (!packets.put(frame, bytes, packet.payloadStart[0], packet.payloadBytes[0], false, level))
      return false;
    this.#keptFrom = frame;
    if (this.#next < 0) this.#next = this.#firstFrame = frame;
    if (frame > this.#newest) this.#newest = frame;
    if (packet.payloadBytes[0] > 0) this.#sounds(frame);
    for (let r = 1; r <= packet.redundancy && frame - r >= this.#firstFrame; r++) {
      const length = packet.payloadBytes[r];
      if (packets.has(frame - r)) continue;
      // Kept even where its mix has been made: the decoder goes on from it.
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
   * Has what a stall held up heard later, rather than not at all.
   * @param {number} frame  that comes first after it
   * @param {number} mixed  the last frame that was mixed
   */
  #fallBehind(frame, mixed) {
    const behind = mixed + 1 - frame;
    if (behind > this.#maxDelayFrames || (behind - this.#offset) * this.#format.frameMs < STALL_MS)
      return;
    this.#offset = behind;
    this.#next = frame;
    this.#queue.clear();
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
   * Begins to decode a frame that is pulled next, where nothing before it is still to be decoded.
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
   * Decodes in order up to a frame. A frame without a packet is taken from a later packet's
   * redundancy, or concealed; after a silent frame it is silent. As long as nothing behind it has
   * been decoded this is provisional: its packet, when it comes after all, takes its place in the
   * ring.
   *
   * @param {number} frame
   * @param {boolean} due whether the frame's time has come. Before it a missing packet is waited
   *   for, so that a reader whose clock runs ahead costs others nothing
   * @returns {number} the frame's FrameState
   */
  pull(frame, due) {
    const mixed = this.#mixed;
    if (due && frame > mixed) {
      this.#mixed = frame;
      if (this.#offset > this.#wantedOffset) this.#shorten(frame);
      if (this.#catchesUp(frame)) this.#catchUp(frame);
    }
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
        this.#makeUp(next + this.#offset);
      } else {
        break;
      }
      this.#next = next + 1;
    }
    if (due)
      for (let f = Math.min(frame, this.#next + this.#offset); f <= frame; f++) this.#makeUp(f);
    return this.ring.state(frame);
  }

  /**
   * Passes a frame on undecoded, when it is due: what pull() is where the room's sound is
   * forwarded. Where the source is heard later than it need be, that ends in silence.
   * @param {number} frame
   * @returns {number} a FrameState: of a received one `passing.frame` says where the payload is; a
   *   concealed one is missing
   */
  pass(frame) {
    if (frame > this.#mixed) this.#mixed = frame;
    while (
      this.passing.isQuiet &&
      this.#offset > this.#wantedOffset &&
      !this.packets.hasSound(frame - this.#offset)
    )
      this.#offset -= 1;
    return this.passing.pass(frame - this.#offset);
  }

  /**
   * @param {number} frame that is pulled
   * @returns {boolean} whether it is given through the queue, and may get shorter
   */
  #catchesUp(frame) {
    if (this.#queue.count > 0) return true;
    if (this.#offset <= this.#wantedOffset || this.#next < 0 || this.#next !== frame - this.#offset)
      return false;
    return this.packets.hasSound(this.#next) && this.packets.hasSound(this.#next + 1);
  }

  /**
   * Gives the mix a frame of sound that gets shorter.
   * @param {number} frame
   */
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

  /**
   * Adds the next frame to the queue, or what stands for it.
   * @param {number} frame  that is pulled
   */
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
   * Leaves out silence, for as long as the offset is larger than it should be.
   * @param {number} frame  that is pulled
   */
  #shorten(frame) {
    while (this.#offset > this.#wantedOffset && this.#decoder.last !== FrameState.received) {
      if (this.packets.hasSound(frame - this.#offset)) return;
      this.#offset -= 1;
      if (this.#next >= 0) this.#next = Math.max(this.#next, frame - this.#offset);
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
    this.#queue.clear();
    this.#decoder.begin();
  }

  /**
   * Forgets the frames that haven't been decoded, but those right before one that is to be heard,
   * which prime the decoder.
   * @param {number} frame
   */
  prime(frame) {
    this.skipTo(Math.max(0, frame - primingFrames(this.#format)));
  }

  /**
   * Forgets all that is older than anybody may ask for.
   * @param {number} frame the last one that was mixed
   */
  skipHistory(frame) {
    this.skipTo(frame - this.#maxPastFrames);
  }

  /** @param {number} frame without a packet: silent after silence, concealed after sound */
  #makeUp(frame) {
    if (this.ring.state(frame) !== FrameState.absent) return;
    if (this.#decoder.conceals) this.#decoder.conceal(this.ring, frame);
    else if (this.#decoder.last === FrameState.silent && this.#leavesOutSilence)
      this.ring.mark(frame, FrameState.silent);
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
    return frame >= this.#offset && this.packets.hasSound(frame - this.#offset);
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

  /**
   * Ends a draining source where the same person's next one begins.
   * @param {number} frame that one's first
   */
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
    this.#queue.clear();
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

/** @param {AudioFormat} format */
const primingFrames = ({ frameMs }) => Math.max(2, Math.ceil(PRIMING_MS / frameMs));

/** @param {AudioFormat} format @param {number} spreadMs */
const historyFrames = ({ frameMs }, spreadMs) => Math.ceil((HISTORY_MS + spreadMs) / frameMs) + 2;
