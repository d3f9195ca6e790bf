/**
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Bus } from '../bus/bus.js'
 * @import { ClusterMessageReader, NodeAddress, Subjects } from '../bus/messages.js'
 * @import { RoomsByThread } from '../host/rooms-by-thread.js'
 * @import { RoomAct, RoomAnswer } from '../host/host-acts.js'
 */

import { errors } from '../../public/shared/errors.js';
import { roomNameError } from '../../public/shared/text.js';
import { NOBODY } from '../bus/bus.js';
import {
  actRequest,
  actAnswer,
  CLUSTER_VERSION,
  roomsRequest,
  ROOMS_PAGE,
  roomsAnswer,
  where,
} from '../bus/messages.js';
import { z } from 'zod';
import { MAX_BAN_MS } from '../access/bans.js';
import { personChange, roomChange } from './schemas.js';

/** Timeouts for a node to say that it owns a room, and to act in it, in milliseconds. */
const WHERE_MS = 1000;
const ACT_MS = 3000;

/** Maximum length of an answer about a room on the bus, in characters of JSON. */
const MAX_ANSWER = 200_000;

/** Limit of listed rooms per node. */
const MAX_ROOMS = 20_000;

/**
 * Gives the operator's API of any node access to all rooms of a cluster: a request goes to the
 * owner of its room.
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
   * @param {Pick<RoomsByThread, 'inRoom' | 'rooms' | 'bans'>} options.local  this node's rooms
   * @param {{ bus: Bus, subjects: Subjects, reader: ClusterMessageReader }} options.wire
   * @param {() => NodeAddress[]} options.nodes  this one first
   * @param {(room: string) => boolean} options.isHere  true for a room of this node
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
    this.#stops.push(bus.serve(subjects.rooms(id), (message) => this.#answerRooms(message)));
  }

  /** Bans known to this node. */
  get bans() {
    return this.#local.bans;
  }

  /**
   * Acts in a room on any node.
   * @param {string} room
   * @template {RoomAct} A
   * @param {A} act
   * @param {unknown[]} args
   * @returns {Promise<RoomAnswer<A> | ErrorCode>} an error code on failure; a description of a room
   *   includes its node
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
    const read = reader.read(actAnswer, answer);
    if (read === null) return 'node-answer';
    if (read.code === undefined) return withNode(read.value, act, node);
    return Object.hasOwn(errors, read.code) ? /** @type {ErrorCode} */ (read.code) : 'node-answer';
  }

  /** Answers another node's request to act in a room of this one. @param {unknown} message */
  async #asked(message) {
    const asked = this.#wire.reader.read(actRequest, message);
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
  async #answerRooms(message) {
    const asked = this.#wire.reader.read(roomsRequest, message);
    if (asked === null) return null;
    const all = await this.#local.rooms();
    const end = asked.from + ROOMS_PAGE;
    return { version: CLUSTER_VERSION, rooms: all.slice(asked.from, end), more: end < all.length };
  }

  /** Lists the rooms of all nodes, each with its node. @returns {Promise<object[]>} */
  async rooms() {
    return (await this.everything()).rooms;
  }

  /**
   * @returns {Promise<{ rooms: object[], silent: string[] }>} silent: addresses of the nodes that
   *   gave no answer
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

  /** @param {NodeAddress} node @returns {Promise<object[] | null>} null without an answer */
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
      const read = typeof answer === 'symbol' ? null : reader.read(roomsAnswer, answer);
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
 * @template {RoomAct} A
 * @param {unknown} answer  an error code, or a list as `{ list }` from another node
 * @param {A} act
 * @param {NodeAddress} node
 * @returns {RoomAnswer<A> | ErrorCode}
 */
function withNode(answer, act, node) {
  if (typeof answer === 'string') return /** @type {ErrorCode} */ (answer);
  const value = /** @type {{ list?: unknown } | undefined} */ (answer);
  /** @type {unknown} */
  let done = answer;
  if (act === 'bans' && !Array.isArray(answer)) done = value?.list ?? 'node-answer';
  if (act === 'describe' || act === 'count') done = { ...value, node: shown(node) };
  return /** @type {RoomAnswer<A>} */ (done);
}

/**
 * Acts that one node may request of another, by their names in RoomAct, with the schemas of their
 * arguments. Requests from nodes are checked like requests to the API.
 */

const id = z.string().max(64);

/** The operator, with the address of the request. */
const by = z.object({
  id: z.literal('operator'),
  label: z.string().max(100),
  peer: z.string().max(100).optional(),
});

const ACT_REQUESTS = Object.freeze({
  describe: z.tuple([]),
  count: z.tuple([]),
  change: z.tuple([roomChange, by]),
  end: z.tuple([by]),
  listeners: z.tuple([
    z.object({ after: id.optional(), find: id.optional(), most: z.number().int().min(1).max(100) }),
  ]),
  changePerson: z.tuple([id, personChange, by]),
  remove: z.tuple([id, z.object({ banMs: z.number().min(0).max(MAX_BAN_MS).optional() }), by]),
  admit: z.tuple([id, by]),
  turnAway: z.tuple([id, by]),
  bans: z.tuple([]),
  unban: z.tuple([id, by]),
  stopRecording: z.tuple([z.string().max(100)]),
});

/**
 * @param {string} act
 * @param {unknown[]} args
 * @returns {unknown[] | null} the arguments; null if the act is unknown or the arguments are
 *   invalid
 */
function readAct(act, args) {
  if (!Object.hasOwn(ACT_REQUESTS, act)) return null;
  const parsed = ACT_REQUESTS[/** @type {keyof typeof ACT_REQUESTS} */ (act)].safeParse(args);
  return parsed.success ? parsed.data : null;
}
