/**
 * @import { ServerMessage } from '../../../public/shared/messages/server-messages.js'
 * @import { Clock } from '../../../public/shared/clock.js'
 * @import { ControlMessage } from '../../transport/session.js'
 * @import { Member } from './member.js'
 */

import { TokenBucket } from '../../token-bucket.js';
import { prepareControl } from '../../transport/session.js';

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
   * @param {Member} member  with a visible change
   * @param {Member} [except]  gets no message
   */
  changed(member, except) {
    if (this.#came.has(member.id)) this.#came.set(member.id, member);
    else if (this.#mayTell(this.#changes))
      this.#tell({ type: 'changed', person: member.describe() }, except);
    else this.#changed.set(member.id, member);
  }

  /** @param {string} id  of a member that others no longer see */
  left(id) {
    this.#changed.delete(id);
    if (this.#came.delete(id)) return;
    if (this.#mayTell(this.#changes)) this.#tell({ type: 'left', id });
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
