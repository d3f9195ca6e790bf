/**
 * A lock-free ring of samples in shared memory, mono or interleaved stereo, between one writing and
 * one reading thread. Each index is written by one side only; both count samples, of all channels
 * at once, modulo 2^32. The worker at one end sleeps until the sound card's thread at the other end
 * finds that its mark is reached.
 */

const WRITTEN = 0;
const READ = 1;
const MARK = 2;
const ARMED = 3;
const UNDERRUNS = 4;
const MISSED = 5;
const BURST = 6;
const BURST_GAP = 7;
const CHANNELS = 8;
const HEADER_BYTES = 64;
/** Units of BURST_GAP in a millisecond. */
const GAPS_A_MS = 16;

export class SampleRing {
  #head;
  #samples;
  #mask;

  /** @param {SharedArrayBuffer | ArrayBuffer} memory another ring's: both see the same samples */
  constructor(memory) {
    this.memory = memory;
    this.#head = new Int32Array(memory, 0, HEADER_BYTES / 4);
    this.#samples = new Float32Array(memory, HEADER_BYTES);
    /** Values in a sample. */
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
   * @param {number} samples smallest capacity
   * @param {boolean} [shared] false without SharedArrayBuffer
   * @param {number} [channels]
   * @returns {SampleRing} its capacity is the next power of two
   */
  static create(samples, shared = true, channels = 1) {
    const capacity = 2 ** Math.ceil(Math.log2(Math.max(2, samples)));
    const bytes = HEADER_BYTES + 4 * capacity * channels;
    const memory = shared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);
    new Int32Array(memory, 0, HEADER_BYTES / 4)[CHANNELS] = channels;
    return new SampleRing(memory);
  }

  /** Number of samples that wait to be read; negative: samples that are overdue, see play(). */
  get available() {
    return (Atomics.load(this.#head, WRITTEN) - Atomics.load(this.#head, READ)) | 0;
  }

  /** Number of times that played sound ran out. */
  get underruns() {
    return Atomics.load(this.#head, UNDERRUNS);
  }

  /** Number of samples missing then. */
  get missed() {
    return Atomics.load(this.#head, MISSED) >>> 0;
  }

  /** Number of samples that the sound card takes or gives at once; 0 while it is unknown. */
  get burst() {
    return Atomics.load(this.#head, BURST);
  }

  /** Time from one such burst to the next, at the earliest, in milliseconds; 0: unknown. */
  get burstGapMs() {
    return Atomics.load(this.#head, BURST_GAP) / GAPS_A_MS;
  }

  /**
   * Called by the reader.
   * @param {number} samples
   * @param {number} gapMs
   */
  setBurst(samples, gapMs) {
    Atomics.store(this.#head, BURST, samples);
    Atomics.store(this.#head, BURST_GAP, Math.round(gapMs * GAPS_A_MS));
  }

  /** Called by the reader. */
  countUnderrun() {
    Atomics.add(this.#head, UNDERRUNS, 1);
  }

  /** Called by the reader. @param {number} samples that were missing */
  countMissed(samples) {
    Atomics.add(this.#head, MISSED, samples);
  }

  /**
   * @param {Float32Array} from
   * @param {number} [count]
   * @returns {number} number of samples written; the rest, for lack of room, is lost
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
    return taken;
  }

  /**
   * @param {Float32Array} into
   * @param {number} [count]
   * @returns {number} number of samples read; the rest of `into` is untouched
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
   * Reads like a sound card: time goes on without samples, and late samples are skipped, so that
   * later ones are on time. The reader runs ahead by at most the ring's capacity.
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
   * Arms the wake-up of the sleeping side: when at least `mark` samples are there (for a reader),
   * or fewer (for a writer). That side must look once more after arming, before it sleeps.
   * @param {number} mark in samples
   */
  arm(mark) {
    Atomics.store(this.#head, MARK, mark);
    Atomics.store(this.#head, ARMED, 1);
  }

  /** Called by the writer: true when the reader must be woken now, once for each arming. */
  reached() {
    return this.available >= Atomics.load(this.#head, MARK) && this.#disarm();
  }

  /** Called by the reader: true when the writer must be woken now, once for each arming. */
  fellBelow() {
    return this.available < Atomics.load(this.#head, MARK) && this.#disarm();
  }

  #disarm() {
    return Atomics.compareExchange(this.#head, ARMED, 1, 0) === 1;
  }
}
