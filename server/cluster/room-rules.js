/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Bus } from './bus.js'
 * @import { MessageReader, Rules, Subjects } from './messages.js'
 */

import { repeat } from '../timers.js';
import { CLUSTER_VERSION, roomRules } from './messages.js';

/** The interval at which a node tells its rooms' rules again, in milliseconds: others may have come. */
const REPEAT_MS = 5000;

/** Rules of which nothing was heard for this long are forgotten, in milliseconds. */
const KEPT_MS = 60_000;

/** The most rooms whose rules are kept: beyond them the one heard of longest ago is forgotten. */
const MOST = 10_000;

/**
 * The rules of rooms that have any: locks, lobbies, passwords and bans. Every node keeps those of all, so that a room whose
 * node is gone is locked where it is opened anew.
 */
export class RoomRules {
  #bus;
  #clock;
  #subjects;
  #reader;
  /** Of this node's rooms. @type {Map<string, Rules>} */
  #own = new Map();
  /** Of other nodes' rooms, the one heard of last being the last. @type {Map<string, { rules: Rules, heardMs: number }>} */
  #others = new Map();
  /** @type {(() => void)[]} */
  #stops = [];

  /**
   * @param {object} options
   * @param {Bus} options.bus
   * @param {Clock} options.clock
   * @param {Subjects} options.subjects
   * @param {MessageReader} options.reader
   */
  constructor({ bus, clock, subjects, reader }) {
    this.#bus = bus;
    this.#clock = clock;
    this.#subjects = subjects;
    this.#reader = reader;
  }

  start() {
    this.#stops.push(this.#bus.subscribe(this.#subjects.rules, (message) => this.#heard(message)));
    this.#stops.push(repeat(this.#clock, REPEAT_MS, () => this.#tellAll()));
  }

  /** @param {string} room  of this node @param {Rules | null} rules  null for none */
  set(room, rules) {
    if (rules === null && !this.#own.has(room)) return;
    if (rules === null) this.#own.delete(room);
    else this.#own.set(room, rules);
    this.#others.delete(room);
    this.#tell(room, rules);
  }

  /** The rules of a room that is to be opened here. @param {string} room @returns {Rules | null} */
  of(room) {
    const found = this.#others.get(room);
    return found && this.#clock.now() - found.heardMs <= KEPT_MS ? found.rules : null;
  }

  /** A room is another node's now, which has its rules already. @param {string} room */
  moved(room) {
    const rules = this.#own.get(room);
    this.#own.delete(room);
    if (rules) this.#keep(room, rules);
  }

  /** @param {string} room @param {Rules | null} rules */
  #tell(room, rules) {
    this.#bus.publish(this.#subjects.rulesOf(room), { version: CLUSTER_VERSION, room, rules });
  }

  #tellAll() {
    for (const [room, rules] of this.#own) this.#tell(room, rules);
  }

  /** @param {unknown} message */
  #heard(message) {
    const told = this.#reader.read(roomRules, message);
    if (told === null || this.#own.has(told.room)) return;
    if (told.rules === null) this.#others.delete(told.room);
    else this.#keep(told.room, told.rules);
  }

  /** @param {string} room @param {Rules} rules */
  #keep(room, rules) {
    this.#others.delete(room);
    this.#others.set(room, { rules, heardMs: this.#clock.now() });
    if (this.#others.size <= MOST) return;
    const [oldest] = this.#others.keys();
    this.#others.delete(oldest);
  }

  /** Idempotent. */
  close() {
    for (const stop of this.#stops.splice(0)) stop();
  }
}
