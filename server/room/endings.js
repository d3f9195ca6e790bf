/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Participant } from './participant.js'
 */

/**
 * Those who are out of the room while what they said still waits to be mixed: a session that ends in the middle of
 * a word mustn't take from the others what had come of it.
 */
export class Endings {
  #clock;
  #onEnded;
  /** @type {Map<Participant, { timer: unknown, then: () => void }>} */
  #endings = new Map();

  /**
   * @param {Pick<Clock, 'setTimeout' | 'clearTimeout'>} clock
   * @param {(person: Participant) => void} onEnded  nothing waits any more: called once for each
   */
  constructor(clock, onEnded) {
    this.#clock = clock;
    this.#onEnded = onEnded;
  }

  /** @returns {Iterable<Participant>} */
  get people() {
    return this.#endings.keys();
  }

  /**
   * @param {Participant} person who is out of the room
   * @param {number} ms how long something still waits; 0 and less: nothing does
   */
  add(person, ms) {
    if (this.#endings.has(person)) return;
    if (!(ms > 0)) return this.#onEnded(person);
    this.#endings.set(person, { timer: this.#clock.setTimeout(() => this.#end(person), ms), then: () => {} });
  }

  /**
   * @param {Participant} person
   * @param {() => void} then  done when nothing waits any more, or at once
   */
  after(person, then) {
    const ending = this.#endings.get(person);
    if (ending) ending.then = then;
    else then();
  }

  /** @param {Participant} person */
  #end(person) {
    const ending = this.#endings.get(person);
    if (!ending) return;
    this.#clock.clearTimeout(ending.timer);
    this.#endings.delete(person);
    ending.then();
    this.#onEnded(person);
  }

  /** Ends all. Idempotent. */
  close() {
    for (const person of [...this.#endings.keys()]) this.#end(person);
  }
}
