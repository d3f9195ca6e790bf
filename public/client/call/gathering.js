/**
 * @import { Clock } from '../../shared/clock.js'
 * @import { PeopleList, Person } from './roster.js'
 */

/**
 * The time after which people who haven't come are shown as away, in milliseconds: most come within
 * two seconds.
 */
const AWAY_AFTER_MS = 3000;

/**
 * Keeps people in the list while they move to the room's next node, so that the page shows neither
 * leave nor join.
 */
export class Gathering {
  #clock;
  #tell;
  /** @type {PeopleList | null} */
  #told = null;
  /** People of the last list who haven't come yet. @type {Map<string, Person>} */
  #missing = new Map();
  /** @type {unknown} */
  #timer = null;

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {(list: PeopleList) => void} options.tell  the list has changed with time
   */
  constructor({ clock, tell }) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /**
   * Takes note of a welcome. @param {unknown} gatherMs time for which the room waits for its people
   */
  welcome(gatherMs) {
    const before = this.#told?.people ?? [];
    this.#clock.clearTimeout(this.#timer);
    this.#missing.clear();
    if (typeof gatherMs !== 'number' || !(gatherMs > 0)) return;
    for (const person of before) if (!person.you) this.#missing.set(person.id, person);
    this.#later(Math.min(AWAY_AFTER_MS, gatherMs), () => this.#awayUntil(gatherMs));
  }

  /**
   * @param {PeopleList} told  as the server has it
   * @returns {PeopleList} with the people who are on their way
   */
  gathered(told) {
    for (const { id } of told.people) this.#missing.delete(id);
    const people =
      this.#missing.size === 0 ? told.people : [...told.people, ...this.#missing.values()];
    this.#told = { ...told, people };
    return this.#told;
  }

  /** @param {number} gatherMs */
  #awayUntil(gatherMs) {
    if (this.#missing.size === 0) return;
    for (const [id, person] of this.#missing) this.#missing.set(id, { ...person, away: true });
    this.#again();
    this.#later(Math.max(0, gatherMs - AWAY_AFTER_MS), () => this.#over());
  }

  /** Takes people off the list who haven't come. */
  #over() {
    if (this.#missing.size === 0 || !this.#told) return;
    const people = this.#told.people.filter(({ id }) => !this.#missing.has(id));
    this.#missing.clear();
    this.#told = { ...this.#told, people };
    this.#tell(this.#told);
  }

  /** Tells the list again, with the missing people as they are now. */
  #again() {
    if (!this.#told) return;
    const people = this.#told.people.map((person) => this.#missing.get(person.id) ?? person);
    this.#told = { ...this.#told, people };
    this.#tell(this.#told);
  }

  /** @param {number} ms @param {() => void} run */
  #later(ms, run) {
    this.#timer = this.#clock.setTimeout(run, ms);
  }

  /** Idempotent. */
  close() {
    this.#clock.clearTimeout(this.#timer);
  }
}
