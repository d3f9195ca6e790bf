/**
 * A ring of samples, mono or interleaved stereo, between one thread that writes and one that reads,
 * in shared memory, without locks: each index is written by one side only, and both count samples,
 * of all channels at once, modulo 2^32. A worker that feeds or drains it sleeps until the other
 * side, the sound card's, finds that its mark is reached.
 */

const WRITTEN = 0;
const READ = 1;
const MARK = 2;
const ARMED = 3;
const UNDERRUNS = 4;
const OVERFLOWS = 5;
const BURST = 6;
const BURST_GAP = 7;
const CHANNELS = 8;
const MISSED = 9;
const HEADER_BYTES = 64;

export class SampleRing {
  #head;
  #samples;
  #mask;

  /**
   * @param {SharedArrayBuffer | ArrayBuffer} memory as another ring has it: both see the same
   *   samples
   */
  constructor(memory) {
    this.memory = memory;
    this.#head = new Int32Array(memory, 0, HEADER_BYTES / 4);
    this.#samples = new Float32Array(memory, HEADER_BYTES);
    /** Numbers to a sample. */
    this.channels = Atomics.load(this.#head, CHANNELS) || 1;
    this.capacity = this.#samples.length / this.channels;
    if (
      !Number.isInteger(this.capacity) ||
      this.capacity === 0 ||
      (this.capacity & (this.capacity - 1)) !== 0
    ) {
      throw new RangeError(`a ring of ${this.capacity} samples: it must be a power of two`);
    }
    this.#mask = this.capacity - 1;
  }

  /**
   * @param {number} samples the least that it must hold
   * @param {boolean} [shared] false where the environment has no SharedArrayBuffer
   * @param {number} [channels]
   * @returns {SampleRing} of the next power of two
   */
  static create(samples, shared = true, channels = 1) {
    const capacity = 2 ** Math.ceil(Math.log2(Math.max(2, samples)));
    const bytes = HEADER_BYTES + 4 * capacity * channels;
    const memory = shared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);
    new Int32Array(memory, 0, HEADER_BYTES / 4)[CHANNELS] = channels;
    return new SampleRing(memory);
  }

  /** The samples that wait to be read; negative: those that it is too late for, see play(). */
  get available() {
    return (Atomics.load(this.#head, WRITTEN) - Atomics.load(this.#head, READ)) | 0;
  }

  /** The times that played sound ran out. */
  get underruns() {
    return Atomics.load(this.#head, UNDERRUNS);
  }

  /** The samples that were missing then. */
  get missed() {
    return Atomics.load(this.#head, MISSED) >>> 0;
  }

  /** The times that the writer found no room for all samples. */
  get overflows() {
    return Atomics.load(this.#head, OVERFLOWS);
  }

  /** The samples that the reader takes at once; 0 while that isn't known. */
  get burst() {
    return Atomics.load(this.#head, BURST);
  }

  /**
   * The shortest time from one such burst to the next, in milliseconds; 0 while that isn't known.
   */
  get burstGapMs() {
    return Atomics.load(this.#head, BURST_GAP);
  }

  /**
   * For the reader to tell.
   * @param {number} samples
   * @param {number} gapMs
   */
  setBurst(samples, gapMs) {
    Atomics.store(this.#head, BURST, samples);
    Atomics.store(this.#head, BURST_GAP, gapMs);
  }

  /** For the reader to count. */
  countUnderrun() {
    Atomics.add(this.#head, UNDERRUNS, 1);
  }

  /** For the reader to count. @param {number} samples that were missing */
  countMissed(samples) {
    Atomics.add(this.#head, MISSED, samples);
  }

  /**
   * @param {Float32Array} from
   * @param {number} [count]
   * @returns {number} the samples taken; the others, for which there was no room, are lost, and it
   *   is counted
   */
  write(from, count = from.length / this.channels) {
    const { channels } = this;
    const written = Atomics.load(this.#head, WRITTEN);
    const room = this.capacity - Math.max(0, (written - Atomics.load(this.#head, READ)) | 0);
    const taken = count < room ? count : room;
    for (let i = 0; i < taken; i++) {
      const place = ((written + i) & this.#mask) * channels;
      for (let c = 0; c < channels; c++) this.#samples[place + c] = from[i * channels + c];
    }
    Atomics.store(this.#head, WRITTEN, (written + taken) | 0);
    if (taken < count) Atomics.add(this.#head, OVERFLOWS, 1);
    return taken;
  }

  /**
   * @param {Float32Array} into
   * @param {number} [count]
   * @returns {number} the samples that there were; the rest of `into` is untouched
   */
  read(into, count = into.length / this.channels) {
    const { channels } = this;
    const read = Atomics.load(this.#head, READ);
    const there = (Atomics.load(this.#head, WRITTEN) - read) | 0;
    const taken = Math.max(0, count < there ? count : there);
    for (let i = 0; i < taken; i++) {
      const place = ((read + i) & this.#mask) * channels;
      for (let c = 0; c < channels; c++) into[i * channels + c] = this.#samples[place + c];
    }
    Atomics.store(this.#head, READ, (read + taken) | 0);
    return taken;
  }

  /**
   * Reads as a sound card does: time goes on where there is nothing, and samples that come after
   * their time are never read, so that later ones are heard on time. The reader runs ahead by no
   * more than the ring holds.
   * @param {Float32Array} into
   * @param {number} [count]
   * @returns {number} as read() does
   */
  play(into, count = into.length / this.channels) {
    const there = this.read(into, count);
    if (there < count && this.available > -this.capacity)
      Atomics.add(this.#head, READ, count - there);
    return there;
  }

  /**
   * For the side that sleeps: it is woken when at least `mark` samples are there (its reader), or
   * fewer (its writer). It must look once more after arming, before it sleeps.
   * @param {number} mark in samples
   */
  arm(mark) {
    Atomics.store(this.#head, MARK, mark);
    Atomics.store(this.#head, ARMED, 1);
  }

  /** For the writer: whether the reader must be woken now. True once for each arming. */
  reached() {
    return this.available >= Atomics.load(this.#head, MARK) && this.#disarm();
  }

  /** For the reader: whether the writer must be woken now. True once for each arming. */
  fellBelow() {
    return this.available < Atomics.load(this.#head, MARK) && this.#disarm();
  }

  #disarm() {
    return Atomics.compareExchange(this.#head, ARMED, 1, 0) === 1;
  }
}
