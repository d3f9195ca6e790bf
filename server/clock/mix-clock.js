/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { SampleClock } from './sample-clock.js'
 */

/** After a stall, so much of the past is still mixed, in milliseconds; what is older is skipped. */
const MAX_CATCH_UP_MS = 200;

/** A frame is due so much early, in samples: a time in milliseconds and back is off by a rounding. */
const ROUNDING = 0.01;

/** Pulls one frame of the grid after the other, each when its time has come. It rests when stopped. */
export class MixClock {
  /** @type {unknown} */
  #timer = null;
  #running = false;
  #next = 0;
  #wake;

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {SampleClock} options.sampleClock
   * @param {number} options.frameSamples
   * @param {number} options.delaySamples  the server-side delay: frame k is due at (k+1)·n + D. It may be
   *   changed at any time: the next frame is still the next, only its time is another
   * @param {(frame: number, latenessMs: number) => void} options.mix
   *   called for each frame in order; latenessMs is how long after its time
   */
  constructor({ clock, sampleClock, frameSamples, delaySamples, mix }) {
    this.clock = clock;
    this.sampleClock = sampleClock;
    this.frameSamples = frameSamples;
    this.delaySamples = delaySamples;
    this.mix = mix;
    /** Frames that were skipped because the server stood still for too long. */
    this.skipped = 0;
    this.#wake = () => this.#pull();
  }

  /** Whether frames are pulled. */
  get running() {
    return this.#running;
  }

  /** Begins with the next frame that falls due. */
  start() {
    if (this.#running) return;
    this.#running = true;
    this.#next = this.#firstDue(this.sampleClock.now());
    this.#schedule();
  }

  /** Idempotent. */
  stop() {
    this.#running = false;
    this.clock.clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** @param {number} frame */
  #dueAt(frame) {
    return (frame + 1) * this.frameSamples + this.delaySamples;
  }

  /** @param {number} sample  the first frame that is due at it or later */
  #firstDue(sample) {
    return Math.max(0, Math.ceil((sample - this.delaySamples) / this.frameSamples) - 1);
  }

  #schedule() {
    const wait = this.sampleClock.msAt(this.#dueAt(this.#next)) - this.clock.now();
    this.#timer = this.clock.setTimeout(this.#wake, Math.max(0, wait));
  }

  #pull() {
    const { sampleRate } = this.sampleClock;
    const now = this.sampleClock.now();
    const oldest = this.#firstDue(now - (MAX_CATCH_UP_MS * sampleRate) / 1000);
    if (this.#next < oldest) {
      this.skipped += oldest - this.#next;
      this.#next = oldest;
    }
    while (this.#running && this.#dueAt(this.#next) <= now + ROUNDING) {
      const late = Math.max(0, now - this.#dueAt(this.#next));
      this.mix(this.#next++, (late * 1000) / sampleRate);
    }
    if (this.#running) this.#schedule();
  }
}
