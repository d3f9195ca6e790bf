/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { LightListener } from '../mix/light-listener.js'
 * @import { RateCounts } from './layers.js'
 * @import { Reading } from './rate-rule.js'
 *
 * @typedef {LightListener & { rate: import('./rate-rule.js').RateRule }} RatedListener
 */

/** Interval at which some listeners are checked, in milliseconds. */
const LOOK_MS = 25;

/**
 * Number of checks in which all listeners have their turn: ten times a second each. A fall is heard
 * from the first delayed packet on.
 */
const CALM_LOOKS = 4;

/** Same for listeners whose path changes or that are further behind: twenty times a second each. */
const URGENT_LOOKS = 2;

/** Lateness of a check that shows a stall of the machine, in milliseconds. */
const STALL_MS = 50;

/**
 * Time after a stall until delayed acknowledgements are read, in milliseconds: until then packets
 * seem to be in flight.
 */
const AFTER_STALL_MS = 100;

/**
 * Age up to which a client's report counts, in milliseconds: clients report a change within a
 * second.
 */
const REPORT_MS = 2000;

/**
 * Checks the paths to a broadcast's listeners, some at a time, and steps each one's rule. A room
 * has one timer, while it has such listeners.
 */
export class RateWatch {
  #clock;
  #counts;
  #onStep;
  #calm = new Rota(CALM_LOOKS);
  #urgent = new Rota(URGENT_LOOKS);
  /** @type {unknown} */
  #timer = null;
  /** Time when the next check is due. */
  #dueMs = Infinity;
  #stalledUntilMs = -Infinity;

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {RateCounts} options.counts
   * @param {(listener: RatedListener) => void} options.onStep called after a step of the listener's
   *   rule: its rate may have changed
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
    // Packets that the machine itself delays say nothing about the path.
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

/** Listeners that are checked in turn, some in each check. */
class Rota {
  #looks;
  /** Number of listeners due now; below 1 between two looks. */
  #due = 0;
  /** Listeners, the one checked longest ago first. @type {Set<RatedListener>} */
  listeners = new Set();

  /** @param {number} looks needed to check all of them */
  constructor(looks) {
    this.#looks = looks;
  }

  /**
   * @param {(listener: RatedListener) => void} step gets the listeners that are taken out, and puts
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
