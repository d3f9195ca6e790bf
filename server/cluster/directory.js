/**
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Beats } from './beats.js'
 * @import { Bus } from './bus.js'
 * @import { ChatState, ToldState } from '../state/portable-state.js'
 * @import { MessageReader, NodeAddress, Subjects } from './messages.js'
 * @import { Ownership } from './ownership.js'
 * @import { RoomRules } from './room-rules.js'
 *
 * @typedef {{ node: NodeAddress | null, relayed?: { epoch: number, broadcast: boolean } } |
 *   ErrorCode} Found node: who has the room, null for this node; relayed: where other nodes are to
 *   relay it to those who only listen, with its epoch, and whether whoever comes uninvited only
 *   listens
 *
 * @typedef {object} FindOptions
 * @property {boolean} hold     whether the room is opened where nobody has it
 * @property {number} [above]   the epoch of the room that it takes the place of
 *
 * @typedef {{ chat?: ChatState, rules?: ToldState | null }} HandedOver  from a node that drains
 */

import { NOBODY, SILENCE } from './bus.js';
import { CLUSTER_VERSION, opened, opening, where } from './messages.js';

/** The time that a node has to answer, in milliseconds: those that are well take one. */
const ANSWER_MS = 300;

/**
 * The time that an owner gets who didn't answer within it, where no node is known to be missing, in
 * milliseconds.
 */
const SECOND_ANSWER_MS = 700;

/** The most nodes that are asked to open one room. */
const MAX_ASKED = 5;

/** The most rooms that are looked for at once. */
const MAX_SEARCHES = 512;

/** Where each room is: this node's, another's, or nobody's yet, and then who opens it. */
export class Directory {
  #bus;
  #beats;
  #ownership;
  #rules;
  #subjects;
  #reader;
  #self;
  #stop = () => {};
  /** Searches that are under way, by what they look for. @type {Map<string, Promise<Found>>} */
  #searches = new Map();

  /**
   * @param {object} options
   * @param {Bus} options.bus
   * @param {Beats} options.beats
   * @param {Ownership} options.ownership
   * @param {RoomRules} options.rules
   * @param {Subjects} options.subjects
   * @param {MessageReader} options.reader
   * @param {() => NodeAddress & { draining: boolean }} options.self
   */
  constructor({ bus, beats, ownership, rules, subjects, reader, self }) {
    this.#bus = bus;
    this.#beats = beats;
    this.#ownership = ownership;
    this.#rules = rules;
    this.#subjects = subjects;
    this.#reader = reader;
    this.#self = self;
  }

  start() {
    this.#stop = this.#bus.serve(this.#subjects.open(this.#self().id), (message) =>
      this.#asked(message),
    );
  }

  /** Whether a room is this node's. @param {string} room */
  isHere(room) {
    return this.#ownership.owns(room);
  }

  /**
   * Looks for a room. Those who look for the same one at once share the search.
   * @param {string} room  checked already
   * @param {FindOptions} options
   * @returns {Promise<Found>}
   */
  find(room, options) {
    if (this.isHere(room)) return Promise.resolve({ node: null });
    const key = `${options.hold ? 'hold' : 'ask'} ${room}`;
    const running = this.#searches.get(key);
    if (running) return running;
    if (this.#searches.size >= MAX_SEARCHES) return Promise.resolve('server-busy');
    const search = this.#search(room, options).finally(() => this.#searches.delete(key));
    this.#searches.set(key, search);
    return search;
  }

  /** @param {string} room @param {FindOptions} options @returns {Promise<Found>} */
  async #search(room, options) {
    if (this.#bus.state === 'connecting') return this.#alone(room, options);
    if (this.#bus.state === 'lost') return 'cluster-unreachable';
    const owner = await this.#owner(room);
    if (owner) return owner;
    if (this.isHere(room)) return { node: null };
    if (this.#bus.state !== 'connected') return 'cluster-unreachable';
    let asked = 0;
    for (const { id } of this.#beats.order(room)) {
      if (asked++ >= MAX_ASKED) break;
      const answer =
        id === this.#self().id
          ? this.#openHere(room, options)
          : await this.#askToOpen(id, room, options);
      // Somebody may have asked this node meanwhile.
      if (this.isHere(room)) return { node: null };
      if (answer) return answer;
    }
    return this.#self().draining ? 'draining' : 'server-full';
  }

  /**
   * There has been no cluster yet: this node does without.
   * @param {string} room
   * @param {FindOptions} options
   * @returns {Found}
   */
  #alone(room, options) {
    return this.#openHere(room, options) ?? 'draining';
  }

  /**
   * @param {string} room
   * @param {FindOptions & HandedOver} options
   * @returns {{ node: null } | null} null where this node opens nothing
   */
  #openHere(room, { hold, above, chat, rules }) {
    if (this.#self().draining || !this.#ownership.mayOpen) return null;
    if (hold && rules) this.#rules.keep(room, rules);
    if (hold) this.#ownership.open(room, above, chat);
    return { node: null };
  }

  /**
   * @param {string} room
   * @returns {Promise<{ node: NodeAddress, relayed?: { epoch: number, broadcast: boolean } } |
   *   null>} whose it is; null for nobody's
   */
  async #owner(room) {
    const ask = (/** @type {number} */ ms) =>
      this.#bus.request(this.#subjects.where(room), { version: CLUSTER_VERSION }, ms);
    let answer = await ask(ANSWER_MS);
    // Somebody has the room and says nothing: dead where a node is missing, and else perhaps only
    // slow.
    if (answer === SILENCE && !this.#beats.isSomeoneMissing) answer = await ask(SECOND_ANSWER_MS);
    if (answer === SILENCE || answer === NOBODY) return null;
    const found = this.#reader.read(where, answer);
    if (found === null || found.node.id === this.#self().id) return null;
    const { node, epoch, relays, broadcast } = found;
    return { node, ...(relays && { relayed: { epoch, broadcast } }) };
  }

  /**
   * @param {string} node
   * @param {string} room
   * @param {FindOptions & HandedOver} options
   * @returns {Promise<{ node: NodeAddress } | null>} null where it doesn't, or is gone
   */
  async #askToOpen(node, room, { hold, above = 0, chat, rules }) {
    const wish = {
      version: CLUSTER_VERSION,
      room,
      hold,
      above,
      ...(chat && { chat }),
      ...(rules && { rules }),
    };
    const answer = await this.#bus.request(this.#subjects.open(node), wish, ANSWER_MS);
    if (answer === SILENCE || answer === NOBODY) return null;
    const found = this.#reader.read(opened, answer)?.node ?? null;
    return found && { node: found };
  }

  /**
   * Has another node open a room that is this one's: its claim is the stronger one.
   * @param {string} room
   * @param {number} above  this node's epoch of it
   * @param {HandedOver} state
   * @returns {Promise<boolean>} false where no other node takes it
   */
  async handOver(room, above, state) {
    for (const { id } of this.#beats.order(room).slice(0, MAX_ASKED)) {
      if (
        id !== this.#self().id &&
        (await this.#askToOpen(id, room, { hold: true, above, ...state }))
      )
        return true;
    }
    return false;
  }

  /** Another node asks this one to open a room. @param {unknown} message */
  #asked(message) {
    const wish = this.#reader.read(opening, message);
    if (wish === null) return null;
    const { room, hold, above, chat, rules } = wish;
    const isHere = this.isHere(room) || this.#openHere(room, { hold, above, chat, rules }) !== null;
    const { id, url, h3Port, certificateHashes } = this.#self();
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
