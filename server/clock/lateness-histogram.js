/**
 * The upper bounds of the bins, in milliseconds; what is later than the last is in a bin of its
 * own.
 */
export const LATENESS_BOUNDS_MS = Object.freeze([0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500]);

/**
 * How late the ticks of all rooms were, since the server's start: counts by bin. Adding to it
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
   * The counts as Prometheus has them: each bin's with those of all smaller ones.
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
