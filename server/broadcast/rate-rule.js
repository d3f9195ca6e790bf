/**
 * Which bit rate does one listener of a broadcast get? Each rule is told what is known of the way, and answers with a rate:
 * it knows no session and no timer.
 *
 * @import { Form, Ladder } from './ladder.js'
 *
 * @typedef {object} Reading  what is known of the way to one listener; null for what isn't
 * @property {number} nowMs            on the monotonic clock
 * @property {number | null} sent      packets to the listener since the session began
 * @property {number | null} lost      those of them that are known to be lost
 * @property {number} blocked          those that weren't sent at all, since the way was blocked
 * @property {number | null} reported  the loss that the client reported lately, in percent
 * @property {number | null} roundTripMs
 * @property {number | null} deliveryBps  the estimate of what the way carries, in bits a second
 * @property {boolean} deliveryIsLimit    whether that is all that it carries, and not only all that was sent
 *
 * @typedef {object} RateRule
 * @property {number} index  of the rate that the listener is to get
 * @property {Form | null} probe  how its frames are sent while a higher rate is tried; null for the usual form
 * @property {boolean} urgent  whether the next reading is to be taken soon
 * @property {boolean} suffers  whether the way was too narrow just now, so that repeats would only make it worse
 * @property {(bps: number) => void} ask  the listener wants no more bits a second than this
 * @property {(reading: Reading) => RateEvent | null} step
 *
 * @typedef {{ goal: number, untilMs: number, roundTripMs: number | null }} Trial  goal: the rate that is tried; the round trip
 *   is that of its beginning
 *
 * @typedef {'up' | 'down' | 'failed'} RateEvent  failed: a probe
 */

/** The numbers that the rule `probe` goes by. */
export const PROBE_RULE = Object.freeze({
  /** The rate in bits a second to begin with: 72 kb/s on the way, which three quarters of a second of a narrow one still take. */
  startBps: 64_000,
  /** Loss with a queue above which the rate goes down, in percent: what two repeats still mend (docs/measuring.md). */
  lostPercent: 3,
  /** Loss without a queue counts by so many standard deviations above that: what a radio loses comes and goes. */
  lostDeviations: 3,
  /** The fewest packets that must have been lost in a window: of 33 in 2 s one is 3 % already, and three by chance at 2 % loss. */
  leastLost: 4,
  /** The window of loss, in milliseconds, and the fewest packets that are judged. */
  lossMs: 2000,
  leastSent: 10,
  /** The growth of the round trip above which the way is too narrow, in milliseconds: more than playing out makes up for. */
  queueMs: 150,
  /** The growth at which loss is a queue's: more than a radio link's retries. */
  mildQueueMs: 30,
  /** The growth during a probe that ends it: sooner than what is heard is late. */
  probeQueueMs: 40,
  /** The least round trip is remembered for one to two times this, in milliseconds: a way may become longer. */
  memoryMs: 30_000,
  /** How long a probe takes, in milliseconds: what one more rate would put into a queue of 100 ms shows in it. */
  probeMs: 3000,
  /** Pause after a change up, in milliseconds: its own packets have been acknowledged by then. */
  settleMs: 500,
  /** The wait before a probe after a change down, in milliseconds; it doubles with each failure, to the most. */
  waitMs: 4000,
  mostWaitMs: 64_000,
  /** A change down within this after a probe has taken it back, and counts as its failure, in milliseconds. */
  provenMs: 10_000,
  /** The share of what the way takes that is left after a change down, at most: three changes from 128 to 16 kb/s. */
  downShare: 0.6,
  /** The pause after a change down, in milliseconds: as long as its effect takes to be seen in the smoothed round trip. */
  holdMs: 1000,
  /** The further growth of the round trip, in milliseconds, at which the next change down comes at once. */
  worseMs: 60,
  /** How long the way is taken for narrow after a change down, in milliseconds: a queue of a second is empty by then. */
  suffersMs: 5000,
  /**
   * Loss of which this share is left when less is sent isn't the rate's doing, and is put up with: a window that is judged by
   * its loss has more of it than most. Which it is is judged after this time, in milliseconds: 66 packets.
   */
  curedShare: 1 / 3,
  doubtMs: 4000,
  /** For how long it is put up with, once it is less, in milliseconds. */
  toleranceMs: 60_000,
  /** The round trip's share, of that in which a probe failed, below which the way is another one. */
  shorterShare: 0.75,
  /** The least by which it is shorter, in milliseconds: less is a measuring error. */
  shorterMs: 10,
  /** The share of an estimate that is used: what is left carries acknowledgements and messages. */
  carriedShare: 0.9,
});

/** Keeps to the rate that was asked for (`basic` of the thesis on streaming over WebTransport, table 4.4, page 32). @implements {RateRule} */
export class BasicRule {
  /** @type {Form | null} */
  probe = null;
  urgent = false;
  suffers = false;

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
 * The highest rate that the estimate carries, not above the one that was asked for (`simple`, there). An estimate that is
 * no limit says what was sent, and so takes nothing away.
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

/** As `simple`, but without switching: the first estimate decides (`static-simple`, there). @implements {RateRule} */
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
 * Down when the way shows that it is too narrow, up only after a probe: for some seconds the frames are repeated as often
 * as makes the next rate's bits, which mends loss meanwhile. Sound that is sent as it is made never fills a way, so that no
 * estimate says how much more it would carry.
 * @implements {RateRule}
 */
export class ProbeRule extends BasicRule {
  #path = new PathState();
  /** @type {Trial | null} */
  #trial = null;
  #isBold = false;
  #nextMs = -Infinity;
  /** @type {number} */
  #waitMs = PROBE_RULE.waitMs;
  #upMs = -Infinity;
  #downMs = -Infinity;
  /** The round trip at the last change down, and in which the last probe failed. */
  #downRoundTripMs = Infinity;
  #failedRoundTripMs = 0;
  /**
   * The rate before a change down, or the end of a probe, because of loss alone, and that loss, until it is known whether it
   * helped; since when.
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
    const { nowMs } = reading;
    const path = this.#path;
    path.read(reading);
    this.suffers = nowMs - this.#downMs < PROBE_RULE.suffersMs;
    this.urgent = this.#trial !== null || this.suffers || path.grownMs > PROBE_RULE.mildQueueMs;
    if (this.#trial !== null) return this.#judge(reading);
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
  #judge({ nowMs, roundTripMs }) {
    const { goal, untilMs, roundTripMs: before } = /** @type {Trial} */ (this.#trial);
    const grownMs = before === null || roundTripMs === null ? 0 : roundTripMs - before;
    if (this.#path.isNarrow || grownMs > PROBE_RULE.probeQueueMs) {
      if (this.#path.isLossAlone) this.#suspect(nowMs);
      this.#failedRoundTripMs = before ?? 0;
      this.#end();
      this.#fail(nowMs);
      return 'failed';
    }
    if (nowMs < untilMs) return null;
    this.#end();
    this.#isBold = true;
    this.#upMs = nowMs;
    this.#nextMs = nowMs + PROBE_RULE.settleMs;
    return this.turnTo(goal);
  }

  /** @param {number} nowMs */
  #fail(nowMs) {
    this.#isBold = false;
    this.#waitMs = Math.min(2 * this.#waitMs, PROBE_RULE.mostWaitMs);
    this.#nextMs = nowMs + this.#waitMs;
  }

  /** @param {Reading} reading @returns {RateEvent | null} */
  #down({ nowMs, roundTripMs, deliveryBps, deliveryIsLimit }) {
    const isWorse = roundTripMs !== null && roundTripMs > this.#downRoundTripMs + PROBE_RULE.worseMs;
    if (this.index === 0 || (nowMs - this.#downMs < PROBE_RULE.holdMs && !isWorse)) return null;
    const { wire } = this.ladder;
    const known = deliveryIsLimit && deliveryBps !== null ? deliveryBps * PROBE_RULE.carriedShare : Infinity;
    const carried = this.ladder.carriedBy(Math.min(known, wire[this.index] * PROBE_RULE.downShare));
    if (this.#path.isLossAlone) this.#suspect(nowMs);
    const isFailure = nowMs - this.#upMs < PROBE_RULE.provenMs;
    this.#upMs = -Infinity;
    this.#downMs = nowMs;
    this.#downRoundTripMs = roundTripMs ?? Infinity;
    this.suffers = this.urgent = true;
    if (isFailure) {
      this.#failedRoundTripMs = this.#path.leastMs;
      this.#fail(nowMs);
    } else {
      this.#isBold = false;
      this.#nextMs = nowMs + this.#waitMs;
    }
    this.#path.beginWindow();
    return this.turnTo(Math.min(this.index - 1, carried));
  }

  /** @param {number} nowMs  at which less is sent because of loss alone */
  #suspect(nowMs) {
    const { index, lostPercent } = this.#doubt;
    const isFirst = index < 0;
    this.#doubt = { index: isFirst ? this.index : index, lostPercent: isFirst ? this.#path.lostPercent : lostPercent, sinceMs: nowMs };
    this.#path.beginSpan();
  }

  /** Loss that sending less hasn't cured isn't the rate's: the change down is taken back. @param {number} nowMs @returns {RateEvent | null} */
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

  /** Begins a probe, when its time has come and the way is calm. @param {Reading} reading @returns {null} */
  #begin({ nowMs, roundTripMs }) {
    if (nowMs - this.#upMs >= PROBE_RULE.provenMs && this.#upMs > -Infinity) {
      this.#waitMs = PROBE_RULE.waitMs;
      this.#upMs = -Infinity;
    }
    if (this.index >= this.asked || this.#path.grownMs > PROBE_RULE.mildQueueMs) return null;
    if (nowMs < this.#nextMs && !this.#isOther(roundTripMs)) return null;
    const far = Math.min(this.index + 2, this.asked);
    const form = this.#isBold ? this.ladder.probeOf(this.index, far) : null;
    const goal = form === null ? this.index + 1 : far;
    this.probe = form ?? this.ladder.probeOf(this.index, goal) ?? this.ladder.fullest;
    this.#trial = { goal, untilMs: nowMs + PROBE_RULE.probeMs, roundTripMs };
    this.#path.beginWindow();
    this.urgent = true;
    return null;
  }

  /** Whether packets are so much quicker than when a probe failed that the way has become wider. @param {number | null} roundTripMs */
  #isOther(roundTripMs) {
    if (roundTripMs === null || roundTripMs > this.#failedRoundTripMs * PROBE_RULE.shorterShare) return false;
    if (this.#failedRoundTripMs - roundTripMs < PROBE_RULE.shorterMs) return false;
    this.#failedRoundTripMs = 0;
    this.#waitMs = PROBE_RULE.waitMs;
    return true;
  }
}

/** The state of a way, from its readings: its loss in a window, and how much longer its round trip is than it was. */
class PathState {
  /** By how much the round trip is longer than the least, in milliseconds. */
  grownMs = 0;
  /** The loss of the window, or of the one before it while it has too few packets, in percent. */
  lostPercent = 0;
  isNarrow = false;
  isLossAlone = false;
  #leastMs = Infinity;
  #leastBeforeMs = Infinity;
  #leastSinceMs = -Infinity;
  /** The counters at the window's beginning; NaN where it begins with the next reading. */
  #sinceMs = NaN;
  #sent = 0;
  #lost = 0;
  #blocked = NaN;
  /** The counters now, and at the beginning of a span. */
  #sentNow = 0;
  #lostNow = 0;
  #spanSent = 0;
  #spanLost = 0;
  /** @type {number} */
  #tolerated = PROBE_RULE.lostPercent;
  /** Whether the loss is above the limit, and so far above what is put up with that it is no chance. */
  #isSome = false;
  #isMuch = false;
  #toleratedUntilMs = -Infinity;

  /** The least round trip of late, in milliseconds; 0 where none is known. */
  get leastMs() {
    const least = Math.min(this.#leastMs, this.#leastBeforeMs);
    return least === Infinity ? 0 : least;
  }

  /** Loss is counted anew from the next reading on. */
  beginWindow() {
    this.#sinceMs = NaN;
  }

  /** A span begins that is longer than a window. */
  beginSpan() {
    this.#spanSent = this.#sentNow;
    this.#spanLost = this.#lostNow;
  }

  /** The loss since the span began, in percent; the client's report where it isn't counted. */
  get spanPercent() {
    const count = this.#sentNow - this.#spanSent;
    return count > 0 ? (100 * (this.#lostNow - this.#spanLost)) / count : this.lostPercent;
  }

  /** @param {number} percent  that is put up with @param {number} nowMs */
  tolerate(percent, nowMs) {
    this.#tolerated = percent;
    this.#toleratedUntilMs = nowMs + PROBE_RULE.toleranceMs;
  }

  /** @param {Reading} reading */
  read({ nowMs, sent, lost, blocked, reported, roundTripMs }) {
    if (roundTripMs !== null) this.#time(roundTripMs, nowMs);
    const isBlocked = blocked > this.#blocked;
    this.#blocked = blocked;
    if (nowMs >= this.#toleratedUntilMs) this.#tolerated = PROBE_RULE.lostPercent;
    if (sent === null || lost === null) this.#takeReport(reported);
    else this.#count(sent, lost, nowMs);
    const hasQueue = this.grownMs > PROBE_RULE.mildQueueMs;
    this.isLossAlone = this.#isMuch && !hasQueue && !isBlocked;
    const isQueueLoss = hasQueue && this.#isSome;
    this.isNarrow = isBlocked || this.isLossAlone || isQueueLoss || this.grownMs > PROBE_RULE.queueMs;
  }

  /** @param {number} roundTripMs @param {number} nowMs */
  #time(roundTripMs, nowMs) {
    if (nowMs - this.#leastSinceMs > PROBE_RULE.memoryMs) {
      this.#leastSinceMs = nowMs;
      this.#leastBeforeMs = this.#leastMs;
      this.#leastMs = Infinity;
    }
    this.#leastMs = Math.min(this.#leastMs, roundTripMs);
    this.grownMs = roundTripMs - this.leastMs;
  }

  /** @param {number | null} reported  over the client's last seconds */
  #takeReport(reported) {
    this.lostPercent = reported ?? 0;
    this.#isSome = this.lostPercent > PROBE_RULE.lostPercent;
    this.#isMuch = this.lostPercent > this.#tolerated;
  }

  /** @param {number} sent @param {number} lost @param {number} nowMs */
  #count(sent, lost, nowMs) {
    this.#sentNow = sent;
    this.#lostNow = lost;
    if (Number.isNaN(this.#sinceMs)) this.#open(sent, lost, nowMs);
    const [count, gone] = [sent - this.#sent, lost - this.#lost];
    const isKnown = count >= PROBE_RULE.leastSent;
    if (isKnown) this.lostPercent = (100 * gone) / count;
    const expected = (count * this.#tolerated) / 100;
    this.#isSome = isKnown && gone >= PROBE_RULE.leastLost && this.lostPercent > PROBE_RULE.lostPercent;
    this.#isMuch = this.#isSome && gone > expected + PROBE_RULE.lostDeviations * Math.sqrt(expected);
    if (nowMs - this.#sinceMs < PROBE_RULE.lossMs) return;
    this.#open(sent, lost, nowMs);
    if (this.lostPercent >= this.#tolerated / 2) this.#toleratedUntilMs = nowMs + PROBE_RULE.toleranceMs;
  }

  /** @param {number} sent @param {number} lost @param {number} nowMs */
  #open(sent, lost, nowMs) {
    this.#sinceMs = nowMs;
    this.#sent = sent;
    this.#lost = lost;
  }
}

/** The rules, by the names that the option `--listener-rule` has. */
export const RATE_RULES = Object.freeze({ probe: ProbeRule, simple: SimpleRule, static: StaticRule, basic: BasicRule });

/** @typedef {keyof typeof RATE_RULES} RateRuleName */
