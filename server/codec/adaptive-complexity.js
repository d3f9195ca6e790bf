/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Log } from '../log.js'
 */

import { defaultEncoderSettings } from '../../public/shared/stream/codec.js';

/** Complexity while there is time for it. */
const FULL = defaultEncoderSettings.complexity;

/** Complexity while there isn't: a third of the work, and nearly as good (docs/codec.md). */
const SAVING = 0;

/** Share of a processor above which complexity is saved. */
const BUSY = 0.5;

/**
 * Share of a processor below which full complexity returns, after FREE_SECONDS: it takes at most
 * three times as much.
 */
const FREE = 0.16;
const FREE_SECONDS = 5;

/** Interval between checks of the load, in milliseconds. */
const LOOK_MS = 1000;

/**
 * Complexity of the server's encoders: the setting, or, for `auto`, lower while mixing needs much
 * of a processor, so that mixes aren't late. Opus encoders accept a new complexity with any frame.
 * The load is processor time, not elapsed time: a server whose host takes its processors away isn't
 * busy.
 */
export class AdaptiveComplexity {
  #clock;
  #log;
  #cpuMs;
  #lastCpuMs;
  #lastMs;
  #freeSeconds = 0;
  #complexity;
  #adapts;
  #share = 0;
  /** @type {unknown} */
  #timer = null;

  /**
   * @param {object} options
   * @param {number | 'auto'} options.setting 0 to 10, or auto
   * @param {Clock} options.clock
   * @param {Pick<Log, 'info'>} options.log
   * @param {() => number} [options.cpuMs] processor time of mixing so far, in milliseconds
   */
  constructor({ setting, clock, log, cpuMs = processCpuMs }) {
    this.#clock = clock;
    this.#log = log;
    this.#cpuMs = cpuMs;
    this.#lastCpuMs = cpuMs();
    this.#lastMs = clock.now();
    this.#complexity = setting === 'auto' ? FULL : setting;
    this.#adapts = setting === 'auto';
    this.#scheduleCheck();
  }

  /** Current complexity for encoders, 0 to 10. */
  get complexity() {
    return this.#complexity;
  }

  /** Share of a processor that mixing used in the last second. */
  get share() {
    return this.#share;
  }

  #scheduleCheck() {
    this.#timer = this.#clock.setTimeout(() => {
      this.#scheduleCheck();
      this.#look();
    }, LOOK_MS);
  }

  #look() {
    const [cpuMs, nowMs] = [this.#cpuMs(), this.#clock.now()];
    const share = (cpuMs - this.#lastCpuMs) / (nowMs - this.#lastMs);
    this.#lastCpuMs = cpuMs;
    this.#lastMs = nowMs;
    this.#share = share;
    if (!this.#adapts) return;
    this.#freeSeconds = share < FREE ? this.#freeSeconds + 1 : 0;
    if (share > BUSY) this.#set(SAVING, share);
    else if (this.#freeSeconds >= FREE_SECONDS) this.#set(FULL, share);
  }

  /** @param {number} complexity @param {number} share */
  #set(complexity, share) {
    if (complexity === this.#complexity) return;
    this.#complexity = complexity;
    this.#log.info(
      { event: 'complexity-changed', complexity, processorPercent: Math.round(100 * share) },
      'complexity of the Opus encoders changed with the load',
    );
  }

  /** Idempotent. */
  close() {
    this.#clock.clearTimeout(this.#timer);
  }
}

/**
 * Returns the processor time of all threads. It exceeds mixing's own, but serves when the thread's
 * time isn't known.
 */
export function processCpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
