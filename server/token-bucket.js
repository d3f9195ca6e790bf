/** A rate limit: passes a burst, and then a number a second. */
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
   * @returns {number} 0 when it may pass; otherwise the milliseconds to wait
   */
  take(nowMs) {
    this.#refill(nowMs);
    if (this.#tokens < 1) return Math.ceil((1 - this.#tokens) / this.#perMs);
    this.#tokens -= 1;
    return 0;
  }

  /**
   * Returns tokens, or takes some without asking, even more than there are.
   * @param {number} count  less than 0 to take
   * @param {number} nowMs on the monotonic clock
   */
  add(count, nowMs) {
    this.#refill(nowMs);
    this.#tokens = Math.min(this.#most, this.#tokens + count);
  }

  /** @param {number} nowMs */
  #refill(nowMs) {
    // Times of arrival may step back a little, which adds and takes nothing.
    if (nowMs <= this.#atMs) return;
    this.#tokens = Math.min(this.#most, this.#tokens + (nowMs - this.#atMs) * this.#perMs);
    this.#atMs = nowMs;
  }
}

/** Most keys remembered; after that the oldest starts over with a full burst. */
const MOST_KEYS = 10_000;

/** Rate limits of one rate, by key, such as the network. */
export class KeyedBuckets {
  #rate;
  /** @type {Map<string, TokenBucket>} */
  #buckets = new Map();

  /** @param {{ atOnce: number, perSecond: number }} rate  of each: see TokenBucket */
  constructor(rate) {
    this.#rate = rate;
  }

  /**
   * Asks to pass.
   * @param {string | null} key  null passes always
   * @param {number} nowMs  on the monotonic clock
   * @returns {number} 0 when it may pass; otherwise the milliseconds to wait
   */
  take(key, nowMs) {
    return key === null ? 0 : this.#of(key, nowMs).take(nowMs);
  }

  /**
   * Returns tokens, or takes some without asking: see TokenBucket.
   * @param {string} key
   * @param {number} count
   * @param {number} nowMs  on the monotonic clock
   */
  add(key, count, nowMs) {
    this.#of(key, nowMs).add(count, nowMs);
  }

  /** @param {string} key @param {number} nowMs */
  #of(key, nowMs) {
    const bucket = this.#buckets.get(key) ?? new TokenBucket({ ...this.#rate, nowMs });
    // Reinserted, because the key that asked longest ago is forgotten first.
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > MOST_KEYS) {
      const [oldest] = this.#buckets.keys();
      this.#buckets.delete(oldest);
    }
    return bucket;
  }

  /** Number of remembered keys. */
  get size() {
    return this.#buckets.size;
  }
}
