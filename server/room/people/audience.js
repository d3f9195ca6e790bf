/**
 * @import { ServerMessage } from '../../../public/shared/messages/server-messages.js'
 * @import { Clock } from '../../../public/shared/clock.js'
 * @import { ControlMessage } from '../../transport/session.js'
 * @import { Member } from './member.js'
 *
 * @typedef {{ number: number, message: ControlMessage }} Numbered
 * @typedef {{ member: Member, next: number }} Entry  next: number of the first message that the
 *   member hasn't received
 */

import { prepareControl } from '../../transport/session.js';

/** Largest audience that receives everything at once. */
const AT_ONCE = 32;

/**
 * Fewest members of one part of a larger audience, interval between parts in milliseconds, and
 * number of parts, which take a second. A message takes 10 to 20 µs, so a part delays no mix.
 */
const PART = 32;
const PART_MS = 10;
const PARTS = 100;

/** Most messages that wait for their turn; beyond it the oldest is left out, and counted. */
const MAX_WAITING = 64;

/**
 * The members of a room who only listen. They are in nobody's list of people: others see their
 * number. They receive the room's messages in order; a large audience a moment later than people.
 */
export class Audience {
  /** @type {Map<string, Entry>} */
  #entries = new Map();
  #clock;
  /** @type {unknown} */
  #timer = null;
  /** Number of the next message. */
  #next = 0;
  /** @type {Numbered[]} */
  #waiting = [];
  /** Members of the pass under way, the next of them, and their messages. */
  #pass = { entries: /** @type {Entry[]} */ ([]), at: 0, messages: /** @type {Numbered[]} */ ([]) };
  #leftOut = 0;

  /** @param {Clock} clock */
  constructor(clock) {
    this.#clock = clock;
  }

  /** Number of listeners. */
  get size() {
    return this.#entries.size;
  }

  /** Number of messages that were left out. */
  get leftOut() {
    return this.#leftOut;
  }

  /** @param {Member} member @returns {boolean} true when they are here, by this session */
  has(member) {
    return this.#entries.get(member.id)?.member === member;
  }

  /** @returns {Generator<Member>} */
  *members() {
    for (const { member } of this.#entries.values()) yield member;
  }

  /**
   * Members without a sign of life since a time.
   * @param {number} sinceMs on the monotonic clock
   */
  *idle(sinceMs) {
    for (const { member } of this.#entries.values()) if (member.lastHeardMs < sinceMs) yield member;
  }

  /** Adds a member, who has received everything so far. @param {Member} member */
  enter(member) {
    this.#entries.set(member.id, { member, next: this.#next });
  }

  /**
   * Takes a member out, and sends the messages that still wait for them.
   * @param {Member} member
   * @returns {boolean} false when they weren't here
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
   * Sends a message to all of them, in order, soon.
   * @param {ServerMessage | ControlMessage} message
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
   * A page of listeners, in the order of coming.
   * @param {object} wish
   * @param {string} [wish.after]  last id of the page before
   * @param {string} [wish.find]  part of the name, in any case
   * @param {number} wish.most
   * @returns {{ members: Member[], next: string | null }} next: the `after` of the next page; null
   *   for the last one
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

  /** Takes everybody out. Idempotent. */
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
