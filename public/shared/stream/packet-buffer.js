import { SILENT_LEVEL, Stream } from '../wire/packet-format.js';

/** @enum {number} */
const Held = Object.freeze({ nothing: 0, redundant: 1, own: 2 });

/** Step by which the slots grow to the payloads, in bytes. */
const SLOT_STEP_BYTES = 64;

const NO_BYTES = new Uint8Array(0);

/**
 * Keeps payloads by frame index modulo capacity until a clock pulls them: on the server those of
 * one participant, on the client the received ones. Each slot has a tag with its frame index.
 * Memory is bounded by the number of slots and MAX_PACKET_BYTES.
 */
export class PacketBuffer {
  #tags;
  #held;
  #lengths;
  #levels;
  #streams;
  #slotBytes = 0;

  /** Memory of all payloads; each is `length(frame)` bytes from `start(frame)` on. */
  bytes = NO_BYTES;

  /** @param {number} frames capacity */
  constructor(frames) {
    this.capacity = frames;
    this.#tags = new Float64Array(frames).fill(-1);
    this.#held = new Uint8Array(frames);
    this.#lengths = new Uint16Array(frames);
    this.#levels = new Uint8Array(frames);
    this.#streams = new Uint8Array(frames);
  }

  /**
   * Keeps a copy of a payload. A packet's own payload replaces a repeated one; otherwise only
   * payloads of an earlier lap are replaced.
   *
   * @param {number} frame not negative
   * @param {Uint8Array} bytes
   * @param {number} start
   * @param {number} length of the payload, in bytes; 0 means a silent frame
   * @param {boolean} redundant true when a later packet repeats it
   * @param {number} [level] the packet's, in -dBov; the server adds VOICE_BIT. A repeated frame
   *   counts as equally loud
   * @param {number} [stream] the packet's: one of Stream
   * @returns {boolean} true when it was kept; false when the slot has this frame already
   */
  put(frame, bytes, start, length, redundant, level = SILENT_LEVEL, stream = Stream.fullMix) {
    const slot = frame % this.capacity;
    const held = redundant ? Held.redundant : Held.own;
    if (this.#tags[slot] === frame && this.#held[slot] >= held) return false;
    if (this.#slotBytes < length) this.#grow(length);
    const store = this.bytes;
    const at = slot * this.#slotBytes;
    for (let i = 0; i < length; i++) store[at + i] = bytes[start + i];
    this.#lengths[slot] = length;
    this.#levels[slot] = level;
    this.#streams[slot] = stream;
    this.#tags[slot] = frame;
    this.#held[slot] = held;
    return true;
  }

  /**
   * Makes all slots larger. They share one array, because one of its own, or even a view, would
   * take as many bytes as a payload.
   * @param {number} length of the longest payload, in bytes
   */
  #grow(length) {
    const [old, oldBytes] = [this.bytes, this.#slotBytes];
    const bytes = Math.ceil(length / SLOT_STEP_BYTES) * SLOT_STEP_BYTES;
    const grown = new Uint8Array(bytes * this.capacity);
    for (let slot = 0; slot < this.capacity; slot++) {
      // Lengths of forgotten payloads may exceed the old slots.
      const count = Math.min(this.#lengths[slot], oldBytes);
      for (let i = 0; i < count; i++) grown[slot * bytes + i] = old[slot * oldBytes + i];
    }
    this.bytes = grown;
    this.#slotBytes = bytes;
  }

  /** Frees the payloads' memory, and so forgets all frames with sound. */
  rest() {
    for (let slot = 0; slot < this.capacity; slot++) {
      if (this.#lengths[slot] > 0) this.#held[slot] = Held.nothing;
    }
    this.bytes = NO_BYTES;
    this.#slotBytes = 0;
  }

  /** @param {number} frame not negative @returns {boolean} */
  has(frame) {
    const slot = frame % this.capacity;
    return this.#tags[slot] === frame && this.#held[slot] !== Held.nothing;
  }

  /** @param {number} frame not negative @returns {boolean} true when it is there and has sound */
  hasSound(frame) {
    return this.has(frame) && this.length(frame) > 0;
  }

  /**
   * @param {number} after
   * @param {number} through
   * @returns {boolean} true when there is a frame above `after`, up to `through`
   */
  hasAny(after, through) {
    for (let frame = after + 1; frame <= through; frame++) if (this.has(frame)) return true;
    return false;
  }

  /**
   * @param {number} frame present in the buffer
   * @returns {boolean} true when it came only as a repeat in a later packet
   */
  isRedundant(frame) {
    return this.#held[frame % this.capacity] === Held.redundant;
  }

  /** @param {number} frame present in the buffer @returns {number} its place in `bytes` */
  start(frame) {
    return (frame % this.capacity) * this.#slotBytes;
  }

  /**
   * @param {number} frame present in the buffer
   * @returns {number} the payload's bytes; 0 when the frame is silent
   */
  length(frame) {
    return this.#lengths[frame % this.capacity];
  }

  /** @param {number} frame present in the buffer @returns {number} the level given to put() */
  level(frame) {
    return this.#levels[frame % this.capacity];
  }

  /** @param {number} frame present in the buffer @returns {number} one of Stream */
  stream(frame) {
    return this.#streams[frame % this.capacity];
  }

  /** Forgets all frames, and keeps the memory. */
  clear() {
    this.#tags.fill(-1);
  }
}
