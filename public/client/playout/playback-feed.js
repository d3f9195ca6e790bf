/**
 * @import { Clock } from '../../shared/clock.js'
 * @import { SampleRing } from '../../../worklets/sample-ring.js'
 *
 * The call, as a feed needs it: see ReconnectingClient.
 * @typedef {object} Source
 * @property {(out: Float32Array, waitMs: number, aheadMs: number) => number} pull
 * @property {(waitMs: number, aheadMs: number) => void} look
 * @property {boolean} ready
 * @property {(waitMs: number, gaps: number, gapMs: number) => void} observeOutput
 */

import { systemClock } from '../../shared/clock.js';

/**
 * The time before the sound card's next burst at which it is given what there is, in milliseconds:
 * a late worker has as long. It is part of the delay, and where frames are below 10 ms whoever
 * chose them would rather risk a fade.
 */
const HEADROOM_MS = 4;
const SHORT_HEADROOM_MS = 2;

/**
 * The most sound that waits in the ring, in milliseconds: the rest waits for its time in the jitter
 * buffer.
 */
const MOST_MS = 500;

/** The longest interval at which the sound card's place is looked at, in milliseconds. */
const LOOK_MS = 250;

/**
 * Fills the ring that the playback worklet empties. Sound that has come is decoded at once and
 * waits in the ring, where a late worker can't hold it up. Sound that hasn't come is waited for
 * until shortly before the sound card's next burst, and then concealed; so is unsent silence. So
 * one delay, the jitter buffer's, covers all that may be late.
 */
export class PlaybackFeed {
  #ring;
  #source;
  #clock;
  #frame;
  #perMs;
  #blockMs;
  #headroomMs;
  /** When the worklet last told that it took a burst. */
  #wokeMs = -Infinity;
  /** @type {unknown} */
  #timer = null;

  /**
   * @param {SampleRing} ring
   * @param {Source} source
   * @param {object} options
   * @param {number} options.sampleRate    Hz
   * @param {number} options.pullSamples   what a pull may give at most
   * @param {number} [options.frameMs]     the room's
   * @param {number} options.blockMs how much the sound card takes at once, until that is measured
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

  /** The sound that the sound card takes at once, in milliseconds. */
  get #burstMs() {
    const { burst } = this.#ring;
    return Math.max(1, burst > 0 ? burst / this.#perMs : this.#blockMs);
  }

  /** Called when a packet of sound has come. */
  arrived() {
    while (this.#source.ready && this.#availableMs < MOST_MS && this.#pull());
    // A ring that holds enough wakes nobody by itself.
    if (this.#clock.now() - this.#wokeMs > LOOK_MS) this.#ring.arm(this.#ring.capacity);
  }

  /** Called when the worklet has little left, or is looked at. */
  wake() {
    const burstMs = this.#burstMs;
    this.#wokeMs = this.#clock.now();
    this.#source.observeOutput(
      burstMs + this.#headroomMs,
      this.#ring.underruns,
      this.#ring.missed / this.#perMs,
    );
    this.#source.look(this.#availableMs, this.#headroomMs);
    this.arrived();
    this.#wait(burstMs);
  }

  /**
   * Waits as long as possible for sound that isn't there.
   * @param {number} burstMs
   */
  #wait(burstMs) {
    this.#clock.clearTimeout(this.#timer);
    const there = this.#availableMs;
    // One burst at least, and more where they are so short that each would come too soon.
    const needMs = burstMs * Math.ceil(this.#headroomMs / burstMs);
    const gapMs = this.#ring.burstGapMs || burstMs;
    const leftMs = gapMs * (Math.floor(there / burstMs) + 1) - this.#headroomMs;
    if (there < needMs && leftMs > 0)
      this.#timer = this.#clock.setTimeout(() => this.#makeUp(needMs), leftMs);
    else this.#makeUp(needMs);
    this.#ring.arm(Math.ceil(needMs * this.#perMs));
  }

  /**
   * Fills the ring; where that is late already this thread stood still, and packets that came
   * meanwhile are read first.
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

  /** Pulls no more: another ring is filled now. Idempotent. */
  close() {
    this.#clock.clearTimeout(this.#timer);
  }

  /** @returns {boolean} whether there was anything, and room for it */
  #pull() {
    const count = this.#source.pull(this.#frame, this.#availableMs, this.#headroomMs);
    return count > 0 && this.#ring.write(this.#frame, count) === count;
  }
}
