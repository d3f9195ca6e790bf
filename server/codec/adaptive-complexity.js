/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Log } from '../log.js'
 */

import { performance } from 'node:perf_hooks';
import { defaultEncoderSettings } from '../../public/shared/codec.js';

/** The complexity while there is time for it; */
const FULL = defaultEncoderSettings.complexity;
/** and while there isn't: a third of the work, and hardly less good (docs/codec.md). */
const SAVING = 0;

/** The share of the thread's time above which effort is saved, */
const BUSY = 0.5;
/** and the one below which, for so many seconds, it isn't any more: full effort takes at most three times as much. */
const FREE = 0.16;
const FREE_SECONDS = 5;

const LOOK_MS = 1000;

/**
 * How hard the server's encoders work: as hard as asked for, or, where that is `auto`, less while the thread that
 * mixes has much to do, so that what it mixes isn't late. Opus encoders take a new complexity with any frame.
 */
export class Effort {
  #clock;
  #log;
  #takeShare;
  #freeSeconds = 0;
  /** @type {unknown} */
  #timer = null;

  /**
   * @param {object} options
   * @param {number | 'auto'} options.setting  0 to 10, or auto
   * @param {Clock} options.clock
   * @param {Pick<Log, 'info'>} options.log
   * @param {() => number} [options.takeShare]  the share of its time, 0 to 1, for which the thread has been busy
   *   since it was last asked
   */
  constructor({ setting, clock, log, takeShare = shareOfThread() }) {
    this.#clock = clock;
    this.#log = log;
    this.#takeShare = takeShare;
    /** What the encoders are to be set to, 0 to 10. */
    this.complexity = setting === 'auto' ? FULL : setting;
    if (setting === 'auto') this.#lookLater();
  }

  #lookLater() {
    this.#timer = this.#clock.setTimeout(() => {
      this.#lookLater();
      this.#look(this.#takeShare());
    }, LOOK_MS);
  }

  /** @param {number} share */
  #look(share) {
    this.#freeSeconds = share < FREE ? this.#freeSeconds + 1 : 0;
    if (share > BUSY) this.#set(SAVING, share);
    else if (this.#freeSeconds >= FREE_SECONDS) this.#set(FULL, share);
  }

  /**
   * @param {number} complexity
   * @param {number} share
   */
  #set(complexity, share) {
    if (complexity === this.complexity) return;
    this.complexity = complexity;
    const busy = `the server is busy for ${Math.round(100 * share)} % of the time`;
    this.#log.info(`${busy}: Opus is encoded at complexity ${complexity}`);
  }

  /** Idempotent. */
  close() {
    this.#clock.clearTimeout(this.#timer);
  }
}

function shareOfThread() {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}
