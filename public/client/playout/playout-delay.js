import { DriftMeter } from '../clock/drift-meter.js';
import { SlidingMinimum } from '../clock/sliding-minimum.js';

/** The margin beyond the measured jitter, in milliseconds. */
const MARGIN_MS = 2;

/** The delay that a call starts with, until its jitter is known, in milliseconds. */
const START_MS = 10;

/** The longest delay that is wanted, in milliseconds: later packets are lost. */
export const MAX_DELAY_MS = 400;

/**
 * The wanted delay rises at once. It falls by FALL_MS a second, or by FALL_PART of its surplus a
 * second where that is more; a surplus below KEPT_MS stays.
 */
const FALL_MS = 5;
const FALL_PART = 1;
const KEPT_MS = 2;

/**
 * The surplus of delay above which frames are left out at once, in milliseconds: of an adaptive
 * delay, of a short fixed one, and of a long fixed one, which is caught up with for CHANGE_MS;
 * after that HARD_MS is its limit too. With HARD_FAR_MS no more waits than the buffer has room for.
 */
const HARD_MS = 400;
const HARD_NEAR_MS = 60;
const HARD_FAR_MS = 1000;

/**
 * The time in which a fixed delay is reached by playing faster, where it can be, in milliseconds:
 * then what is left is jumped over.
 */
const CHANGE_MS = 8000;

/** The most frames by which one late packet raises the delay, since it may be the only one. */
const LATE_FRAMES = 2;

/** The window whose least late pull counts, in milliseconds: a sound card asks in bursts. */
const PULL_WINDOW_MS = 1000;

/** The lack of delay from which it is corrected by playing slower, in milliseconds. */
const SHORT_MS = 1;
/**
 * The surplus that is left alone where sound is heard, in milliseconds: with frames of 20 ms and
 * more, and below. Who asks for short frames hears each millisecond, and a surplus that no pause
 * ends would stay for a whole piece of music.
 */
const LONG_MS = 12;
const SHORT_FRAMES_LONG_MS = 4;
/** The correction for each millisecond of error, and the largest, in ppm. */
const PPM_A_MS = 250;
const MAX_PPM = 500;

/**
 * The delay that frames wait in the jitter buffer, and the delay that they should wait, both
 * measured against the quickest packet of the last seconds, so that only the added delay counts. A
 * frame's time is when it is heard, not when it is pulled: a worker that is late to fill the sound
 * card's ring moves nothing.
 */
export class PlayoutDelay {
  #frameMs;
  #jitter;
  #heard = new SlidingMinimum(PULL_WINDOW_MS);
  #network = new DriftMeter();
  #card = new DriftMeter();
  #arrivedMs = NaN;
  #aheadMs = 0;
  /** Whether the delay is on its way to where it should be: 1 longer, -1 shorter, 0 it stays. */
  #way = 0;

  /** The sum of all movements of the played sound, to and fro, in milliseconds. */
  movedMs = 0;
  /** The surplus of delay that is left alone where sound is heard, in milliseconds. @readonly */
  longMs;
  /** The delay that covers the jitter, in milliseconds. */
  wantedMs = START_MS;
  /** The wait for payloads that only later packets repeat, in milliseconds. */
  #redundancyMs = 0;
  /** The delay that is wanted whatever the jitter is, in milliseconds. @type {number | null} */
  #fixedMs = null;
  /** Until when the delay may be far from what is wanted. */
  #changesUntilMs = -Infinity;
  /**
   * The surplus that the change left, in milliseconds; Infinity where no delay was known, and none
   * is too long.
   */
  #changeMs = 0;
  #isStarved = false;
  /** Since when the surplus is above HARD_MS; Infinity while it isn't. */
  #hardSinceMs = Infinity;

  /** @param {number} frameMs */
  constructor(frameMs) {
    this.#frameMs = frameMs;
    this.#jitter = new Jitter(frameMs);
    this.longMs = frameMs < 20 ? SHORT_FRAMES_LONG_MS : LONG_MS;
  }

  /** @param {number} ms to wait for payloads that only later packets repeat */
  waitForRedundancy(ms) {
    this.#redundancyMs = ms;
  }

  /**
   * Has another delay from now on: one that follows the jitter, or a fixed one.
   * @param {number | null} ms  null: as the jitter asks
   * @param {number} nowMs
   */
  fix(ms, nowMs) {
    if (ms === this.#fixedMs) return;
    if (ms === null) this.wantedMs = Math.max(START_MS, this.#coveredMs);
    // A little more or less is no change, since a short delay follows the server's.
    const isChange =
      ms === null || this.#fixedMs === null || Math.abs(ms - this.#fixedMs) > HARD_NEAR_MS;
    this.#fixedMs = ms;
    if (ms !== null) this.wantedMs = ms;
    if (!isChange) return;
    this.#changesUntilMs = nowMs + CHANGE_MS;
    this.#changeMs = this.#isKnown ? Math.max(0, this.surplusMs) : Infinity;
  }

  get #isKnown() {
    return Number.isFinite(this.#heard.value - this.#jitter.baseMs);
  }

  /** The fixed delay, in milliseconds; null where it follows the jitter. */
  get fixedMs() {
    return this.#fixedMs;
  }

  /**
   * The longest time for which a packet may wait, or be late, in milliseconds: what is beyond it is
   * implausible.
   */
  get mostMs() {
    return Math.max(MAX_DELAY_MS, 2 * (this.#fixedMs ?? 0));
  }

  /**
   * @param {number} nowMs
   * @returns {number} the surplus of delay above which frames are left out at once
   */
  hardMs(nowMs) {
    const isFar = this.#fixedMs !== null && this.#fixedMs >= MAX_DELAY_MS;
    const hardMs = this.#fixedMs !== null && !isFar ? HARD_NEAR_MS : HARD_MS;
    // An outage meanwhile is no part of the change.
    if (nowMs < this.#changesUntilMs) return this.#changeMs + hardMs;
    if (!isFar) return hardMs;
    this.#hardSinceMs = this.surplusMs > HARD_MS ? Math.min(this.#hardSinceMs, nowMs) : Infinity;
    return nowMs - this.#hardSinceMs < CHANGE_MS ? HARD_FAR_MS : HARD_MS;
  }

  /**
   * @param {number} nowMs
   * @returns {boolean} whether a fixed delay is to be reached at once, since it was much too short
   *   for as long as a change may take
   */
  isStarved(nowMs) {
    if (this.#fixedMs === null || nowMs < this.#changesUntilMs) this.#isStarved = false;
    else this.#isStarved = this.surplusMs < (this.#isStarved ? -this.longMs : -this.#fixedMs / 2);
    return this.#isStarved;
  }

  get #coveredMs() {
    return this.#jitter.coveredMs + this.#redundancyMs + MARGIN_MS;
  }

  /**
   * A packet's delay beyond the quickest, in milliseconds; NaN before the first packet.
   * @param {number} frame
   * @param {number} arrivalMs
   */
  lateness(frame, arrivalMs) {
    const base = this.#jitter.baseMs;
    return Number.isFinite(base) ? arrivalMs - frame * this.#frameMs - base : NaN;
  }

  /**
   * @param {number} frame
   * @param {number} arrivalMs
   * @param {boolean} missed whether the packet came after its frame was wanted
   */
  arrived(frame, arrivalMs, missed) {
    const transit = arrivalMs - frame * this.#frameMs;
    const { baseMs } = this.#jitter;
    const deviation = this.#jitter.add(transit, arrivalMs);
    this.#network.add(arrivalMs, transit);
    const covered = this.#coveredMs;
    const seconds = Math.min(1, Math.max(0, arrivalMs - this.#arrivedMs) / 1000) || 0;
    this.#arrivedMs = arrivalMs;
    if (this.#fixedMs !== null) return;
    // Where the path has become longer as a whole, sound is heard when it was all the same.
    if (this.#jitter.baseMs > baseMs) this.wantedMs -= this.#jitter.baseMs - baseMs;
    const fall = Math.max(FALL_MS, FALL_PART * (this.wantedMs - covered)) * seconds;
    const fallen = this.wantedMs - covered > KEPT_MS ? this.wantedMs - fall : this.wantedMs;
    const wanted = Math.max(covered, fallen);
    const late = Math.min(deviation + MARGIN_MS, covered + LATE_FRAMES * this.#frameMs);
    // What a stall held up is over: a longer delay would only have to be caught up with too.
    const isRaised = missed && deviation <= LONG_DEVIATION_MS;
    this.wantedMs = Math.min(MAX_DELAY_MS, isRaised ? Math.max(wanted, late) : wanted);
  }

  /**
   * @param {number} frame the next one to be played, with the part of it that was
   * @param {number} nowMs when it is pulled
   * @param {number} waitMs how long it waits for the sound card
   * @param {number} aheadMs how long it waits where it comes just in time
   * @param {number} heardMs the length of all that was played before it
   */
  pulled(frame, nowMs, waitMs, aheadMs, heardMs) {
    this.#aheadMs = aheadMs;
    this.#heard.add(nowMs, nowMs + waitMs - frame * this.#frameMs);
    this.#card.add(nowMs, nowMs + waitMs - heardMs);
  }

  /** The sound card's drift against the frames that come, in ppm; 0 while that isn't known. */
  get driftPpm() {
    return this.#network.ppm - this.#card.ppm;
  }

  /**
   * Samples to be taken for each one played, so that the delay stays where it is or goes where it
   * should.
   */
  get step() {
    const surplus = this.surplusMs;
    if (surplus < -SHORT_MS) this.#way = 1;
    else if (surplus > this.longMs) this.#way = -1;
    else if (this.#way * surplus >= 0) this.#way = 0;
    const correction = this.#way === 0 ? 0 : surplus * PPM_A_MS + (this.#way * -MAX_PPM) / 10;
    const ppm = correction - this.driftPpm;
    this.movedMs += Math.min(MAX_PPM, Math.abs(correction)) * 1e-6 * this.#frameMs;
    return 1 + Math.max(-MAX_PPM, Math.min(MAX_PPM, ppm)) * 1e-6;
  }

  /** @param {number} ms by which sound is heard later from here on than it would have been */
  moved(ms) {
    this.movedMs += Math.abs(ms);
    this.#heard.shift(ms);
  }

  /**
   * When frame 0 would have been heard, on the clock, in milliseconds: the frame that is heard now
   * tells; NaN while that isn't known.
   */
  get originMs() {
    const { value } = this.#heard;
    return Number.isFinite(value) ? value : NaN;
  }

  /** The delay that the buffer adds now, in milliseconds; 0 while that isn't known. */
  get actualMs() {
    const delay = this.#heard.value - this.#aheadMs - this.#jitter.baseMs;
    return Number.isFinite(delay) ? delay : 0;
  }

  /** The delay less the wanted one, in milliseconds; negative: too short; 0: unknown. */
  get surplusMs() {
    const delay = this.#heard.value - this.#aheadMs - this.#jitter.baseMs;
    return Number.isFinite(delay) ? delay - this.wantedMs : 0;
  }

  /** Starts again: another stream, or time that has stood still. */
  reset() {
    this.#jitter.reset();
    this.#heard.reset();
    this.#network.reset();
    this.#card.reset();
    this.wantedMs = this.#fixedMs ?? Math.max(this.wantedMs, START_MS);
  }
}

/** The time for which the quickest packet is the measure for the others, in milliseconds. */
const BASE_WINDOW_MS = 10_000;

/** The number and length of the windows whose worst deviations are remembered. */
const WINDOWS = 20;
const WINDOW_MS = 500;

/**
 * The sound that may be made up in all windows together, in milliseconds, where one frame is no
 * longer.
 */
const MADE_UP_MS = 20;

/**
 * The time after the first packet during which deviations are ignored, in milliseconds: a start
 * delays packets itself.
 */
const SETTLING_MS = 1000;

/**
 * A longer deviation is covered, in milliseconds, only while it has a reason: one of RECENT_SHARE
 * of it within the last RECENT_WINDOWS. What held up more is over.
 */
const LONG_DEVIATION_MS = 80;
const RECENT_SHARE = 2 / 3;
const RECENT_WINDOWS = 5;

/**
 * When deviations of until a second ago are forgotten, in milliseconds after the first packet: the
 * start is over.
 */
const STARTED_MS = 4000;

/**
 * The jitter of packets: each one's arrival less its frame's time, measured against the quickest of
 * the last seconds. The sender's clock need not be known for that.
 *
 * The deviation to be covered is the second worst of the last windows with frames of 20 ms. For
 * steady jitter it lies above 99 of 100 packets; but one stall, which makes a whole run of packets
 * late, isn't worth a delay for everything after it. A second one within ten seconds is; but not
 * for longer than they come, where the delay would be long. Of shorter frames more may be late, as
 * many as last as long: of 5 ms it is the fifth worst.
 */
class Jitter {
  #base = new SlidingMinimum(BASE_WINDOW_MS);
  #worst = new Float64Array(WINDOWS);
  /** The transits of the worst: where the path has become longer since, they deviate less. */
  #transits = new Float64Array(WINDOWS);
  #window = 0;
  #turnsMs = -Infinity;
  #coveredMs = 0;
  #startMs = NaN;
  #isStarted = false;
  /**
   * The worst of the windows, the worst first. The last but one is covered, and after a lone stall
   * the last.
   */
  #ranked;

  /** @param {number} frameMs */
  constructor(frameMs) {
    this.#ranked = new Float64Array(2 + Math.max(1, Math.round(MADE_UP_MS / frameMs)));
  }

  /**
   * @param {number} transitMs the packet's arrival less its frame's time; their origins don't
   *   matter
   * @param {number} arrivalMs
   * @returns {number} its delay beyond the quickest, in milliseconds
   */
  add(transitMs, arrivalMs) {
    const before = this.#base.value;
    const deviation = transitMs - this.#base.add(arrivalMs, transitMs);
    if (this.#base.value > before) this.#cover();
    if (Number.isNaN(this.#startMs)) this.#startMs = arrivalMs;
    if (arrivalMs < this.#startMs + SETTLING_MS) return deviation;
    // A stall's packets all belong to the window in which it began.
    if (
      arrivalMs >= this.#turnsMs &&
      (deviation <= this.#coveredMs || arrivalMs >= this.#turnsMs + WINDOW_MS)
    ) {
      this.#window = (this.#window + 1) % WINDOWS;
      this.#worst[this.#window] = 0;
      this.#turnsMs = arrivalMs + WINDOW_MS;
      if (!this.#isStarted && arrivalMs >= this.#startMs + STARTED_MS) this.#forgetStart();
      this.#cover();
    }
    if (deviation > this.#worst[this.#window]) {
      this.#worst[this.#window] = deviation;
      this.#transits[this.#window] = transitMs;
      this.#cover();
    }
    return deviation;
  }

  /** Forgets all windows but the last second's. */
  #forgetStart() {
    this.#isStarted = true;
    for (let i = Math.ceil(1000 / WINDOW_MS) + 1; i < WINDOWS; i++)
      this.#worst[(this.#window + WINDOWS - i) % WINDOWS] = 0;
  }

  #cover() {
    const ranked = this.#ranked.fill(0);
    for (let i = 0; i < WINDOWS; i++) {
      let worst = this.#deviation(i);
      for (let rank = 0; rank < ranked.length && worst > 0; rank++) {
        if (worst > ranked[rank]) [ranked[rank], worst] = [worst, ranked[rank]];
      }
    }
    // A stall that is over isn't among those windows that are left uncovered: it says nothing of
    // the others.
    const isLone = ranked[0] > LONG_DEVIATION_MS && ranked[1] < ranked[0] * RECENT_SHARE;
    const covered = ranked[ranked.length - (isLone ? 1 : 2)];
    this.#coveredMs =
      covered > LONG_DEVIATION_MS
        ? Math.min(covered, Math.max(LONG_DEVIATION_MS, this.#recentMs / RECENT_SHARE))
        : covered;
  }

  /** The worst deviation of the last windows. */
  get #recentMs() {
    let worst = 0;
    for (let i = 0; i < RECENT_WINDOWS; i++)
      worst = Math.max(worst, this.#deviation((this.#window + WINDOWS - i) % WINDOWS));
    return worst;
  }

  /**
   * The worst deviation of a window, from the quickest packet of then, or of now if that is slower.
   * @param {number} index
   */
  #deviation(index) {
    return Math.min(this.#worst[index], this.#transits[index] - this.#base.value);
  }

  /**
   * The quickest transit of the last seconds, in milliseconds; Infinity before the first packet.
   */
  get baseMs() {
    return this.#base.value;
  }

  /** The deviation that a delay should cover, in milliseconds. */
  get coveredMs() {
    return this.#coveredMs;
  }

  reset() {
    this.#base.reset();
    this.#worst.fill(0);
    this.#turnsMs = -Infinity;
    this.#coveredMs = 0;
    this.#startMs = NaN;
    this.#isStarted = false;
  }
}
