import { defaultEncoderSettings } from '../../shared/stream/codec.js';

/**
 * The interval at which a verdict is given, in milliseconds, and the number of them that the
 * lateness is averaged over.
 */
const ROUND_MS = 1000;
const ROUNDS = 3;

/**
 * The thread has too little time where this share of it is lateness, and enough again where no more
 * than that is.
 */
const SHORT_SHARE = 0.15;
const ENOUGH_SHARE = 0.05;

/**
 * The thread has too little time when the sound card ran dry in more than this share of rounds, as
 * in three in a row. It has enough again below the second share. Sound runs out where the thread
 * doesn't make it in time: what the network doesn't bring is made up. One gap is over before
 * anybody could do something about it.
 */
const SHORT_GAP_SHARE = 0.6;
const ENOUGH_GAP_SHARE = 0.2;

/**
 * The time after the first look in which lateness doesn't count, in milliseconds: a page that opens
 * has much to do.
 */
const START_MS = 5000;

/**
 * The most that one look counts for, in milliseconds: a computer that slept was not short of time
 * for so long.
 */
const MOST_LATE_MS = 200;

/** The encoder's complexity where there is too little time. */
const LEAST_COMPLEXITY = 0;

/**
 * A thread's share of the processor, as a call needs it. Two signs that no network causes judge it:
 * late timers, and a sound card that finds no sound. The encoder makes do with less where it is too
 * little, and packets hold two frames.
 */
export class ProcessorTime {
  #lateMs = 0;
  #sinceMs = NaN;
  #countsFromMs = NaN;
  #gaps = 0;
  #gapShare = 0;

  /** The share of the last seconds by which the timer was late, 0 to 1. */
  lateShare = 0;
  /** True while there is too little time. */
  isShort = false;

  /** The encoder's complexity, 0 to 10. */
  get complexity() {
    return this.isShort ? LEAST_COMPLEXITY : defaultEncoderSettings.complexity;
  }

  /** Frames in a packet. @returns {1 | 2} */
  get framesPerPacket() {
    return this.isShort ? 2 : 1;
  }

  /**
   * The timer has run, some ten times a second at least.
   * @param {number} lateMs after it was due
   * @param {number} nowMs
   * @param {number} [gaps] times when the sound card has found nothing; less than before if it is a
   *   new one
   */
  observe(lateMs, nowMs, gaps = 0) {
    if (Number.isNaN(this.#sinceMs)) {
      this.#sinceMs = nowMs;
      this.#countsFromMs = nowMs + START_MS;
    }
    if (nowMs > this.#countsFromMs) this.#lateMs += Math.min(MOST_LATE_MS, lateMs);
    if (nowMs < this.#sinceMs + ROUND_MS) return;
    this.#sinceMs = nowMs;
    this.lateShare += (Math.min(1, this.#lateMs / ROUND_MS) - this.lateShare) / ROUNDS;
    this.#lateMs = 0;
    const hasGaps = gaps > this.#gaps && nowMs > this.#countsFromMs;
    this.#gapShare += (Number(hasGaps) - this.#gapShare) / ROUNDS;
    this.#gaps = gaps;
    if (this.lateShare > SHORT_SHARE || this.#gapShare > SHORT_GAP_SHARE) this.isShort = true;
    else if (this.lateShare < ENOUGH_SHARE && this.#gapShare < ENOUGH_GAP_SHARE)
      this.isShort = false;
  }
}
