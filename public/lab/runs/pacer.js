/**
 * @import { Clock } from '../../shared/clock.js'
 *
 * @typedef {{ readonly dueMs: number, send: () => void }} Talker  dueMs: when its next frame is to be sent, on
 *   the clock, in milliseconds, later with each
 */

/** Sends each talker's frames when they are due, and notes by how much it was late itself. */
export class Pacer {
  #clock;
  /** @type {Set<Talker>} */
  #talkers = new Set();
  /** @type {unknown} */
  #timer = null;
  /** @type {number[]} */
  #latenessMs = [];

  /** @param {Clock} clock */
  constructor(clock) {
    this.#clock = clock;
  }

  /** @param {Talker} talker one that was resumed */
  add(talker) {
    this.#talkers.add(talker);
    this.#schedule();
  }

  /** @param {Talker} talker */
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

  /** @returns {number[]} how late packets were sent since the last call, in milliseconds */
  takeLateness() {
    const latenessMs = this.#latenessMs;
    this.#latenessMs = [];
    return latenessMs;
  }

  /** Sends nothing any more. Idempotent. */
  close() {
    this.#talkers.clear();
    this.#clock.clearTimeout(this.#timer);
  }
}
