/**
 * @import { Clock } from '../../../public/shared/clock.js'
 * @import { NodeAddress } from '../../cluster/messages.js'
 * @import { Session } from '../../transport/session.js'
 * @import { Member } from '../people/member.js'
 * @import { People } from '../people/people.js'
 * @import { Cluster } from '../room-config.js'
 * @import { RoomEvents } from '../room.js'
 * @import { Rules } from '../rules/rules.js'
 */

import { errors } from '../../../public/shared/errors.js';
import { refuse } from '../../transport/session.js';

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
   * @param {object} options
   * @param {People} options.people
   * @param {Clock} options.clock
   * @param {Cluster} [options.cluster]
   * @param {Rules} options.rules
   * @param {RoomEvents} options.events
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

/**
 * Tells a session which node has the room, and ends it.
 * @param {Session} session
 * @param {NodeAddress} node
 */
export function moveTo(session, node) {
  const { close, message } = errors.moved;
  session.sendControl({ type: 'moved', node });
  session.close(close, message);
}
