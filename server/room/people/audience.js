/**
 * @import { Clock } from '../../../public/shared/clock.js'
 * @import { ControlMessage } from '../../transport/session.js'
 * @import { Member } from './member.js'
 *
 * @typedef {{ number: number, message: ControlMessage }} Numbered
 * @typedef {{ member: Member, next: number }} Entry next: the number of the first message that they
 *   haven't been told
 */

import { prepareControl } from '../../transport/session.js';

/** An audience of no more is told everything at once. */
const AT_ONCE = 32;

/**
 * A larger one is told part by part: at least so many each PART_MS, and all of them in a second.
 * Telling one takes some 10 to 20 µs, so a part holds up no mix.
 */
const PART = 32;
const PART_MS = 10;
const PARTS = 100;

/**
 * The most messages that wait while those before them are told; beyond it the oldest is left out,
 * and counted.
 */
const MAX_WAITING = 64;

/**
 * The members of a room who only listen. They are in nobody's list of people: others are told how
 * many they are. What the room tells them reaches them in order, a moment later than people where
 * they are many.
 */
export class Audience {
  /** @type {Map<string, Entry>} */
  #entries = new Map();
  #clock;
  /** @type {unknown} */
  #timer = null;
  /** The number of the next message. */
  #next = 0;
  /** @type {Numbered[]} */
  #waiting = [];
  /** Those who are told now, how far that has come, and what they are told. */
  #pass = { entries: /** @type {Entry[]} */ ([]), at: 0, messages: /** @type {Numbered[]} */ ([]) };
  #leftOut = 0;

  /** @param {Clock} clock */
  constructor(clock) {
    this.#clock = clock;
  }

  /** How many are there. */
  get size() {
    return this.#entries.size;
  }

  /** How many messages the audience wasn't told, because there were too many. */
  get leftOut() {
    return this.#leftOut;
  }

  /** @param {Member} member @returns {boolean} whether they are there, by this session */
  has(member) {
    return this.#entries.get(member.id)?.member === member;
  }

  /** @returns {Generator<Member>} */
  *members() {
    for (const { member } of this.#entries.values()) yield member;
  }

  /**
   * Those of whom nothing has been heard since a time.
   * @param {number} sinceMs on the monotonic clock
   */
  *idle(sinceMs) {
    for (const { member } of this.#entries.values()) if (member.lastHeardMs < sinceMs) yield member;
  }

  /** @param {Member} member  who knows what has been told until now */
  enter(member) {
    this.#entries.set(member.id, { member, next: this.#next });
  }

  /**
   * @param {Member} member who is told at once what they still have to hear
   * @returns {boolean} false where they weren't there
   */
  leave(member) {
    const entry = this.#entries.get(member.id);
    if (entry?.member !== member) return false;
    this.#entries.delete(member.id);
    if (member.ended) return true;
    tellEntry(entry, this.#pass.messages);
    tellEntry(entry, this.#waiting);
    return true;
  }

  /**
   * Tells all of them, in order, soon.
   * @param {object | ControlMessage} message
   */
  tell(message) {
    if (this.size === 0) return;
    const numbered = { number: this.#next++, message: prepareControl(message) };
    if (this.size <= AT_ONCE && this.#timer === null) {
      for (const entry of this.#entries.values()) tellEntry(entry, [numbered]);
      return;
    }
    if (this.#waiting.length === MAX_WAITING) {
      this.#waiting.shift();
      this.#leftOut += 1;
    }
    this.#waiting.push(numbered);
    if (this.#timer === null) this.#later();
  }

  #later() {
    this.#timer = this.#clock.setTimeout(() => this.#tellPart(), PART_MS);
  }

  #tellPart() {
    const pass = this.#pass;
    if (pass.at === pass.entries.length) {
      pass.entries = [...this.#entries.values()];
      pass.messages = this.#waiting;
      pass.at = 0;
      this.#waiting = [];
    }
    const end = Math.min(
      pass.entries.length,
      pass.at + Math.max(PART, Math.ceil(pass.entries.length / PARTS)),
    );
    for (; pass.at < end; pass.at++) {
      const entry = pass.entries[pass.at];
      if (this.#entries.get(entry.member.id) === entry) tellEntry(entry, pass.messages);
    }
    const isOver = end === pass.entries.length && this.#waiting.length === 0;
    this.#timer = null;
    if (!isOver) return this.#later();
    pass.entries = [];
    pass.messages = [];
    pass.at = 0;
  }

  /**
   * Some of those who are there, in the order in which they came.
   * @param {object} wish
   * @param {string} [wish.after]  the id of the last one of the page before
   * @param {string} [wish.find]  a part of their name, in whatever case
   * @param {number} wish.most
   * @returns {{ members: Member[], next: string | null }} next: the `after` of the next page; null
   *   where there is none
   */
  page({ after = '0', find = '', most }) {
    const text = find.toLowerCase();
    const behind = [];
    for (const member of this.members()) {
      if (Number(member.id) > Number(after) && member.label.toLowerCase().includes(text))
        behind.push(member);
    }
    behind.sort((a, b) => Number(a.id) - Number(b.id));
    const members = behind.slice(0, most);
    return { members, next: behind.length > most ? members[most - 1].id : null };
  }

  /** Nobody is there any more. Idempotent. */
  clear() {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
    this.#entries.clear();
    this.#waiting = [];
    this.#pass = { entries: [], at: 0, messages: [] };
  }
}

/** @param {Entry} entry @param {ReadonlyArray<Numbered>} messages */
function tellEntry(entry, messages) {
  for (const { number, message } of messages) {
    if (number < entry.next) continue;
    entry.next = number + 1;
    entry.member.tell(message);
  }
}
