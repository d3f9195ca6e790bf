import { SILENT_LEVEL, Stream } from '../wire/packet-format.js';

/** @enum {number} */
const Held = Object.freeze({ nothing: 0, redundant: 1, own: 2 });

/** The step in which a slot grows to the payloads that it holds, in bytes. */
const SLOT_STEP_BYTES = 64;

const NO_BYTES = new Uint8Array(0);

/**
 * Payloads by frame index modulo capacity, until a clock pulls them: the server's of one
 * participant, the client's of what it hears. Each slot has a tag that says which frame it holds.
 * Memory is bounded by the number of slots and MAX_PACKET_BYTES.
 */
export class PacketBuffer {
  #tags;
  #held;
  #lengths;
  #levels;
  #streams;
  /** @type {Uint8Array[]} */
  #slots;

  /** @param {number} frames capacity */
  constructor(frames) {
    this.capacity = frames;
    this.#tags = new Float64Array(frames).fill(-1);
    this.#held = new Uint8Array(frames);
    this.#lengths = new Uint16Array(frames);
    this.#levels = new Uint8Array(frames);
    this.#streams = new Uint8Array(frames);
    this.#slots = new Array(frames).fill(NO_BYTES);
  }

  /**
   * Keeps a copy of a payload. A packet's own payload takes the place of a repeated one; nothing
   * else is replaced, save what an earlier lap left.
   *
   * @param {number} frame not negative
   * @param {Uint8Array} bytes
   * @param {number} start
   * @param {number} length of the payload, in bytes; 0 means a silent frame
   * @param {boolean} redundant whether a later packet repeats it
   * @param {number} [level] the packet's, in -dBov; the server adds VOICE_BIT. A repeated frame is
   *   taken for as loud
   * @param {number} [stream] the packet's: one of Stream
   * @returns {boolean} whether it was kept; false when the slot has this frame already
   */
  put(frame, bytes, start, length, redundant, level = SILENT_LEVEL, stream = Stream.fullMix) {
    const slot = frame % this.capacity;
    const held = redundant ? Held.redundant : Held.own;
    if (this.#tags[slot] === frame && this.#held[slot] >= held) return false;
    let store = this.#slots[slot];
    if (store.length < length) {
      store = new Uint8Array(Math.ceil(length / SLOT_STEP_BYTES) * SLOT_STEP_BYTES);
      this.#slots[slot] = store;
    }
    for (let i = 0; i < length; i++) store[i] = bytes[start + i];
    this.#lengths[slot] = length;
    this.#levels[slot] = level;
    this.#streams[slot] = stream;
    this.#tags[slot] = frame;
    this.#held[slot] = held;
    return true;
  }

  /** Gives back the payloads' memory, and so forgets what isn't silent. */
  rest() {
    for (let slot = 0; slot < this.capacity; slot++) {
      if (this.#lengths[slot] > 0) this.#held[slot] = Held.nothing;
    }
    this.#slots.fill(NO_BYTES);
  }

  /**
   * @param {number} frame not negative
   * @returns {boolean}
   */
  has(frame) {
    const slot = frame % this.capacity;
    return this.#tags[slot] === frame && this.#held[slot] !== Held.nothing;
  }

  /**
   * @param {number} frame not negative
   * @returns {boolean} whether it is there and isn't silent
   */
  hasSound(frame) {
    return this.has(frame) && this.length(frame) > 0;
  }

  /**
   * @param {number} after
   * @param {number} through
   * @returns {boolean} whether there is a frame after the one and up to the other
   */
  hasAny(after, through) {
    for (let frame = after + 1; frame <= through; frame++) if (this.has(frame)) return true;
    return false;
  }

  /**
   * @param {number} frame one that it has
   * @returns {boolean} whether it is there only because a later packet repeats it
   */
  isRedundant(frame) {
    return this.#held[frame % this.capacity] === Held.redundant;
  }

  /**
   * @param {number} frame one that it has
   * @returns {Uint8Array} the slot's bytes, of which the first `length(frame)` are the payload
   */
  bytes(frame) {
    return this.#slots[frame % this.capacity];
  }

  /**
   * @param {number} frame one that it has
   * @returns {number} the payload's bytes; 0 when the frame is silent
   */
  length(frame) {
    return this.#lengths[frame % this.capacity];
  }

  /**
   * @param {number} frame one that it has
   * @returns {number} its level as put() got it
   */
  level(frame) {
    return this.#levels[frame % this.capacity];
  }

  /**
   * @param {number} frame one that it has
   * @returns {number} one of Stream
   */
  stream(frame) {
    return this.#streams[frame % this.capacity];
  }

  /** Forgets everything, and keeps the memory. */
  clear() {
    this.#tags.fill(-1);
  }
}
