/**
 * How much sound a client has that it hasn't played, as the server estimates it from what arrived
 * and how it is played.
 */
export class ClientBuffer {
  #level = 0;
  #speed = 1;
  #paused = false;
  #atMs;

  /** @param {number} nowMs */
  constructor(nowMs) {
    this.#atMs = nowMs;
  }

  /** Seconds. @param {number} nowMs */
  level(nowMs) {
    if (!this.#paused)
      this.#level = Math.max(0, this.#level - ((nowMs - this.#atMs) / 1000) * this.#speed);
    this.#atMs = nowMs;
    return this.#level;
  }

  /** @param {number} seconds  that have arrived @param {number} nowMs */
  arrived(seconds, nowMs) {
    this.#level = this.level(nowMs) + seconds;
  }

  /** The client plays on from elsewhere: it has nothing. @param {number} nowMs */
  empty(nowMs) {
    this.#level = 0;
    this.#atMs = nowMs;
  }

  /** @param {number} speed @param {boolean} paused @param {number} nowMs */
  pace(speed, paused, nowMs) {
    this.level(nowMs);
    this.#speed = speed;
    this.#paused = paused;
  }

  /**
   * The milliseconds in which so much sound is played; null while it is paused.
   * @param {number} seconds
   */
  msOf(seconds) {
    return this.#paused ? null : (seconds * 1000) / this.#speed;
  }
}
