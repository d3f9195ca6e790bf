/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Log } from '../log.js'
 */

/**
 * Difference between the date and the elapsed time that counts as a leap, in milliseconds: the
 * clock was set, or the machine slept.
 */
const LEAP_MS = 60_000;

/**
 * Date for measuring the age of files that a wrongly set clock can't age at once. After a leap
 * nobody knows whether the date was wrong before it or is wrong now. So a leap counts as time only
 * once it is `forgetMs` old. Files to keep for `forgetMs` are kept that long at least, and twice as
 * long at most.
 */
export class SteadyDate {
  #clock;
  #wallNow;
  #log;
  #forgetMs;
  #wallMs;
  #monotonicMs;
  /** @type {{ byMs: number, atMs: number }[]} */
  #leaps = [];

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {() => number} options.wallNow  milliseconds since 1970
   * @param {Pick<Log, 'warn'>} options.log
   * @param {number} options.forgetMs  age at which a leap counts as time
   */
  constructor({ clock, wallNow, log, forgetMs }) {
    this.#clock = clock;
    this.#wallNow = wallNow;
    this.#log = log;
    this.#forgetMs = forgetMs;
    this.#wallMs = wallNow();
    this.#monotonicMs = clock.now();
  }

  /** @returns {number} milliseconds since 1970; call it regularly */
  now() {
    const wallMs = this.#wallNow();
    const monotonicMs = this.#clock.now();
    const byMs = wallMs - this.#wallMs - (monotonicMs - this.#monotonicMs);
    this.#wallMs = wallMs;
    this.#monotonicMs = monotonicMs;
    if (Math.abs(byMs) > LEAP_MS) {
      this.#leaps.push({ byMs, atMs: monotonicMs });
      this.#log.warn(
        { event: 'clock-jumped', seconds: Math.round(byMs / 1000) },
        'clock was set, or the machine slept; recordings are kept for that much longer',
      );
    }
    this.#leaps = this.#leaps.filter(({ atMs }) => monotonicMs - atMs < this.#forgetMs);
    return wallMs - this.#leaps.reduce((sum, leap) => sum + leap.byMs, 0);
  }
}
