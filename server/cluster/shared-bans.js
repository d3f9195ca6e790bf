/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { BanChange, Bans } from '../access/bans.js'
 * @import { Bus } from '../bus/bus.js'
 * @import { ClusterMessageReader, Subjects } from '../bus/messages.js'
 */

import { banChanges, CLUSTER_VERSION, MAX_BAN_CHANGES } from '../bus/messages.js';

/** Wait before a new node gets all bans, in milliseconds: several nodes may come at once. */
const JOIN_MS = 100;

/**
 * Keeps the bans of all nodes alike. A ban outlasts its room, which may open at any node, and
 * recordings may be at another one.
 */
export class SharedBans {
  #bus;
  #clock;
  #subjects;
  #reader;
  #self;
  #bans;
  /** @type {(() => void)[]} */
  #stops = [];
  /** @type {unknown} */
  #later = null;

  /**
   * @param {object} options
   * @param {Bus} options.bus
   * @param {Clock} options.clock
   * @param {Subjects} options.subjects
   * @param {ClusterMessageReader} options.reader
   * @param {() => { id: string }} options.self
   * @param {() => Pick<Bans, 'all' | 'heard'> | undefined} options.bans  this node's
   */
  constructor({ bus, clock, subjects, reader, self, bans }) {
    this.#bus = bus;
    this.#clock = clock;
    this.#subjects = subjects;
    this.#reader = reader;
    this.#self = self;
    this.#bans = bans;
  }

  start() {
    this.#stops.push(this.#bus.subscribe(this.#subjects.bans, (message) => this.#heard(message)));
    // Changes may have been lost, of this node and of others.
    this.#stops.push(this.#bus.onChanged(() => this.#recover()));
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
    const { id: from } = this.#self();
    this.#bus.publish(this.#subjects.bans, {
      version: CLUSTER_VERSION,
      from,
      changes,
      ...(asks && { asks }),
    });
  }

  /** Announces all bans to a new node. */
  nodeJoined() {
    this.#later ??= this.#clock.setTimeout(() => {
      this.#later = null;
      this.tell(this.#bans()?.all() ?? []);
    }, JOIN_MS);
  }

  /** @param {unknown} message */
  #heard(message) {
    const told = this.#reader.read(banChanges, message);
    if (told === null || told.from === this.#self().id) return;
    for (const change of told.changes) this.#bans()?.heard(change);
    if (told.asks) this.nodeJoined();
  }

  /** Idempotent. */
  close() {
    for (const stop of this.#stops.splice(0)) stop();
    this.#clock.clearTimeout(this.#later);
  }
}
