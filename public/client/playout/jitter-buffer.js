/**
 * @import { AudioFormat } from '../../shared/audio-format.js'
 * @import { Packet } from '../../shared/packet.js'
 */

import { unwrapFrame } from '../../shared/packet.js';
import { Mending } from './mending.js';
import { PacketLoss } from './packet-loss.js';
import { PacketSlots } from './packet-slots.js';
import { MAX_DELAY_MS, PlayoutDelay } from './playout-delay.js';
import { Primers } from './primers.js';

/** How much sound is kept at most, in milliseconds. */
const CAPACITY_MS = 1000;

/** So many packets in a row whose time can't be right: then it is the time that has changed. */
const RESYNC_PACKETS = 10;

/** No packet's time is right that is further than this beyond the longest delay, in milliseconds. */
const STRANGE_MS = 150;

const INDEX_NEVER = -1;

/**
 * The packets that wait for their time under their frame index, and how far playing has come. After a
 * silent packet nothing is missed: time runs on through frames for which no packets come, and sound
 * that comes late into them is still heard from its start.
 */
export class JitterBuffer {
  #format;
  #counters;
  #slots;
  #loss = new PacketLoss();
  #primers = new Primers();
  #newest = INDEX_NEVER;
  /** The newest packet's: one of Stream. */
  #stream = -1;
  #strangers = 0;
  #mending = new Mending();
  /** The first frame of the silence for which no packets came. */
  #restStart = INDEX_NEVER;

  /** The next frame to be played; INDEX_NEVER before the first packet. */
  next = INDEX_NEVER;
  /** Whether it is silent from the packet before the next frame on, until another one comes. */
  resting = false;
  /** How many samples of the next frame have been given as such silence. */
  rested = 0;
  /** Whether the next frame was wanted already, and something else was given. */
  awaited = false;

  /**
   * @param {AudioFormat} format
   * @param {{ received: number, late: number, lost: number, duplicate: number, strange: number,
   *   skipped: number }} counters  counted up: see Playout
   */
  constructor(format, counters) {
    this.#format = format;
    this.#counters = counters;
    this.#slots = new PacketSlots(Math.max(16, Math.ceil(CAPACITY_MS / format.frameMs)));
    this.delay = new PlayoutDelay(format.frameMs);
  }

  /**
   * Takes an audio packet as it comes.
   * @param {Packet} packet as read
   * @param {Uint8Array} bytes the packet's; not kept
   * @param {number} arrivalMs
   */
  receive(packet, bytes, arrivalMs) {
    const frame = this.#newest < 0 ? packet.frame : unwrapFrame(packet.frame, this.#newest);
    if (this.next < 0) this.#start(frame);
    else if (!this.#isPlausible(frame, arrivalMs)) return;
    if (this.#slots.has(frame) && this.#slots.isOwn(frame)) {
      this.#counters.duplicate += 1;
      return;
    }
    this.#loss.add(packet, frame, arrivalMs);
    this.#counters.lost = this.#loss.lost;
    if (this.#mending.add(packet, arrivalMs)) {
      this.#mending.lost(this.#loss.percent(arrivalMs));
      this.delay.mendingMs = this.#mending.frames * this.#format.frameMs;
    }
    this.delay.arrived(frame, arrivalMs, this.#isMissed(frame));
    const first = this.#keepRepeated(frame, packet, bytes);
    const changes = frame > this.#newest && packet.stream !== this.#stream;
    if (changes && packet.payloadBytes[0] > 0) this.#primers.keep(first, frame, packet, bytes);
    this.#keep(frame, packet, bytes);
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
    return frame < this.next || (frame === this.next && this.awaited);
  }

  /** @param {number} frame */
  #start(frame) {
    this.next = frame;
    this.#newest = frame;
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
    if (frame >= 0 && Math.abs(lateness) <= MAX_DELAY_MS + STRANGE_MS) {
      this.#strangers = 0;
      return true;
    }
    this.#counters.strange += 1;
    this.#strangers += 1;
    if (this.#strangers < RESYNC_PACKETS || frame < 0) return false;
    this.delay.reset();
    this.#loss.reset();
    this.#slots.clear();
    this.#primers.clear();
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
    if (frame >= this.next || (isSilent && this.#isRested(frame))) this.#counters.received += 1;
    else this.#counters.late += 1;
    if (frame >= this.#newest) {
      this.#newest = frame;
      this.#stream = packet.stream;
    }
    if (frame > this.#newest - this.#slots.capacity) this.#slots.put(frame, packet, 0, bytes);
  }

  /**
   * Gives the payloads that the next frame's decoder must have had before, oldest first.
   * @param {(payload: Uint8Array, length: number) => void} give
   */
  prime(give) {
    this.#primers.take(this.next, give);
  }

  /**
   * Keeps frames that a packet repeats. Where the stream changes those that are there were another stream's: they
   * then set the decoder of this one going.
   * @param {number} frame
   * @param {Packet} packet
   * @param {Uint8Array} bytes
   * @returns {number} the first frame that it brings
   */
  #keepRepeated(frame, packet, bytes) {
    let first = frame;
    for (let r = packet.redundancy; r > 0; r--) {
      const repeated = frame - r;
      if (repeated < 0 || this.#slots.has(repeated)) continue;
      if (repeated < this.next - 1 && !this.#isRested(repeated)) continue;
      if (repeated < this.next && packet.payloadBytes[r] > 0) this.#goBack(repeated);
      if (repeated < this.next) continue;
      this.#slots.put(repeated, packet, r, bytes);
      if (repeated < first && packet.payloadBytes[r] > 0) first = repeated;
    }
    return first;
  }

  /** @param {number} frame whether it is of the silence for which no packet came */
  #isRested(frame) {
    return this.resting && frame >= this.#restStart;
  }

  /**
   * Sound that comes late into silence is heard from its start, later: nothing was heard in its place.
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
    this.delay.pulled(this.next + this.rested / this.#format.frameSamples, nowMs, waitMs, aheadMs, heardMs);
  }

  /** Whether the packet of a frame so much after the next is there. */
  has(after = 0) {
    return this.#slots.has(this.next + after);
  }

  /** The next frame's payload: PacketSlots says what is told of it. */
  get payload() {
    return this.#slots.payload(this.next);
  }

  get payloadBytes() {
    return this.#slots.length(this.next);
  }

  get stream() {
    return this.#slots.stream(this.next);
  }

  get level() {
    return this.#slots.level(this.next);
  }

  get isRepeated() {
    return !this.#slots.isOwn(this.next);
  }

  /** Whether no packet has come for the next frame or one behind it. */
  get isEmpty() {
    return this.#newest < this.next;
  }

  /** What of the next frame was given as silence is not of it: it begins now. */
  beginFrame() {
    this.delay.moved((this.rested * 1000) / this.#format.sampleRate);
    this.rested = 0;
  }

  /** The next frame, which is there, has been played. */
  advance() {
    this.#passed(this.next);
    this.next += 1;
  }

  /** @param {number} samples of the silence for which there are no packets were given, within the next frame */
  rest(samples) {
    this.rested += samples;
    if (this.rested < this.#format.frameSamples) return;
    this.rested = 0;
    this.next += 1;
  }

  /** @param {number} frames to be left out from the next on */
  leaveOut(frames) {
    const end = this.next + frames;
    // What has no slot any more came all the same.
    const oldest = Math.min(end, Math.max(this.next, this.#newest + 1 - this.#slots.capacity));
    this.#counters.skipped += oldest - this.next;
    for (let frame = oldest; frame < Math.min(end, this.#newest + 1); frame++) {
      if (!this.#slots.has(frame)) continue;
      this.#counters.skipped += 1;
      this.#passed(frame);
    }
    this.next = end;
    this.delay.moved(-frames * this.#format.frameMs);
  }

  /** @param {number} frame one that is there: where it is silent, so is what follows */
  #passed(frame) {
    this.resting = this.#slots.length(frame) === 0;
    this.#restStart = frame + 1;
    this.rested = 0;
  }
}
