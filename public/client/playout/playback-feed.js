/**
 * @import { Clock } from '../../shared/clock.js'
 * @import { SampleRing } from '../../../worklets/sample-ring.js'
 *
 * Part of the call that a feed uses: see CallClient.
 * @typedef {object} Source
 * @property {(out: Float32Array, waitMs: number, aheadMs: number) => number} pull
 * @property {(waitMs: number, aheadMs: number) => void} look
 * @property {boolean} ready
 * @property {(waitMs: number, gaps: number, gapMs: number) => void} observeOutput
 */

import { systemClock } from '../../shared/clock.js';

/**
 * Time before the sound card's next burst at which the ring must have its sound, in milliseconds: a
 * late worker has this long. It is part of the delay. With frames below 10 ms it is shorter, since
 * low delay matters more there than a rare fade.
 */
const HEADROOM_MS = 4;
const SHORT_HEADROOM_MS = 2;

/** Most sound that waits in the ring, in milliseconds: the rest waits in the jitter buffer. */
const MOST_MS = 500;

/** Longest interval between checks of the sound card's position, in milliseconds. */
const POLL_MS = 250;

/**
 * Fills the ring that the playback worklet empties. Sound that has arrived is decoded at once and
 * waits in the ring, safe from a late worker. For missing sound it waits until shortly before the
 * sound card's next burst, then conceals it; likewise for unsent silence. So one delay, the jitter
 * buffer's, covers all lateness.
 */
export class PlaybackFeed {
  #ring;
  #source;
  #clock;
  #frame;
  #perMs;
  #blockMs;
  #headroomMs;
  /** Time at which the worklet last reported a burst. */
  #wakeMs = -Infinity;
  /** @type {unknown} */
  #timer = null;

  /**
   * @param {SampleRing} ring
   * @param {Source} source
   * @param {object} options
   * @param {number} options.sampleRate Hz
   * @param {number} options.pullSamples most samples of a pull
   * @param {number} [options.frameMs] the room's
   * @param {number} options.blockMs length of the sound card's bursts until it is measured
   * @param {Clock} [options.clock]
   */
  constructor(
    ring,
    source,
    { sampleRate, pullSamples, blockMs, frameMs = 20, clock = systemClock },
  ) {
    this.#ring = ring;
    this.#source = source;
    this.#clock = clock;
    this.#frame = new Float32Array(pullSamples);
    this.#perMs = sampleRate / 1000;
    this.#blockMs = blockMs;
    this.#headroomMs = frameMs < 10 ? SHORT_HEADROOM_MS : HEADROOM_MS;
  }

  get #availableMs() {
    return this.#ring.available / this.#perMs;
  }

  /** Length of the sound card's bursts, in milliseconds. */
  get #burstMs() {
    const { burst } = this.#ring;
    return Math.max(1, burst > 0 ? burst / this.#perMs : this.#blockMs);
  }

  /** Called when a sound packet has arrived. */
  arrived() {
    while (this.#source.ready && this.#availableMs < MOST_MS && this.#pull());
    // A full ring needs no wake-ups.
    if (this.#clock.now() - this.#wakeMs > POLL_MS) this.#ring.arm(this.#ring.capacity);
  }

  /** Called when the worklet has little left, and at the latest after POLL_MS. */
  wake() {
    const burstMs = this.#burstMs;
    this.#wakeMs = this.#clock.now();
    this.#source.observeOutput(
      burstMs + this.#headroomMs,
      this.#ring.underruns,
      this.#ring.missed / this.#perMs,
    );
    this.#source.look(this.#availableMs, this.#headroomMs);
    this.arrived();
    this.#wait(burstMs);
  }

  /** Waits as long as possible for missing sound. @param {number} burstMs */
  #wait(burstMs) {
    this.#clock.clearTimeout(this.#timer);
    const there = this.#availableMs;
    // One burst at least; several when they are so short that each wake-up would come too late.
    const needMs = burstMs * Math.ceil(this.#headroomMs / burstMs);
    const gapMs = this.#ring.burstGapMs || burstMs;
    const leftMs = gapMs + burstMs * Math.floor(there / burstMs) - this.#headroomMs;
    if (there < needMs && leftMs > 0)
      this.#timer = this.#clock.setTimeout(() => this.#makeUp(needMs), leftMs);
    else this.#makeUp(needMs);
    this.#ring.arm(Math.ceil(needMs * this.#perMs));
  }

  /**
   * Fills the ring. If it is late, this thread stood still: the packets that arrived in the
   * meantime are read first.
   * @param {number} ms of sound that must be there
   */
  #makeUp(ms) {
    if (this.#availableMs < 0) this.#timer = this.#clock.setTimeout(() => this.#fill(ms), 0);
    else this.#fill(ms);
  }

  /** @param {number} ms of sound that must be there */
  #fill(ms) {
    while (this.#availableMs < ms && this.#pull());
  }

  /** Stops pulling, since another ring is filled now. Idempotent. */
  close() {
    this.#clock.clearTimeout(this.#timer);
  }

  /** @returns {boolean} true when there was sound, and room for it */
  #pull() {
    const count = this.#source.pull(this.#frame, this.#availableMs, this.#headroomMs);
    return count > 0 && this.#ring.write(this.#frame, count) === count;
  }
}
