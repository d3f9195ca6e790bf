/**
 * @import { Clock } from '../../shared/clock.js'
 * @import { PeopleList, Person } from './roster.js'
 */

/**
 * Time after which missing people are shown as away, in milliseconds: most come within two seconds.
 */
const AWAY_AFTER_MS = 3000;

/**
 * Keeps people in the list while they move to the room's next node, so that the page shows neither
 * leave nor join.
 */
export class Gathering {
  #clock;
  #onChange;
  /** @type {PeopleList | null} */
  #list = null;
  /** People of the last list who are still missing. @type {Map<string, Person>} */
  #missing = new Map();
  /** @type {unknown} */
  #timer = null;

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {(list: PeopleList) => void} options.onChange  the list has changed with time
   */
  constructor({ clock, onChange }) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** Reads a welcome. @param {unknown} gatherMs time for which the room waits for its people */
  welcome(gatherMs) {
    const before = this.#list?.people ?? [];
    this.#clock.clearTimeout(this.#timer);
    this.#missing.clear();
    if (typeof gatherMs !== 'number' || !(gatherMs > 0)) return;
    for (const person of before) if (!person.you) this.#missing.set(person.id, person);
    this.#later(Math.min(AWAY_AFTER_MS, gatherMs), () => this.#awayUntil(gatherMs));
  }

  /**
   * @param {PeopleList} list from the server
   * @returns {PeopleList} with the missing people
   */
  gathered(list) {
    for (const { id } of list.people) this.#missing.delete(id);
    const people =
      this.#missing.size === 0 ? list.people : [...list.people, ...this.#missing.values()];
    this.#list = { ...list, people };
    return this.#list;
  }

  /** @param {number} gatherMs */
  #awayUntil(gatherMs) {
    if (this.#missing.size === 0) return;
    for (const [id, person] of this.#missing) this.#missing.set(id, { ...person, away: true });
    this.#report();
    this.#later(Math.max(0, gatherMs - AWAY_AFTER_MS), () => this.#giveUp());
  }

  /** Removes the missing people from the list. */
  #giveUp() {
    if (this.#missing.size === 0 || !this.#list) return;
    const people = this.#list.people.filter(({ id }) => !this.#missing.has(id));
    this.#missing.clear();
    this.#list = { ...this.#list, people };
    this.#onChange(this.#list);
  }

  /** Reports the list again, with the missing people as they are now. */
  #report() {
    if (!this.#list) return;
    const people = this.#list.people.map((person) => this.#missing.get(person.id) ?? person);
    this.#list = { ...this.#list, people };
    this.#onChange(this.#list);
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
