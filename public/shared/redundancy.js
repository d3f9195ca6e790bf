/** @import { Clock } from './clock.js' */

import { systemClock } from './clock.js';
import { MAX_REDUNDANCY } from './packet.js';

/** The loss from which one, and two, earlier payloads are repeated, in percent. */
const RISE_PERCENT = Object.freeze([0, 0.5, 2]);
/** The loss below which fewer are repeated again, in percent: about half of that. */
const KEEP_PERCENT = Object.freeze([0, 0.25, 1]);
/** The time for which loss must be lower before one fewer is repeated, in milliseconds. */
const HOLD_MS = 30_000;

/**
 * Decides how many earlier payloads each packet repeats, by the loss that the other end reports. The count rises at
 * once and falls slowly, one at a time, since loss comes in bursts and a payload costs little.
 */
export class Redundancy {
  #setting;
  #clock;
  #count = 0;
  /** The last time that the present count was needed. */
  #neededMs = 0;

  /**
   * @param {'auto' | 0 | 1 | 2} setting  a number: always that count
   * @param {Pick<Clock, 'now'>} [clock]
   * @throws {RangeError} for another setting
   */
  constructor(setting, clock = systemClock) {
    if (setting !== 'auto' && !(Number.isInteger(setting) && setting >= 0 && setting <= MAX_REDUNDANCY)) {
      throw new RangeError(`redundancy ${setting}: allowed are auto and 0 to ${MAX_REDUNDANCY}`);
    }
    this.#setting = setting;
    this.#clock = clock;
  }

  /**
   * @param {number | null} lostPercent  of the packets of the last seconds, those that never came, before any
   *   of it was mended; null or not a number: not known, and nothing changes
   */
  report(lostPercent) {
    if (typeof lostPercent !== 'number' || Number.isNaN(lostPercent)) return;
    const before = this.count;
    while (this.#count < MAX_REDUNDANCY && lostPercent >= RISE_PERCENT[this.#count + 1]) this.#count += 1;
    if (this.#count > before || lostPercent >= KEEP_PERCENT[before]) this.#neededMs = this.#clock.now();
  }

  /** The number of earlier payloads to repeat now: 0 to MAX_REDUNDANCY. */
  get count() {
    if (this.#setting !== 'auto') return this.#setting;
    if (this.#count > 0 && this.#clock.now() - this.#neededMs >= HOLD_MS) {
      this.#count -= 1;
      this.#neededMs = this.#clock.now();
    }
    return this.#count;
  }
}
