/**
 * @import { TickLoad } from './tick-load.js'
 *
 * @typedef {object} Loaded  a room
 * @property {TickLoad} load
 * @property {ReadonlyArray<string | null>} networks  of each who is in it
 */

/** The shortest time between two settlements, in milliseconds: who begins to take much goes last after that. */
const SETTLE_MS = 50;

/**
 * Says how heavy each room is: by what it takes, and by what the networks of its people take in all rooms, of which the
 * least counts. So who fills many rooms makes all of them heavy, and nobody makes another's room heavy by being in it.
 */
export class LoadShares {
  #settledMs = -Infinity;
  /** What each network takes, in milliseconds a second. @type {Map<string, number>} */
  #rates = new Map();

  /**
   * To be called once a second, and when ticks are late.
   * @param {number} nowMs  on the monotonic clock
   * @param {Iterable<Loaded>} rooms  all that there are
   */
  settle(nowMs, rooms) {
    const passedMs = nowMs - this.#settledMs;
    if (passedMs < SETTLE_MS) return;
    this.#settledMs = nowMs;
    this.#rates.clear();
    const all = [...rooms].map((room) => ({ load: room.load, networks: room.networks, rate: room.load.settle(passedMs) }));
    for (const { networks, rate } of all) {
      for (const network of networks) {
        // Behind this machine's own addresses may be anybody: their rooms count by themselves.
        if (network !== null) this.#rates.set(network, (this.#rates.get(network) ?? 0) + rate / networks.length);
      }
    }
    for (const { load, networks, rate } of all) {
      const rates = networks.map((network) => (network === null ? 0 : (this.#rates.get(network) ?? 0)));
      load.weight = rate + (rates.length > 0 ? Math.min(...rates) : 0);
    }
  }
}
