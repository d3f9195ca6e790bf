/** @import { Reading } from './rate-rule.js' */

import { PROBE_RULE } from './probe-rule.js';

/**
 * The state of a way, from its readings: its loss in a window, and how much longer its round trip
 * is than it was.
 */
export class PathState {
  /** By how much the round trip is longer than the least, in milliseconds. */
  grownMs = 0;
  /**
   * The round trip; longer where the oldest packet under way has taken longer already than it and a
   * held acknowledgement do, which shows a fall before any round trip that has ended. In
   * milliseconds; null where none is known.
   * @type {number | null}
   */
  delayMs = null;
  /**
   * The time before which all that was sent has arrived, as far as is known, on the monotonic
   * clock.
   */
  arrivedMs = -Infinity;
  /** The loss of the window, or of the one before it while it has too few packets, in percent. */
  lostPercent = 0;
  /**
   * The quickest growth of the wait since nothing waited, as a share of the time that passed: a
   * full queue grows no more.
   */
  growth = 0;
  isNarrow = false;
  isLossAlone = false;
  /** Whether there is loss without a queue, be it put up with or not. */
  isLossy = false;
  /** When the oldest packet under way was sent, and the wait, as the wait began to grow. */
  #rise = { sentMs: NaN, waitMs: 0 };
  /** The wait at the last reading, and when that was. */
  #waited = { ms: 0, atMs: -Infinity };
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
  /**
   * Whether the loss is above the limit, and so far above what is put up with that it is no chance.
   */
  #isSome = false;
  #isMuch = false;
  #toleratedUntilMs = -Infinity;
  /** When packets were last known to be lost, whose content is sent again from then on. */
  #lostMs = -Infinity;

  /** The least round trip of late, in milliseconds; 0 where none is known. */
  get leastMs() {
    const least = Math.min(this.#leastMs, this.#leastBeforeMs);
    return least === Infinity ? 0 : least;
  }

  /** For how long packets wait now, in milliseconds. */
  get queueMs() {
    return this.delayMs === null ? 0 : this.delayMs - this.leastMs;
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

  /** @param {Reading} reading @param {number} spacingMs  the time from one packet to the next */
  read({ nowMs, carriage, sent, lost, blocked, reported, roundTripMs, underWayMs }, spacingMs) {
    if (roundTripMs !== null) this.#time(roundTripMs, nowMs);
    this.delayMs =
      roundTripMs === null ? null : Math.max(roundTripMs, (underWayMs ?? 0) - PROBE_RULE.ackMs);
    const isRising = underWayMs !== null && this.#rises(nowMs - underWayMs, spacingMs);
    this.#grow(nowMs);
    if (lost !== null && underWayMs !== null) this.#arrive(lost, nowMs, nowMs - underWayMs);
    const isBlocked = blocked > this.#blocked;
    this.#blocked = blocked;
    if (nowMs >= this.#toleratedUntilMs) this.#tolerated = PROBE_RULE.lostPercent;
    if (sent === null || lost === null) this.#takeReport(reported);
    else this.#count(sent, lost, nowMs);
    const hasQueue = this.grownMs > PROBE_RULE.mildQueueMs;
    this.isLossy = this.#isSome && !hasQueue && !isBlocked;
    this.isLossAlone = this.#isMuch && !hasQueue && !isBlocked;
    const isQueueLoss = hasQueue && this.#isSome;
    const isSlow =
      isRising ||
      this.grownMs > (carriage === 'surely' ? PROBE_RULE.sureQueueMs : PROBE_RULE.queueMs) ||
      this.queueMs > PROBE_RULE.lateMs;
    this.isNarrow = isBlocked || this.isLossAlone || isQueueLoss || isSlow;
  }

  /** @param {number} nowMs */
  #grow(nowMs) {
    const passedMs = nowMs - this.#waited.atMs;
    if (passedMs <= 0) return;
    const growth = (this.queueMs - this.#waited.ms) / passedMs;
    this.growth = this.queueMs > PROBE_RULE.mildQueueMs ? Math.max(this.growth, growth) : 0;
    this.#waited.ms = this.queueMs;
    this.#waited.atMs = nowMs;
  }

  /**
   * Whether packets arrive, each later than the one before.
   * @param {number} sentMs when the oldest under way was sent
   * @param {number} spacingMs
   */
  #rises(sentMs, spacingMs) {
    const [rise, waitMs] = [this.#rise, this.queueMs];
    if (waitMs <= PROBE_RULE.mildQueueMs) rise.sentMs = NaN;
    else if (waitMs < this.#waited.ms || Number.isNaN(rise.sentMs))
      [rise.sentMs, rise.waitMs] = [sentMs, waitMs];
    return (
      waitMs > PROBE_RULE.risingMs &&
      sentMs >= rise.sentMs + spacingMs &&
      waitMs >= rise.waitMs + spacingMs + PROBE_RULE.heldMs
    );
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

  /**
   * @param {number} lost
   * @param {number} nowMs
   * @param {number} sinceMs since when the oldest packet is under way
   */
  #arrive(lost, nowMs, sinceMs) {
    if (lost > this.#lostNow) this.#lostMs = nowMs;
    if (sinceMs > this.#lostMs) this.arrivedMs = sinceMs;
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
    this.#isSome =
      isKnown && gone >= PROBE_RULE.leastLost && this.lostPercent > PROBE_RULE.lostPercent;
    this.#isMuch =
      this.#isSome && gone > expected + PROBE_RULE.lostDeviations * Math.sqrt(expected);
    if (nowMs - this.#sinceMs < PROBE_RULE.lossMs) return;
    this.#open(sent, lost, nowMs);
    if (this.lostPercent >= this.#tolerated / 2)
      this.#toleratedUntilMs = nowMs + PROBE_RULE.toleranceMs;
  }

  /** @param {number} sent @param {number} lost @param {number} nowMs */
  #open(sent, lost, nowMs) {
    this.#sinceMs = nowMs;
    this.#sent = sent;
    this.#lost = lost;
  }
}
