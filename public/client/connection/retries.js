/**
 * @import { Clock } from '../../shared/clock.js'
 */

/** How long is waited before each try, in milliseconds; half as long to half as long again, by chance. */
const DELAYS_MS = Object.freeze([200, 500, 1000, 2000, 4000, 10_000]);

/** When a call that was lost is tried again: soon, and then more and more seldom. */
export class Retries {
  #clock;
  #wallNow;
  #random;
  #on;
  #tries = 0;
  /** Since when it is tried. @type {number | null} */
  #since = null;
  /** @type {unknown} */
  #timer = null;

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {() => number} options.wallNow  milliseconds since 1970
   * @param {() => number} options.random   0 to 1
   * @param {(when: { since: number, nextTry: number }) => void} options.told  by the wall clock, before each wait or try
   * @param {() => void} options.run        tries
   */
  constructor({ clock, wallNow, random, told, run }) {
    this.#clock = clock;
    this.#wallNow = wallNow;
    this.#random = random;
    this.#on = { told, run };
  }

  /** Whether the next try is yet to come. */
  get waiting() {
    return this.#timer !== null;
  }

  /** Tries after a while. */
  later() {
    const most = DELAYS_MS[Math.min(this.#tries, DELAYS_MS.length - 1)];
    const delayMs = most * (0.5 + this.#random());
    this.#tries += 1;
    this.#stop();
    this.#timer = this.#clock.setTimeout(() => this.#run(), delayMs);
    this.#tell(delayMs);
  }

  /** Tries at once. */
  now() {
    this.#tell(0);
    this.#run();
  }

  /** Something has changed: those that follow come soon again. */
  hurry() {
    this.#tries = 0;
  }

  /** It has come back, or is over. Idempotent. */
  end() {
    this.#stop();
    this.#tries = 0;
    this.#since = null;
  }

  #run() {
    this.#stop();
    this.#on.run();
  }

  /** @param {number} delayMs until the next try */
  #tell(delayMs) {
    const now = this.#wallNow();
    this.#since ??= now;
    this.#on.told({ since: this.#since, nextTry: now + delayMs });
  }

  #stop() {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
  }
}
