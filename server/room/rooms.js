/**
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Entrant } from '../access/grants.js'
 * @import { Session } from '../transport/session.js'
 * @import { Knock } from './knocks.js'
 * @import { Member } from './member.js'
 * @import { JoinWishes, RoomConfig, RoomServices } from './room-config.js'
 */

import { Access } from '../access/access.js';
import { Room } from './room.js';
import { configFor, ROOM_DEFAULTS } from './room-config.js';

/** The name of a mirror, as the one in it is told. */
const MIRROR_NAME = 'mirror';

/** The delay of a mirror, in milliseconds: one hears oneself after the sentence, not into it. */
const MIRROR_DELAY_MS = 2000;

/** Multiples of the golden ratio are spread evenly modulo 1, so rooms' ticks don't coincide. */
const SPREAD = (Math.sqrt(5) - 1) / 2;

/** All rooms of a server: a room begins with its first member and ends with its last. */
export class Rooms {
  /** @type {Map<string, Room>} */
  #rooms = new Map();
  /** Rooms of one, in which somebody hears themselves. @type {Set<Room>} */
  #mirrors = new Set();
  #config;
  #services;
  #maxRooms;
  #maxPeople;
  /** How many rooms were ever opened. */
  #opened = 0;
  #closed = false;

  /**
   * @param {object} options
   * @param {Omit<RoomConfig, keyof typeof ROOM_DEFAULTS> & Partial<RoomConfig>} options.config  of a new room
   * @param {RoomServices} options.services
   * @param {number} options.maxRooms
   * @param {number} options.maxPeople  in all rooms together
   */
  constructor({ config, services, maxRooms, maxPeople }) {
    /** @type {RoomConfig} */
    this.#config = { ...ROOM_DEFAULTS, ...config };
    const { clock, wallNow } = services;
    /** Who may come in. */
    this.access = services.access ?? new Access({ clock, wallNow });
    this.#services = services;
    this.#maxRooms = maxRooms;
    this.#maxPeople = maxPeople;
  }

  /**
   * @param {string} name
   * @returns {Room | undefined}
   */
  get(name) {
    return this.#rooms.get(name);
  }

  /** How many people there are in all rooms. */
  get people() {
    let people = 0;
    for (const room of this.#rooms.values()) people += room.size;
    for (const room of this.#mirrors) people += room.size;
    return people;
  }

  /** How many rooms there are. */
  get size() {
    return this.#rooms.size;
  }

  /**
   * Lets somebody into a room, which is opened where there is none of that name, or has them wait in its lobby. The
   * member, or who waits, is the session's handler from then on.
   * @param {string} roomName  checked already
   * @param {string} name  checked already
   * @param {Session} session
   * @param {JoinWishes} [wishes]
   * @param {Entrant} [entrant]
   * @returns {Member | Knock | ErrorCode}
   */
  join(roomName, name, session, wishes = {}, entrant = this.access.stranger(session.peer)) {
    const isBack = !wishes.mirror && this.#rooms.get(roomName)?.keepsPlace(wishes.resume);
    if (this.people >= this.#maxPeople && !isBack) return 'server-full';
    const room = wishes.mirror ? this.#openMirror(wishes) : this.#open(roomName, wishes);
    if (typeof room === 'string') return room;
    try {
      return room.join(session, name, wishes, entrant);
    } finally {
      if (room.size === 0) this.#end(room);
    }
  }

  /**
   * @param {string} name
   * @param {JoinWishes} wishes  of the one who begins it
   * @returns {Room | ErrorCode}
   */
  #open(name, wishes) {
    const existing = this.#rooms.get(name);
    if (existing) return existing;
    if (this.#closed) return 'server-closing';
    if (this.#rooms.size >= this.#maxRooms) return 'too-many-rooms';
    const room = this.#newRoom(name, wishes);
    if (typeof room !== 'string') this.#rooms.set(name, room);
    return room;
  }

  /**
   * Opens a room that nobody else finds.
   * @param {JoinWishes} wishes
   * @returns {Room | ErrorCode}
   */
  #openMirror(wishes) {
    if (this.#closed) return 'server-closing';
    const own = { echo: true, serverDelayMs: MIRROR_DELAY_MS, maxParticipants: 1, awayTimeoutMs: 0 };
    const room = this.#newRoom(MIRROR_NAME, wishes, own, { observer: undefined, recordings: undefined });
    if (typeof room !== 'string') this.#mirrors.add(room);
    return room;
  }

  /**
   * @param {string} name
   * @param {JoinWishes} wishes
   * @param {Partial<RoomConfig>} [own]  settings of its own
   * @param {Partial<RoomServices>} [without]
   * @returns {Room | ErrorCode}
   */
  #newRoom(name, wishes, own, without) {
    const phase = (this.#opened++ * SPREAD) % 1;
    const config = { ...configFor(this.#config, wishes, this.#services.codec), ...own, phase };
    try {
      return new Room(name, config, { ...this.#services, access: this.access, ...without }, (room) => this.#end(room));
    } catch (error) {
      if (/** @type {{ code?: string }} */ (error).code === 'codec-instances') return 'server-full';
      throw error;
    }
  }

  /** @param {Room} room  that is empty, or has failed */
  #end(room) {
    if (this.#rooms.get(room.name) === room) {
      this.#rooms.delete(room.name);
      // Without tokens a room's moderator is whoever came first: the bans are that room's, and not the name's.
      if (!this.access.keyed) this.access.bans.forget(room.name);
    } else if (!this.#mirrors.delete(room)) return;
    room.close('server-closing');
  }

  /** Ends every room. Idempotent. */
  close() {
    this.#closed = true;
    for (const room of [...this.#rooms.values(), ...this.#mirrors]) room.close('server-closing');
    this.#rooms.clear();
    this.#mirrors.clear();
  }
}
