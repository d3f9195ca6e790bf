/**
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Beats, OwnNode } from './beats.js'
 * @import { ChatState, KnownState } from '../state/portable-state.js'
 * @import { NodeAddress } from '../bus/messages.js'
 * @import { Ownership } from './ownership.js'
 * @import { RoomStates } from './room-states.js'
 *
 * @typedef {{ node: NodeAddress | null, relayed?: { epoch: number, broadcast: boolean } } |
 *   ErrorCode} Found node: the owner, null for this node; relayed: set if other nodes relay the
 *   room to listeners, with its epoch, and whether uninvited participants are listeners
 *
 * @typedef {object} FindOptions
 * @property {boolean} hold  true to open the room if nobody owns it
 * @property {number} [above]  epoch of the room that it replaces
 *
 * @typedef {{ chat?: ChatState, rules?: KnownState | null }} MovedState  from a draining node
 */

import { NOBODY, SILENCE } from '../bus/bus.js';
import { CLUSTER_VERSION, opened, opening, where } from '../bus/messages.js';

/** Timeout for a node's answer, in milliseconds: a healthy one takes about 1 ms. */
const ANSWER_MS = 300;

/**
 * Second timeout for an owner that missed the first one, and may only be slow, in milliseconds.
 */
const SECOND_ANSWER_MS = 700;

/** Limit of nodes that are asked to open one room. */
const MAX_ASKED = 5;

/** Limit of concurrent searches. */
const MAX_SEARCHES = 512;

/**
 * Locates rooms: on this node, on another, or nowhere yet; then it decides which node opens them.
 */
export class RoomsByNode {
  #node;
  #beats;
  #ownership;
  #rules;
  #stop = () => {};
  /**
   * Running searches by their query.
   * @type {Map<string, { found: Promise<Found>, options: { hold: boolean, above: number } }>}
   */
  #searches = new Map();

  /**
   * @param {OwnNode} node
   * @param {{ beats: Beats, ownership: Ownership, rules: RoomStates }} parts
   */
  constructor(node, { beats, ownership, rules }) {
    this.#node = node;
    this.#beats = beats;
    this.#ownership = ownership;
    this.#rules = rules;
  }

  start() {
    const { bus, subjects, self } = this.#node;
    this.#stop = bus.serve(subjects.open(self().id), (message) => this.#asked(message));
  }

  /** True when this node owns a room. @param {string} room */
  isHere(room) {
    return this.#ownership.owns(room);
  }

  /**
   * Looks for a room. Concurrent requests for one room share the search. If it opens the room, the
   * epoch is above those of all of them.
   * @param {string} room  a valid name
   * @param {FindOptions} options
   * @returns {Promise<Found>}
   */
  find(room, { hold, above = 0 }) {
    if (this.isHere(room)) return Promise.resolve(this.#here(room, { hold, above }));
    const key = `${hold ? 'hold' : 'ask'} ${room}`;
    const running = this.#searches.get(key);
    if (running) {
      running.options.above = Math.max(running.options.above, above);
      return running.found;
    }
    if (this.#searches.size >= MAX_SEARCHES) return Promise.resolve('server-busy');
    const options = { hold, above };
    const found = this.#search(room, options).finally(() => this.#searches.delete(key));
    this.#searches.set(key, { found, options });
    return found;
  }

  /**
   * Answer for a room of this node. Its epoch may still rise until somebody is in it.
   * @param {string} room
   * @param {FindOptions} options
   * @returns {{ node: null }}
   */
  #here(room, { hold, above }) {
    if (hold) this.#ownership.open(room, above);
    return { node: null };
  }

  /** @param {string} room @param {FindOptions} options @returns {Promise<Found>} */
  async #search(room, options) {
    if (this.#node.bus.state === 'connecting') return this.#alone(room, options);
    if (this.#node.bus.state === 'lost') return 'cluster-unreachable';
    const owner = await this.#owner(room);
    if (owner) return owner;
    if (this.isHere(room)) return this.#here(room, options);
    if (this.#node.bus.state !== 'connected') return 'cluster-unreachable';
    let asked = 0;
    for (const { id } of this.#beats.order(room)) {
      if (asked++ >= MAX_ASKED) break;
      const answer =
        id === this.#node.self().id
          ? this.#openHere(room, options)
          : await this.#askToOpen(id, room, options);
      // Another node may have asked this one in the meantime.
      if (this.isHere(room)) return this.#here(room, options);
      if (answer) return answer;
    }
    return this.#node.self().draining ? 'draining' : 'server-full';
  }

  /**
   * Works without a cluster while none has ever been reached.
   * @param {string} room
   * @param {FindOptions} options
   * @returns {Found}
   */
  #alone(room, options) {
    return this.#openHere(room, options) ?? 'draining';
  }

  /**
   * @param {string} room
   * @param {FindOptions & MovedState} options
   * @returns {{ node: null } | null} null if this node opens nothing
   */
  #openHere(room, { hold, above, chat, rules }) {
    if (this.#node.self().draining || !this.#ownership.mayOpen) return null;
    if (hold && rules) this.#rules.keep(room, rules);
    if (hold) this.#ownership.open(room, above, chat);
    return { node: null };
  }

  /**
   * @param {string} room
   * @returns {Promise<{ node: NodeAddress, relayed?: { epoch: number, broadcast: boolean } } |
   *   null>} the owner, or null
   */
  async #owner(room) {
    const { bus, subjects, reader, self } = this.#node;
    const ask = (/** @type {number} */ ms) =>
      bus.request(subjects.where(room), { version: CLUSTER_VERSION }, ms);
    let answer = await ask(ANSWER_MS);
    if (answer === SILENCE && this.#mayBeSlow(room)) answer = await ask(SECOND_ANSWER_MS);
    if (answer === SILENCE || answer === NOBODY) return null;
    const found = reader.read(where, answer);
    if (found === null || found.node.id === self().id) return null;
    const { node, epoch, relays, broadcast } = found;
    return { node, ...(relays && { relayed: { epoch, broadcast } }) };
  }

  /**
   * True when the silent owner of a room may only be slow: its own beats come. An unknown owner is
   * dead if any node is missing.
   * @param {string} room
   */
  #mayBeSlow(room) {
    const owner = this.#rules.ownerOf(room);
    return owner === null ? !this.#beats.isSomeoneMissing : this.#beats.isAlive(owner);
  }

  /**
   * @param {string} node
   * @param {string} room
   * @param {FindOptions & MovedState} options
   * @returns {Promise<{ node: NodeAddress } | null>} null if it refuses or is gone
   */
  async #askToOpen(node, room, { hold, above = 0, chat, rules }) {
    const request = {
      version: CLUSTER_VERSION,
      room,
      hold,
      above,
      ...(chat && { chat }),
      ...(rules && { rules }),
    };
    const { bus, subjects, reader } = this.#node;
    const answer = await bus.request(subjects.open(node), request, ANSWER_MS);
    if (answer === SILENCE || answer === NOBODY) return null;
    const found = reader.read(opened, answer)?.node ?? null;
    return found && { node: found };
  }

  /**
   * Makes another node open a room of this one, with a stronger claim.
   * @param {string} room
   * @param {number} above  this node's epoch of the room
   * @param {MovedState} state
   * @returns {Promise<boolean>} false if no other node accepts it
   */
  async offer(room, above, state) {
    for (const { id } of this.#beats.order(room).slice(0, MAX_ASKED)) {
      if (
        id !== this.#node.self().id &&
        (await this.#askToOpen(id, room, { hold: true, above, ...state }))
      )
        return true;
    }
    return false;
  }

  /** Answers another node's request to open a room. @param {unknown} message */
  #asked(message) {
    const request = this.#node.reader.read(opening, message);
    if (request === null) return null;
    const { room, hold, above, chat, rules } = request;
    const isHere = this.#openHere(room, { hold, above, chat, rules }) !== null || this.isHere(room);
    const { id, url, h3Port, certificateHashes } = this.#node.self();
    return {
      version: CLUSTER_VERSION,
      node: isHere ? { id, url, h3Port, certificateHashes } : null,
    };
  }

  /** Idempotent. */
  close() {
    this.#stop();
  }
}
