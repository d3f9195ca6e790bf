/**
 * @import { Clock } from '../../shared/clock.js'
 *
 * @typedef {{ readonly dueMs: number, send: () => void }} Paced dueMs: when its next frame is to be
 *   sent, on the clock, in milliseconds; send() moves it on
 */

/** Sends the frames of talkers at their due times, and measures its own lateness. */
export class Pacer {
  #clock;
  /** @type {Set<Paced>} */
  #talkers = new Set();
  /** @type {unknown} */
  #timer = null;
  /** @type {number[]} */
  #latenessMs = [];

  /** @param {Clock} clock */
  constructor(clock) {
    this.#clock = clock;
  }

  /** @param {Paced} talker a started one */
  add(talker) {
    this.#talkers.add(talker);
    this.#schedule();
  }

  /** @param {Paced} talker */
  remove(talker) {
    this.#talkers.delete(talker);
  }

  #schedule() {
    this.#clock.clearTimeout(this.#timer);
    if (this.#talkers.size === 0) return;
    let next = Infinity;
    for (const talker of this.#talkers) next = Math.min(next, talker.dueMs);
    const wait = Math.max(0, Math.ceil(next - this.#clock.now()));
    this.#timer = this.#clock.setTimeout(() => this.#send(), wait);
  }

  #send() {
    for (const talker of this.#talkers) {
      for (let dueMs = talker.dueMs; dueMs <= this.#clock.now(); dueMs = talker.dueMs) {
        this.#latenessMs.push(this.#clock.now() - dueMs);
        talker.send();
      }
    }
    this.#schedule();
  }

  /** @returns {number[]} lateness of each packet since the last call, in milliseconds */
  takeLateness() {
    const latenessMs = this.#latenessMs;
    this.#latenessMs = [];
    return latenessMs;
  }

  /** Stops sending. Idempotent. */
  close() {
    this.#talkers.clear();
    this.#clock.clearTimeout(this.#timer);
  }
}
