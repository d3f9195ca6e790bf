/**
 * @import { AudioFormat } from '../../shared/sound/audio-format.js'
 * @import { Packet } from '../../shared/wire/packet.js'
 */

import { PacketBuffer } from '../../shared/stream/packet-buffer.js';
import { unwrapFrame } from '../../shared/wire/packet.js';
import { Redundancy } from '../../shared/stream/redundancy.js';
import { PacketLoss } from './packet-loss.js';
import { PlayoutDelay } from './playout-delay.js';

/** The longest sound that is kept, in milliseconds. */
const CAPACITY_MS = 3000;

/**
 * Packets in a row with an implausible time after which the time itself is taken to have changed.
 */
const RESYNC_PACKETS = 10;

/**
 * A packet's time is implausible when it is further off than the longest delay and this, in
 * milliseconds.
 */
const STRANGE_MS = 150;

/**
 * The longest time for which a buffer with a long fixed delay is filled before anything is heard,
 * in milliseconds: the server is asked for what it sent lately, and has answered by then.
 */
const FILL_MS = 600;

/** The part of the fixed delay that is enough to begin with. */
const FILLED = 0.9;

const INDEX_NEVER = -1;

/**
 * The jitter buffer: packets wait for their time under their frame index. It knows how far playing
 * has come, and how long packets should wait. After a silent packet nothing is missed: time runs on
 * through frames for which no packets come, and sound that comes late into them is still heard from
 * its start.
 */
export class JitterBuffer {
  #format;
  #packets;
  #loss = new PacketLoss();
  #strangers = 0;
  #redundancyDelay = new RedundancyDelay();
  /** The first frame of the silence for which no packets came. */
  #restStart = INDEX_NEVER;

  /** The next frame to be played; INDEX_NEVER before the first packet. */
  next = INDEX_NEVER;
  /** The newest frame that a packet came for; INDEX_NEVER before the first packet. */
  newest = INDEX_NEVER;
  /** Whether it is silent from the packet before the next frame on, until another one comes. */
  resting = false;
  /** Samples of the next frame that have been given as such silence. */
  rested = 0;
  /** How many frames there are to a packet: those before its own are no repeats. */
  #stride = 1;
  /** Whether the next frame was wanted already, and something else was given. */
  #awaited = false;
  #fillsUntilMs = -Infinity;
  /**
   * Whether nothing is to be heard yet, and frames before the next one are taken: a buffer with a
   * fixed delay is filled at first.
   */
  isFilling = false;

  /** Packets, and frames that were left out: see Playout.counters. */
  counters = { received: 0, late: 0, lost: 0, duplicate: 0, strange: 0, skipped: 0 };

  /** @param {AudioFormat} format */
  constructor(format) {
    this.#format = format;
    this.#packets = new PacketBuffer(Math.max(16, Math.ceil(CAPACITY_MS / format.frameMs)));
    this.delay = new PlayoutDelay(format.frameMs);
  }

  /**
   * @param {number} stride how many frames there are to a packet from now on: the first of them
   *   waits for the last
   */
  set stride(stride) {
    this.#stride = stride;
    this.#loss.stride = stride;
    this.#wait();
  }

  /** Frames come with later packets, where those repeat what was lost, or bring several at once. */
  #wait() {
    const frames = Math.max(this.#redundancyDelay.frames, this.#stride - 1);
    this.delay.waitForRedundancy(frames * this.#format.frameMs);
  }

  /**
   * Takes an audio packet as it comes.
   * @param {Packet} packet as read
   * @param {Uint8Array} bytes the packet's; not kept
   * @param {number} arrivalMs
   * @returns {number} where the packet is the newest, the first frame with sound that it brings,
   *   from its own payload or a repeated one; otherwise INDEX_NEVER, which is -1
   */
  receive(packet, bytes, arrivalMs) {
    const frame = this.newest < 0 ? packet.frame : unwrapFrame(packet.frame, this.newest);
    if (this.next < 0) this.#startAt(frame, packet.redundancy, arrivalMs);
    else if (!this.#isPlausible(frame, arrivalMs)) return INDEX_NEVER;
    if (this.#packets.has(frame) && !this.#packets.isRedundant(frame)) {
      this.counters.duplicate += 1;
      return INDEX_NEVER;
    }
    this.#loss.add(packet, frame, arrivalMs);
    this.counters.lost = this.#loss.lost;
    if (this.#redundancyDelay.add(packet, arrivalMs)) {
      this.#redundancyDelay.lost(this.#loss.percent(arrivalMs));
      this.#wait();
    }
    if (this.isFilling) this.next = Math.min(this.next, Math.max(0, frame - packet.redundancy));
    this.delay.arrived(frame, arrivalMs, this.#isMissed(frame));
    const first = this.#keepRepeated(frame, packet, bytes);
    this.#keep(frame, packet, bytes);
    this.fill(arrivalMs);
    return frame === this.newest ? first : INDEX_NEVER;
  }

  /**
   * @param {number} nowMs
   * @returns {number | null} see PacketLoss
   */
  lostPercent(nowMs) {
    return this.#loss.percent(nowMs);
  }

  /** @param {number} frame whether it was wanted before it came */
  #isMissed(frame) {
    return frame < this.next || (frame === this.next && this.#awaited);
  }

  /**
   * Begins with the first packet. Where several frames come in one, the first of them is heard
   * first: it has waited for the last.
   * @param {number} frame  the last of the packet's
   * @param {number} repeats  how many before it the packet has
   * @param {number} arrivalMs
   */
  #startAt(frame, repeats, arrivalMs) {
    this.#start(frame);
    this.next = Math.max(0, frame - Math.min(repeats, this.#stride - 1));
    this.isFilling = this.delay.fixedMs !== null;
    this.#fillsUntilMs = arrivalMs + FILL_MS;
  }

  /** Ends the filling where there is enough, or it has taken long enough. @param {number} nowMs */
  fill(nowMs) {
    if (!this.isFilling) return;
    const isFull =
      (this.newest - this.next) * this.#format.frameMs >= FILLED * (this.delay.fixedMs ?? 0);
    this.isFilling = nowMs < this.#fillsUntilMs && !isFull;
  }

  /** @param {number} frame */
  #start(frame) {
    this.next = frame;
    this.newest = frame;
    this.#strangers = 0;
    this.resting = false;
    this.rested = 0;
  }

  /**
   * @param {number} frame
   * @param {number} arrivalMs
   */
  #isPlausible(frame, arrivalMs) {
    const lateness = this.delay.lateness(frame, arrivalMs);
    if (frame >= 0 && Math.abs(lateness) <= this.delay.mostMs + STRANGE_MS) {
      this.#strangers = 0;
      return true;
    }
    this.counters.strange += 1;
    this.#strangers += 1;
    if (this.#strangers < RESYNC_PACKETS || frame < 0) return false;
    this.delay.reset();
    this.#loss.reset();
    this.#packets.clear();
    this.#start(frame);
    return true;
  }

  /**
   * @param {number} frame
   * @param {Packet} packet
   * @param {Uint8Array} bytes
   */
  #keep(frame, packet, bytes) {
    const isSilent = packet.payloadBytes[0] === 0;
    if (frame < this.next && !isSilent) this.#goBack(frame);
    // Silence that comes late was heard all the same.
    if (frame >= this.next || (isSilent && this.#isRested(frame))) this.counters.received += 1;
    else this.counters.late += 1;
    if (frame > this.newest) this.newest = frame;
    if (frame > this.newest - this.#packets.capacity) this.#put(frame, packet, 0, bytes);
  }

  /**
   * @param {number} frame
   * @param {Packet} packet
   * @param {number} r which of its payloads: 0 is its own
   * @param {Uint8Array} bytes
   */
  #put(frame, packet, r, bytes) {
    const { payloadStart, payloadBytes, level, stream } = packet;
    this.#packets.put(
      frame,
      bytes,
      payloadStart[r],
      payloadBytes[r],
      r >= this.#stride,
      level,
      stream,
    );
  }

  /**
   * Keeps frames that a packet repeats.
   * @param {number} frame
   * @param {Packet} packet
   * @param {Uint8Array} bytes
   * @returns {number} the first frame with sound that it brings
   */
  #keepRepeated(frame, packet, bytes) {
    let first = frame;
    for (let r = packet.redundancy; r > 0; r--) {
      const repeated = frame - r;
      if (repeated < 0 || this.#packets.has(repeated)) continue;
      if (repeated < this.next - 1 && !this.#isRested(repeated)) continue;
      if (repeated < this.next && packet.payloadBytes[r] > 0) this.#goBack(repeated);
      if (repeated < this.next) continue;
      this.#put(repeated, packet, r, bytes);
      if (repeated < first && packet.payloadBytes[r] > 0) first = repeated;
    }
    return first;
  }

  /** @param {number} frame whether it is of the silence for which no packet came */
  #isRested(frame) {
    return this.resting && frame >= this.#restStart;
  }

  /**
   * Sound that comes late into silence is heard from its start, later: nothing was heard in its
   * place.
   * @param {number} frame before the next
   */
  #goBack(frame) {
    if (!this.#isRested(frame)) return;
    this.delay.moved((this.next - frame) * this.#format.frameMs);
    this.next = frame;
    this.beginFrame();
  }

  /**
   * The next piece is pulled: see PlayoutDelay.
   * @param {number} nowMs
   * @param {number} waitMs
   * @param {number} aheadMs
   * @param {number} heardMs
   */
  pulled(nowMs, waitMs, aheadMs, heardMs) {
    if (this.next < 0) return;
    this.delay.pulled(
      this.next + this.rested / this.#format.frameSamples,
      nowMs,
      waitMs,
      aheadMs,
      heardMs,
    );
  }

  /**
   * @param {number} [after] frames after the next
   * @returns {boolean} whether that frame is there
   */
  has(after = 0) {
    return this.#packets.has(this.next + after);
  }

  /** The next frame's payload, in its first payloadBytes bytes. */
  get payload() {
    return this.#packets.bytes(this.next);
  }

  get payloadBytes() {
    return this.#packets.length(this.next);
  }

  get stream() {
    return this.#packets.stream(this.next);
  }

  get level() {
    return this.#packets.level(this.next);
  }

  get isRepeated() {
    return this.#packets.isRedundant(this.next);
  }

  /** Whether no packet has come for the next frame or one behind it. */
  get isEmpty() {
    return this.newest < this.next;
  }

  /**
   * The time from the next frame to the newest that has come, in milliseconds; negative where that
   * was before it.
   */
  get heldMs() {
    return (this.newest - this.next) * this.#format.frameMs;
  }

  /** The next frame begins now, whatever part of it was given as silence. */
  beginFrame() {
    this.delay.moved((this.rested * 1000) / this.#format.sampleRate);
    this.rested = 0;
  }

  /** The next frame is wanted, and isn't there. */
  miss() {
    this.#awaited = true;
  }

  /** The next frame, which is there, is wanted. */
  meet() {
    this.#awaited = false;
  }

  /** The next frame, which is there, has been played. */
  advance() {
    this.#passed(this.next);
    this.next += 1;
  }

  /**
   * @param {number} samples of the silence for which there are no packets were given, within the
   *   next frame
   */
  rest(samples) {
    this.rested += samples;
    if (this.rested < this.#format.frameSamples) return;
    this.rested = 0;
    this.next += 1;
  }

  /** @param {number} frames to be left out from the next on */
  leaveOut(frames) {
    const end = this.next + frames;
    // Frames whose slots have been taken by later ones came all the same.
    const oldest = Math.min(end, Math.max(this.next, this.newest + 1 - this.#packets.capacity));
    this.counters.skipped += oldest - this.next;
    for (let frame = oldest; frame < Math.min(end, this.newest + 1); frame++) {
      if (!this.#packets.has(frame)) continue;
      this.counters.skipped += 1;
      this.#passed(frame);
    }
    this.next = end;
    this.delay.moved(-frames * this.#format.frameMs);
  }

  /** @param {number} frame one that is there: where it is silent, so is what follows */
  #passed(frame) {
    this.resting = this.#packets.length(frame) === 0;
    this.#restStart = frame + 1;
    this.rested = 0;
  }
}

/**
 * Decides by how many frames playout waits longer for repeated payloads: as many as packets repeat,
 * where there is loss. A lost frame comes with a later packet only, too late for a shorter wait.
 */
class RedundancyDelay {
  #nowMs = 0;
  #second = 0;
  /** The count that a sender would repeat. */
  #wanted = new Redundancy('auto', { now: () => this.#nowMs });
  /** The count that packets repeat: the most of the last second, and of this one so far. */
  #repeats = 0;
  #repeatsNow = -1;

  /**
   * @param {Packet} packet
   * @param {number} nowMs
   * @returns {boolean} whether a second has passed: lost() is to be told
   */
  add(packet, nowMs) {
    this.#nowMs = nowMs;
    if (packet.payloadBytes[0] > 0 && packet.redundancy > this.#repeatsNow)
      this.#repeatsNow = packet.redundancy;
    const second = Math.floor(nowMs / 1000);
    if (second === this.#second) return false;
    this.#second = second;
    if (this.#repeatsNow >= 0) this.#repeats = this.#repeatsNow;
    this.#repeatsNow = -1;
    return true;
  }

  /** @param {number | null} percent of the packets of late; null where there were none */
  lost(percent) {
    this.#wanted.report(percent);
  }

  get frames() {
    return Math.min(this.#wanted.count, this.#repeats);
  }
}
