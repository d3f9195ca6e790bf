/**
 * Chooses the bit rate of one listener of a broadcast. Each rule gets readings of the path and
 * answers with a rate: it knows no session and no timer.
 *
 * @import { Carriage } from '../mix/light-listener.js'
 * @import { Form, Ladder } from './ladder.js'
 *
 * @typedef {object} Reading known state of the path to one listener; null for unknown values
 * @property {number} nowMs on the monotonic clock
 * @property {Carriage} carriage kind of delivery to the listener
 * @property {number | null} sent packets to the listener since the session began
 * @property {number | null} lost packets known to be lost
 * @property {number} blocked packets that weren't sent because the path was blocked
 * @property {number | null} reported loss in the client's recent report, in percent
 * @property {number | null} roundTripMs
 * @property {number | null} deliveryBps estimated capacity of the path, in bits a second
 * @property {boolean} deliveryIsLimit true if the path carries no more; false if no more was sent
 * @property {number | null} underWayMs age of the oldest packet in flight, neither acknowledged nor
 *   lost; 0 without one
 *
 * @typedef {object} RateRule
 * @property {number} index of the listener's rate
 * @property {Form | null} probe form of its frames while a higher rate is tried; null for the usual
 *   form
 * @property {boolean} urgent true if the next reading is to come soon
 * @property {boolean} suffers true if the path was just too narrow, so that repeats would make it
 *   worse
 * @property {boolean} isCalm true if no queue is known
 * @property {number} arrivedMs time before which all sent packets have arrived, on the monotonic
 *   clock; -Infinity if unknown
 * @property {boolean} bare true if the path is too narrow for packets that go more than once,
 *   whatever is lost
 * @property {(bps: number) => void} ask sets the most bits a second that the listener wants
 * @property {(reading: Reading) => RateEvent | null} step
 *
 * @typedef {{ goal: number, from: number, isStep: boolean, untilMs: number, roundTripMs: number |
 *   null }} Trial goal: index of the tried rate, from another one; isStep: tried by sending it, and
 *   not by repeats; roundTripMs: at its beginning
 *
 * @typedef {'up' | 'down' | 'failed'} RateEvent failed: a probe
 */

import { PathState } from './path-state.js';
import { PROBE_RULE } from './probe-rule.js';

/** Keeps to the requested rate. Base of other rules. @implements {RateRule} */
export class BasicRule {
  /** @type {Form | null} */
  probe = null;
  urgent = false;
  suffers = false;
  bare = false;
  isCalm = true;
  arrivedMs = -Infinity;

  /** @param {Ladder} ladder its highest rate is the first request */
  constructor(ladder) {
    this.ladder = ladder;
    this.asked = ladder.rates.length - 1;
    this.index = this.asked;
  }

  /** @param {number} bps */
  ask(bps) {
    this.asked = this.ladder.indexOf(bps);
    this.index = this.asked;
  }

  /** @param {Reading} _reading @returns {RateEvent | null} */
  step(_reading) {
    return null;
  }

  /** @param {number} index @returns {RateEvent | null} */
  turnTo(index) {
    const before = this.index;
    this.index = Math.min(index, this.asked);
    return this.index > before ? 'up' : this.index < before ? 'down' : null;
  }
}

/**
 * Goes down when the path is too narrow, up only after a probe. For some seconds repeats fill the
 * frames to the next rate's bits, and also repair loss. No estimate shows the spare capacity,
 * because live sound never fills a path.
 *
 * The next rate itself is the probe if repeats make far more bits than it. It also is when packets
 * go surely, or more than once, because there is time to repair a step too far. When the path
 * becomes narrow, packets that go more than once go once first.
 * @implements {RateRule}
 */
export class ProbeRule extends BasicRule {
  /** @override */
  bare = false;
  #path = new PathState();
  /** @type {Trial | null} */
  #trial = null;
  #isBold = false;
  #nextMs = -Infinity;
  /** @type {number} */
  #waitMs = PROBE_RULE.waitMs;
  #upMs = -Infinity;
  #downMs = -Infinity;
  /** Time when the path was last too narrow for the rate. */
  #narrowMs = -Infinity;
  /** Round trip at the last change down. */
  #downRoundTripMs = Infinity;
  /**
   * Time of the last failed probe, and the round trip at the same rate once nothing waited any
   * more; NaN until then.
   */
  #failedMs = Infinity;
  #failedRoundTripMs = NaN;
  /**
   * Change down, or end of a probe, caused by loss only. The previous rate, the loss and the time
   * are kept until we know whether it helped.
   */
  #doubt = { index: -1, lostPercent: 0, sinceMs: 0 };

  /** @param {Ladder} ladder */
  constructor(ladder) {
    super(ladder);
    this.index = Math.min(this.asked, ladder.indexOf(PROBE_RULE.startBps));
  }

  /** @override @param {number} bps */
  ask(bps) {
    this.asked = this.ladder.indexOf(bps);
    if (this.#trial !== null && this.#trial.goal > this.asked) this.#end();
    this.index = Math.min(this.index, this.asked);
  }

  /** @override @param {Reading} reading */
  step(reading) {
    const { nowMs, carriage } = reading;
    const path = this.#path;
    const { stride } =
      carriage === 'once' ? (this.probe ?? this.ladder.usual[this.index]) : this.ladder;
    path.read(reading, stride * this.ladder.frameMs);
    this.#watch(reading);
    if (this.#trial !== null) return this.#judge(reading);
    if (this.bare && path.isLossy && nowMs >= this.#nextMs) return this.#restoreRepeats(nowMs);
    if (path.isNarrow) return this.#down(reading);
    return this.#doubted(nowMs) ?? this.#begin(reading);
  }

  /** Updates the public state of the path. @param {Reading} reading */
  #watch({ nowMs, carriage }) {
    const path = this.#path;
    if (path.isNarrow && !path.isLossAlone) this.#narrowMs = nowMs;
    this.suffers = nowMs - Math.max(this.#downMs, this.#narrowMs) < PROBE_RULE.suffersMs;
    this.isCalm = !path.isNarrow && path.queueMs <= PROBE_RULE.mildQueueMs;
    this.arrivedMs = path.arrivedMs;
    // Few listeners are far behind, and lowering their rate sooner saves more of their buffer.
    const isFar = carriage !== 'once' || this.bare;
    this.urgent =
      isFar || this.#trial !== null || this.suffers || path.queueMs > PROBE_RULE.mildQueueMs;
  }

  /** Ends a running probe. */
  #end() {
    this.#trial = null;
    this.probe = null;
    this.#path.beginWindow();
  }

  /** @param {Reading} reading @returns {RateEvent | null} */
  #judge({ nowMs, roundTripMs, carriage }) {
    const { goal, from, isStep, untilMs, roundTripMs: before } = /** @type {Trial} */ (this.#trial);
    const grownMs = before === null || roundTripMs === null ? 0 : roundTripMs - before;
    // Larger packets take longer; with sure arrival that isn't heard.
    const isLong = carriage !== 'surely' && grownMs > PROBE_RULE.probeQueueMs;
    if (this.#path.isNarrow || isLong) {
      if (this.#path.isLossAlone) this.#suspect(nowMs);
      this.#end();
      if (isStep) this.#fall(nowMs);
      this.#fail(nowMs);
      if (isStep) this.turnTo(from);
      return 'failed';
    }
    if (nowMs < untilMs) return null;
    this.#end();
    this.#isBold = true;
    this.#upMs = nowMs;
    this.#nextMs = nowMs + PROBE_RULE.settleMs;
    return this.turnTo(goal);
  }

  /** Notes that the path is too narrow, and less is sent from now on. @param {number} nowMs */
  #fall(nowMs) {
    this.#downMs = nowMs;
    this.#downRoundTripMs = this.#path.delayMs ?? Infinity;
    this.suffers = this.urgent = true;
    this.#path.beginWindow();
  }

  /** @param {number} nowMs */
  #fail(nowMs) {
    this.#isBold = false;
    this.#failedMs = nowMs;
    this.#failedRoundTripMs = NaN;
    this.#waitMs = Math.min(2 * this.#waitMs, PROBE_RULE.mostWaitMs);
    this.#nextMs = nowMs + this.#waitMs;
  }

  /** @param {Reading} reading @returns {RateEvent | null} */
  #down({ nowMs, deliveryBps, deliveryIsLimit, carriage }) {
    const { delayMs } = this.#path;
    const isFailure = nowMs - this.#upMs < PROBE_RULE.provenMs;
    if (carriage === 'thrice' && !this.#path.isLossAlone) {
      this.bare = true;
      this.#upMs = -Infinity;
      this.#fall(nowMs);
      if (isFailure) this.#fail(nowMs);
      else this.#nextMs = nowMs + this.#waitMs;
      return null;
    }
    const isWorse = delayMs !== null && delayMs > this.#downRoundTripMs + PROBE_RULE.worseMs;
    if (this.index === 0 || (nowMs - this.#downMs < PROBE_RULE.holdMs && !isWorse)) return null;
    const { wire } = this.ladder;
    const known =
      deliveryIsLimit && deliveryBps !== null ? deliveryBps * PROBE_RULE.carriedShare : Infinity;
    const share = Math.max(
      PROBE_RULE.leastShare,
      Math.min(1 - this.#path.growth, PROBE_RULE.downShare),
    );
    const carried = this.ladder.carriedBy(Math.min(known, wire[this.index] * share));
    if (this.#path.isLossAlone) this.#suspect(nowMs);
    this.#upMs = -Infinity;
    this.#fall(nowMs);
    if (isFailure) {
      this.#fail(nowMs);
    } else {
      this.#isBold = false;
      this.#nextMs = nowMs + this.#waitMs;
    }
    return this.turnTo(Math.min(this.index - 1, carried));
  }

  /**
   * Sends packets more than once again, because some are lost without a lack of capacity.
   * @param {number} nowMs
   * @returns {null}
   */
  #restoreRepeats(nowMs) {
    this.bare = false;
    this.#upMs = nowMs;
    this.#path.beginWindow();
    return null;
  }

  /** @param {number} nowMs time of a reduction caused by loss only */
  #suspect(nowMs) {
    const { index, lostPercent } = this.#doubt;
    const isFirst = index < 0;
    this.#doubt = {
      index: isFirst ? this.index : index,
      lostPercent: isFirst ? this.#path.lostPercent : lostPercent,
      sinceMs: nowMs,
    };
    this.#path.beginSpan();
  }

  /**
   * Takes back a change down that hasn't cured the loss: the rate wasn't its cause.
   * @param {number} nowMs
   * @returns {RateEvent | null}
   */
  #doubted(nowMs) {
    const { index, lostPercent, sinceMs } = this.#doubt;
    if (index < 0 || nowMs - sinceMs < PROBE_RULE.doubtMs) return null;
    this.#doubt.index = -1;
    const left = this.#path.spanPercent;
    if (left < PROBE_RULE.curedShare * lostPercent) return null;
    this.#path.tolerate(Math.max(PROBE_RULE.lostPercent, left), nowMs);
    this.#nextMs = nowMs;
    return this.turnTo(index);
  }

  /**
   * Begins a probe, when it is due and the path is calm.
   * @param {Reading} reading
   * @returns {RateEvent | null}
   */
  #begin({ nowMs, roundTripMs, carriage }) {
    if (nowMs - this.#upMs >= PROBE_RULE.provenMs && this.#upMs > -Infinity) {
      this.#waitMs = PROBE_RULE.waitMs;
      this.#upMs = -Infinity;
    }
    if (this.index >= this.asked || this.#path.grownMs > PROBE_RULE.mildQueueMs) return null;
    if (nowMs < this.#nextMs && !this.#isPathFaster(roundTripMs, nowMs)) return null;
    const far = Math.min(this.index + 2, this.asked);
    const bold = this.#isBold ? this.ladder.probeOf(this.index, far) : null;
    const goal = bold === null ? this.index + 1 : far;
    const form = bold ?? this.ladder.probeOf(this.index, goal);
    const isStep = carriage !== 'once' || form === null;
    this.#trial = {
      goal,
      from: this.index,
      isStep,
      untilMs: nowMs + PROBE_RULE.probeMs,
      roundTripMs,
    };
    this.#path.beginWindow();
    this.urgent = true;
    if (isStep) return this.turnTo(goal);
    this.probe = form;
    return null;
  }

  /**
   * Returns true if packets are so much faster than after the last failed probe, at the same rate,
   * that the path must be wider.
   * @param {number | null} roundTripMs
   * @param {number} nowMs
   */
  #isPathFaster(roundTripMs, nowMs) {
    if (roundTripMs === null || nowMs - this.#failedMs < PROBE_RULE.drainedMs) return false;
    if (Number.isNaN(this.#failedRoundTripMs)) this.#failedRoundTripMs = roundTripMs;
    if (roundTripMs > this.#failedRoundTripMs * PROBE_RULE.shorterShare) return false;
    if (this.#failedRoundTripMs - roundTripMs < PROBE_RULE.shorterMs) return false;
    this.#failedMs = Infinity;
    this.#waitMs = PROBE_RULE.waitMs;
    return true;
  }
}

/** Rules by name. A plugin adds others. @type {Map<string, new (ladder: Ladder) => RateRule>} */
export const RATE_RULES = new Map([['probe', ProbeRule]]);

/** @param {string} name @param {Ladder} ladder */
export function rateRuleOf(name, ladder) {
  const Rule = RATE_RULES.get(name) ?? ProbeRule;
  return new Rule(ladder);
}
