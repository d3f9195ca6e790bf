/** @import { Reading } from './rate-rule.js' */

import { PROBE_RULE } from './probe-rule.js';

/** State of a path, from its readings: its loss in a window, and the growth of its round trip. */
export class PathState {
  /** Excess of the round trip over the least one, in milliseconds. */
  grownMs = 0;
  /**
   * Round trip, in milliseconds; null if unknown. It is longer when the oldest packet in flight is
   * older than a round trip plus a held acknowledgement. That shows a fall before any round trip
   * has ended.
   * @type {number | null}
   */
  delayMs = null;
  /**
   * Time before which all sent packets have arrived, as far as is known, on the monotonic clock.
   */
  arrivedMs = -Infinity;
  /** Loss of the window, or of the previous one while it has too few packets, in percent. */
  lostPercent = 0;
  /**
   * Quickest growth of the wait since nothing waited, as a share of elapsed time: a full queue
   * stops growing.
   */
  growth = 0;
  isNarrow = false;
  isLossAlone = false;
  /** True if packets are lost without a queue, tolerated or not. */
  isLossy = false;
  /**
   * Time when the oldest packet in flight was sent, and its wait, at the start of a growing wait.
   */
  #rise = { sentMs: NaN, waitMs: 0 };
  /** Wait at the last reading, and time of that reading. */
  #waited = { ms: 0, atMs: -Infinity };
  #leastMs = Infinity;
  #leastBeforeMs = Infinity;
  #leastSinceMs = -Infinity;
  /** Counters at the window's beginning; NaN if it begins with the next reading. */
  #sinceMs = NaN;
  #sent = 0;
  #lost = 0;
  #blocked = NaN;
  /** Counters now, and at the beginning of a span. */
  #sentNow = 0;
  #lostNow = 0;
  #spanSent = 0;
  #spanLost = 0;
  /** @type {number} */
  #tolerated = PROBE_RULE.lostPercent;
  /** True if the loss exceeds the limit, and the tolerated loss by more than chance. */
  #exceedsLimit = false;
  #exceedsTolerated = false;
  #toleratedUntilMs = -Infinity;
  /** Time of the last known loss; lost content is repeated from then on. */
  #lostMs = -Infinity;

  /** Least recent round trip, in milliseconds; 0 if unknown. */
  get leastMs() {
    const least = Math.min(this.#leastMs, this.#leastBeforeMs);
    return least === Infinity ? 0 : least;
  }

  /** Current wait of packets, in milliseconds. */
  get queueMs() {
    return this.delayMs === null ? 0 : this.delayMs - this.leastMs;
  }

  /** Counts loss from the next reading on. */
  beginWindow() {
    this.#sinceMs = NaN;
  }

  /** Begins a span, which is longer than a window. */
  beginSpan() {
    this.#spanSent = this.#sentNow;
    this.#spanLost = this.#lostNow;
  }

  /** Loss since the span began, in percent; the client's report if it isn't counted. */
  get spanPercent() {
    const count = this.#sentNow - this.#spanSent;
    return count > 0 ? (100 * (this.#lostNow - this.#spanLost)) / count : this.lostPercent;
  }

  /** @param {number} percent tolerated loss @param {number} nowMs */
  tolerate(percent, nowMs) {
    this.#tolerated = percent;
    this.#toleratedUntilMs = nowMs + PROBE_RULE.toleranceMs;
  }

  /** @param {Reading} reading @param {number} spacingMs time from one packet to the next */
  read(reading, spacingMs) {
    const { carriage, blocked } = reading;
    const isRising = this.#readDelay(reading, spacingMs);
    this.#readLoss(reading);
    const isBlocked = blocked > this.#blocked;
    this.#blocked = blocked;
    const hasQueue = this.grownMs > PROBE_RULE.mildQueueMs;
    this.isLossy = this.#exceedsLimit && !hasQueue && !isBlocked;
    this.isLossAlone = this.#exceedsTolerated && !hasQueue && !isBlocked;
    const isQueueLoss = hasQueue && this.#exceedsLimit;
    const isSlow =
      isRising ||
      this.grownMs > (carriage === 'surely' ? PROBE_RULE.sureQueueMs : PROBE_RULE.queueMs) ||
      this.queueMs > PROBE_RULE.lateMs;
    this.isNarrow = isBlocked || this.isLossAlone || isQueueLoss || isSlow;
  }

  /**
   * @param {Reading} reading
   * @param {number} spacingMs
   * @returns {boolean} true when packets arrive, each later than the previous one
   */
  #readDelay({ nowMs, roundTripMs, underWayMs }, spacingMs) {
    if (roundTripMs !== null) this.#time(roundTripMs, nowMs);
    this.delayMs =
      roundTripMs === null ? null : Math.max(roundTripMs, (underWayMs ?? 0) - PROBE_RULE.ackMs);
    const isRising = underWayMs !== null && this.#rises(nowMs - underWayMs, spacingMs);
    this.#grow(nowMs);
    return isRising;
  }

  /** @param {Reading} reading */
  #readLoss({ nowMs, sent, lost, reported, underWayMs }) {
    if (lost !== null && underWayMs !== null) this.#arrive(lost, nowMs, nowMs - underWayMs);
    if (nowMs >= this.#toleratedUntilMs) this.#tolerated = PROBE_RULE.lostPercent;
    if (sent === null || lost === null) this.#takeReport(reported);
    else this.#count(sent, lost, nowMs);
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
   * @param {number} sentMs time when the oldest packet in flight was sent
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
   * @param {number} sinceMs time when the oldest packet in flight was sent
   */
  #arrive(lost, nowMs, sinceMs) {
    if (lost > this.#lostNow) this.#lostMs = nowMs;
    if (sinceMs > this.#lostMs) this.arrivedMs = sinceMs;
  }

  /** @param {number | null} reported  over the client's last seconds */
  #takeReport(reported) {
    this.lostPercent = reported ?? 0;
    this.#exceedsLimit = this.lostPercent > PROBE_RULE.lostPercent;
    this.#exceedsTolerated = this.lostPercent > this.#tolerated;
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
    this.#exceedsLimit =
      isKnown && gone >= PROBE_RULE.leastLost && this.lostPercent > PROBE_RULE.lostPercent;
    this.#exceedsTolerated =
      this.#exceedsLimit && gone > expected + PROBE_RULE.lostDeviations * Math.sqrt(expected);
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
