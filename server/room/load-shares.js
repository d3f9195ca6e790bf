/**
 * @import { TickLoad } from '../clock/tick-load.js'
 *
 * @typedef {object} Loaded  a room
 * @property {TickLoad} load
 * @property {() => Iterable<string | null>} networks  of each who is in it
 */

/** The shortest time between two settlements, in milliseconds. */
const SETTLE_MS = 900;

/**
 * Says once a second how heavy each room is: by what it has cost, and by what the networks of its people have cost in all
 * rooms, of which the least counts. So who fills many rooms makes all of them heavy, and nobody makes another's room heavy
 * by being in it.
 */
export class LoadShares {
  #settledMs = -Infinity;
  /** Of each network, in the last second. @type {Map<string | null, number>} */
  #costs = new Map();

  /**
   * @param {number} nowMs  on the monotonic clock
   * @param {Iterable<Loaded>} rooms  all that there are
   */
  settle(nowMs, rooms) {
    if (nowMs - this.#settledMs < SETTLE_MS) return;
    this.#settledMs = nowMs;
    this.#costs.clear();
    const all = [...rooms].map((room) => ({ load: room.load, networks: [...room.networks()], ms: room.load.take() }));
    for (const { networks, ms } of all) {
      for (const network of networks) {
        // Behind this machine's own addresses may be anybody: their rooms count by themselves.
        if (network !== null) this.#costs.set(network, (this.#costs.get(network) ?? 0) + ms / networks.length);
      }
    }
    for (const { load, networks, ms } of all) {
      const costs = networks.map((network) => this.#costs.get(network) ?? 0);
      load.base = ms + (costs.length > 0 ? Math.min(...costs) : 0);
    }
  }
}
