/** A rate limit: lets a burst through, and after it a number a second. */
export class TokenBucket {
  #most;
  #perMs;
  #tokens;
  #atMs;

  /**
   * @param {object} options
   * @param {number} options.atOnce     the burst
   * @param {number} options.perSecond  the rate after it
   * @param {number} [options.nowMs] on the monotonic clock
   */
  constructor({ atOnce, perSecond, nowMs = -Infinity }) {
    this.#most = atOnce;
    this.#perMs = perSecond / 1000;
    this.#tokens = atOnce;
    this.#atMs = nowMs;
  }

  /**
   * Asks to pass.
   * @param {number} nowMs on the monotonic clock
   * @returns {number} 0 when it is granted; else the milliseconds until it would be
   */
  take(nowMs) {
    this.#refill(nowMs);
    if (this.#tokens < 1) return Math.ceil((1 - this.#tokens) / this.#perMs);
    this.#tokens -= 1;
    return 0;
  }

  /**
   * Gives back what was taken, or takes without asking, which may be owed.
   * @param {number} count  less than 0 to take
   * @param {number} nowMs on the monotonic clock
   */
  add(count, nowMs) {
    this.#refill(nowMs);
    this.#tokens = Math.min(this.#most, this.#tokens + count);
  }

  /** @param {number} nowMs */
  #refill(nowMs) {
    // Times of arrival may go back a little, which adds and takes nothing.
    if (nowMs <= this.#atMs) return;
    this.#tokens = Math.min(this.#most, this.#tokens + (nowMs - this.#atMs) * this.#perMs);
    this.#atMs = nowMs;
  }
}
