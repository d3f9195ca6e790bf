/**
 * @import { NodeAddress } from '../../bus/messages.js'
 * @import { Session } from '../../session/session.js'
 * @import { Member } from '../people/member.js'
 * @import { Cluster, RoomBase } from '../room-config.js'
 * @import { Rules } from './rules.js'
 *
 * Successors: the person who becomes moderator, and the node that gets the room.
 */

import { moveTo, refuse } from '../../session/session.js';

/** Time for people who had a place on another node to come, in milliseconds. */
const TAKE_OVER_MS = 10_000;

/**
 * Time within which a newcomer who was chosen gives the role back to a moderator who comes from
 * another node, in milliseconds.
 */
const GIVE_BACK_MS = 60_000;

/**
 * Chooses a moderator for a room that has lost its last one, and whose people have no tokens. It is
 * the longest-present speaker, unless a moderator had muted them. A room from another node first
 * waits for its people. In the first ten seconds nobody is chosen, and after that only a person who
 * had a place.
 */
export class Succession {
  #people;
  #clock;
  #events;
  /** Ends the time in which people of a room on another node come. @type {unknown} */
  #timer = null;
  /** Ends the time in which a newcomer can't become moderator. @type {unknown} */
  #expectation = null;
  #hasExpected = false;
  #untilMs = -Infinity;
  /** Ids of people who had a place on another node. @type {Set<string>} */
  #known = new Set();
  /** Time at which each newcomer was chosen, on the monotonic clock. @type {Map<string, number>} */
  #heirs = new Map();

  /** @param {Pick<RoomBase, 'people' | 'clock' | 'events'>} options */
  constructor({ people, clock, events }) {
    this.#people = people;
    this.#clock = clock;
    this.#events = events;
  }

  /** True while people of another node are expected. */
  get waits() {
    return this.#expectation !== null;
  }

  /** Time for which people of another node are still expected, in milliseconds; 0 for none. */
  get waitsMs() {
    return this.waits ? Math.max(0, this.#untilMs - this.#clock.now()) : 0;
  }

  /**
   * Expects the people of a room that is taken over from another node. Only the first call counts.
   * @param {number} ms in which they may come
   */
  expect(ms) {
    if (this.#hasExpected || ms === 0) return;
    this.#hasExpected = true;
    this.#untilMs = this.#clock.now() + ms;
    this.#wait();
    this.#expectation = this.#clock.setTimeout(() => {
      this.#expectation = null;
      if (this.#timer === null) this.#succeed(null);
      this.#events.emit('emptied');
    }, ms);
  }

  /** @param {Member} member */
  entered(member) {
    if (member.identity === null && this.#timer === null) this.#succeed(member);
  }

  /** @param {Member} member */
  left(member) {
    this.#heirs.delete(member.id);
    this.#known.delete(member.id);
    if (member.standing.role === 'moderator' && this.#timer === null) this.#succeed(null);
  }

  /**
   * Notes a member from another node: its moderator may yet come.
   * @param {Member} member
   */
  takenOver(member) {
    this.#known.add(member.id);
    this.#wait();
    if (member.standing.role === 'moderator') this.#giveBack();
  }

  /**
   * Takes the role from newcomers who were chosen before this node knew that the room has a
   * moderator.
   */
  #giveBack() {
    const since = this.#clock.now() - GIVE_BACK_MS;
    for (const [id, chosenMs] of this.#heirs) {
      const heir = this.#people.find(id);
      if (heir?.standing.role !== 'moderator' || chosenMs < since) continue;
      heir.standing.setRole('speaker');
      this.#people.places.decide(heir, { role: 'speaker' });
      this.#events.emit('chosen', heir);
    }
    this.#heirs.clear();
  }

  #wait() {
    this.#timer ??= this.#clock.setTimeout(() => {
      this.#timer = null;
      this.#succeed(null);
    }, TAKE_OVER_MS);
  }

  /** @param {Member | null} newcomer  not announced to others yet */
  #succeed(newcomer) {
    for (const member of this.#people.present.values()) if (isModerator(member)) return;
    const people = this.#people.everybody;
    if (people.some(isModerator)) return;
    const heir = people.find(
      (person) => mayInherit(person) && (!this.waits || this.#known.has(person.id)),
    );
    if (!heir) return;
    if (!this.#known.has(heir.id)) this.#heirs.set(heir.id, this.#clock.now());
    heir.standing.setRole('moderator');
    if (heir !== newcomer) this.#events.emit('chosen', heir);
  }

  /** Idempotent. */
  close() {
    this.#clock.clearTimeout(this.#timer);
    this.#clock.clearTimeout(this.#expectation);
  }
}

/** @param {Member} person */
const isModerator = ({ standing }) => standing.role === 'moderator';

/** @param {Member} person */
const mayInherit = ({ identity, away, grant, standing: { role, silenced } }) =>
  role === 'speaker' && identity === null && !away && !silenced && !grant.isStream;

/** Time that people have to go to another node, in milliseconds. */
const MOVE_MS = 5000;

/**
 * Moves a room to another node of the cluster. Its people are notified, connect there on their own,
 * and are heard here until they do.
 */
export class Moving {
  #people;
  #clock;
  #cluster;
  #rules;
  #events;
  #timer = /** @type {unknown} */ (null);
  /** @type {NodeAddress | null} */
  #node = null;
  #begun = false;

  /**
   * @param {Pick<RoomBase, 'people' | 'clock' | 'events'> & { cluster?: Cluster, rules: Rules }}
   *   options
   */
  constructor({ people, clock, cluster, rules, events }) {
    this.#people = people;
    this.#clock = clock;
    this.#cluster = cluster;
    this.#rules = rules;
    this.#events = events;
  }

  /** True once the room is another node's. */
  get begun() {
    return this.#begun;
  }

  /**
   * Leaves the room to another node. Idempotent.
   * @param {NodeAddress | null} node  null when unknown
   */
  begin(node) {
    if (this.#begun) return;
    this.#begun = true;
    this.#node = node;
    this.#people.tell({ type: 'moved', node, nodes: this.#cluster?.nodes() ?? [] });
    this.#rules.release();
    this.#timer = this.#clock.setTimeout(() => this.#end(), MOVE_MS);
    for (const member of this.#people.everybody) if (member.away) this.#people.free(member);
    if (this.#people.size === 0) this.#end();
  }

  /** Sends a person who hasn't joined yet to the other node. @param {Session} session */
  sendOn(session) {
    if (this.#node) moveTo(session, this.#node);
    else refuse(session, 'moved');
  }

  /**
   * Frees the place of a member who has gone to the other node. Nobody is notified.
   * @param {Member} member
   * @returns {boolean} false when the room isn't moving
   */
  gone(member) {
    if (!this.#begun) return false;
    this.#people.free(member);
    if (this.#people.size === 0) this.#end();
    return true;
  }

  #end() {
    this.#events.emit('ended', 'moved');
  }

  /** Idempotent. */
  close() {
    this.#clock.clearTimeout(this.#timer);
  }
}
