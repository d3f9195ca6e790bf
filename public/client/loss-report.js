/** A change of the loss by so much is told at once, in percent; */
const CHANGE_PERCENT = 0.5;
/** loss that stays is told again after so long, in milliseconds. */
const AGAIN_MS = 5000;

/** Decides when the server is told of what is lost on the way down. To be asked once a second. */
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
    const isOld = lostPercent > 0 && nowMs - this.#toldMs >= AGAIN_MS;
    if (!isChanged && !isOld) return false;
    this.#toldPercent = lostPercent;
    this.#toldMs = nowMs;
    return true;
  }
}
