/** @import { Packet } from '../../shared/packet.js' */

import { MAX_PACKET_BYTES } from '../../shared/packet.js';

/**
 * Payloads by frame index modulo the capacity, each slot with a tag that says which frame it holds.
 * All memory is taken at the start.
 */
export class PacketSlots {
  #tags;
  #own;
  #lengths;
  #streams;
  #levels;
  #payloads;

  /** @param {number} capacity in frames */
  constructor(capacity) {
    this.capacity = capacity;
    this.#tags = new Float64Array(capacity).fill(-1);
    this.#own = new Uint8Array(capacity);
    this.#lengths = new Uint16Array(capacity);
    this.#streams = new Uint8Array(capacity);
    this.#levels = new Uint8Array(capacity);
    this.#payloads = Array.from({ length: capacity }, () => new Uint8Array(MAX_PACKET_BYTES));
  }

  /**
   * Keeps a copy of one of a packet's payloads.
   * @param {number} frame the payload's, not negative
   * @param {Packet} packet
   * @param {number} repeated 0 for the packet's own payload, else which of the repeated ones
   * @param {Uint8Array} bytes the packet's
   * @returns {boolean} false when the frame is there already
   */
  put(frame, packet, repeated, bytes) {
    const slot = frame % this.capacity;
    if (this.#tags[slot] === frame && (repeated > 0 || this.#own[slot] === 1)) return false;
    const from = packet.payloadStart[repeated];
    const length = packet.payloadBytes[repeated];
    const payload = this.#payloads[slot];
    for (let i = 0; i < length; i++) payload[i] = bytes[from + i];
    this.#tags[slot] = frame;
    this.#own[slot] = repeated === 0 ? 1 : 0;
    this.#lengths[slot] = length;
    this.#streams[slot] = packet.stream;
    this.#levels[slot] = packet.level;
    return true;
  }

  /** @param {number} frame not negative */
  has(frame) {
    return this.#tags[frame % this.capacity] === frame;
  }

  /** @param {number} frame one that it has @returns {boolean} whether its own packet came, not only a repetition */
  isOwn(frame) {
    return this.#own[frame % this.capacity] === 1;
  }

  /** @param {number} frame one that it has @returns {number} the payload's bytes; 0 is silence */
  length(frame) {
    return this.#lengths[frame % this.capacity];
  }

  /** @param {number} frame one that it has @returns {Uint8Array} starts with `length(frame)` bytes of payload */
  payload(frame) {
    return this.#payloads[frame % this.capacity];
  }

  /** @param {number} frame one that it has @returns {number} one of Stream */
  stream(frame) {
    return this.#streams[frame % this.capacity];
  }

  /** @param {number} frame one that it has @returns {number} in -dBov */
  level(frame) {
    return this.#levels[frame % this.capacity];
  }

  /** Forgets everything. */
  clear() {
    this.#tags.fill(-1);
  }
}
