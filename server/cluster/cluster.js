/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Log } from '../log.js'
 * @import { Bus } from './bus.js'
 * @import { FindOptions, Found } from './directory.js'
 * @import { ChatState, PlaceNote, ToldState } from '../state/portable-state.js'
 * @import { NodeAddress } from './messages.js'
 *
 * @typedef {object} ClusterRooms  the rooms of this node
 * @property {(room: string) => object | undefined} get
 * @property {(room: string) => { relays: boolean, broadcast: boolean }} [audience] whether other
 *   nodes are to relay a room to those who only listen, and whether that is whoever comes uninvited
 * @property {(room: string, state: ToldState) => void} [met] another node had the same room at the
 *   same time
 * @property {(room: string, node: NodeAddress | null) => void} move a room is another node's: its
 *   people go there
 * @property {(room: string) => ChatState | undefined} [chat]  what was said in a room lately
 * @property {number} people
 * @property {boolean} busy
 * @property {{ rooms: number, listeners: number, elsewhere: number, dropped: number }} [relayed]
 *   rooms of other nodes that this one relays and those who listen to them, people who listen to
 *   this node's rooms at others, and messages that were dropped
 *
 * @typedef {object} ClusterStatus
 * @property {string} id           of this node
 * @property {import('./bus.js').BusState} bus
 * @property {number} nodes        that are there, this one included
 * @property {number} rooms        that this node owns
 * @property {number} relayedRooms     of other nodes that this one relays
 * @property {number} relayListeners   who listen to them here
 * @property {number} listenersElsewhere  who listen to rooms of this node at others
 * @property {number} movedRooms   that went from this node to another
 * @property {number} droppedMessages  that were no node's
 *
 * @typedef {object} Reached  where clients reach this node
 * @property {string} url
 * @property {number | null} h3Port
 * @property {() => string[]} certificateHashes
 * @property {string[]} origins  of pages that this node serves, under whatever name
 */

import { randomBytes } from 'node:crypto';
import { Beats } from './beats.js';
import { Directory } from './directory.js';
import { MAX_ORIGINS, MessageReader, subjectsOf } from './messages.js';
import { Ownership } from './ownership.js';
import { RoomRules } from './room-rules.js';

/** The most nodes that a client is told of. */
const MAX_TOLD = 8;

/** The rooms that are handed over at once by a node that drains. */
const HANDED_AT_ONCE = 8;

/**
 * This node's part in a cluster: it beats, owns rooms, finds others', and hands its own over when
 * it drains.
 */
export class Cluster {
  #bus;
  #log;
  #rooms;
  #limits;
  #software;
  #beats;
  #ownership;
  #directory;
  #reader;
  #rules;
  #subjects;
  #draining = false;
  #movedRooms = 0;
  #closed = false;
  /** @type {Reached} */
  #reached = { url: 'http://localhost', h3Port: null, certificateHashes: () => [], origins: [] };

  /**
   * @param {object} options
   * @param {string} [options.id]  of this node; one by chance for each process
   * @param {string} options.name  of the cluster
   * @param {(id: string) => Bus} options.openBus
   * @param {Clock} options.clock
   * @param {() => number} options.wallNow  milliseconds since 1970
   * @param {Pick<Log, 'info' | 'warn' | 'error'>} options.log
   * @param {() => ClusterRooms} options.rooms
   * @param {{ people: number }} options.limits
   * @param {string} options.software  the release that runs here
   * @param {number} [options.keptMs]  see RoomRules
   */
  constructor({
    id = randomBytes(8).toString('hex'),
    name,
    openBus,
    clock,
    wallNow,
    log,
    rooms,
    limits,
    software,
    keptMs,
  }) {
    this.id = id;
    this.#log = log;
    this.#rooms = rooms;
    this.#limits = limits;
    this.#software = software;
    const bus = openBus(id);
    const reader = new MessageReader(log);
    this.#subjects = subjectsOf(name);
    const shared = {
      bus,
      clock,
      wallNow,
      subjects: this.#subjects,
      reader,
      self: () => this.#self(),
    };
    this.#bus = bus;
    this.#reader = reader;
    this.#beats = new Beats({ ...shared, came: () => this.#rules.nodeCame() });
    this.#rules = new RoomRules({
      ...shared,
      keptMs,
      met: (room, state) => this.#rooms().met?.(room, state),
    });
    this.#ownership = new Ownership({
      ...shared,
      isUsed: (room) => this.#rooms().get(room) !== undefined,
      audience: (room) => this.#rooms().audience?.(room) ?? { relays: false, broadcast: false },
      isEncrypted: (room) => this.#rules.of(room)?.e2e ?? false,
      yielded: (room, to) => this.#yielded(room, to),
    });
    this.#directory = new Directory({
      ...shared,
      beats: this.#beats,
      ownership: this.#ownership,
      rules: this.#rules,
    });
  }

  /** Begins to take part. @param {Reached} reached */
  start(reached) {
    this.#reached = reached;
    this.#beats.start();
    this.#ownership.start();
    this.#directory.start();
    this.#rules.start();
    this.#bus.open();
  }

  #self() {
    const { url, h3Port, certificateHashes, origins } = this.#reached;
    const { people, busy } = this.#rooms();
    return {
      id: this.id,
      url,
      h3Port,
      certificateHashes: certificateHashes(),
      origins: origins.slice(0, MAX_ORIGINS),
      people,
      maxPeople: this.#limits.people,
      busy,
      draining: this.#draining,
      software: this.#software,
    };
  }

  /** Whether a room is this node's. @param {string} room */
  isHere(room) {
    return this.#directory.isHere(room);
  }

  /**
   * @param {string} room checked already
   * @param {FindOptions} options
   * @returns {Promise<Found>}
   */
  find(room, options) {
    return this.#directory.find(room, options);
  }

  /**
   * A room has ended here.
   * @param {string} room
   * @param {readonly PlaceNote[]} [places] what its tokens don't say
   */
  ended(room, places = []) {
    this.#rules.ended(room, places);
    this.#ownership.release(room);
  }

  /** The state of a room of this node has changed. @param {string} room @param {ToldState} rules */
  ruled(room, rules) {
    if (this.isHere(room)) this.#rules.set(room, rules);
  }

  /**
   * The state of an occupied room, as its node told it last.
   * @param {string} room
   * @returns {ToldState | null}
   */
  rulesOf(room) {
    return this.#rules.of(room);
  }

  /** What tokens of a room's places don't say, as its node told it last. @param {string} room */
  placesOf(room) {
    return this.#rules.placesOf(room);
  }

  /** What was said in a room on the node before, which has drained: once. @param {string} room */
  chatOf(room) {
    return this.#ownership.takeChat(room);
  }

  /** @param {string} room @returns {number} */
  epochOf(room) {
    return this.#ownership.epochOf(room);
  }

  /** Where clients reach the nodes, this one first. @returns {NodeAddress[]} */
  nodes() {
    return this.#beats.addresses().slice(0, MAX_TOLD);
  }

  /**
   * Another node that may relay a room of this one to somebody who only listens.
   * @param {string} room
   * @returns {NodeAddress | null}
   */
  relayFor(room) {
    return this.#beats.relayFor(room);
  }

  /** Where clients reach all nodes, this one first. @returns {NodeAddress[]} */
  everyNode() {
    return this.#beats.addresses();
  }

  /** What parts of the server that speak to other nodes by themselves do it with. */
  get wire() {
    return { bus: this.#bus, subjects: this.#subjects, reader: this.#reader };
  }

  /**
   * Whether a page is one of this cluster's, whichever node has served it.
   * @param {string | undefined} origin
   */
  allowsOrigin(origin) {
    return this.#beats.isOurs(origin);
  }

  /** What the operator is told. @returns {ClusterStatus} */
  get status() {
    const {
      rooms: relayedRooms,
      listeners: relayListeners,
      elsewhere: listenersElsewhere,
      dropped,
    } = this.#rooms().relayed ?? { rooms: 0, listeners: 0, elsewhere: 0, dropped: 0 };
    const droppedMessages = this.#reader.dropped + this.#bus.dropped + dropped;
    const relayed = { relayedRooms, relayListeners, listenersElsewhere };
    return {
      id: this.id,
      bus: this.#bus.state,
      nodes: this.#beats.addresses().length,
      rooms: this.#ownership.rooms.length,
      ...relayed,
      movedRooms: this.#movedRooms,
      droppedMessages,
    };
  }

  /** @param {string} room @param {string} to */
  #yielded(room, to) {
    this.#rules.moved(room);
    this.#movedRooms += 1;
    const node = this.#beats.addressOf(to);
    this.#log.info(`room ${room} is node ${to}'s now${node ? `, at ${node.url}` : ''}`);
    this.#rooms().move(room, node);
  }

  /**
   * Opens nothing any more, and hands each room over to another node, which claims it: then it is
   * no longer this node's. Rooms for which there is no other node stay. Idempotent.
   */
  async drain() {
    if (this.#draining) return;
    this.#draining = true;
    if (this.#bus.state !== 'connected') return;
    this.#beats.tell();
    const rooms = this.#ownership.rooms;
    const handOn = async () => {
      for (let room = rooms.pop(); room !== undefined && !this.#closed; room = rooms.pop())
        await this.#handOver(room);
    };
    await Promise.all(Array.from({ length: HANDED_AT_ONCE }, handOn));
  }

  /** @param {string} room */
  async #handOver(room) {
    if (this.#rooms().get(room) === undefined) return this.#ownership.release(room);
    const found = await this.#directory.handOver(room, this.epochOf(room), {
      chat: this.#rooms().chat?.(room),
      rules: this.#rules.of(room),
    });
    if (!found) this.#log.warn(`room ${room} could not be handed over: no other node takes it`);
  }

  /** Idempotent. */
  async close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#directory.close();
    this.#rules.close();
    this.#ownership.close();
    this.#beats.close();
    await this.#bus.close();
  }
}
