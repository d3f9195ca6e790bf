/**
 * @import { TickLoad } from './tick-load.js'
 *
 * @typedef {object} Loaded  a room
 * @property {TickLoad} load
 * @property {ReadonlyArray<string | null>} networks  of each who is in it
 */

/**
 * The shortest time between two settlements, in milliseconds: who begins to take much goes last
 * after that.
 */
const SETTLE_MS = 50;

/**
 * Says how heavy each room is: by what it takes, and by what the networks of its people take in all
 * rooms, of which the least counts. So who fills many rooms makes all of them heavy, and nobody
 * makes another's room heavy by being in it.
 */
export class LoadShares {
  #cpuMs;
  #settledMs = -Infinity;
  #settledCpuMs = -Infinity;
  /** What each network takes, in milliseconds a second. @type {Map<string, number>} */
  #rates = new Map();

  /**
   * @param {(() => number) | null} [cpuMs] the processor time of the thread so far, in
   *   milliseconds; null: rooms take what the clock says
   */
  constructor(cpuMs = null) {
    this.#cpuMs = cpuMs;
  }

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
    const loaded = [...rooms];
    const ran = this.#ran(loaded);
    const all = loaded.map(({ load, networks }) => ({
      load,
      networks,
      rate: load.settle(passedMs, ran),
    }));
    for (const { networks, rate } of all) {
      for (const network of networks) {
        // Behind this machine's own addresses may be anybody: their rooms count by themselves.
        if (network !== null)
          this.#rates.set(network, (this.#rates.get(network) ?? 0) + rate / networks.length);
      }
    }
    for (const { load, networks, rate } of all) {
      const rates = networks.map((network) =>
        network === null ? 0 : (this.#rates.get(network) ?? 0),
      );
      load.weight = rate + (rates.length > 0 ? Math.min(...rates) : 0);
    }
  }

  /**
   * Rooms together take no more than the processor time of their thread: what the clock says beyond
   * it was stolen. That time is read here and not for each tick, since reading it is a system call.
   * @param {Loaded[]} rooms
   * @returns {number} the share of the rooms' time by the clock for which the thread had a
   *   processor
   */
  #ran(rooms) {
    if (this.#cpuMs === null) return 1;
    const cpuMs = this.#cpuMs();
    const ranMs = cpuMs - this.#settledCpuMs;
    this.#settledCpuMs = cpuMs;
    const usedMs = rooms.reduce((sum, { load }) => sum + load.usedMs, 0);
    return usedMs > ranMs ? ranMs / usedMs : 1;
  }
}
