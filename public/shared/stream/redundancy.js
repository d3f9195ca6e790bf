/** @import { Clock } from '../clock.js' */

import { systemClock } from '../clock.js';
import { MAX_REDUNDANCY } from '../wire/packet.js';

/** Loss from which one and two earlier payloads are repeated, in percent. */
const RISE_PERCENT = Object.freeze([0, 0.5, 2]);
/** Loss below which fewer are repeated again, in percent: about half of RISE_PERCENT. */
const KEEP_PERCENT = Object.freeze([0, 0.25, 1]);
/** Time of lower loss before one fewer is repeated, in milliseconds. */
const HOLD_MS = 30_000;

/** Growth of the round trip that shows a queue which is full or will be, in milliseconds. */
const QUEUE_MS = 50;
/** Number of reports in a row that must show the queue. */
const QUEUE_REPORTS = 3;
/** Time in which our own queue drains once nothing is repeated, in milliseconds. */
const DRAIN_MS = 10_000;
/** Time without repeats after they filled a queue, in milliseconds. */
const REST_MS = 60_000;
/** Memory of the shortest round trip, in milliseconds: one to two times this. */
const MEMORY_MS = 30_000;

/**
 * Decides how many earlier payloads each packet repeats, by the loss that the other end reports.
 * The count rises at once and falls slowly, one by one, since loss comes in bursts and a payload
 * costs little.
 *
 * On a path without spare capacity repeats make loss worse: they get lost too, and delay
 * everything. The growing round trip reveals the queue; then nothing is repeated. If the round trip
 * doesn't shrink soon, the path has become longer or the queue is someone else's, and repeats
 * resume.
 */
export class Redundancy {
  #setting;
  #clock;
  #count = 0;
  /** Last time that the present count was needed. */
  #neededMs = 0;
  #queue;
  /** End of the time without repeats. */
  #restsUntilMs = -Infinity;

  /**
   * @param {'auto' | 0 | 1 | 2} setting a number: always that count
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
   * @param {number | null} lostPercent share of the last seconds' packets that never came, before
   *   any repair; null or not a number: unknown, changes nothing
   * @param {number | null} [roundTripMs] smoothed; null when unknown
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

  /** @param {number | null} roundTripMs @returns {boolean} true while nothing may be repeated */
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

  /** Number of earlier payloads to repeat now: 0 to MAX_REDUNDANCY. */
  get count() {
    if (this.#setting !== 'auto') return this.#setting;
    if (this.#count > 0 && this.#clock.now() - this.#neededMs >= HOLD_MS) {
      this.#count -= 1;
      this.#neededMs = this.#clock.now();
    }
    return this.#count;
  }
}

/** Detects a standing queue on the path by the growth of the round trip. */
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

  /** Accepts the present round trip as normal: later ones are compared with those from now on. */
  forget() {
    this.#leastMs = Infinity;
    this.#leastBeforeMs = Infinity;
    this.#reports = 0;
  }
}
