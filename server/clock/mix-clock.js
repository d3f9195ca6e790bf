/**
 * @import { SampleClock } from './sample-clock.js'
 * @import { TickLoad } from './load-shares.js'
 * @import { Tick, TickScheduler } from './tick-scheduler.js'
 */

/** Longest time to catch up with after a stall, in milliseconds; older frames are skipped. */
const MAX_CATCH_UP_MS = 200;

/** Margin by which a frame is due early, in samples: it covers the rounding of milliseconds. */
const ROUNDING = 0.01;

/** Pulls the frames of the grid one after the other, each when its time has come. */
export class MixClock {
  #ticks;
  #sampleClock;
  #frameSamples;
  #delaySamples;
  #mix;
  #failed;
  #running = false;
  #next = 0;
  #skipped = 0;
  /** @type {Tick} */
  #tick = { atMs: 0, run: this.#pull.bind(this) };

  /**
   * @param {object} options
   * @param {TickScheduler} options.ticks
   * @param {SampleClock} options.sampleClock
   * @param {number} options.frameSamples
   * @param {number} options.delaySamples server-side delay: frame k is due at (k+1)·n + D
   * @param {TickLoad} [options.load] of the room
   * @param {(frame: number, latenessMs: number) => void} options.mix called for each frame in
   *   order; latenessMs is the time since it was due
   * @param {(error: unknown) => void} options.failed called when `mix` threw; the clock has stopped
   *   then
   */
  constructor({ ticks, sampleClock, frameSamples, delaySamples, load, mix, failed }) {
    this.#ticks = ticks;
    this.#sampleClock = sampleClock;
    this.#frameSamples = frameSamples;
    this.#delaySamples = delaySamples;
    this.#mix = mix;
    this.#failed = failed;
    this.#tick.load = load;
  }

  /** True while frames are pulled. */
  get running() {
    return this.#running;
  }

  /** Number of frames that were skipped after a long stall of the server. */
  get skipped() {
    return this.#skipped;
  }

  /** Moves the ticks: the next frame stays the next, at another time. @param {number} samples D */
  set delaySamples(samples) {
    this.#delaySamples = samples;
  }

  /** Begins with the next due frame. */
  start() {
    if (this.#running) return;
    this.#running = true;
    this.#next = this.#firstDue(this.#sampleClock.now());
    this.#schedule();
  }

  /** Idempotent. */
  stop() {
    this.#running = false;
    this.#ticks.cancel(this.#tick);
  }

  /** @param {number} frame @returns {number} its due time, in samples */
  #dueAt(frame) {
    return (frame + 1) * this.#frameSamples + this.#delaySamples;
  }

  /** @param {number} sample @returns {number} first frame that is due at it or later */
  #firstDue(sample) {
    return Math.max(0, Math.ceil((sample - this.#delaySamples) / this.#frameSamples) - 1);
  }

  #schedule() {
    this.#ticks.schedule(this.#tick, this.#sampleClock.msAt(this.#dueAt(this.#next)));
  }

  #pull() {
    const { sampleRate } = this.#sampleClock;
    const now = this.#sampleClock.now();
    const oldest = this.#firstDue(now - (MAX_CATCH_UP_MS * sampleRate) / 1000);
    if (this.#next < oldest) {
      this.#skipped += oldest - this.#next;
      this.#next = oldest;
    }
    try {
      // One at a time, so other rooms get their turn while this one catches up.
      if (this.#dueAt(this.#next) <= now + ROUNDING) {
        const late = Math.max(0, now - this.#dueAt(this.#next));
        this.#mix(this.#next++, (late * 1000) / sampleRate);
      }
      if (this.#running) this.#schedule();
    } catch (error) {
      this.stop();
      this.#failed(error);
    }
  }
}

/** Upper bounds of the bins, in milliseconds; later ticks are in a bin of their own. */
const LATENESS_BOUNDS_MS = Object.freeze([0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500]);

/**
 * Lateness of the ticks of all rooms, since the server's start: counts by bin. Adding to it
 * allocates nothing.
 */
export class LatenessHistogram {
  #counts = new Float64Array(LATENESS_BOUNDS_MS.length + 1);
  #sumMs = 0;

  /** @param {number} latenessMs */
  add(latenessMs) {
    let bin = 0;
    while (bin < LATENESS_BOUNDS_MS.length && latenessMs > LATENESS_BOUNDS_MS[bin]) bin += 1;
    this.#counts[bin] += 1;
    this.#sumMs += latenessMs;
  }

  /**
   * Counts as Prometheus has them: each bin's with the counts of all smaller ones.
   * @returns {{ count: number, sumMs: number, bins: { upToMs: number, count: number }[] }}
   */
  describe() {
    let count = 0;
    const bins = LATENESS_BOUNDS_MS.map((upToMs, bin) => ({
      upToMs,
      count: (count += this.#counts[bin]),
    }));
    return { count: count + this.#counts[LATENESS_BOUNDS_MS.length], sumMs: this.#sumMs, bins };
  }
}

/** Number of remembered ticks: ten seconds of 20 ms frames. */
const TICKS = 500;

/** Lateness of the last mixed frames. */
export class TickLateness {
  #times = new Float64Array(TICKS);
  #count = 0;

  /** @param {number} latenessMs */
  add(latenessMs) {
    this.#times[this.#count++ % TICKS] = latenessMs;
  }

  /**
   * @returns {{ ticks: number, latenessP50Ms: number | null, latenessP99Ms: number | null }}
   *   figures of the remembered ticks
   */
  describe() {
    const ticks = Math.min(this.#count, TICKS);
    const sorted = this.#times.slice(0, ticks).sort();
    const at = (/** @type {number} */ share) =>
      ticks === 0 ? null : sorted[Math.min(ticks - 1, Math.floor(share * ticks))];
    return { ticks, latenessP50Ms: at(0.5), latenessP99Ms: at(0.99) };
  }
}
