/** A change of the loss by so much is told at once, in percent; */
const CHANGE_PERCENT = 0.5;
/** what stays, and the other figures with it, after so long, in milliseconds. */
const AGAIN_MS = 5000;

/** What the server takes of each figure, from and to: with one beyond, it would take none of a report. */
const BOUNDS = Object.freeze({ playoutDelayMs: [0, 10_000], soundLatencyMs: [0, 60_000], driftPpm: [-10_000, 10_000] });

/**
 * @param {number | null} lostPercent
 * @param {{ delayMs: number | null, detail: { playout: { delayMs: number, driftPpm: number } } }} stats
 * @returns {Record<string, unknown>} the control message, without what can't be
 */
export function reportOf(lostPercent, { delayMs, detail: { playout } }) {
  const sound = { playoutDelayMs: playout.delayMs, soundLatencyMs: delayMs ?? NaN, driftPpm: playout.driftPpm };
  /** @type {Record<string, unknown>} */
  const report = { type: 'report', lostPercent };
  for (const [name, [least, most]] of Object.entries(BOUNDS)) {
    const value = sound[/** @type {keyof typeof BOUNDS} */ (name)];
    if (value >= least && value <= most) report[name] = Math.round(value * 100) / 100;
  }
  return report;
}

/**
 * Decides when the server is told of what is lost on the way down, and of how long sound takes. To be asked once
 * a second.
 */
export class LossReport {
  #toldPercent = 0;
  #toldMs = -Infinity;

  /**
   * @param {number | null} lostPercent of late; null where nothing was sent
   * @param {number} nowMs
   * @returns {boolean} whether to tell it
   */
  isDue(lostPercent, nowMs) {
    if (lostPercent === null) return false;
    const isChanged = Math.abs(lostPercent - this.#toldPercent) >= CHANGE_PERCENT;
    const isOld = nowMs - this.#toldMs >= AGAIN_MS;
    if (!isChanged && !isOld) return false;
    this.#toldPercent = lostPercent;
    this.#toldMs = nowMs;
    return true;
  }
}
