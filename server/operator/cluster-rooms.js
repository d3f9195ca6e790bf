/**
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Bus } from '../cluster/bus.js'
 * @import { MessageReader, NodeAddress, Subjects } from '../cluster/messages.js'
 * @import { Directory } from '../host/directory.js'
 * @import { RoomAct } from '../host/host-acts.js'
 */

import { errors } from '../../public/shared/errors.js';
import { roomNameError } from '../../public/shared/text.js';
import { NOBODY } from '../cluster/bus.js';
import {
  actAsked,
  actDone,
  CLUSTER_VERSION,
  roomsAsked,
  ROOMS_PAGE,
  roomsTold,
  where,
} from '../cluster/messages.js';
import { readAct } from './act-requests.js';

/**
 * The time that a node has to say that it has a room, and to do something in it, in milliseconds.
 */
const WHERE_MS = 1000;
const ACT_MS = 3000;

/** The longest answer about a room that goes over the bus, in characters of JSON. */
const MAX_ANSWER = 200_000;

/** The most rooms of one node that are listed. */
const MAX_ROOMS = 20_000;

/**
 * All rooms of a cluster, for the operator's API of any of its nodes: what is asked of a room goes
 * to the node that has it.
 */
export class ClusterRooms {
  #local;
  #wire;
  #nodes;
  #isHere;
  /** @type {(() => void)[]} */
  #stops = [];

  /**
   * @param {object} options
   * @param {Pick<Directory, 'inRoom' | 'rooms' | 'bans'>} options.local  of this node's rooms
   * @param {{ bus: Bus, subjects: Subjects, reader: MessageReader }} options.wire
   * @param {() => NodeAddress[]} options.nodes  this one first
   * @param {(room: string) => boolean} options.isHere  whether a room is this node's
   */
  constructor({ local, wire, nodes, isHere }) {
    this.#local = local;
    this.#wire = wire;
    this.#nodes = nodes;
    this.#isHere = isHere;
  }

  start() {
    const { bus, subjects } = this.#wire;
    const [{ id }] = this.#nodes();
    this.#stops.push(bus.serve(subjects.act(id), (message) => this.#asked(message)));
    this.#stops.push(bus.serve(subjects.rooms(id), (message) => this.#askedForRooms(message)));
  }

  /** The bans that this node knows. */
  get bans() {
    return this.#local.bans;
  }

  /**
   * Does something in a room, wherever it is.
   * @param {string} room
   * @param {RoomAct} act
   * @param {any[]} args
   * @returns {Promise<any>} a code where it isn't done; of what tells of a room, the node too that
   *   has it
   */
  async inRoom(room, act, ...args) {
    const [own] = this.#nodes();
    const done = await this.#local.inRoom(room, act, ...args);
    if (done !== 'not-found' || this.#isHere(room)) return withNode(done, act, own);
    if (roomNameError(room) !== null) return 'not-found';
    const { bus, subjects, reader } = this.#wire;
    const owner = await bus.request(subjects.where(room), { version: CLUSTER_VERSION }, WHERE_MS);
    if (owner === NOBODY) return 'not-found';
    if (typeof owner === 'symbol')
      return bus.state === 'connected' ? 'node-silent' : 'cluster-unreachable';
    const node = reader.read(where, owner)?.node;
    if (!node) return 'node-answer';
    const answer = await bus.request(
      subjects.act(node.id),
      { version: CLUSTER_VERSION, room, act, args },
      ACT_MS,
    );
    if (typeof answer === 'symbol') return 'node-silent';
    const read = reader.read(actDone, answer);
    if (read === null) return 'node-answer';
    if (read.code === undefined) return withNode(read.value, act, node);
    return Object.hasOwn(errors, read.code) ? /** @type {ErrorCode} */ (read.code) : 'node-answer';
  }

  /** Another node's operator asks for something in a room of this one. @param {unknown} message */
  async #asked(message) {
    const asked = this.#wire.reader.read(actAsked, message);
    if (asked === null) return null;
    const args = readAct(asked.act, asked.args);
    const done =
      args === null
        ? 'bad-request'
        : await this.#local.inRoom(asked.room, /** @type {RoomAct} */ (asked.act), ...args);
    if (typeof done === 'string') return { version: CLUSTER_VERSION, code: done };
    const value = Array.isArray(done) ? { list: done } : done;
    if (value !== undefined && JSON.stringify(value).length > MAX_ANSWER)
      return { version: CLUSTER_VERSION, code: 'node-answer' };
    return { version: CLUSTER_VERSION, ...(value !== undefined && { value }) };
  }

  /** @param {unknown} message */
  async #askedForRooms(message) {
    const asked = this.#wire.reader.read(roomsAsked, message);
    if (asked === null) return null;
    const all = await this.#local.rooms();
    const end = asked.from + ROOMS_PAGE;
    return { version: CLUSTER_VERSION, rooms: all.slice(asked.from, end), more: end < all.length };
  }

  /** All rooms of all nodes, each with the node that has it. @returns {Promise<object[]>} */
  async rooms() {
    return (await this.everything()).rooms;
  }

  /**
   * @returns {Promise<{ rooms: object[], silent: string[] }>} silent: the nodes that gave no
   *   answer, by their addresses
   */
  async everything() {
    const [own, ...others] = this.#nodes();
    const rooms = (await this.#local.rooms()).map((room) => ({ ...room, node: shown(own) }));
    /** @type {string[]} */
    const silent = [];
    const answers = await Promise.all(others.map((node) => this.#roomsOf(node)));
    answers.forEach((theirs, i) => {
      if (theirs === null) silent.push(others[i].url);
      else for (const room of theirs) rooms.push({ ...room, node: shown(others[i]) });
    });
    return { rooms, silent };
  }

  /** @param {NodeAddress} node @returns {Promise<object[] | null>} null where it gave no answer */
  async #roomsOf({ id }) {
    const { bus, subjects, reader } = this.#wire;
    /** @type {object[]} */
    const rooms = [];
    while (rooms.length < MAX_ROOMS) {
      const answer = await bus.request(
        subjects.rooms(id),
        { version: CLUSTER_VERSION, from: rooms.length },
        WHERE_MS,
      );
      const read = typeof answer === 'symbol' ? null : reader.read(roomsTold, answer);
      if (read === null) return null;
      rooms.push(...read.rooms);
      if (!read.more || read.rooms.length === 0) break;
    }
    return rooms;
  }

  /** Idempotent. */
  close() {
    for (const stop of this.#stops.splice(0)) stop();
  }
}

/** @param {NodeAddress} node */
const shown = ({ id, url }) => ({ id, url });

/**
 * @param {any} done  what an act answered
 * @param {RoomAct} act
 * @param {NodeAddress} node
 */
function withNode(done, act, node) {
  if (act === 'bans' && !Array.isArray(done))
    return typeof done === 'string' ? done : (done?.list ?? 'node-answer');
  return act === 'describe' || act === 'count'
    ? typeof done === 'string'
      ? done
      : { ...done, node: shown(node) }
    : done;
}
