/**
 * @import { Found } from '../cluster/rooms-by-node.js'
 * @import { NodeAddress } from '../bus/messages.js'
 * @import { Session } from '../session/session.js'
 * @import { RelayNode } from './relay.js'
 */

import { relayDown } from '../bus/messages.js';
import { Relay } from './relay.js';

/** Relays rooms of other nodes to listeners here. */
export class Relays {
  #node;
  #mayTake;
  /** One room may have several relays for a moment, while its owner changes. @type {Set<Relay>} */
  #relays = new Set();
  #nextId = 1;
  #dropped = 0;
  #stop = () => {};

  /**
   * @param {RelayNode} node
   * @param {() => boolean} mayTake  true if one more session fits on this node
   */
  constructor(node, mayTake) {
    this.#node = node;
    this.#mayTake = mayTake;
  }

  start() {
    const { id, wire } = this.#node;
    this.#stop = wire.bus.subscribe(wire.subjects.relayDown(id), (message) =>
      this.#answered(message),
    );
  }

  /** Listeners to all relayed rooms. */
  get listeners() {
    let sum = 0;
    for (const { size } of this.#relays) sum += size;
    return sum;
  }

  /** Number of relayed rooms. */
  get size() {
    return this.#relays.size;
  }

  /** Dropped messages of mixes. */
  get dropped() {
    let sum = this.#dropped;
    for (const { dropped } of this.#relays) sum += dropped;
    return sum;
  }

  /**
   * Admits a listener to a room of another node, if its owner allows that.
   * @param {Session} session
   * @param {{ room: string, delivery?: string, e2e?: boolean, nearness?: string }} join  the
   *   request to join, as sent to the owner
   * @param {Found} found  location of the room
   * @returns {boolean} false if the listener must go to the owner itself
   */
  take(session, join, found) {
    if (typeof found === 'string' || found.node === null || !found.relayed || !this.#mayTake())
      return false;
    if (session.transport.replyOnly || join.delivery === 'reply' || join.e2e) return false;
    this.#of(join.room, found.node, found.relayed.epoch).take(session, join);
    return true;
  }

  /** @param {string} room @param {NodeAddress} home @param {number} epoch */
  #of(room, home, epoch) {
    for (const relay of this.#relays)
      if (relay.room === room && relay.isOf(home.id, epoch)) return relay;
    const relay = new Relay(this.#node, {
      room,
      home,
      epoch,
      nextId: () => this.#nextId++,
      onEnd: (ended) => {
        if (this.#relays.delete(ended)) this.#dropped += ended.dropped;
      },
    });
    this.#relays.add(relay);
    return relay;
  }

  /** @param {unknown} message */
  #answered(message) {
    const told = this.#node.wire.reader.read(relayDown, message);
    if (told === null) return;
    for (const relay of [...this.#relays])
      if (relay.room === told.room && relay.epoch === told.epoch) relay.answered(told);
  }

  /**
   * Sends everybody to another node before this one ends.
   * @param {NodeAddress[]} nodes  the live ones
   */
  drain(nodes) {
    for (const relay of this.#relays) relay.tell({ type: 'moved', node: null, nodes });
  }

  /** Ends all sessions. Idempotent. */
  close() {
    this.#stop();
    for (const relay of [...this.#relays]) relay.end('server-closing');
  }
}
