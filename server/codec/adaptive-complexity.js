/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Log } from '../log.js'
 */

import { defaultEncoderSettings } from '../../public/shared/stream/codec.js';

/** The complexity while there is time for it. */
const FULL = defaultEncoderSettings.complexity;

/** The complexity while there isn't: a third of the work, and hardly less good (docs/codec.md). */
const SAVING = 0;

/** The share of a processor above which complexity is saved. */
const BUSY = 0.5;

/**
 * The share of a processor below which complexity isn't saved any more, when it stays below it for
 * FREE_SECONDS: full complexity takes at most three times as much.
 */
const FREE = 0.16;
const FREE_SECONDS = 5;

/** How often the load is looked at, in milliseconds. */
const LOOK_MS = 1000;

/**
 * The complexity of the server's encoders: as asked for, or, where that is `auto`, less while
 * mixing takes much of a processor, so that mixes aren't late. Opus encoders take a new complexity
 * with any frame. The load is processor time and not time that passed: on a machine whose host
 * takes its processors away the server isn't busy.
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
   * @param {number | 'auto'} options.setting  0 to 10, or auto
   * @param {Clock} options.clock
   * @param {Pick<Log, 'info'>} options.log
   * @param {() => number} [options.cpuMs] the processor time that mixing has taken so far, in
   *   milliseconds
   */
  constructor({ setting, clock, log, cpuMs = processCpuMs }) {
    this.#clock = clock;
    this.#log = log;
    this.#cpuMs = cpuMs;
    this.#lastCpuMs = cpuMs();
    this.#lastMs = clock.now();
    this.#complexity = setting === 'auto' ? FULL : setting;
    this.#adapts = setting === 'auto';
    this.#lookLater();
  }

  /** The complexity that encoders are to have now, 0 to 10. */
  get complexity() {
    return this.#complexity;
  }

  /** The share of a processor that mixing took in the last second. */
  get share() {
    return this.#share;
  }

  #lookLater() {
    this.#timer = this.#clock.setTimeout(() => {
      this.#lookLater();
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

  /**
   * @param {number} complexity
   * @param {number} share
   */
  #set(complexity, share) {
    if (complexity === this.#complexity) return;
    this.#complexity = complexity;
    const load = `mixing takes ${Math.round(100 * share)} % of a processor`;
    this.#log.info(`${load}: Opus is encoded at complexity ${complexity}`);
  }

  /** Idempotent. */
  close() {
    this.#clock.clearTimeout(this.#timer);
  }
}

/**
 * The processor time of all threads: more than mixing's own, where the thread's alone isn't known.
 */
export function processCpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
