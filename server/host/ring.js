/**
 * Packets from one thread to another, through shared memory: one thread writes, one reads. Packets
 * that don't fit are dropped and counted. The reader sleeps until the writer wakes it.
 */

/** Bytes of a ring: some 50 ms of the packets of 1000 people. */
const RING_BYTES = 2 ** 20;

/** Longest packet of a ring, in bytes, and most sessions that one packet is for. */
export const MAX_RING_PACKET = 16 * 1024;
export const MAX_RING_SESSIONS = 1024;

/** Bytes before the records: WRITTEN to DROPPED. */
const HEAD_BYTES = 64;

/**
 * Fields of the head, 32 bits each. They are the positions of the next write and read, a sleeping
 * reader's flag and wake word, and the number of dropped packets.
 */
const WRITTEN = 0;
const READ = 1;
const SLEEPS = 2;
const SIGNAL = 3;
const DROPPED = 4;

/**
 * Bytes before a record's ids: the packet's length, the number of ids, the packet's arrival.
 * Records begin at multiples of 8.
 */
const RECORD_BYTES = 16;

/**
 * In place of a length: the next record is at the ring's beginning; no packet, but a mark in the
 * order of packets.
 */
const WRAP = -1;
const MARK = -2;

/** @param {number} bytes */
const padded = (bytes) => (bytes + 7) & ~7;

/** @param {number} [bytes]  a multiple of 8 */
export const createRing = (bytes = RING_BYTES) => new SharedArrayBuffer(HEAD_BYTES + bytes);

/** Writes packets to a ring. */
export class RingWriter {
  #head;
  #bytes;
  #words;
  #times;
  #size;
  #one = new Uint32Array(1);

  /** @param {SharedArrayBuffer} ring */
  constructor(ring) {
    this.#head = new Int32Array(ring, 0, HEAD_BYTES / 4);
    this.#bytes = new Uint8Array(ring, HEAD_BYTES);
    this.#words = new Int32Array(ring, HEAD_BYTES);
    this.#times = new Float64Array(ring, HEAD_BYTES);
    this.#size = this.#bytes.length;
  }

  /** Number of packets that didn't fit. */
  get dropped() {
    return Atomics.load(this.#head, DROPPED);
  }

  /**
   * @param {number} id  of the session that the packet is of or for
   * @param {Uint8Array} bytes  copied
   * @param {number} arrivalMs
   * @returns {boolean} false when it was dropped
   */
  write(id, bytes, arrivalMs) {
    this.#one[0] = id;
    return this.writeFor(this.#one, 1, bytes, arrivalMs);
  }

  /**
   * Writes one packet for many sessions.
   * @param {Uint32Array} ids
   * @param {number} count  of them, MAX_RING_SESSIONS at most
   * @param {Uint8Array} bytes  copied
   * @param {number} arrivalMs
   * @returns {boolean} false when it was dropped
   */
  writeFor(ids, count, bytes, arrivalMs) {
    const at =
      bytes.length <= MAX_RING_PACKET
        ? this.#place(RECORD_BYTES + padded(4 * count) + padded(bytes.length))
        : -1;
    if (at < 0) {
      Atomics.add(this.#head, DROPPED, 1);
      return false;
    }
    const first = at + RECORD_BYTES;
    for (let i = 0; i < count; i++) this.#words[first / 4 + i] = ids[i];
    this.#bytes.set(bytes, first + padded(4 * count));
    this.#finish(
      at,
      bytes.length,
      count,
      arrivalMs,
      RECORD_BYTES + padded(4 * count) + padded(bytes.length),
    );
    return true;
  }

  /**
   * Writes a mark, which is read after all that was written before it.
   * @param {number} id  of a session
   * @returns {boolean} false when there was no room
   */
  mark(id) {
    const size = RECORD_BYTES + 8;
    const at = this.#place(size);
    if (at < 0) return false;
    this.#words[(at + RECORD_BYTES) / 4] = id;
    this.#finish(at, MARK, 1, 0, size);
    return true;
  }

  /**
   * Finds room, after the last record or at the ring's beginning. The two positions are equal only
   * in an empty ring.
   * @param {number} size  of a record
   * @returns {number} position of the record; -1 without room
   */
  #place(size) {
    const written = this.#head[WRITTEN];
    const read = Atomics.load(this.#head, READ);
    if (written < read) return size <= read - written - 8 ? written : -1;
    if (size <= this.#size - written - (read === 0 ? 8 : 0)) return written;
    if (size > read - 8) return -1;
    this.#words[written / 4] = WRAP;
    return 0;
  }

  /**
   * @param {number} at
   * @param {number} length
   * @param {number} count
   * @param {number} arrivalMs
   * @param {number} size
   */
  #finish(at, length, count, arrivalMs, size) {
    this.#words[at / 4] = length;
    this.#words[at / 4 + 1] = count;
    this.#times[at / 8 + 1] = arrivalMs;
    Atomics.store(this.#head, WRITTEN, (at + size) % this.#size);
    if (Atomics.exchange(this.#head, SLEEPS, 0) === 0) return;
    Atomics.add(this.#head, SIGNAL, 1);
    Atomics.notify(this.#head, SIGNAL);
  }
}

/**
 * @typedef {object} RingHandler
 * @property {(ids: Uint32Array, count: number, bytes: Uint8Array, arrivalMs: number) => void}
 *   packet valid during the call
 * @property {(id: number) => void} mark
 */

/** Reads packets from a ring. */
export class RingReader {
  #head;
  #bytes;
  #words;
  #times;
  #size;
  #handler;
  #ids = new Uint32Array(MAX_RING_SESSIONS);
  /** Copy of the packet that is read: not all functions accept shared memory. */
  #packet = new Uint8Array(MAX_RING_PACKET);
  #isClosed = false;
  #isReading = false;

  /**
   * @param {SharedArrayBuffer} ring
   * @param {RingHandler} handler  throws nothing
   */
  constructor(ring, handler) {
    this.#head = new Int32Array(ring, 0, HEAD_BYTES / 4);
    this.#bytes = new Uint8Array(ring, HEAD_BYTES);
    this.#words = new Int32Array(ring, HEAD_BYTES);
    this.#times = new Float64Array(ring, HEAD_BYTES);
    this.#size = this.#bytes.length;
    this.#handler = handler;
  }

  /** Reads from now on whenever something is written. */
  start() {
    if (this.#isClosed) return;
    this.poll();
    const signal = Atomics.load(this.#head, SIGNAL);
    Atomics.store(this.#head, SLEEPS, 1);
    // A write just before the reader went to sleep has woken nobody.
    if (Atomics.load(this.#head, WRITTEN) !== this.#head[READ])
      return void setImmediate(() => this.start());
    const woken = Atomics.waitAsync(this.#head, SIGNAL, signal);
    if (woken.async) void woken.value.then(() => this.start());
    else setImmediate(() => this.start());
  }

  /** Reads all packets that have been written. */
  poll() {
    if (this.#isReading || this.#isClosed) return;
    this.#isReading = true;
    const end = Atomics.load(this.#head, WRITTEN);
    let at = this.#head[READ];
    while (at !== end && !this.#isClosed) {
      at = this.#words[at / 4] === WRAP ? 0 : this.#read(at);
      Atomics.store(this.#head, READ, at);
    }
    this.#isReading = false;
  }

  /** @param {number} at @returns {number} position of the next record */
  #read(at) {
    const [length, count] = [this.#words[at / 4], this.#words[at / 4 + 1]];
    const first = at + RECORD_BYTES;
    if (length === MARK) {
      this.#handler.mark(this.#words[first / 4]);
      return (first + 8) % this.#size;
    }
    for (let i = 0; i < count; i++) this.#ids[i] = this.#words[first / 4 + i];
    const start = first + padded(4 * count);
    const packet = this.#packet.subarray(0, length);
    packet.set(this.#bytes.subarray(start, start + length));
    this.#handler.packet(this.#ids, count, packet, this.#times[at / 8 + 1]);
    return (start + padded(length)) % this.#size;
  }

  /** Idempotent. */
  close() {
    this.#isClosed = true;
    // Wakes a sleeping reader, which then sees that it is closed.
    Atomics.add(this.#head, SIGNAL, 1);
    Atomics.notify(this.#head, SIGNAL);
  }
}

/** Number of comparisons of the two clocks. */
const TRIES = 16;

/** This thread's performance.now() at 0 of the machine's monotonic clock: threads' zeros differ. */
const zeroMs = measure();

function measure() {
  let zero = 0;
  let least = Infinity;
  for (let i = 0; i < TRIES; i++) {
    const before = performance.now();
    const machine = Number(process.hrtime.bigint()) / 1e6;
    const after = performance.now();
    if (after - before >= least) continue;
    least = after - before;
    zero = (before + after) / 2 - machine;
  }
  return zero;
}

/**
 * Converts a time to one that all threads share, for a packet's arrival.
 * @param {number} nowMs  of this thread's performance.now()
 */
export const toShared = (nowMs) => nowMs - zeroMs;

/** @param {number} sharedMs @returns {number} on this thread's performance.now() */
export const fromShared = (sharedMs) => sharedMs + zeroMs;
