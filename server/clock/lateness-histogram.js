/** Upper bounds of the bins, in milliseconds; later ticks are in a bin of their own. */
export const LATENESS_BOUNDS_MS = Object.freeze([0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500]);

/**
 * Lateness of the ticks of all rooms, since the server's start: counts by bin. Adding to it
 * allocates nothing.
 */
export class LatenessHistogram {
  #counts = new Float64Array(LATENESS_BOUNDS_MS.length + 1);
  #sumMs = 0;

  /** @param {number} latenessMs */
  add(latenessMs) {
    let bin = 0;
    while (bin < LATENESS_BOUNDS_MS.length && latenessMs > LATENESS_BOUNDS_MS[bin]) bin += 1;
    this.#counts[bin] += 1;
    this.#sumMs += latenessMs;
  }

  /**
   * Counts as Prometheus has them: each bin's with the counts of all smaller ones.
   * @returns {{ count: number, sumMs: number, bins: { upToMs: number, count: number }[] }}
   */
  describe() {
    let count = 0;
    const bins = LATENESS_BOUNDS_MS.map((upToMs, bin) => ({
      upToMs,
      count: (count += this.#counts[bin]),
    }));
    return { count: count + this.#counts[LATENESS_BOUNDS_MS.length], sumMs: this.#sumMs, bins };
  }
}

/** Number of remembered ticks: ten seconds of 20 ms frames. */
const TICKS = 500;

/** Lateness of the last mixed frames. */
export class TickLateness {
  #times = new Float64Array(TICKS);
  #count = 0;

  /** @param {number} latenessMs */
  add(latenessMs) {
    this.#times[this.#count++ % TICKS] = latenessMs;
  }

  /**
   * @returns {{ ticks: number, latenessP50Ms: number | null, latenessP99Ms: number | null }}
   *   figures of the remembered ticks
   */
  describe() {
    const ticks = Math.min(this.#count, TICKS);
    const sorted = this.#times.slice(0, ticks).sort();
    const at = (/** @type {number} */ share) =>
      ticks === 0 ? null : sorted[Math.min(ticks - 1, Math.floor(share * ticks))];
    return { ticks, latenessP50Ms: at(0.5), latenessP99Ms: at(0.99) };
  }
}
