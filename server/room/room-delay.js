/**
 * @import { DelayControl } from '../clock/delay-control.js'
 * @import { Member } from './people/member.js'
 * @import { Roster } from './people/roster.js'
 *
 * @typedef {object} Late  somebody whose packets come later than most
 * @property {string} id
 * @property {number} delayMs  the delay that this person's packets need
 * @property {number} offsetMs by how much this person alone is heard later; 0 where everybody waits
 */

import { START_MS } from '../clock/delay-control.js';

/**
 * The smallest excess over what half of the people need for which everybody is told to wait, in
 * milliseconds: less is hardly heard.
 */
const NOTABLE_MS = 60;

/** The most people that are named, and the shortest time between two messages, in milliseconds. */
const MOST_NAMED = 50;
const TELL_EVERY_MS = 2000;

/** The smallest change of a delay, and of an offset, that is told, in milliseconds. */
const CHANGE_MS = 20;
const OFFSET_CHANGE_MS = 5;

/** The shortest time between two looks at what most people need, in milliseconds. */
const LOOK_EVERY_MS = 100;

/**
 * The delay of a room where it is `auto`: D follows what those need who belong together, and a
 * straggler, who needs more than most, is heard later than they are, alone. So no lateness of one
 * person moves D by more than `stragglerMs`. It tells everybody who is late.
 */
export class RoomDelay {
  #control;
  #roster;
  #stragglerMs;
  /** The largest need of one who is no straggler, in milliseconds. */
  #limitMs = Infinity;
  /**
   * The need of half of the people when two or more were heard last, in milliseconds: one who is
   * heard alone is compared with it. Until two are heard it is the D with which a room begins, so
   * that whoever is heard next finds D little above that.
   */
  #usualMs = START_MS;
  #lookedMs = -Infinity;
  #toldMs = -Infinity;
  /** Those who were told last, the one who needs most first. @type {Late[]} */
  #people = [];

  /**
   * @param {object} options
   * @param {DelayControl} options.control  the room's
   * @param {Roster} options.roster
   * @param {number} options.stragglerMs how much more than half of the people need makes a
   *   straggler, in milliseconds; 0 for everybody on one clock
   */
  constructor({ control, roster, stragglerMs }) {
    this.#control = control;
    this.#roster = roster;
    this.#stragglerMs = stragglerMs;
  }

  /** Those who are late. @returns {ReadonlyArray<Late>} */
  get people() {
    return this.#people;
  }

  /**
   * A packet of a member's has come: D, or the member's offset, rises at once where more is needed.
   * Nobody need wait for one who isn't heard.
   * @param {Member} member
   * @param {number} nowMs  on the monotonic clock
   * @returns {boolean} whether D has changed
   */
  observe(member, nowMs) {
    const { muted, source } = member;
    if (muted || source === null) return false;
    const { lateness } = source;
    const { wantedMs } = this.#control;
    if (lateness.needMs <= wantedMs + source.offsetMs) return false;
    // The need may have grown since it was computed: the recent packets that kept it small are
    // forgotten after a pause.
    lateness.review(nowMs, member.roundTripMs());
    if (nowMs - this.#lookedMs >= LOOK_EVERY_MS) this.#look(nowMs);
    if (lateness.needMs <= this.#limitMs)
      return this.#control.observe(lateness, nowMs, member.roundTripMs);
    source.offsetMs = lateness.needMs - wantedMs;
    return false;
  }

  /** To be called once a second. @param {number} nowMs  on the monotonic clock */
  review(nowMs) {
    this.#look(nowMs);
    this.#control.review(this.#lateness(this.#limitMs));
    for (const { muted, source } of this.#roster.present.values()) {
      if (source === null) continue;
      const { needMs } = source.lateness;
      source.mayFallBehind = this.#limitMs < Infinity;
      source.offsetMs = !muted && needMs > this.#limitMs ? needMs - this.#control.wantedMs : 0;
    }
    this.#tell(nowMs);
  }

  /** Finds the largest need of one who is no straggler. @param {number} nowMs */
  #look(nowMs) {
    this.#lookedMs = nowMs;
    this.#limitMs = Infinity;
    if (this.#stragglerMs === 0 || this.#control.setting !== 'auto') return;
    if (!this.#isRead) return;
    const needs = [...this.#lateness(Infinity)]
      .filter(({ count }) => count > 0)
      .map(({ needMs }) => needMs);
    // Half of the people, or one more, need no longer than this; where nobody is heard, whoever is
    // next is alone.
    const median = needs.sort((a, b) => a - b)[(needs.length - 1) >> 1] ?? Infinity;
    if (needs.length > 1) this.#usualMs = median;
    this.#limitMs = Math.min(median, this.#usualMs) + this.#stragglerMs;
  }

  /**
   * Whether anybody reads at D. Where all measure at delays of their own, they are on one clock, as
   * in the thesis.
   */
  get #isRead() {
    let hasOwn = false;
    for (const { listener } of this.#roster.present.values()) {
      if (listener === null) continue;
      if (listener.ownDelayMs === null) return true;
      hasOwn = true;
    }
    return !hasOwn;
  }

  /** @param {number} mostMs  those who need more are left out, as is who isn't heard */
  *#lateness(mostMs) {
    for (const { muted, source } of this.#roster.present.values()) {
      if (!muted && source !== null && source.lateness.needMs <= mostMs) yield source.lateness;
    }
  }

  /** @param {number} nowMs */
  #tell(nowMs) {
    if (nowMs - this.#toldMs < TELL_EVERY_MS) return;
    const people = this.#late();
    if (isSame(people, this.#people)) return;
    this.#people = people;
    this.#toldMs = nowMs;
    this.#roster.tell({ type: 'waited', people });
  }

  #late() {
    /** @type {Late[]} */
    const all = [];
    if (this.#control.setting !== 'auto') return all;
    for (const { id, muted, source } of this.#roster.present.values()) {
      if (source === null || muted || source.lateness.count === 0) continue;
      const { lateness, offsetMs } = source;
      if (!lateness.excluded || offsetMs > 0) all.push({ id, delayMs: lateness.needMs, offsetMs });
    }
    all.sort((a, b) => b.delayMs - a.delayMs);
    const median = all[all.length >> 1]?.delayMs ?? 0;
    return all
      .filter(({ delayMs, offsetMs }) => offsetMs > 0 || delayMs >= median + NOTABLE_MS)
      .slice(0, MOST_NAMED);
  }
}

/** @param {Late[]} people @param {Late[]} before  in any order */
function isSame(people, before) {
  if (people.length !== before.length) return false;
  const were = new Map(before.map((late) => [late.id, late]));
  return people.every(({ id, delayMs, offsetMs }) => {
    const was = were.get(id);
    return (
      was !== undefined &&
      Math.abs(delayMs - was.delayMs) < CHANGE_MS &&
      Math.abs(offsetMs - was.offsetMs) < OFFSET_CHANGE_MS
    );
  });
}
