/** @import { Clock } from '../clock.js' */

import { systemClock } from '../clock.js';
import { MAX_REDUNDANCY } from '../wire/packet.js';

/** The loss from which one, and two, earlier payloads are repeated, in percent. */
const RISE_PERCENT = Object.freeze([0, 0.5, 2]);
/** The loss below which fewer are repeated again, in percent: about half of that. */
const KEEP_PERCENT = Object.freeze([0, 0.25, 1]);
/** The time for which loss must be lower before one fewer is repeated, in milliseconds. */
const HOLD_MS = 30_000;

/** The growth of the round trip from which on a queue is full, or will be, in milliseconds. */
const QUEUE_MS = 50;
/** So many reports in a row must tell of it. */
const QUEUE_REPORTS = 3;
/** The time in which a queue drains that was ours, once nothing is repeated, in milliseconds. */
const DRAIN_MS = 10_000;
/** The time for which nothing is repeated where it did, in milliseconds. */
const REST_MS = 60_000;
/** The shortest round trip is remembered for one to two times this, in milliseconds. */
const MEMORY_MS = 30_000;

/**
 * Decides how many earlier payloads each packet repeats, by the loss that the other end reports.
 * The count rises at once and falls slowly, one at a time, since loss comes in bursts and a payload
 * costs little.
 *
 * Loss on a path that has no room for more is another thing: what is repeated is lost in its turn,
 * and makes all of it late. There a queue fills, which the round trip tells: when it has grown,
 * nothing is repeated. If it hasn't shrunk again soon, the path has become longer, or the queue is
 * others', and all goes on.
 */
export class Redundancy {
  #setting;
  #clock;
  #count = 0;
  /** The last time that the present count was needed. */
  #neededMs = 0;
  #queue;
  /** Until then nothing is repeated. */
  #restsUntilMs = -Infinity;

  /**
   * @param {'auto' | 0 | 1 | 2} setting  a number: always that count
   * @param {Pick<Clock, 'now'>} [clock]
   * @throws {RangeError} for another setting
   */
  constructor(setting, clock = systemClock) {
    if (
      setting !== 'auto' &&
      !(Number.isInteger(setting) && setting >= 0 && setting <= MAX_REDUNDANCY)
    ) {
      throw new RangeError(`redundancy ${setting}: allowed are auto and 0 to ${MAX_REDUNDANCY}`);
    }
    this.#setting = setting;
    this.#clock = clock;
    this.#queue = new StandingQueue(clock);
  }

  /**
   * @param {number | null} lostPercent of the packets of the last seconds, those that never came,
   *   before any of it was mended; null or not a number: not known, and nothing changes
   * @param {number | null} [roundTripMs]  smoothed; null where it isn't known
   */
  report(lostPercent, roundTripMs = null) {
    if (this.#rests(roundTripMs)) return;
    if (typeof lostPercent !== 'number' || Number.isNaN(lostPercent)) return;
    const before = this.count;
    while (this.#count < MAX_REDUNDANCY && lostPercent >= RISE_PERCENT[this.#count + 1])
      this.#count += 1;
    if (this.#count > before || lostPercent >= KEEP_PERCENT[before])
      this.#neededMs = this.#clock.now();
  }

  /** @param {number | null} roundTripMs @returns {boolean} whether nothing is to be repeated now */
  #rests(roundTripMs) {
    const nowMs = this.#clock.now();
    const wasResting = nowMs < this.#restsUntilMs;
    if (roundTripMs === null || !this.#queue.stands(roundTripMs)) return wasResting;
    if (!wasResting) {
      this.#count = 0;
      this.#restsUntilMs = nowMs + REST_MS;
    } else if (nowMs >= this.#restsUntilMs - REST_MS + DRAIN_MS) {
      this.#queue.forget();
      this.#restsUntilMs = nowMs;
    }
    return nowMs < this.#restsUntilMs;
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

/** Whether a queue stands on the path, by how much longer the round trip is than it was. */
class StandingQueue {
  #clock;
  #sinceMs;
  #leastMs = Infinity;
  #leastBeforeMs = Infinity;
  #reports = 0;

  /** @param {Pick<Clock, 'now'>} clock */
  constructor(clock) {
    this.#clock = clock;
    this.#sinceMs = clock.now();
  }

  /** @param {number} roundTripMs @returns {boolean} */
  stands(roundTripMs) {
    const nowMs = this.#clock.now();
    if (nowMs - this.#sinceMs > MEMORY_MS) {
      this.#sinceMs = nowMs;
      this.#leastBeforeMs = this.#leastMs;
      this.#leastMs = Infinity;
    }
    this.#leastMs = Math.min(this.#leastMs, roundTripMs);
    const grownMs = roundTripMs - Math.min(this.#leastMs, this.#leastBeforeMs);
    this.#reports = grownMs >= QUEUE_MS ? this.#reports + 1 : 0;
    return this.#reports >= QUEUE_REPORTS;
  }

  /** The round trip is what it is: a new one is compared with those from now on. */
  forget() {
    this.#leastMs = Infinity;
    this.#leastBeforeMs = Infinity;
    this.#reports = 0;
  }
}
