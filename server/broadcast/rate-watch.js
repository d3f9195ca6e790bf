/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { LightListener } from '../mix/light-listener.js'
 * @import { SessionStats } from '../transport/session.js'
 * @import { RateCounts } from './rate-counts.js'
 * @import { Reading } from './rate-rule.js'
 *
 * @typedef {LightListener & { rate: import('./rate-rule.js').RateRule }} RatedListener
 */

/** How often some listeners are looked at, in milliseconds, and in how many parts all of them are: each once a second. */
const PART_MS = 25;
const PARTS = 40;

/** In how many parts those are looked at whose way is changing: each four times a second. */
const URGENT_PARTS = 10;

/** The age up to which a client's report counts, in milliseconds: clients report a change within a second. */
const REPORT_MS = 2000;

/**
 * Looks at the ways to a broadcast's listeners, some of them at a time, and asks each one's rule. One timer for a room,
 * while it has such listeners.
 */
export class RateWatch {
  #clock;
  #counts;
  #onStep;
  /** @type {RatedListener[]} */
  #listeners = [];
  /** @type {Set<RatedListener>} */
  #urgent = new Set();
  /** How many of the urgent ones are to be looked at. */
  #due = 0;
  #at = 0;
  #part = 0;
  /** @type {unknown} */
  #timer = null;

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {RateCounts} options.counts
   * @param {(listener: RatedListener) => void} options.onStep  the listener's rule was asked: its rate may be another one
   */
  constructor({ clock, counts, onStep }) {
    this.#clock = clock;
    this.#counts = counts;
    this.#onStep = onStep;
  }

  /** @param {RatedListener} listener */
  add(listener) {
    this.#listeners.push(listener);
    this.#timer ??= this.#later();
  }

  /** @param {RatedListener} listener */
  remove(listener) {
    const at = this.#listeners.indexOf(listener);
    if (at < 0) return;
    this.#listeners[at] = this.#listeners[this.#listeners.length - 1];
    this.#listeners.pop();
    this.#urgent.delete(listener);
    if (this.#listeners.length === 0) this.close();
  }

  #later() {
    return this.#clock.setTimeout(() => this.#look(), PART_MS);
  }

  #look() {
    this.#timer = this.#later();
    this.#part = (this.#part + 1) % PARTS;
    const nowMs = this.#clock.now();
    const { length } = this.#listeners;
    // Each of these once in PARTS looks, to whatever number they grow meanwhile.
    const end = this.#part === 0 ? length : Math.min(length, Math.max(this.#at, Math.ceil((this.#part * length) / PARTS)));
    for (; this.#at < end; this.#at++) {
      const listener = this.#listeners[this.#at];
      if (!this.#urgent.has(listener)) this.#step(listener, nowMs);
    }
    if (this.#part === 0) this.#at = 0;
    this.#lookAtUrgent(nowMs);
  }

  /** The one that was looked at longest ago comes first. @param {number} nowMs */
  #lookAtUrgent(nowMs) {
    this.#due += this.#urgent.size / URGENT_PARTS;
    for (const listener of this.#urgent) {
      if (this.#due < 1) return;
      this.#due -= 1;
      this.#urgent.delete(listener);
      this.#step(listener, nowMs);
    }
    this.#due = 0;
  }

  /** @param {RatedListener} listener @param {number} nowMs */
  #step(listener, nowMs) {
    const event = listener.rate.step(readingOf(listener, nowMs));
    if (event !== null) this.#counts[event] += 1;
    if (listener.rate.urgent) this.#urgent.add(listener);
    else this.#urgent.delete(listener);
    this.#onStep(listener);
  }

  /** Idempotent. */
  close() {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
    this.#listeners = [];
    this.#urgent.clear();
    this.#at = this.#part = 0;
  }
}

/** @param {RatedListener} listener @param {number} nowMs @returns {Reading} */
function readingOf(listener, nowMs) {
  const stats = listener.session.stats();
  const { sentPackets: sent = null, lostPackets, droppedOut: blocked, rttMs: roundTripMs, deliveryBps = null, deliveryIsLimit = false } = stats;
  const reported = listener.reportedSince(nowMs - REPORT_MS);
  return { nowMs, sent, lost: sent === null ? null : lostPackets, blocked, reported, roundTripMs, deliveryBps, deliveryIsLimit };
}
