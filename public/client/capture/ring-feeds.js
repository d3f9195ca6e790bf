/**
 * @import { Clock } from '../../shared/clock.js'
 * @import { Output } from '../call/client-types.js'
 * @import { SampleRing } from '../../../worklets/sample-ring.js'
 *
 * What a feed needs of the client.
 * @typedef {object} Source
 * @property {(out: Float32Array, waitMs: number, aheadMs: number) => number} pull
 * @property {(waitMs: number, aheadMs: number) => void} look
 * @property {boolean} ready
 * @property {Output} output
 *
 * @typedef {object} Sink
 * @property {(samples: Float32Array, count: number) => void} capture
 * @property {number} samplesToFrame
 */

import { systemClock } from '../../shared/clock.js';

/** The most that is taken from the capture ring at once, in numbers of all channels. */
const CHUNK_VALUES = 4096;

/** Empties the ring that the capture worklet fills, frame by frame. */
export class CaptureFeed {
  #ring;
  #sink;
  #chunk = new Float32Array(CHUNK_VALUES);

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

/** So long before the sound card takes its next burst it is given what there is, whatever that may be. */
const HEADROOM_MS = 4;

/** No more than so much waits for it, in milliseconds: the rest waits for its time in the playout buffer. */
const MOST_MS = 500;

/** At least so often it is looked where the sound card is, in milliseconds. */
const LOOK_MS = 250;

/**
 * Fills the ring that the playback worklet empties. What has come is decoded at once: it waits in the
 * ring, where a worker that is late can't hold it up. What hasn't come is waited for until shortly
 * before the sound card's next burst, and then made up; so is silence for which nothing comes. So there
 * is one delay, the playout buffer's, against all that may be late.
 */
export class PlaybackFeed {
  #ring;
  #source;
  #clock;
  #frame;
  #perMs;
  #blockMs;
  /** When the worklet took a burst, as far as it told. */
  #wokeMs = -Infinity;
  /** @type {unknown} */
  #timer = null;

  /**
   * @param {SampleRing} ring
   * @param {Source} source
   * @param {object} options
   * @param {number} options.sampleRate    Hz
   * @param {number} options.pullSamples   what a pull may give at most
   * @param {number} options.blockMs       how much the sound card takes at once, until that is measured
   * @param {Clock} [options.clock]
   */
  constructor(ring, source, { sampleRate, pullSamples, blockMs, clock = systemClock }) {
    this.#ring = ring;
    this.#source = source;
    this.#clock = clock;
    this.#frame = new Float32Array(pullSamples);
    this.#perMs = sampleRate / 1000;
    this.#blockMs = blockMs;
  }

  get #availableMs() {
    return this.#ring.available / this.#perMs;
  }

  /** How much the sound card takes at once, in milliseconds. */
  get #burstMs() {
    const { burst } = this.#ring;
    return Math.max(1, burst > 0 ? burst / this.#perMs : this.#blockMs);
  }

  /** To be called when something has come that may be ready. */
  arrived() {
    while (this.#source.ready && this.#availableMs < MOST_MS && this.#pull());
    // Where it has enough it doesn't wake anybody by itself.
    if (this.#clock.now() - this.#wokeMs > LOOK_MS) this.#ring.arm(this.#ring.capacity);
  }

  /** To be called when the worklet says that it has little left, or looks. */
  wake() {
    const burstMs = this.#burstMs;
    this.#wokeMs = this.#clock.now();
    this.#tell(burstMs);
    this.#source.look(this.#availableMs, HEADROOM_MS);
    this.arrived();
    this.#wait(burstMs);
  }

  /** @param {number} burstMs */
  #tell(burstMs) {
    const { output } = this.#source;
    output.waitMs = burstMs + HEADROOM_MS;
    output.gaps = this.#ring.underruns;
    output.gapMs = this.#ring.missed / this.#perMs;
  }

  /**
   * Waits as long as possible for what isn't there.
   * @param {number} burstMs
   */
  #wait(burstMs) {
    this.#clock.clearTimeout(this.#timer);
    const there = this.#availableMs;
    // One burst at least, and more where they are so short that each would come too soon.
    const needMs = burstMs * Math.ceil(HEADROOM_MS / burstMs);
    const gapMs = this.#ring.burstGapMs || burstMs;
    const leftMs = gapMs * (Math.floor(there / burstMs) + 1) - HEADROOM_MS;
    if (there < needMs && leftMs > 0) this.#timer = this.#clock.setTimeout(() => this.#makeUp(needMs), leftMs);
    else this.#makeUp(needMs);
    this.#ring.arm(Math.ceil(needMs * this.#perMs));
  }

  /**
   * Where it is too late already this stood still: what came meanwhile is taken first.
   * @param {number} ms so much there must be
   */
  #makeUp(ms) {
    if (this.#availableMs < 0) this.#timer = this.#clock.setTimeout(() => this.#fill(ms), 0);
    else this.#fill(ms);
  }

  /** @param {number} ms so much there must be */
  #fill(ms) {
    while (this.#availableMs < ms && this.#pull());
  }

  /** Pulls no more: what comes is another ring's. Idempotent. */
  close() {
    this.#clock.clearTimeout(this.#timer);
  }

  /** @returns {boolean} whether there was anything, and room for it */
  #pull() {
    const count = this.#source.pull(this.#frame, this.#availableMs, HEADROOM_MS);
    return count > 0 && this.#ring.write(this.#frame, count) === count;
  }
}
