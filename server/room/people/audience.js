/**
 * Messages to a crowd, sent in parts so that no mix is delayed: to the audience, and about people.
 *
 * @import { Clock } from '../../../public/shared/clock.js'
 * @import { ServerMessage } from '../../../public/shared/messages/server-messages.js'
 * @import { ControlMessage } from '../../session/session.js'
 * @import { Member } from './member.js'
 *
 * @typedef {{ number: number, message: ControlMessage, isFor?: (member: Member) => boolean }}
 *   Numbered
 * @typedef {{ member: Member, next: number }} Entry  next: number of the first message that the
 *   member hasn't received
 */

import { TokenBucket } from '../../token-bucket.js';
import { prepareControl } from '../../session/session.js';

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
   * @param {(member: Member) => boolean} [isFor]  tells who gets it; a crowded queue leaves it out
   */
  tell(message, isFor) {
    if (this.size === 0) return;
    if (isFor && this.#waiting.length >= MAX_WAITING / 2) {
      this.#leftOut += 1;
      return;
    }
    const numbered = { number: this.#next++, message: prepareControl(message), isFor };
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
    this.#timer = this.#clock.setTimeout(() => this.#announcePart(), PART_MS);
  }

  #announcePart() {
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
   * @param {object} query
   * @param {string} [query.after]  last id of the page before
   * @param {string} [query.find]  part of the name, in any case
   * @param {number} query.most
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
  for (const { number, message, isFor } of messages) {
    if (number < entry.next) continue;
    entry.next = number + 1;
    if (!isFor || isFor(entry.member)) entry.member.tell(message);
  }
}

/** Limits of newcomers, and of other changes, that are announced at once: a burst, then a rate. */
const JOINS = Object.freeze({ atOnce: 50, perSecond: 20 });
const CHANGES = Object.freeze({ atOnce: 200, perSecond: 50 });

/** Most people of each kind in a batch: the rest waits for the next. */
const MOST_PEOPLE = 50;
const MOST_LEFT = 500;

/**
 * Announces newcomers, changes and departures: one by one at once, or a crowd in batches. The
 * room hands a batch to each member in turn, so that a crowd delays no mix. Announcements keep
 * their order, and somebody who leaves before their announcement is never announced.
 */
export class Announcements {
  #clock;
  #tell;
  #joins;
  #changes;
  /** Newcomers who wait to be announced, by id. @type {Map<string, Member>} */
  #came = new Map();
  /** @type {Map<string, Member>} */
  #changed = new Map();
  /** @type {string[]} */
  #left = [];
  /** @type {ControlMessage[]} */
  #batch = [];
  /** True when the batch contains people. */
  #isOfPeople = false;

  /**
   * @param {Clock} clock
   * @param {(message: ServerMessage, except?: Member) => void} tell  tells everybody at once
   */
  constructor(clock, tell) {
    this.#clock = clock;
    this.#tell = tell;
    this.#joins = new TokenBucket({ ...JOINS, nowMs: clock.now() });
    this.#changes = new TokenBucket({ ...CHANGES, nowMs: clock.now() });
  }

  /** @param {string} id @returns {boolean} false while the member waits to be announced */
  isKnown(id) {
    return !this.#came.has(id);
  }

  /**
   * Messages for each member, once before the next turn().
   * @returns {ReadonlyArray<ControlMessage>}
   */
  get batch() {
    return this.#batch;
  }

  /**
   * @param {TokenBucket} bucket
   * @returns {boolean} true when a message may go at once, without overtaking one that waits
   */
  #mayAnnounce(bucket) {
    const waiting = this.#came.size + this.#changed.size + this.#left.length;
    return !this.#isOfPeople && waiting === 0 && bucket.take(this.#clock.now()) === 0;
  }

  /** @param {Member} member  a newcomer */
  came(member) {
    if (this.#mayAnnounce(this.#joins))
      this.#tell({ type: 'joined', person: member.describe() }, member);
    else this.#came.set(member.id, member);
  }

  /**
   * @param {Member} member  with a visible change
   * @param {Member} [except]  gets no message
   */
  changed(member, except) {
    if (this.#came.has(member.id)) this.#came.set(member.id, member);
    else if (this.#mayAnnounce(this.#changes))
      this.#tell({ type: 'changed', person: member.describe() }, except);
    else this.#changed.set(member.id, member);
  }

  /** @param {string} id  of a member that others no longer see */
  left(id) {
    this.#changed.delete(id);
    if (this.#came.delete(id)) return;
    if (this.#mayAnnounce(this.#changes)) this.#tell({ type: 'left', id });
    else this.#left.push(id);
  }

  /**
   * Makes the next batch, once all members have the last one.
   * @returns {ReadonlyArray<ControlMessage>}
   */
  turn() {
    this.#batch = [];
    const came = take(this.#came);
    const changed = take(this.#changed);
    if (came.length > 0) this.add({ type: 'joined', people: came });
    if (changed.length > 0) this.add({ type: 'changed', people: changed });
    const ids = this.#left.splice(0, MOST_LEFT);
    if (ids.length > 0) this.add({ type: 'left', ids });
    this.#isOfPeople = this.#batch.length > 0;
    return this.#batch;
  }

  /**
   * Adds a message to the batch that isn't about its people, so it delays no announcement.
   * @param {ServerMessage} message
   */
  add(message) {
    this.#batch.push(prepareControl(message));
  }

  /** Drops all announcements. Idempotent. */
  clear() {
    this.#came.clear();
    this.#changed.clear();
    this.#left.length = 0;
    this.#batch = [];
    this.#isOfPeople = false;
  }
}

/**
 * Takes the first waiting people, as others see them.
 * @param {Map<string, Member>} waiting
 */
function take(waiting) {
  const people = [];
  for (const [id, member] of waiting) {
    if (people.length === MOST_PEOPLE) break;
    waiting.delete(id);
    people.push(member.describe());
  }
  return people;
}
