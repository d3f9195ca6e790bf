/** Fields of each host, in 32 bits each. */
const FIELDS = 4;

/** @typedef {{ present: number, away: number, rooms: number }} Count */

/**
 * Numbers of people and rooms of each room host, in memory that all threads share: limits hold for
 * all hosts together.
 */
export class Tally {
  #counts;
  #own;

  /** @param {number} hosts */
  static create(hosts) {
    return new SharedArrayBuffer(hosts * FIELDS * 4);
  }

  /**
   * @param {SharedArrayBuffer} buffer
   * @param {number} own  the number of this host
   */
  constructor(buffer, own) {
    this.#counts = new Int32Array(buffer);
    this.#own = own;
  }

  /** @param {Count} count  of this host */
  publish = (count) => this.set(this.#own, count);

  /** @param {number} host @param {Count} count */
  set(host, { present, away, rooms }) {
    Atomics.store(this.#counts, host * FIELDS, present);
    Atomics.store(this.#counts, host * FIELDS + 1, away);
    Atomics.store(this.#counts, host * FIELDS + 2, rooms);
  }

  /** @param {number} host @returns {Count} */
  of(host) {
    const at = host * FIELDS;
    return {
      present: Atomics.load(this.#counts, at),
      away: Atomics.load(this.#counts, at + 1),
      rooms: Atomics.load(this.#counts, at + 2),
    };
  }

  /** @returns {Count} sum of the other hosts */
  others = () => {
    const sum = { present: 0, away: 0, rooms: 0 };
    for (let host = 0; host * FIELDS < this.#counts.length; host++) {
      if (host === this.#own) continue;
      const { present, away, rooms } = this.of(host);
      sum.present += present;
      sum.away += away;
      sum.rooms += rooms;
    }
    return sum;
  };
}
