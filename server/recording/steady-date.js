/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Log } from '../log.js'
 */

/**
 * A date that moves by more than the time that passed is a leap, in milliseconds: a clock that is
 * set, a machine that slept.
 */
const LEAP_MS = 60_000;

/**
 * The date for measuring the age of files, which a clock that is set wrong doesn't make old at
 * once. The date may leap because it was wrong before or because it is now, which nobody knows: so
 * a leap counts as time only when it is `forgetMs` old. A file that is to be kept for `forgetMs` is
 * kept for that time at least, and twice that at most.
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
   * @param {number} options.forgetMs       the age at which a leap counts as time
   */
  constructor({ clock, wallNow, log, forgetMs }) {
    this.#clock = clock;
    this.#wallNow = wallNow;
    this.#log = log;
    this.#forgetMs = forgetMs;
    this.#wallMs = wallNow();
    this.#monotonicMs = clock.now();
  }

  /** @returns {number} milliseconds since 1970, to be asked for now and then */
  now() {
    const wallMs = this.#wallNow();
    const monotonicMs = this.#clock.now();
    const byMs = wallMs - this.#wallMs - (monotonicMs - this.#monotonicMs);
    this.#wallMs = wallMs;
    this.#monotonicMs = monotonicMs;
    if (Math.abs(byMs) > LEAP_MS) {
      this.#leaps.push({ byMs, atMs: monotonicMs });
      this.#log.warn(
        `the clock was set, or the machine slept: ${Math.round(byMs / 1000)} s; recordings ` +
          'are kept for as much longer',
      );
    }
    this.#leaps = this.#leaps.filter(({ atMs }) => monotonicMs - atMs < this.#forgetMs);
    return wallMs - this.#leaps.reduce((sum, leap) => sum + leap.byMs, 0);
  }
}
