import { defaultEncoderSettings } from '../../shared/stream/codec.js';

/**
 * Interval between verdicts, in milliseconds, and number of them over which lateness is averaged.
 */
const ROUND_MS = 1000;
const ROUNDS = 3;

/** Share of lateness above which the thread is short of time, and below which it isn't any more. */
const SHORT_SHARE = 0.15;
const ENOUGH_SHARE = 0.05;

/**
 * Shares of rounds with a dry sound card. Above the first, as in three in a row, the thread is
 * short of time; below the second no longer. A sound card runs dry because of the thread: sound
 * missing from the network is concealed. A single gap is over before anything could be done.
 */
const SHORT_GAP_SHARE = 0.6;
const ENOUGH_GAP_SHARE = 0.2;

/**
 * Time after the first check in which lateness doesn't count, in milliseconds: an opening page is
 * busy.
 */
const START_MS = 5000;

/** Most lateness counted at once, in milliseconds: a computer that slept was not short of time. */
const MOST_LATE_MS = 200;

/** The encoder's complexity when the thread is short of time. */
const LEAST_COMPLEXITY = 0;

/**
 * Judges whether a thread has enough processor time for a call, by two signs that no network
 * causes: late timers, and a dry sound card. With too little the encoder gets simpler, and packets
 * hold two frames.
 */
export class ProcessorTime {
  #lateMs = 0;
  #sinceMs = NaN;
  #countsFromMs = NaN;
  #gaps = 0;
  #gapShare = 0;

  /** Share of the last seconds by which the timer was late, 0 to 1. */
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
   * Notes a run of the timer, at least ten a second.
   * @param {number} lateMs after it was due
   * @param {number} nowMs
   * @param {number} [gaps] times when the sound card ran dry; lower than before for a new sound
   *   card
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
