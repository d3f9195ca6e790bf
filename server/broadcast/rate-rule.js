/**
 * Which bit rate does one listener of a broadcast get? Each rule is told what is known of the way,
 * and answers with a rate: it knows no session and no timer.
 *
 * @import { Carriage } from '../mix/light-listener.js'
 * @import { Form, Ladder } from './ladder.js'
 *
 * @typedef {object} Reading  what is known of the way to one listener; null for what isn't
 * @property {number} nowMs            on the monotonic clock
 * @property {Carriage} carriage       how packets go to the listener
 * @property {number | null} sent      packets to the listener since the session began
 * @property {number | null} lost      those of them that are known to be lost
 * @property {number} blocked          those that weren't sent at all, since the way was blocked
 * @property {number | null} reported  the loss that the client reported lately, in percent
 * @property {number | null} roundTripMs
 * @property {number | null} deliveryBps  the estimate of what the way carries, in bits a second
 * @property {boolean} deliveryIsLimit whether that is all that it carries, and not only all that
 *   was sent
 * @property {number | null} underWayMs how long the oldest packet is under way that is neither
 *   acknowledged nor known to be lost; 0 where none is
 *
 * @typedef {object} RateRule
 * @property {number} index  of the rate that the listener is to get
 * @property {Form | null} probe how its frames are sent while a higher rate is tried; null for the
 *   usual form
 * @property {boolean} urgent  whether the next reading is to be taken soon
 * @property {boolean} suffers whether the way was too narrow just now, so that repeats would only
 *   make it worse
 * @property {boolean} isCalm  whether nothing waits on the way, as far as is known
 * @property {number} arrivedMs what was sent before this has arrived, on the monotonic clock;
 *   -Infinity where that isn't known
 * @property {boolean} bare whether the way is too narrow for packets that go more than once,
 *   whatever is lost
 * @property {(bps: number) => void} ask  the listener wants no more bits a second than this
 * @property {(reading: Reading) => RateEvent | null} step
 *
 * @typedef {{ goal: number, from: number, isStep: boolean, untilMs: number, roundTripMs: number |
 *   null }} Trial goal: the rate that is tried, from another one; isStep: by sending it, and not by
 *   repeats; the round trip is that of its beginning
 *
 * @typedef {'up' | 'down' | 'failed'} RateEvent  failed: a probe
 */

import { PathState } from './path-state.js';
import { PROBE_RULE } from './probe-rule.js';

/**
 * Keeps to the rate that was asked for (`basic` of the thesis on streaming over WebTransport, table
 * 4.4, page 32).
 * @implements {RateRule}
 */
export class BasicRule {
  /** @type {Form | null} */
  probe = null;
  urgent = false;
  suffers = false;
  bare = false;
  isCalm = true;
  arrivedMs = -Infinity;

  /** @param {Ladder} ladder  until anything else is asked for, its highest rate is */
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
 * The highest rate that the estimate carries, not above the one that was asked for (`simple`,
 * there). An estimate that is no limit says what was sent, and so takes nothing away.
 * @implements {RateRule}
 */
export class SimpleRule extends BasicRule {
  /** @override @param {Reading} reading */
  step({ deliveryBps, deliveryIsLimit }) {
    if (deliveryBps === null) return null;
    const carried = this.ladder.carriedBy(PROBE_RULE.carriedShare * deliveryBps);
    return this.turnTo(deliveryIsLimit ? carried : Math.max(carried, this.index));
  }
}

/**
 * As `simple`, but without switching: the first estimate decides (`static-simple`, there).
 * @implements {RateRule}
 */
export class StaticRule extends SimpleRule {
  #decided = false;

  /** @override @param {number} bps */
  ask(bps) {
    super.ask(bps);
    this.#decided = false;
  }

  /** @override @param {Reading} reading */
  step(reading) {
    if (this.#decided || reading.deliveryBps === null) return null;
    this.#decided = true;
    return super.step(reading);
  }
}

/**
 * Down when the way shows that it is too narrow, up only after a probe: for some seconds the frames
 * are repeated as often as makes the next rate's bits, which mends loss meanwhile. Sound that is
 * sent as it is made never fills a way, so that no estimate says how much more it would carry. The
 * next rate itself is the probe where packets go surely, or more than once, since there is time to
 * mend what a step too far costs, and where repeats make far more bits than it. Where the way
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
  /** When the way was last too narrow for what was sent. */
  #narrowMs = -Infinity;
  /** The round trip at the last change down. */
  #downRoundTripMs = Infinity;
  /**
   * When a probe last failed, and the round trip at the same rate once nothing waited any more; NaN
   * until then.
   */
  #failedMs = Infinity;
  #failedRoundTripMs = NaN;
  /**
   * The rate before a change down, or the end of a probe, because of loss alone, and that loss,
   * until it is known whether it helped; since when.
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
    if (path.isNarrow && !path.isLossAlone) this.#narrowMs = nowMs;
    this.suffers = nowMs - Math.max(this.#downMs, this.#narrowMs) < PROBE_RULE.suffersMs;
    this.isCalm = !path.isNarrow && path.queueMs <= PROBE_RULE.mildQueueMs;
    this.arrivedMs = path.arrivedMs;
    // There are fewer of those who are further behind, and the sooner less is sent the less of
    // their buffer is used up.
    const isFar = carriage !== 'once' || this.bare;
    this.urgent =
      isFar || this.#trial !== null || this.suffers || path.queueMs > PROBE_RULE.mildQueueMs;
    if (this.#trial !== null) return this.#judge(reading);
    if (this.bare && path.isLossy && nowMs >= this.#nextMs) return this.#repeatAgain(nowMs);
    if (path.isNarrow) return this.#down(reading);
    return this.#doubted(nowMs) ?? this.#begin(reading);
  }

  /** Ends a probe, if there is one. */
  #end() {
    this.#trial = null;
    this.probe = null;
    this.#path.beginWindow();
  }

  /** @param {Reading} reading @returns {RateEvent | null} */
  #judge({ nowMs, roundTripMs, carriage }) {
    const { goal, from, isStep, untilMs, roundTripMs: before } = /** @type {Trial} */ (this.#trial);
    const grownMs = before === null || roundTripMs === null ? 0 : roundTripMs - before;
    // Larger packets take longer; where they go surely, no more than that is heard.
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

  /** Less is sent from now on, since the way is too narrow. @param {number} nowMs */
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
   * Packets go more than once again, since some are lost, and not for lack of room.
   * @param {number} nowMs
   * @returns {null}
   */
  #repeatAgain(nowMs) {
    this.bare = false;
    this.#upMs = nowMs;
    this.#path.beginWindow();
    return null;
  }

  /** @param {number} nowMs  at which less is sent because of loss alone */
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
   * Loss that sending less hasn't cured isn't the rate's: the change down is taken back.
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
   * Begins a probe, when its time has come and the way is calm.
   * @param {Reading} reading
   * @returns {RateEvent | null}
   */
  #begin({ nowMs, roundTripMs, carriage }) {
    if (nowMs - this.#upMs >= PROBE_RULE.provenMs && this.#upMs > -Infinity) {
      this.#waitMs = PROBE_RULE.waitMs;
      this.#upMs = -Infinity;
    }
    if (this.index >= this.asked || this.#path.grownMs > PROBE_RULE.mildQueueMs) return null;
    if (nowMs < this.#nextMs && !this.#isOther(roundTripMs, nowMs)) return null;
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
   * Whether packets are so much quicker than after the last probe failed, at the same rate, that
   * the way has become wider.
   * @param {number | null} roundTripMs
   * @param {number} nowMs
   */
  #isOther(roundTripMs, nowMs) {
    if (roundTripMs === null || nowMs - this.#failedMs < PROBE_RULE.drainedMs) return false;
    if (Number.isNaN(this.#failedRoundTripMs)) this.#failedRoundTripMs = roundTripMs;
    if (roundTripMs > this.#failedRoundTripMs * PROBE_RULE.shorterShare) return false;
    if (this.#failedRoundTripMs - roundTripMs < PROBE_RULE.shorterMs) return false;
    this.#failedMs = Infinity;
    this.#waitMs = PROBE_RULE.waitMs;
    return true;
  }
}

/** The rules, by the names that the option `--listener-rule` has. */
export const RATE_RULES = Object.freeze({
  probe: ProbeRule,
  simple: SimpleRule,
  static: StaticRule,
  basic: BasicRule,
});

/** @typedef {keyof typeof RATE_RULES} RateRuleName */
