import { DriftMeter, SlidingMinimum } from '../clock/drift-meter.js';

/** Margin beyond the measured jitter, in milliseconds. */
const MARGIN_MS = 2;

/** Initial delay of a call, until its jitter is known, in milliseconds. */
const START_MS = 10;

/** Longest delay wanted, in milliseconds: later packets count as lost. */
const MAX_DELAY_MS = 400;

/**
 * Speed at which the wanted delay falls; it rises at once. FALL_MS a second, or FALL_PART of its
 * surplus a second if that is more. A surplus below KEPT_MS stays.
 */
const FALL_MS = 5;
const FALL_PART = 1;
const KEPT_MS = 2;

/**
 * Surplus delay above which frames are skipped at once, in milliseconds: for an adaptive delay, a
 * short fixed one, and a long fixed one.
 */
const HARD_MS = 400;
const HARD_NEAR_MS = 60;
const HARD_FAR_MS = 1000;

/**
 * Time to reach a fixed delay by playing faster, in milliseconds; after that the rest is skipped.
 */
const CHANGE_MS = 8000;

/**
 * Maximum number of frames by which one late packet raises the delay, since it may be the only one.
 */
const LATE_FRAMES = 2;

/** Window whose least late pull counts, in milliseconds: a sound card asks in bursts. */
const PULL_WINDOW_MS = 1000;

/** Missing delay from which playing slows down, in milliseconds. */
const SHORT_MS = 1;
/**
 * Surplus delay that stays while there is sound, in milliseconds: for frames of 20 ms and more, and
 * for shorter ones. In a room with short frames each millisecond matters, and a surplus would last
 * for a whole piece of music without pauses.
 */
const LONG_MS = 12;
const SHORT_FRAMES_LONG_MS = 4;
/** Correction per millisecond of error, and the largest, in ppm. */
const PPM_A_MS = 250;
const MAX_PPM = 500;

/**
 * Measures the delay of frames in the jitter buffer and decides the wanted one. Both are relative
 * to the quickest packet of the last seconds, so that only the added delay counts. A frame's time
 * is the time it is heard, not pulled: a worker that fills the sound card's ring late changes
 * nothing.
 */
export class PlayoutDelay {
  #frameMs;
  #jitter;
  #heard = new SlidingMinimum(PULL_WINDOW_MS);
  #network = new DriftMeter();
  #card = new DriftMeter();
  #arrivedMs = NaN;
  #aheadMs = 0;
  /** Direction in which the delay is moving: 1 longer, -1 shorter, 0 steady. */
  #way = 0;

  /** Sum of all movements of the played sound in either direction, in milliseconds. */
  movedMs = 0;
  /** Surplus delay that stays while there is sound, in milliseconds. @readonly */
  longMs;
  /** Delay that covers the jitter, in milliseconds. */
  wantedMs = START_MS;
  /** Time to wait for payloads that only later packets repeat, in milliseconds. */
  #redundancyMs = 0;
  /** Delay that is wanted regardless of jitter, in milliseconds. @type {number | null} */
  #fixedMs = null;
  /** Time until which the delay may be far from the wanted one. */
  #changeEndMs = -Infinity;
  /**
   * Surplus delay left by the last change, in milliseconds; Infinity when no delay was known, so
   * that none is too long.
   */
  #changeMs = 0;
  #isStarved = false;
  /** Time since which the surplus is above HARD_MS; Infinity while it is below. */
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
   * Changes to another delay: one that follows the jitter, or a fixed one.
   * @param {number | null} ms null: follow the jitter
   * @param {number} nowMs
   */
  fix(ms, nowMs) {
    if (ms === this.#fixedMs) return;
    if (ms === null) this.wantedMs = Math.max(START_MS, this.#coveredMs);
    // A small difference is no change, since a short delay follows the server's.
    const isChange =
      ms === null || this.#fixedMs === null || Math.abs(ms - this.#fixedMs) > HARD_NEAR_MS;
    this.#fixedMs = ms;
    if (ms !== null) this.wantedMs = ms;
    if (!isChange) return;
    this.#changeEndMs = nowMs + CHANGE_MS;
    this.#changeMs = this.#isKnown ? Math.max(0, this.surplusMs) : Infinity;
  }

  get #isKnown() {
    return Number.isFinite(this.#heard.value - this.#jitter.baseMs);
  }

  /** Fixed delay, in milliseconds; null when it follows the jitter. */
  get fixedMs() {
    return this.#fixedMs;
  }

  /**
   * Longest time that a packet may wait or be late, in milliseconds; anything beyond is
   * implausible.
   */
  get mostMs() {
    return Math.max(MAX_DELAY_MS, 2 * (this.#fixedMs ?? 0));
  }

  /**
   * @param {number} nowMs
   * @returns {number} surplus delay above which frames are skipped at once
   */
  hardMs(nowMs) {
    const isFar = this.#fixedMs !== null && this.#fixedMs >= MAX_DELAY_MS;
    const hardMs = this.#fixedMs !== null && !isFar ? HARD_NEAR_MS : HARD_MS;
    // An outage during the change isn't part of it.
    if (nowMs < this.#changeEndMs) return this.#changeMs + hardMs;
    if (!isFar) return hardMs;
    this.#hardSinceMs = this.surplusMs > HARD_MS ? Math.min(this.#hardSinceMs, nowMs) : Infinity;
    return nowMs - this.#hardSinceMs < CHANGE_MS ? HARD_FAR_MS : HARD_MS;
  }

  /**
   * @param {number} nowMs
   * @returns {boolean} true when a fixed delay must be reached at once, because it was much too
   *   short for as long as a change may take
   */
  isStarved(nowMs) {
    if (this.#fixedMs === null || nowMs < this.#changeEndMs) this.#isStarved = false;
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
   * @param {boolean} missed true when the packet came after its frame was wanted
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
    // When the whole path became longer, sound still plays at its earlier time.
    if (this.#jitter.baseMs > baseMs) this.wantedMs -= this.#jitter.baseMs - baseMs;
    const fall = Math.max(FALL_MS, FALL_PART * (this.wantedMs - covered)) * seconds;
    const fallen = this.wantedMs - covered > KEPT_MS ? this.wantedMs - fall : this.wantedMs;
    const wanted = Math.max(covered, fallen);
    const late = Math.min(deviation + MARGIN_MS, covered + LATE_FRAMES * this.#frameMs);
    // A stall is over by now: a longer delay would only have to be shortened again.
    const isRaised = missed && deviation <= LONG_DEVIATION_MS;
    this.wantedMs = Math.min(MAX_DELAY_MS, isRaised ? Math.max(wanted, late) : wanted);
  }

  /**
   * @param {number} frame the next one to play, with the fraction of it that was played
   * @param {number} nowMs time of the pull
   * @param {number} waitMs time that it waits for the sound card
   * @param {number} aheadMs time that it waits when it comes just in time
   * @param {number} heardMs length of all sound before it
   */
  pulled(frame, nowMs, waitMs, aheadMs, heardMs) {
    this.#aheadMs = aheadMs;
    this.#heard.add(nowMs, nowMs + waitMs - frame * this.#frameMs);
    this.#card.add(nowMs, nowMs + waitMs - heardMs);
  }

  /** Drift of the sound card against the arriving frames, in ppm; 0 while it is unknown. */
  get driftPpm() {
    return this.#network.ppm - this.#card.ppm;
  }

  /** Input samples per output sample, so that the delay stays at or moves to its target. */
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

  /** @param {number} ms by which sound is heard later from now on */
  moved(ms) {
    this.movedMs += Math.abs(ms);
    this.#heard.shift(ms);
  }

  /**
   * Time at which frame 0 would have been heard, in milliseconds on the clock, by the frame being
   * heard now; NaN while it is unknown.
   */
  get originMs() {
    const { value } = this.#heard;
    return Number.isFinite(value) ? value : NaN;
  }

  /** Delay that the buffer adds now, in milliseconds; 0 while it is unknown. */
  get actualMs() {
    const delay = this.#heard.value - this.#aheadMs - this.#jitter.baseMs;
    return Number.isFinite(delay) ? delay : 0;
  }

  /** Delay minus the wanted one, in milliseconds; negative: too short; 0: unknown. */
  get surplusMs() {
    const delay = this.#heard.value - this.#aheadMs - this.#jitter.baseMs;
    return Number.isFinite(delay) ? delay - this.wantedMs : 0;
  }

  /** Starts again, for another stream or after time has stood still. */
  reset() {
    this.#jitter.reset();
    this.#heard.reset();
    this.#network.reset();
    this.#card.reset();
    this.wantedMs = this.#fixedMs ?? Math.max(this.wantedMs, START_MS);
  }
}

/** Time for which the quickest packet is the measure of the others, in milliseconds. */
const BASE_WINDOW_MS = 10_000;

/** Number and length of the windows whose worst deviations are remembered. */
const WINDOWS = 20;
const WINDOW_MS = 500;

/**
 * Concealed sound that is acceptable in all windows together, in milliseconds, if a frame isn't
 * longer.
 */
const MADE_UP_MS = 20;

/**
 * Time after the first packet during which deviations are ignored, in milliseconds: starting itself
 * delays packets.
 */
const SETTLING_MS = 1000;

/**
 * Deviation above which a delay needs evidence, in milliseconds: one of RECENT_SHARE of it within
 * the last RECENT_WINDOWS. Longer stalls in the past are over.
 */
const LONG_DEVIATION_MS = 80;
const RECENT_SHARE = 2 / 3;
const RECENT_WINDOWS = 5;

/**
 * Time after the first packet at which earlier deviations, except the last second's, are forgotten,
 * in milliseconds.
 */
const STARTED_MS = 4000;

/**
 * Measures the jitter of packets: each arrival minus its frame's time, relative to the quickest
 * packet of the last seconds. This doesn't need the sender's clock.
 *
 * With frames of 20 ms the deviation to cover is the second worst of the last windows. For steady
 * jitter that is above 99 of 100 packets. One stall, which delays a whole run of packets, isn't
 * worth a delay for everything after it. A second stall within ten seconds is, as long as stalls of
 * this length go on. Of shorter frames more may be late, as many as last equally long: with 5 ms it
 * is the fifth worst.
 */
class Jitter {
  #base = new SlidingMinimum(BASE_WINDOW_MS);
  #worst = new Float64Array(WINDOWS);
  /** Transits of the worst packets: they deviate less after the path has become longer. */
  #transits = new Float64Array(WINDOWS);
  #window = 0;
  #turnsMs = -Infinity;
  #coveredMs = 0;
  #startMs = NaN;
  #isStarted = false;
  /**
   * Worst deviations of the windows, the worst first. The delay covers the last but one of them, or
   * after a lone stall the last.
   */
  #ranked;

  /** @param {number} frameMs */
  constructor(frameMs) {
    this.#ranked = new Float64Array(2 + Math.max(1, Math.round(MADE_UP_MS / frameMs)));
  }

  /**
   * @param {number} transitMs the packet's arrival minus its frame's time, with any origin
   * @param {number} arrivalMs
   * @returns {number} its delay beyond the quickest, in milliseconds
   */
  add(transitMs, arrivalMs) {
    const before = this.#base.value;
    const deviation = transitMs - this.#base.add(arrivalMs, transitMs);
    if (this.#base.value > before) this.#cover();
    if (Number.isNaN(this.#startMs)) this.#startMs = arrivalMs;
    if (arrivalMs < this.#startMs + SETTLING_MS) return deviation;
    // All packets of a stall belong to the window in which it began.
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
    // A lone stall doesn't use up a window that may stay uncovered: it says nothing about the
    // others.
    const isLone = ranked[0] > LONG_DEVIATION_MS && ranked[1] < ranked[0] * RECENT_SHARE;
    const covered = ranked[ranked.length - (isLone ? 1 : 2)];
    this.#coveredMs =
      covered > LONG_DEVIATION_MS
        ? Math.min(covered, Math.max(LONG_DEVIATION_MS, this.#recentMs / RECENT_SHARE))
        : covered;
  }

  /** Worst deviation of the last windows. */
  get #recentMs() {
    let worst = 0;
    for (let i = 0; i < RECENT_WINDOWS; i++)
      worst = Math.max(worst, this.#deviation((this.#window + WINDOWS - i) % WINDOWS));
    return worst;
  }

  /**
   * Worst deviation of a window from the quickest packet of that time, or of now if that is slower.
   * @param {number} index
   */
  #deviation(index) {
    return Math.min(this.#worst[index], this.#transits[index] - this.#base.value);
  }

  /** Quickest transit of the last seconds, in milliseconds; Infinity before the first packet. */
  get baseMs() {
    return this.#base.value;
  }

  /** Deviation that a delay should cover, in milliseconds. */
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
