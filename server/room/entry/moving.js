/**
 * @import { Clock } from '../../../public/shared/clock.js'
 * @import { NodeAddress } from '../../cluster/messages.js'
 * @import { Member } from '../people/member.js'
 * @import { Cluster } from '../room-config.js'
 * @import { Roster } from '../people/roster.js'
 */

/** The time that people have to go to another node, in milliseconds. */
const MOVE_MS = 5000;

/** A room's way to another node of the cluster: its people are told, go there by themselves, and are heard here until they do. */
export class Moving {
  #roster;
  #clock;
  #cluster;
  #end;
  #timer = /** @type {unknown} */ (null);
  #begun = false;

  /**
   * @param {object} options
   * @param {Roster} options.roster
   * @param {Clock} options.clock
   * @param {Cluster} [options.cluster]
   * @param {() => void} options.end  ends the room here
   */
  constructor({ roster, clock, cluster, end }) {
    this.#roster = roster;
    this.#clock = clock;
    this.#cluster = cluster;
    this.#end = end;
  }

  /** Whether the room is another node's now. */
  get begun() {
    return this.#begun;
  }

  /** The room is another node's from now on. Idempotent. @param {NodeAddress | null} node  null where it isn't known */
  begin(node) {
    if (this.#begun) return;
    this.#begun = true;
    this.#roster.tell({ type: 'moved', node, nodes: this.#cluster?.nodes() ?? [] });
    this.#timer = this.#clock.setTimeout(this.#end, MOVE_MS);
    for (const member of this.#roster.everybody) if (member.away) this.#roster.free(member);
    if (this.#roster.size === 0) this.#end();
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
