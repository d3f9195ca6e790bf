/** @import { Clock } from '../../public/shared/clock.js' */

/**
 * The time for which an answer is given again, in milliseconds: nobody needs a costly one more
 * often.
 */
const KEEP_MS = 1000;

/** The answers that are kept at most; beyond it all are made anew. */
const MAX_KEPT = 1000;

/**
 * Answers that cost much to make, such as the description of a full room: each is made once a
 * second at most, however often it is asked for.
 * @template T
 */
export class AnswerCache {
  #clock;
  /** @type {Map<string, { madeMs: number, answer: T }>} */
  #kept = new Map();

  /** @param {Pick<Clock, 'now'>} clock */
  constructor(clock) {
    this.#clock = clock;
  }

  /**
   * @param {string} key
   * @param {() => T} make
   * @returns {T}
   */
  get(key, make) {
    const now = this.#clock.now();
    const kept = this.#kept.get(key);
    if (kept && now - kept.madeMs < KEEP_MS) return kept.answer;
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    const answer = make();
    this.#kept.set(key, { madeMs: now, answer });
    return answer;
  }

  /** Has an answer made anew, since what it tells was changed. @param {string} key */
  invalidate(key) {
    this.#kept.delete(key);
  }
}
