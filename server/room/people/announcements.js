/**
 * @import { Clock } from '../../../public/shared/clock.js'
 * @import { ControlMessage } from '../../transport/session.js'
 * @import { Member } from './member.js'
 */

import { TokenBucket } from '../../token-bucket.js';
import { prepareControl } from '../../transport/session.js';

/**
 * How many who came, and how many changes and departures, are told at once: a burst, and then a
 * second.
 */
const JOINS = Object.freeze({ atOnce: 50, perSecond: 20 });
const CHANGES = Object.freeze({ atOnce: 200, perSecond: 50 });

/** The most people of each kind that one batch tells of: the rest waits for the next. */
const MOST_PEOPLE = 50;
const MOST_LEFT = 500;

/**
 * Tells a room who has come, changed and gone: at once where they are few, and else in batches, a
 * message with many, which the room hands to each member in turn, so that a crowd's coming holds up
 * no mix. Whatever waits is told in order, and who goes before they were told of is never told of.
 */
export class Announcements {
  #clock;
  #tell;
  #joins;
  #changes;
  /** Those who wait to be told of, by id. @type {Map<string, Member>} */
  #came = new Map();
  /** @type {Map<string, Member>} */
  #changed = new Map();
  /** @type {string[]} */
  #left = [];
  /** @type {ControlMessage[]} */
  #batch = [];
  /** Whether there are people in the batch. */
  #isOfPeople = false;

  /**
   * @param {Clock} clock
   * @param {(message: object, except?: Member) => void} tell  tells everybody at once
   */
  constructor(clock, tell) {
    this.#clock = clock;
    this.#tell = tell;
    this.#joins = new TokenBucket({ ...JOINS, nowMs: clock.now() });
    this.#changes = new TokenBucket({ ...CHANGES, nowMs: clock.now() });
  }

  /** @param {string} id @returns {boolean} whether others know of this member, or are being told */
  isKnown(id) {
    return !this.#came.has(id);
  }

  /**
   * The messages that each member is to be told once before the next turn().
   * @returns {ReadonlyArray<ControlMessage>}
   */
  get batch() {
    return this.#batch;
  }

  /**
   * @param {TokenBucket} bucket
   * @returns {boolean} whether it may be told at once: nothing that waits is overtaken
   */
  #mayTell(bucket) {
    const waiting = this.#came.size + this.#changed.size + this.#left.length;
    return !this.#isOfPeople && waiting === 0 && bucket.take(this.#clock.now()) === 0;
  }

  /** @param {Member} member  a newcomer */
  came(member) {
    if (this.#mayTell(this.#joins))
      this.#tell({ type: 'joined', person: member.describe() }, member);
    else this.#came.set(member.id, member);
  }

  /**
   * @param {Member} member  of whom something has changed that others see
   * @param {Member} [except]  who knows already
   */
  changed(member, except) {
    if (this.#came.has(member.id)) this.#came.set(member.id, member);
    else if (this.#mayTell(this.#changes))
      this.#tell({ type: 'changed', person: member.describe() }, except);
    else this.#changed.set(member.id, member);
  }

  /** @param {string} id  of a member whom others don't see any more */
  left(id) {
    this.#changed.delete(id);
    if (this.#came.delete(id)) return;
    if (this.#mayTell(this.#changes)) this.#tell({ type: 'left', id });
    else this.#left.push(id);
  }

  /**
   * The batch has been told to all: the next one is of those who wait now.
   * @returns {ReadonlyArray<ControlMessage>}
   */
  turn() {
    this.#batch = [];
    this.#add('joined', this.#came);
    this.#add('changed', this.#changed);
    const ids = this.#left.splice(0, MOST_LEFT);
    if (ids.length > 0) this.#batch.push(prepareControl({ type: 'left', ids }));
    this.#isOfPeople = this.#batch.length > 0;
    return this.#batch;
  }

  /**
   * Adds a message to the batch that says nothing of anybody in it, so that nobody is told of later
   * for it.
   * @param {object} message
   */
  add(message) {
    this.#batch.push(prepareControl(message));
  }

  /**
   * @param {'joined' | 'changed'} type
   * @param {Map<string, Member>} waiting
   */
  #add(type, waiting) {
    const people = [];
    for (const [id, member] of waiting) {
      if (people.length === MOST_PEOPLE) break;
      waiting.delete(id);
      people.push(member.describe());
    }
    if (people.length > 0) this.#batch.push(prepareControl({ type, people }));
  }

  /** Nothing is told any more. Idempotent. */
  clear() {
    this.#came.clear();
    this.#changed.clear();
    this.#left.length = 0;
    this.#batch = [];
    this.#isOfPeople = false;
  }
}
