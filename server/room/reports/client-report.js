/**
 * What a member's client tells: the way down and its sound cards, which only it knows, and whether
 * its computer keeps up.
 */
export class ClientReport {
  #isWeak = false;
  #figures = {
    downLostPercent: /** @type {number | null} */ (null),
    playoutDelayMs: /** @type {number | null} */ (null),
    soundLatencyMs: /** @type {number | null} */ (null),
    driftPpm: /** @type {number | null} */ (null),
  };

  /**
   * Takes what is told; what is left out stays as it was.
   * @param {{ lostPercent: number, playoutDelayMs?: number, soundLatencyMs?: number, driftPpm?:
   *   number, isWeak?: boolean }} report
   */
  take({ lostPercent, playoutDelayMs, soundLatencyMs, driftPpm, isWeak = this.#isWeak }) {
    const figures = this.#figures;
    this.#isWeak = isWeak;
    figures.downLostPercent = lostPercent;
    figures.playoutDelayMs = playoutDelayMs ?? figures.playoutDelayMs;
    figures.soundLatencyMs = soundLatencyMs ?? figures.soundLatencyMs;
    figures.driftPpm = driftPpm ?? figures.driftPpm;
  }

  /** Whether the member's computer gets too little processor time. */
  get isWeak() {
    return this.#isWeak;
  }

  /** The figures that were told; null before each is. */
  get figures() {
    return this.#figures;
  }
}
