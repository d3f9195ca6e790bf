/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Log } from '../log.js'
 * @import { BanChange, Bans } from '../access/bans.js'
 * @import { Bus } from '../bus/bus.js'
 * @import { FindOptions, Found } from './rooms-by-node.js'
 * @import { ChatState, PlaceNote, KnownState } from '../state/portable-state.js'
 * @import { NodeAddress } from '../bus/messages.js'
 *
 * @typedef {object} ClusterRooms  the rooms of this node
 * @property {(room: string) => object | undefined} get
 * @property {(room: string) => { relays: boolean, broadcast: boolean }} [audience] tells whether
 *   other nodes relay a room to listeners, and whether uninvited participants are listeners
 * @property {(room: string, state: KnownState) => void} [met] another node had the same room at the
 *   same time
 * @property {(room: string, node: NodeAddress | null) => void} move redirects the people of a room
 *   to the node that now owns it
 * @property {(room: string) => ChatState | undefined} [chat]  recent chat of a room
 * @property {Pick<Bans, 'all' | 'heard'>} [bans]  of all rooms
 * @property {number} people
 * @property {boolean} busy
 * @property {{ rooms: number, listeners: number, elsewhere: number, dropped: number }} [relayed]
 *   relayed rooms of other nodes, their listeners here, listeners of this node's rooms at other
 *   nodes, and dropped messages
 *
 * @typedef {object} ClusterStatus
 * @property {string} id           of this node
 * @property {import('../bus/bus.js').BusState} bus
 * @property {number} nodes  live ones, including this one
 * @property {number} rooms  owned by this node
 * @property {number} relayedRooms  of other nodes
 * @property {number} relayListeners  here, of relayed rooms
 * @property {number} listenersElsewhere  of this node's rooms at other nodes
 * @property {number} movedRooms  from this node to another
 * @property {number} droppedMessages  of unknown form or version
 *
 * @typedef {object} Reached  address of this node for clients
 * @property {string} url
 * @property {number | null} h3Port
 * @property {() => string[]} certificateHashes
 * @property {string[]} origins  of this node's pages, under all of its names
 */

import { randomBytes } from 'node:crypto';
import { withFields } from '../log.js';
import { Beats } from './beats.js';
import { RoomsByNode } from './rooms-by-node.js';
import { MAX_ORIGINS, ClusterMessageReader, subjectsOf } from '../bus/messages.js';
import { Ownership } from './ownership.js';
import { RoomStates } from './room-states.js';
import { SharedBans } from './shared-bans.js';

/** Limit of node addresses in an answer to a client. */
const MAX_TOLD = 8;

/** Rooms that a draining node moves concurrently. */
const MOVED_AT_ONCE = 8;

/**
 * Makes this server a node: it beats, owns rooms, finds others' rooms, and moves its own when it
 * drains.
 */
export class Cluster {
  #log;
  #rooms;
  #limits;
  #software;
  #beats;
  #ownership;
  #roomsByNode;
  #rules;
  #bans;
  #node;
  #draining = false;
  #movedRooms = 0;
  #closed = false;
  /** @type {Reached} */
  #reached = { url: 'http://localhost', h3Port: null, certificateHashes: () => [], origins: [] };

  /**
   * @param {object} options
   * @param {string} [options.id]  of this node; random by default
   * @param {string} options.name  of the cluster
   * @param {(id: string) => Bus} options.openBus
   * @param {Clock} options.clock
   * @param {() => number} options.wallNow  milliseconds since 1970
   * @param {Pick<Log, 'info' | 'warn' | 'error'>} options.log
   * @param {() => ClusterRooms} options.rooms
   * @param {{ people: number }} options.limits
   * @param {string} options.software  the running release
   * @param {number} [options.keptMs]  see RoomStates
   */
  constructor({
    id = randomBytes(8).toString('hex'),
    name,
    openBus,
    clock,
    wallNow,
    log: given,
    rooms,
    limits,
    software,
    keptMs,
  }) {
    this.id = id;
    const log = withFields(given, { node: id });
    this.#log = log;
    this.#rooms = rooms;
    this.#limits = limits;
    this.#software = software;
    const node = {
      bus: openBus(id),
      clock,
      wallNow,
      subjects: subjectsOf(name),
      reader: new ClusterMessageReader(log),
      self: () => this.#self(),
    };
    this.#node = node;
    this.#beats = new Beats(node, () => this.#nodeJoined());
    this.#bans = new SharedBans(node, () => this.#rooms().bans);
    this.#rules = new RoomStates(node, {
      keptMs,
      met: (room, state) => this.#rooms().met?.(room, state),
    });
    this.#ownership = new Ownership(node, {
      isUsed: (room) => this.#rooms().get(room) !== undefined,
      audience: (room) => this.#rooms().audience?.(room) ?? { relays: false, broadcast: false },
      isEncrypted: (room) => this.#rules.of(room)?.e2e ?? false,
      yielded: (room, to) => this.#yielded(room, to),
    });
    this.#roomsByNode = new RoomsByNode(node, {
      beats: this.#beats,
      ownership: this.#ownership,
      rules: this.#rules,
    });
  }

  /** @param {Reached} reached */
  start(reached) {
    this.#reached = reached;
    this.#beats.start();
    this.#ownership.start();
    this.#roomsByNode.start();
    this.#rules.start();
    this.#bans.start();
    this.#node.bus.open();
  }

  #nodeJoined() {
    this.#rules.nodeJoined();
    this.#bans.nodeJoined();
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

  /** True when this node owns a room. @param {string} room */
  isHere(room) {
    return this.#roomsByNode.isHere(room);
  }

  /**
   * @param {string} room a valid name
   * @param {FindOptions} options
   * @returns {Promise<Found>}
   */
  find(room, options) {
    return this.#roomsByNode.find(room, options);
  }

  /**
   * Announces the end of a room on this node.
   * @param {string} room
   * @param {readonly PlaceNote[]} [places] state that its tokens don't carry
   */
  ended(room, places = []) {
    this.#rules.ended(room, places);
    this.#ownership.release(room);
  }

  /** Announces that a ban was made or lifted here. @param {BanChange} change */
  banned(change) {
    this.#bans.tell([change]);
  }

  /** Announces a changed room state. @param {string} room @param {KnownState} rules */
  ruled(room, rules) {
    if (this.isHere(room)) this.#rules.set(room, rules);
  }

  /**
   * Last state of an occupied room that its node announced.
   * @param {string} room
   * @returns {KnownState | null}
   */
  rulesOf(room) {
    return this.#rules.of(room);
  }

  /** Last announced state of a room's places that tokens don't carry. @param {string} room */
  placesOf(room) {
    return this.#rules.placesOf(room);
  }

  /** Takes, once, the chat of a room that a draining node has handed over. @param {string} room */
  chatOf(room) {
    return this.#ownership.takeChat(room);
  }

  /** @param {string} room @returns {number} */
  epochOf(room) {
    return this.#ownership.epochOf(room);
  }

  /** Addresses of nodes for clients, this one first. @returns {NodeAddress[]} */
  nodes() {
    return this.#beats.addresses().slice(0, MAX_TOLD);
  }

  /**
   * Chooses another node to relay a room of this one to a listener.
   * @param {string} room
   * @returns {NodeAddress | null}
   */
  relayFor(room) {
    return this.#beats.relayFor(room);
  }

  everyNode() {
    return this.#beats.addresses();
  }

  /** Access to the bus for other parts of the server that exchange messages with nodes. */
  get wire() {
    const { bus, subjects, reader } = this.#node;
    return { bus, subjects, reader };
  }

  /**
   * True when any node of this cluster serves pages of an origin.
   * @param {string | undefined} origin
   */
  allowsOrigin(origin) {
    return this.#beats.isOurs(origin);
  }

  /** @returns {ClusterStatus} */
  get status() {
    const {
      rooms: relayedRooms,
      listeners: relayListeners,
      elsewhere: listenersElsewhere,
      dropped,
    } = this.#rooms().relayed ?? { rooms: 0, listeners: 0, elsewhere: 0, dropped: 0 };
    const droppedMessages = this.#node.reader.dropped + this.#node.bus.dropped + dropped;
    const relayed = { relayedRooms, relayListeners, listenersElsewhere };
    return {
      id: this.id,
      bus: this.#node.bus.state,
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
    this.#log.info({ event: 'room-moved', room, to, url: node?.url }, 'room moved to another node');
    this.#rooms().move(room, node);
  }

  /**
   * Stops opening rooms, and moves each owned room to another node, which claims it. Rooms without
   * another node stay. Idempotent.
   */
  async drain() {
    if (this.#draining) return;
    this.#draining = true;
    if (this.#node.bus.state !== 'connected') return;
    this.#beats.tell();
    const rooms = this.#ownership.rooms;
    const moveNext = async () => {
      for (let room = rooms.pop(); room !== undefined && !this.#closed; room = rooms.pop())
        await this.#moveAway(room);
    };
    await Promise.all(Array.from({ length: MOVED_AT_ONCE }, moveNext));
  }

  /** @param {string} room */
  async #moveAway(room) {
    if (this.#rooms().get(room) === undefined) return this.#ownership.release(room);
    const found = await this.#roomsByNode.offer(room, this.epochOf(room), {
      chat: this.#rooms().chat?.(room),
      rules: this.#rules.of(room),
    });
    if (!found)
      this.#log.warn({ event: 'room-not-moved', room }, 'no other node accepted the room');
  }

  /** Idempotent. */
  async close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#roomsByNode.close();
    this.#rules.close();
    this.#bans.close();
    this.#ownership.close();
    this.#beats.close();
    await this.#node.bus.close();
  }
}
