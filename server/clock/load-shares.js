/**
 * @typedef {object} Loaded room
 * @property {TickLoad} load
 * @property {ReadonlyArray<string | null>} networks of each person in it
 */

/**
 * Shortest time between two settlements, in milliseconds: a new heavy load goes last after that.
 */
const SETTLE_MS = 50;

/**
 * Weighs each room: by its own use of time, and by the use of its people's networks in all rooms,
 * of which the least counts. A network that fills many rooms makes all of them heavy. Nobody makes
 * another's room heavy by being in it.
 */
export class LoadShares {
  #cpuMs;
  #settledMs = -Infinity;
  #settledCpuMs = -Infinity;
  /** Time used by each network, in milliseconds a second. @type {Map<string, number>} */
  #rates = new Map();

  /**
   * @param {(() => number) | null} [cpuMs] processor time of the thread so far, in milliseconds;
   *   null to count time by the clock
   */
  constructor(cpuMs = null) {
    this.#cpuMs = cpuMs;
  }

  /**
   * Settles all weights. Call it once a second, and when ticks are late.
   * @param {number} nowMs on the monotonic clock
   * @param {Iterable<Loaded>} rooms all rooms
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
        // This machine's own addresses may hide anybody, so each of these rooms counts alone.
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
   * Compares the rooms' time by the clock with the processor time of their thread: the excess was
   * stolen by others. Processor time is read here and not for each tick, because reading it is a
   * system call.
   * @param {Loaded[]} rooms
   * @returns {number} share of the rooms' time by the clock for which the thread had a processor
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

/** Time over which a room's use is averaged, in milliseconds. */
const AVERAGE_MS = 200;

/**
 * Time used by a room's ticks and replies, and its weight: when ticks are late, the lightest room
 * goes first.
 */
export class TickLoad {
  #usedMs = 0;
  #rate = 0;

  /**
   * A new room is the heaviest because its use is unknown, so a rush of new rooms doesn't delay an
   * old one.
   */
  weight = Infinity;

  /** @param {number} ms of a tick or a reply */
  add(ms) {
    this.#usedMs += ms;
  }

  /** Time used by ticks and replies since the last settlement, by the clock, in milliseconds. */
  get usedMs() {
    return this.#usedMs;
  }

  /**
   * Ends a period.
   * @param {number} passedMs its length
   * @param {number} [ran] share of the time by the clock for which the thread had a processor
   * @returns {number} time used by the room, in milliseconds a second
   */
  settle(passedMs, ran = 1) {
    const now = (1000 * ran * this.#usedMs) / passedMs;
    this.#usedMs = 0;
    this.#rate += (now - this.#rate) * (1 - Math.exp(-passedMs / AVERAGE_MS));
    return this.#rate;
  }
}
