import { TokenBucket } from './token-bucket.js';

/** The most keys that are remembered: those beyond them begin anew, the oldest first. */
const MOST_KEYS = 10_000;

/** A rate limit for each of many, such as networks. */
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
   * @returns {number} 0 when it is granted; else the milliseconds until it would be
   */
  take(key, nowMs) {
    return key === null ? 0 : this.#of(key, nowMs).take(nowMs);
  }

  /**
   * Gives back what was taken, or takes without asking: see TokenBucket.
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
    // The one that asked last is the last to be forgotten.
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > MOST_KEYS) {
      const [oldest] = this.#buckets.keys();
      this.#buckets.delete(oldest);
    }
    return bucket;
  }

  /** How many keys are remembered. */
  get size() {
    return this.#buckets.size;
  }
}
