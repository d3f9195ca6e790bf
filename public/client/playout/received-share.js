/** How many readings the share is of: with one a second, the last ten seconds. */
const READINGS = 10;

/** Of the frames that were due of late, the share whose packet was there in time. */
export class ReceivedShare {
  /** @type {{ received: number, due: number }[]} */
  #readings = [];

  /** @param {{ received: number, late: number, lost: number }} counters totals so far */
  add({ received, late, lost }) {
    this.#readings.push({ received, due: received + late + lost });
    if (this.#readings.length > READINGS + 1) this.#readings.shift();
  }

  /** In percent; null before anything was due. */
  get percent() {
    const last = this.#readings.at(-1);
    if (!last) return null;
    const first = this.#readings.length > 1 ? this.#readings[0] : { received: 0, due: 0 };
    const due = last.due - first.due;
    return due > 0 ? Math.max(0, Math.min(100, (100 * (last.received - first.received)) / due)) : null;
  }
}
