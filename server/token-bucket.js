/** Lets so many through at once, and then so many a second. */
export class TokenBucket {
  #most;
  #perMs;
  #tokens;
  #atMs;

  /**
   * @param {object} options
   * @param {number} options.atOnce
   * @param {number} options.perSecond
   * @param {number} [options.nowMs] on the monotonic clock
   */
  constructor({ atOnce, perSecond, nowMs = -Infinity }) {
    this.#most = atOnce;
    this.#perMs = perSecond / 1000;
    this.#tokens = atOnce;
    this.#atMs = nowMs;
  }

  /**
   * @param {number} nowMs
   * @returns {number} 0 when one may pass; else after how many milliseconds the next may
   */
  take(nowMs) {
    // Times of arrival may go back a little: that takes nothing away.
    if (nowMs > this.#atMs) {
      this.#tokens = Math.min(this.#most, this.#tokens + (nowMs - this.#atMs) * this.#perMs);
      this.#atMs = nowMs;
    }
    if (this.#tokens < 1) return Math.ceil((1 - this.#tokens) / this.#perMs);
    this.#tokens -= 1;
    return 0;
  }
}
