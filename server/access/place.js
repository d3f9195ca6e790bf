/**
 * Where a session comes from, as bans and limits know it.
 */

import { isIPv6 } from 'node:net';
import { TokenBucket } from '../token-bucket.js';

/** The groups of an IPv6 address that name one network: a /64, which is the least that a customer gets (RFC 6177). */
const NETWORK_GROUPS = 4;

/**
 * The place of a session's other end: its IPv4 address, or the /64 of its IPv6 address.
 * @param {string} peer  address and port, as a session has them
 * @returns {string}
 */
export function placeOf(peer) {
  const bracketed = /^\[(.*)\](:\d+)?$/.exec(peer)?.[1];
  const address = bracketed ?? (isIPv6(peer) ? peer : peer.replace(/:\d+$/, ''));
  const bare = address.split('%', 1)[0].toLowerCase();
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(bare);
  if (mapped) return mapped[1];
  return isIPv6(bare) ? `${groupsOf(bare).slice(0, NETWORK_GROUPS).join(':')}::/64` : bare;
}

/**
 * The eight groups of an IPv6 address, without leading zeros.
 * @param {string} address
 * @returns {string[]}
 */
function groupsOf(address) {
  const [head, tail] = address.split('::').map((part) => part.split(':').filter(Boolean));
  // An IPv4 address at the end stands for two groups.
  const length = (/** @type {string[]} */ groups) => groups.length + (groups.at(-1)?.includes('.') ? 1 : 0);
  const zeros = tail ? 8 - length(head) - length(tail) : 0;
  return [...head, ...new Array(zeros).fill('0'), ...(tail ?? [])].map((group) => group.replace(/^0+(?=.)/, ''));
}

/** A rate limit for each place. Beyond the most places the one that was added first is forgotten. */
export class PlaceLimit {
  #rate;
  #most;
  /** @type {Map<string, TokenBucket>} */
  #buckets = new Map();

  /** @param {{ atOnce: number, perSecond: number, most?: number }} options  most: places */
  constructor({ atOnce, perSecond, most = 1000 }) {
    this.#rate = { atOnce, perSecond };
    this.#most = most;
  }

  /**
   * Asks to pass.
   * @param {string} place
   * @param {number} nowMs  on the monotonic clock
   * @returns {number} 0 when it is granted; else the milliseconds until it would be
   */
  take(place, nowMs) {
    let bucket = this.#buckets.get(place);
    if (!bucket) {
      const [oldest] = this.#buckets.keys();
      if (this.#buckets.size >= this.#most) this.#buckets.delete(oldest);
      bucket = new TokenBucket({ ...this.#rate, nowMs });
      this.#buckets.set(place, bucket);
    }
    return bucket.take(nowMs);
  }
}
