/**
 * @import { Clock } from '../../../public/shared/clock.js'
 * @import { NodeAddress } from '../../cluster/messages.js'
 * @import { Session } from '../../transport/session.js'
 * @import { Member } from '../people/member.js'
 * @import { Cluster } from '../room-config.js'
 * @import { Roster } from '../people/roster.js'
 */

import { errors } from '../../../public/shared/errors.js';
import { refuse } from '../../transport/session.js';

/** The time that people have to go to another node, in milliseconds. */
const MOVE_MS = 5000;

/**
 * A room's way to another node of the cluster: its people are told, go there by themselves, and are
 * heard here until they do.
 */
export class Moving {
  #roster;
  #clock;
  #cluster;
  #onBegun;
  #end;
  #timer = /** @type {unknown} */ (null);
  /** @type {NodeAddress | null} */
  #node = null;
  #begun = false;

  /**
   * @param {object} options
   * @param {Roster} options.roster
   * @param {Clock} options.clock
   * @param {Cluster} [options.cluster]
   * @param {() => void} options.begun  called once, when people have been told
   * @param {() => void} options.end  ends the room here
   */
  constructor({ roster, clock, cluster, begun, end }) {
    this.#onBegun = begun;
    this.#roster = roster;
    this.#clock = clock;
    this.#cluster = cluster;
    this.#end = end;
  }

  /** Whether the room is another node's now. */
  get begun() {
    return this.#begun;
  }

  /**
   * The room is another node's from now on. Idempotent.
   * @param {NodeAddress | null} node null where it isn't known
   */
  begin(node) {
    if (this.#begun) return;
    this.#begun = true;
    this.#node = node;
    this.#roster.tell({ type: 'moved', node, nodes: this.#cluster?.nodes() ?? [] });
    this.#onBegun();
    this.#timer = this.#clock.setTimeout(this.#end, MOVE_MS);
    for (const member of this.#roster.everybody) if (member.away) this.#roster.free(member);
    if (this.#roster.size === 0) this.#end();
  }

  /** Somebody who isn't in yet is to ask the other node. @param {Session} session */
  sendOn(session) {
    if (this.#node) moveTo(session, this.#node);
    else refuse(session, 'moved');
  }

  /**
   * Somebody has gone: they are on the other node, or will be, and nobody is told.
   * @param {Member} member
   * @returns {boolean} false where the room isn't moving
   */
  gone(member) {
    if (!this.#begun) return false;
    this.#roster.free(member);
    if (this.#roster.size === 0) this.#end();
    return true;
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
