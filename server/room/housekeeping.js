/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Participant } from './member.js'
 */

/** Everybody is visited so often, in milliseconds. */
const ROUND_MS = 1000;

/** So many are visited at once, and a round has so many visits at most. */
const AT_ONCE = 4;
const MAX_VISITS = 50;

/**
 * Visits everybody in a room once a second: a few at a time where they are many, so that no mix has to wait
 * until all have been told how they are received.
 */
export class Housekeeping {
  #clock;
  #people;
  #visit;
  #onRound;
  /** Those of this round, and how many of them have been visited. @type {Participant[]} */
  #round = [];
  #visited = 0;
  #atOnce = AT_ONCE;
  /** @type {unknown} */
  #timer = null;

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {ReadonlyMap<string, Participant>} options.people those of the room, as they come and go
   * @param {(person: Participant, nowMs: number) => void} options.visit
   * @param {(nowMs: number) => void} options.onRound called when all have been visited
   * @param {number} [options.phase] of a round, 0 to 1: by so much it begins earlier
   */
  constructor({ clock, people, visit, onRound, phase = 0 }) {
    this.#clock = clock;
    this.#people = people;
    this.#visit = visit;
    this.#onRound = onRound;
    this.#later(ROUND_MS * (1 - phase));
  }

  /** @param {number} ms */
  #later(ms) {
    this.#timer = this.#clock.setTimeout(() => this.#go(), ms);
  }

  #go() {
    const now = this.#clock.now();
    if (this.#visited === this.#round.length) this.#begin();
    // Before the visits: the last one may end the room, and this with it.
    this.#later(ROUND_MS / Math.max(1, Math.ceil(this.#round.length / this.#atOnce)));
    const end = Math.min(this.#round.length, this.#visited + this.#atOnce);
    while (this.#visited < end) {
      const person = this.#round[this.#visited++];
      if (this.#people.get(person.id) === person) this.#visit(person, now);
    }
    if (end === this.#round.length) this.#onRound(now);
  }

  #begin() {
    this.#round = [...this.#people.values()];
    this.#visited = 0;
    this.#atOnce = Math.max(AT_ONCE, Math.ceil(this.#round.length / MAX_VISITS));
  }

  /** Idempotent. */
  stop() {
    this.#clock.clearTimeout(this.#timer);
  }
}
