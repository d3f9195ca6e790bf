/**
 * @import { BanChange, Bans } from '../access/bans.js'
 * @import { OwnNode } from './beats.js'
 */

import { banChanges, CLUSTER_VERSION, MAX_BAN_CHANGES } from '../bus/messages.js';

/** Wait before a new node gets all bans, in milliseconds: several nodes may come at once. */
const JOIN_MS = 100;

/**
 * Keeps the bans of all nodes alike. A ban outlasts its room, which may open at any node, and
 * recordings may be at another one.
 */
export class SharedBans {
  #node;
  #bans;
  /** @type {(() => void)[]} */
  #stops = [];
  /** @type {unknown} */
  #later = null;

  /**
   * @param {OwnNode} node
   * @param {() => Pick<Bans, 'all' | 'heard'> | undefined} bans  this node's
   */
  constructor(node, bans) {
    this.#node = node;
    this.#bans = bans;
  }

  start() {
    const { bus, subjects } = this.#node;
    this.#stops.push(bus.subscribe(subjects.bans, (message) => this.#heard(message)));
    // Changes may have been lost, of this node and of others.
    this.#stops.push(bus.onChanged(() => this.#recover()));
  }

  #recover() {
    this.#publish([], true);
    this.nodeJoined();
  }

  /** Announces changes of this node's bans. @param {readonly BanChange[]} changes */
  tell(changes) {
    for (let at = 0; at < changes.length; at += MAX_BAN_CHANGES)
      this.#publish(changes.slice(at, at + MAX_BAN_CHANGES));
  }

  /** @param {readonly BanChange[]} changes @param {boolean} [asks]  true: asks for all bans */
  #publish(changes, asks = false) {
    const { bus, subjects, self } = this.#node;
    bus.publish(subjects.bans, {
      version: CLUSTER_VERSION,
      from: self().id,
      changes,
      ...(asks && { asks }),
    });
  }

  /** Announces all bans to a new node. */
  nodeJoined() {
    this.#later ??= this.#node.clock.setTimeout(() => {
      this.#later = null;
      this.tell(this.#bans()?.all() ?? []);
    }, JOIN_MS);
  }

  /** @param {unknown} message */
  #heard(message) {
    const told = this.#node.reader.read(banChanges, message);
    if (told === null || told.from === this.#node.self().id) return;
    for (const change of told.changes) this.#bans()?.heard(change);
    if (told.asks) this.nodeJoined();
  }

  /** Idempotent. */
  close() {
    for (const stop of this.#stops.splice(0)) stop();
    this.#node.clock.clearTimeout(this.#later);
  }
}
