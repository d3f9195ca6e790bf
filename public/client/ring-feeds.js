/**
 * @import { SampleRing } from '../../worklets/sample-ring.js'
 *
 * What a feed needs of the client.
 * @typedef {object} Source
 * @property {(out: Float32Array, waitMs: number) => number} pull
 * @property {number} outputMs
 *
 * @typedef {object} Sink
 * @property {(samples: Float32Array, count: number) => void} capture
 * @property {number} samplesToFrame
 */

/** The most that is taken from the capture ring at once, in samples. */
const CHUNK_SAMPLES = 4096;

/** Empties the ring that the capture worklet fills, frame by frame. */
export class CaptureFeed {
  #ring;
  #sink;
  #chunk = new Float32Array(CHUNK_SAMPLES);

  /**
   * @param {SampleRing} ring
   * @param {Sink} sink
   */
  constructor(ring, sink) {
    this.#ring = ring;
    this.#sink = sink;
  }

  /** To be called when the worklet says that a frame is complete. */
  wake() {
    do {
      for (let count = this.#read(); count > 0; count = this.#read()) this.#sink.capture(this.#chunk, count);
      this.#ring.arm(this.#sink.samplesToFrame);
      // What came between reading and arming has woken nobody.
    } while (this.#ring.reached());
  }

  #read() {
    return this.#ring.read(this.#chunk);
  }
}

/** At first so much waits for the sound card beyond one of its own blocks, in milliseconds. */
const START_MS = 10;
const MAX_MARK_MS = 120;
/** An underrun raises it by so much; */
const UNDERRUN_MS = 5;
/** so does finding less than this when the worker comes to fill the ring. */
const LEAST_HEADROOM_MS = 2;
/** Finding never less than this lowers it: at once in the first seconds, then by a millisecond */
const MUCH_HEADROOM_MS = 6;
/** where it is so much more, since each change moves what is heard; */
const KEPT_MS = 3;
/** looked at so often. */
const LOOK_MS = 5000;
const FIRST_LOOKS = 4;
const FIRST_LOOK_MS = 1000;
/** It is never lower than this beyond a block: where blocks fall against the mark may change. */
const LEAST_BEYOND_BLOCK_MS = 4;

/**
 * Fills the ring that the playback worklet empties, as little as will do: the mark, below which the
 * worklet asks for more, follows from how much was still there when the worker came to fill it.
 */
export class PlaybackFeed {
  #ring;
  #source;
  #now;
  #frame;
  #perMs;
  #markMs;
  #leastMarkMs;
  #underruns = 0;
  #filled = false;
  #looks = 0;
  #leastMs = Infinity;
  #lookMs;

  /**
   * @param {SampleRing} ring
   * @param {Source} source
   * @param {object} options
   * @param {number} options.sampleRate    Hz
   * @param {number} options.pullSamples   what a pull may give at most
   * @param {number} options.blockMs       how much the sound card takes at once
   * @param {() => number} options.now     milliseconds
   */
  constructor(ring, source, { sampleRate, pullSamples, blockMs, now }) {
    this.#ring = ring;
    this.#source = source;
    this.#now = now;
    this.#frame = new Float32Array(pullSamples);
    this.#perMs = sampleRate / 1000;
    this.#markMs = Math.min(MAX_MARK_MS, blockMs + START_MS);
    this.#leastMarkMs = Math.min(MAX_MARK_MS, blockMs + LEAST_BEYOND_BLOCK_MS);
    this.#lookMs = now() + FIRST_LOOK_MS;
  }

  /** Below so many milliseconds the worklet asks for more. */
  get markMs() {
    return this.#markMs;
  }

  /** To be called when the worklet says that it has little left. */
  wake() {
    if (this.#filled) this.#adapt(this.#ring.available / this.#perMs);
    this.#filled = true;
    const mark = Math.ceil(this.#markMs * this.#perMs);
    this.#source.outputMs = this.#markMs;
    do {
      while (this.#ring.available < mark) {
        const count = this.#source.pull(this.#frame, this.#ring.available / this.#perMs);
        if (this.#ring.write(this.#frame, count) < count) break;
      }
      this.#ring.arm(mark);
      // What was taken between filling and arming has woken nobody.
    } while (this.#ring.fellBelow());
  }

  /** @param {number} headroomMs what is still there */
  #adapt(headroomMs) {
    const { underruns } = this.#ring;
    if (underruns > this.#underruns) {
      this.#markMs += UNDERRUN_MS;
      this.#underruns = underruns;
    } else if (headroomMs < LEAST_HEADROOM_MS) {
      this.#markMs += LEAST_HEADROOM_MS - headroomMs;
    }
    if (headroomMs < this.#leastMs) this.#leastMs = headroomMs;
    if (this.#now() >= this.#lookMs) {
      const isFirst = this.#looks < FIRST_LOOKS;
      const surplus = this.#leastMs - MUCH_HEADROOM_MS;
      if (Number.isFinite(surplus)) this.#markMs -= isFirst ? Math.max(0, surplus) : surplus > KEPT_MS ? 1 : 0;
      this.#leastMs = Infinity;
      this.#looks += 1;
      this.#lookMs = this.#now() + (isFirst ? FIRST_LOOK_MS : LOOK_MS);
    }
    this.#markMs = Math.min(MAX_MARK_MS, Math.max(this.#leastMarkMs, this.#markMs));
  }
}
