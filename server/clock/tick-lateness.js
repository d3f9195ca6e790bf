/** How many ticks are remembered: ten seconds of 20 ms frames. */
const TICKS = 500;

/** How long after their time the last frames were mixed. */
export class TickLateness {
  #times = new Float64Array(TICKS);
  #count = 0;

  /** @param {number} latenessMs */
  add(latenessMs) {
    this.#times[this.#count++ % TICKS] = latenessMs;
  }

  /**
   * @returns {{ ticks: number, latenessP50Ms: number | null, latenessP99Ms: number | null }} of
   *   those remembered
   */
  describe() {
    const ticks = Math.min(this.#count, TICKS);
    const sorted = this.#times.slice(0, ticks).sort();
    const at = (/** @type {number} */ share) =>
      ticks === 0 ? null : sorted[Math.min(ticks - 1, Math.floor(share * ticks))];
    return { ticks, latenessP50Ms: at(0.5), latenessP99Ms: at(0.99) };
  }
}
