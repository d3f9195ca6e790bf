/** Who sends more messages than this within so many milliseconds */
const MAX_MESSAGES = 500;
const WITHIN_MS = 50;

/** isn't read for so long, in milliseconds: a flood waits on the peer's own side, and others are read. */
export const UNREAD_MS = 200;

/** How fast one peer's messages come. */
export class MessageRate {
  #messages = 0;
  #sinceMs = -Infinity;

  /**
   * A message has come.
   * @param {number} nowMs on the monotonic clock
   * @returns {boolean} whether there were too many: the peer isn't to be read for UNREAD_MS
   */
  count(nowMs) {
    if (nowMs - this.#sinceMs >= WITHIN_MS) {
      this.#sinceMs = nowMs;
      this.#messages = 0;
    }
    this.#messages += 1;
    return this.#messages > MAX_MESSAGES;
  }
}
