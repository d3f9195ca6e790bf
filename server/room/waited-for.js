/**
 * @import { DelayControl } from '../clock/delay-control.js'
 * @import { Roster } from './roster.js'
 *
 * @typedef {object} Waited
 * @property {string} id
 * @property {number} delayMs  the server-side delay that this person's packets need
 */

/** How much more than half of the people need is told, in milliseconds: what is less is hardly heard. */
const NOTABLE_MS = 60;

/** The most people that are named, and the shortest time between two messages, in milliseconds. */
const MOST_NAMED = 10;
const TELL_EVERY_MS = 2000;

/** The smallest change of a delay that is told, in milliseconds. */
const CHANGE_MS = 20;

/** Has the room's delay follow what its people need, finds for whom it is longer than most need, and tells everybody. */
export class WaitedFor {
  #delay;
  #roster;
  #toldMs = -Infinity;
  /** Those who were told last, the one who needs most first. @type {Waited[]} */
  #people = [];

  /**
   * @param {object} options
   * @param {DelayControl} options.delay
   * @param {Roster} options.roster
   */
  constructor({ delay, roster }) {
    this.#delay = delay;
    this.#roster = roster;
  }

  /** @returns {ReadonlyArray<Waited>} */
  get people() {
    return this.#people;
  }

  /** To be called once a second. @param {number} nowMs  on the monotonic clock */
  review(nowMs) {
    this.#delay.review(this.#lateness());
    if (nowMs - this.#toldMs < TELL_EVERY_MS) return;
    const people = this.#find();
    if (isSame(people, this.#people)) return;
    this.#people = people;
    this.#toldMs = nowMs;
    this.#roster.tell({ type: 'waited', people });
  }

  /** Nobody need wait for one who isn't heard. */
  *#lateness() {
    for (const { muted, source } of this.#roster.present.values()) if (!muted && source) yield source.lateness;
  }

  #find() {
    /** @type {Waited[]} */
    const all = [];
    if (this.#delay.setting !== 'auto') return all;
    for (const { id, muted, source } of this.#roster.present.values()) {
      const isCounted = source !== null && !muted && source.lateness.count > 0 && !source.lateness.excluded;
      if (isCounted) all.push({ id, delayMs: source.lateness.needMs });
    }
    all.sort((a, b) => b.delayMs - a.delayMs);
    // Half of the people, or one more, need no longer than this.
    const median = all[all.length >> 1]?.delayMs ?? 0;
    return all.filter(({ delayMs }) => delayMs >= median + NOTABLE_MS).slice(0, MOST_NAMED);
  }
}

/** @param {Waited[]} people @param {Waited[]} before */
function isSame(people, before) {
  return (
    people.length === before.length &&
    people.every(({ id, delayMs }, i) => id === before[i].id && Math.abs(delayMs - before[i].delayMs) < CHANGE_MS)
  );
}
