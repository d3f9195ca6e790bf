/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { LightListener } from '../mix/light-listener.js'
 * @import { SessionStats } from '../transport/session.js'
 * @import { RateCounts } from './rate-counts.js'
 * @import { Reading } from './rate-rule.js'
 *
 * @typedef {LightListener & { rate: import('./rate-rule.js').RateRule }} RatedListener
 */

/** How often some listeners are looked at, in milliseconds. */
const LOOK_MS = 25;

/**
 * The looks that it takes to see all listeners: each ten times a second, since a fall is heard from
 * the first packet on that it holds up.
 */
const CALM_LOOKS = 4;

/**
 * The looks that it takes to see all those whose way is changing, or who are further behind: each
 * twenty times a second.
 */
const URGENT_LOOKS = 2;

/** The lateness of a look from which on the machine has stood still, in milliseconds. */
const STALL_MS = 50;

/**
 * The time after that in which acknowledgements are read that came meanwhile, in milliseconds:
 * until then packets seem to be under way.
 */
const AFTER_STALL_MS = 100;

/**
 * The age up to which a client's report counts, in milliseconds: clients report a change within a
 * second.
 */
const REPORT_MS = 2000;

/**
 * Looks at the ways to a broadcast's listeners, some of them at a time, and asks each one's rule.
 * One timer for a room, while it has such listeners.
 */
export class RateWatch {
  #clock;
  #counts;
  #onStep;
  #calm = new Rota(CALM_LOOKS);
  #urgent = new Rota(URGENT_LOOKS);
  /** @type {unknown} */
  #timer = null;
  /** When the next look is due. */
  #dueMs = Infinity;
  #stalledUntilMs = -Infinity;

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {RateCounts} options.counts
   * @param {(listener: RatedListener) => void} options.onStep the listener's rule was asked: its
   *   rate may be another one
   */
  constructor({ clock, counts, onStep }) {
    this.#clock = clock;
    this.#counts = counts;
    this.#onStep = onStep;
  }

  /** @param {RatedListener} listener */
  add(listener) {
    this.#calm.listeners.add(listener);
    this.#timer ??= this.#later();
  }

  /** @param {RatedListener} listener */
  remove(listener) {
    this.#calm.listeners.delete(listener);
    this.#urgent.listeners.delete(listener);
    if (this.#calm.listeners.size + this.#urgent.listeners.size === 0) this.close();
  }

  #later() {
    this.#dueMs = this.#clock.now() + LOOK_MS;
    return this.#clock.setTimeout(() => this.#look(), LOOK_MS);
  }

  #look() {
    const nowMs = this.#clock.now();
    if (nowMs - this.#dueMs >= STALL_MS) this.#stalledUntilMs = nowMs + AFTER_STALL_MS;
    this.#timer = this.#later();
    this.#calm.look((listener) => this.#step(listener, nowMs));
    this.#urgent.look((listener) => this.#step(listener, nowMs));
  }

  /** @param {RatedListener} listener  in neither rota now @param {number} nowMs */
  #step(listener, nowMs) {
    const reading = readingOf(listener, nowMs);
    // Packets that the machine itself holds up tell nothing of the way.
    if (nowMs < this.#stalledUntilMs) reading.underWayMs = null;
    const event = listener.rate.step(reading);
    if (event !== null) this.#counts[event] += 1;
    (listener.rate.urgent ? this.#urgent : this.#calm).listeners.add(listener);
    this.#onStep(listener);
  }

  /** Idempotent. */
  close() {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
    this.#calm.listeners.clear();
    this.#urgent.listeners.clear();
  }
}

/** Listeners who are looked at in turn, some in each look. */
class Rota {
  #looks;
  /** How many are to be looked at now; below 1 between two looks. */
  #due = 0;
  /** Those who were looked at longest ago come first. @type {Set<RatedListener>} */
  listeners = new Set();

  /** @param {number} looks  that it takes to see all of them */
  constructor(looks) {
    this.#looks = looks;
  }

  /**
   * @param {(listener: RatedListener) => void} step is given listeners that are taken out: it puts
   *   each into a rota again
   */
  look(step) {
    this.#due += this.listeners.size / this.#looks;
    for (const listener of this.listeners) {
      if (this.#due < 1) return;
      this.#due -= 1;
      this.listeners.delete(listener);
      step(listener);
    }
  }
}

/** @param {RatedListener} listener @param {number} nowMs @returns {Reading} */
function readingOf(listener, nowMs) {
  const { session } = listener;
  const stats = session.pathStats();
  const {
    sentPackets: sent = null,
    lostPackets,
    droppedOut: blocked,
    rttMs: roundTripMs,
    deliveryBps = null,
    deliveryIsLimit = false,
    underWayMs = null,
  } = stats;
  const reported = listener.reportedSince(nowMs - REPORT_MS);
  return {
    nowMs,
    carriage: listener.carriage,
    sent,
    lost: sent === null ? null : lostPackets,
    blocked,
    reported,
    roundTripMs,
    deliveryBps,
    deliveryIsLimit,
    underWayMs,
  };
}
