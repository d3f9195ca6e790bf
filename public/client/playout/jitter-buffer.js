/**
 * @import { AudioFormat } from '../../shared/sound/audio-format.js'
 * @import { Packet } from '../../shared/wire/packet.js'
 */

import { PacketBuffer } from '../../shared/stream/packet-buffer.js';
import { unwrapFrame } from '../../shared/wire/packet.js';
import { Redundancy } from '../../shared/stream/redundancy.js';
import { PacketLoss } from './packet-loss.js';
import { PlayoutDelay } from './playout-delay.js';

/** Longest sound that the buffer keeps, in milliseconds. */
const CAPACITY_MS = 3000;

/** Packets in a row with an implausible time before the buffer starts over at their time. */
const RESYNC_PACKETS = 10;

/** Margin beyond the longest delay within which a packet's time is plausible, in milliseconds. */
const STRANGE_MS = 150;

/**
 * Longest time that a buffer with a long fixed delay fills before playing, in milliseconds. The
 * server is asked for its last packets, and has answered by then.
 */
const FILL_MS = 600;

/** Share of the fixed delay that is enough to begin playing. */
const FILLED = 0.9;

const INDEX_NEVER = -1;

/**
 * The jitter buffer keeps packets under their frame index until their time. It knows the position
 * of playing, and how long packets should wait. After a silent packet nothing is missed: time runs
 * on through frames without packets. Sound that comes late into such silence is still played from
 * its start.
 */
export class JitterBuffer {
  #format;
  #packets;
  #loss = new PacketLoss();
  #implausible = 0;
  #redundancyDelay = new RedundancyDelay();
  /** First frame of the silence without packets. */
  #restStart = INDEX_NEVER;

  /** Next frame to play; INDEX_NEVER before the first packet. */
  next = INDEX_NEVER;
  /** Newest frame that has a packet; INDEX_NEVER before the first packet. */
  newest = INDEX_NEVER;
  /** True from a silent packet until the next packet with sound. */
  resting = false;
  /** Samples of the next frame that were already given as silence. */
  rested = 0;
  /** Number of new frames in each packet; a packet's frames before those are repeats. */
  #stride = 1;
  /** True when playing has already asked for the next frame and got something else. */
  #awaited = false;
  #fillEndMs = -Infinity;
  /**
   * True while a buffer with a fixed delay fills: nothing plays yet, and earlier frames are still
   * accepted.
   */
  isFilling = false;

  /** Counts of packets and of skipped frames: see Playout.counters. */
  counters = { received: 0, late: 0, lost: 0, duplicate: 0, strange: 0, skipped: 0 };

  /** @param {AudioFormat} format */
  constructor(format) {
    this.#format = format;
    this.#packets = new PacketBuffer(Math.max(16, Math.ceil(CAPACITY_MS / format.frameMs)));
    this.delay = new PlayoutDelay(format.frameMs);
  }

  /**
   * @param {number} stride number of new frames in each packet from now on: the first of them waits
   *   for the last
   */
  set stride(stride) {
    this.#stride = stride;
    this.#loss.stride = stride;
    this.#wait();
  }

  /**
   * Tells the delay how long frames wait for a later packet, which repeats lost ones or brings
   * several at once.
   */
  #wait() {
    const frames = Math.max(this.#redundancyDelay.frames, this.#stride - 1);
    this.delay.waitForRedundancy(frames * this.#format.frameMs);
  }

  /**
   * Receives an audio packet.
   * @param {Packet} packet as read
   * @param {Uint8Array} bytes the packet's; not kept
   * @param {number} arrivalMs
   * @returns {number} first frame with sound that the newest packet brings, in its own payload or a
   *   repeated one; INDEX_NEVER, which is -1, for an older packet
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

  /** @param {number} nowMs @returns {number | null} see PacketLoss */
  lostPercent(nowMs) {
    return this.#loss.percent(nowMs);
  }

  /** @param {number} frame @returns {boolean} true when playing asked for it before it came */
  #isMissed(frame) {
    return frame < this.next || (frame === this.next && this.#awaited);
  }

  /**
   * Begins with the first packet. When it brings several frames, the first of them plays first: it
   * has waited for the last.
   * @param {number} frame the packet's last
   * @param {number} repeats number of earlier frames in the packet
   * @param {number} arrivalMs
   */
  #startAt(frame, repeats, arrivalMs) {
    this.#start(frame);
    this.next = Math.max(0, frame - Math.min(repeats, this.#stride - 1));
    this.isFilling = this.delay.fixedMs !== null;
    this.#fillEndMs = arrivalMs + FILL_MS;
  }

  /** Ends the filling when there is enough, or when it has taken too long. @param {number} nowMs */
  fill(nowMs) {
    if (!this.isFilling) return;
    const isFull =
      (this.newest - this.next) * this.#format.frameMs >= FILLED * (this.delay.fixedMs ?? 0);
    this.isFilling = nowMs < this.#fillEndMs && !isFull;
  }

  /** @param {number} frame */
  #start(frame) {
    this.next = frame;
    this.newest = frame;
    this.#implausible = 0;
    this.resting = false;
    this.rested = 0;
  }

  /** @param {number} frame @param {number} arrivalMs */
  #isPlausible(frame, arrivalMs) {
    const lateness = this.delay.lateness(frame, arrivalMs);
    if (frame >= 0 && Math.abs(lateness) <= this.delay.mostMs + STRANGE_MS) {
      this.#implausible = 0;
      return true;
    }
    this.counters.strange += 1;
    this.#implausible += 1;
    if (this.#implausible < RESYNC_PACKETS || frame < 0) return false;
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
    if (frame < this.next && !isSilent) this.#moveBack(frame);
    // Late silence was already played as silence.
    if (frame >= this.next || (isSilent && this.#isRested(frame))) this.counters.received += 1;
    else this.counters.late += 1;
    if (frame > this.newest) this.newest = frame;
    if (frame > this.newest - this.#packets.capacity) this.#put(frame, packet, 0, bytes);
  }

  /**
   * @param {number} frame
   * @param {Packet} packet
   * @param {number} r index of the payload: 0 is its own
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
      if (repeated < this.next && packet.payloadBytes[r] > 0) this.#moveBack(repeated);
      if (repeated < this.next) continue;
      this.#put(repeated, packet, r, bytes);
      if (repeated < first && packet.payloadBytes[r] > 0) first = repeated;
    }
    return first;
  }

  /** @param {number} frame @returns {boolean} true when it lies in the silence without packets */
  #isRested(frame) {
    return this.resting && frame >= this.#restStart;
  }

  /**
   * Goes back to the start of late sound that arrived during silence, and so lengthens the delay.
   * @param {number} frame before the next
   */
  #moveBack(frame) {
    if (!this.#isRested(frame)) return;
    this.delay.moved((this.next - frame) * this.#format.frameMs);
    this.next = frame;
    this.beginFrame();
  }

  /**
   * Notes a pull of the next piece: see PlayoutDelay.
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
   * @returns {boolean} true when that frame is there
   */
  has(after = 0) {
    return this.#packets.has(this.next + after);
  }

  /** Memory with the payload of the next frame: payloadBytes bytes from payloadStart on. */
  get payload() {
    return this.#packets.bytes;
  }

  get payloadStart() {
    return this.#packets.start(this.next);
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

  /** True when neither the next frame nor a later one has come. */
  get isEmpty() {
    return this.newest < this.next;
  }

  /**
   * Time from the next frame to the newest, in milliseconds; negative when the newest lies before.
   */
  get heldMs() {
    return (this.newest - this.next) * this.#format.frameMs;
  }

  /** Begins the next frame, though a part of it was given as silence. */
  beginFrame() {
    this.delay.moved((this.rested * 1000) / this.#format.sampleRate);
    this.rested = 0;
  }

  /** Notes that the next frame was asked for and isn't there. */
  miss() {
    this.#awaited = true;
  }

  /** Notes that the next frame was asked for and is there. */
  meet() {
    this.#awaited = false;
  }

  /** Moves on after playing the next frame. */
  advance() {
    this.#leave(this.next);
    this.next += 1;
  }

  /** @param {number} samples of silence without packets that were given, within the next frame */
  rest(samples) {
    this.rested += samples;
    if (this.rested < this.#format.frameSamples) return;
    this.rested = 0;
    this.next += 1;
  }

  /** @param {number} frames to skip, from the next on */
  leaveOut(frames) {
    const end = this.next + frames;
    // Frames whose slots were taken by later ones did arrive.
    const oldest = Math.min(end, Math.max(this.next, this.newest + 1 - this.#packets.capacity));
    this.counters.skipped += oldest - this.next;
    for (let frame = oldest; frame < Math.min(end, this.newest + 1); frame++) {
      if (!this.#packets.has(frame)) continue;
      this.counters.skipped += 1;
      this.#leave(frame);
    }
    this.next = end;
    this.delay.moved(-frames * this.#format.frameMs);
  }

  /** @param {number} frame one that is there: silence follows a silent one */
  #leave(frame) {
    this.resting = this.#packets.length(frame) === 0;
    this.#restStart = frame + 1;
    this.rested = 0;
  }
}

/**
 * Decides how many frames playout waits for repeated payloads: as many as packets repeat, when
 * packets get lost. A lost frame comes back only with a later packet, which a shorter wait would
 * miss.
 */
class RedundancyDelay {
  #nowMs = 0;
  #second = 0;
  /** Number of repeats that a sender would choose for the measured loss. */
  #wanted = new Redundancy('auto', { now: () => this.#nowMs });
  /** Number of frames that packets repeat: the maximum of the last second and of this one. */
  #repeats = 0;
  #repeatsNow = -1;

  /**
   * @param {Packet} packet
   * @param {number} nowMs
   * @returns {boolean} true once a second: then lost() must be called
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

  /** @param {number | null} percent of recent packets that were lost; null without packets */
  lost(percent) {
    this.#wanted.report(percent);
  }

  get frames() {
    return Math.min(this.#wanted.count, this.#repeats);
  }
}
