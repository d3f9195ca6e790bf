/**
 * @import { DelayControl } from '../../clock/delay-control.js'
 * @import { Member } from '../people/member.js'
 * @import { People } from '../people/people.js'
 *
 * @typedef {object} Late  a person whose packets come later than most
 * @property {string} id
 * @property {number} delayMs  delay that this person's packets need
 * @property {number} offsetMs  extra delay of this person alone; 0 when everybody waits
 */

import { START_MS } from '../../clock/delay-control.js';

/**
 * Smallest excess over the need of half of the people at which a person is named as late, in
 * milliseconds: less is hardly heard.
 */
const NOTABLE_MS = 60;

/** Most people in a message, and shortest time between two messages, in milliseconds. */
const MOST_NAMED = 50;
const TELL_EVERY_MS = 2000;

/** Smallest changes of a delay, and of an offset, that make a new message, in milliseconds. */
const CHANGE_MS = 20;
const OFFSET_CHANGE_MS = 5;

/** Shortest time between two reviews of people's needs, in milliseconds. */
const LOOK_EVERY_MS = 100;

/**
 * The delay of a room with `auto`: D follows the needs of most people. A straggler, who needs more,
 * is heard later than the others, so that one person's lateness moves D by no more than
 * `stragglerMs`. Everybody sees who is late.
 */
export class RoomDelay {
  #control;
  #people;
  #stragglerMs;
  /** Largest need of anybody but stragglers, in milliseconds. */
  #limitMs = Infinity;
  /**
   * Need of half of the people when two or more were last heard, in milliseconds: a single speaker
   * is compared with it. Until then it is the room's first D, so that the second speaker finds D
   * little above that.
   */
  #usualMs = START_MS;
  /** The member with the largest need within the limit, that need, and the next one. */
  #neediest = /** @type {Member | null} */ (null);
  #largestMs = 0;
  #secondMs = 0;
  #checkedMs = -Infinity;
  #announcedMs = -Infinity;
  /** Late people of the last message, the greatest need first. @type {Late[]} */
  #late = [];

  /**
   * @param {object} options
   * @param {DelayControl} options.control  the room's
   * @param {People} options.people
   * @param {number} options.stragglerMs excess over the need of half of the people that
   *   makes a straggler, in milliseconds; 0 for everybody on one clock
   */
  constructor({ control, people, stragglerMs }) {
    this.#control = control;
    this.#people = people;
    this.#stragglerMs = stragglerMs;
  }

  /** People who are late. @returns {ReadonlyArray<Late>} */
  get people() {
    return this.#late;
  }

  /**
   * Raises D, or the member's offset, at once when a packet shows that it needs more. Nobody waits
   * for a muted member.
   * @param {Member} member
   * @param {number} nowMs  on the monotonic clock
   * @returns {boolean} true when D has changed
   */
  observe(member, nowMs) {
    const { source } = member;
    const { muted } = member.standing;
    if (muted || source === null) return false;
    const { lateness } = source;
    const { wantedMs } = this.#control;
    if (lateness.needMs <= wantedMs + source.offsetMs) return false;
    // The need may be out of date: after a pause, the packets that kept it small are forgotten.
    lateness.review(nowMs, member.figures.roundTripMs());
    if (nowMs - this.#checkedMs >= LOOK_EVERY_MS) this.#look(nowMs);
    if (lateness.needMs <= this.#limitMs)
      return this.#control.observe(lateness, nowMs, member.figures.roundTripMs);
    const offsetMs = lateness.needMs - wantedMs;
    source.offsetMs = offsetMs;
    const key = ownerOf(member);
    for (const other of [this.#people.find(key), ...this.#people.shared(key)])
      if (other?.source && !other.standing.muted && other.source.offsetMs < offsetMs)
        other.source.offsetMs = offsetMs;
    return false;
  }

  /** To be called once a second. @param {number} nowMs  on the monotonic clock */
  review(nowMs) {
    this.#look(nowMs);
    this.#control.review(this.#lateness(this.#limitMs));
    const needs = this.#needs();
    for (const member of this.#people.present.values()) {
      const { standing, source } = member;
      if (source === null) continue;
      const needMs = needs.get(ownerOf(member)) ?? 0;
      source.mayFallBehind = this.#limitMs < Infinity;
      source.offsetMs =
        !standing.muted && needMs > this.#limitMs ? needMs - this.#control.wantedMs : 0;
    }
    this.#rank();
    this.#tell(nowMs);
  }

  /** Returns the largest need of each person and the sounds that they share, by their id. */
  #needs() {
    /** @type {Map<string, number>} */
    const needs = new Map();
    for (const member of this.#people.present.values()) {
      const { standing, source } = member;
      if (source === null || standing.muted) continue;
      const key = ownerOf(member);
      needs.set(key, Math.max(needs.get(key) ?? 0, source.lateness.needMs));
    }
    return needs;
  }

  #rank() {
    this.#neediest = null;
    this.#largestMs = this.#secondMs = 0;
    for (const member of this.#people.present.values()) {
      const { standing, source } = member;
      if (standing.muted || source === null || source.lateness.excluded) continue;
      const { needMs } = source.lateness;
      if (needMs > this.#limitMs || needMs <= this.#secondMs) continue;
      if (needMs > this.#largestMs) {
        this.#secondMs = this.#largestMs;
        this.#largestMs = needMs;
        this.#neediest = member;
      } else this.#secondMs = needMs;
    }
  }

  /**
   * Returns the delay that the room has for all others, in milliseconds: a microphone whose sound
   * is later by no more delays nobody.
   * @param {Member} member
   */
  withoutMs(member) {
    const { setting } = this.#control;
    if (setting !== 'auto') return setting;
    return member === this.#neediest ? this.#secondMs : this.#largestMs;
  }

  /** Finds the largest need of anybody but stragglers. @param {number} nowMs */
  #look(nowMs) {
    this.#checkedMs = nowMs;
    this.#limitMs = Infinity;
    if (this.#stragglerMs === 0 || this.#control.setting !== 'auto') return;
    if (!this.#isRead) return;
    const needs = [...this.#lateness(Infinity)]
      .filter(({ count }) => count > 0)
      .map(({ needMs }) => needMs);
    // Half of the people, or one more, need no more than this. Infinity when nobody is heard.
    const median = needs.sort((a, b) => a - b)[(needs.length - 1) >> 1] ?? Infinity;
    if (needs.length > 1) this.#usualMs = median;
    this.#limitMs = Math.min(median, this.#usualMs) + this.#stragglerMs;
  }

  /**
   * True when anybody reads at D. When all measure at delays of their own they are on one clock, as
   * in the thesis.
   */
  get #isRead() {
    let hasOwn = false;
    for (const { listener } of this.#people.present.values()) {
      if (listener === null) continue;
      if (listener.ownDelayMs === null) return true;
      hasOwn = true;
    }
    return !hasOwn;
  }

  /** @param {number} mostMs  leaves out people who need more, or are muted */
  *#lateness(mostMs) {
    for (const { standing, source } of this.#people.present.values()) {
      if (!standing.muted && source !== null && source.lateness.needMs <= mostMs)
        yield source.lateness;
    }
  }

  /** @param {number} nowMs */
  #tell(nowMs) {
    if (nowMs - this.#announcedMs < TELL_EVERY_MS) return;
    const people = this.#findLate();
    if (isSame(people, this.#late)) return;
    this.#late = people;
    this.#announcedMs = nowMs;
    this.#people.tell({ type: 'waited', people });
  }

  #findLate() {
    /** @type {Late[]} */
    const all = [];
    if (this.#control.setting !== 'auto') return all;
    for (const { id, standing, source } of this.#people.present.values()) {
      if (source === null || standing.muted || source.lateness.count === 0) continue;
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

/**
 * Returns the id of the person whose sound a member's is. What one shares stays together with one's
 * voice, since it may be another microphone at the same instrument.
 * @param {Member} member
 */
const ownerOf = ({ id, grant }) => grant.owner ?? id;

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
