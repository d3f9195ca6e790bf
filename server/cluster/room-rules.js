/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Bus } from './bus.js'
 * @import { PlaceNote, ToldState } from '../state/portable-state.js'
 * @import { MessageReader, Subjects } from './messages.js'
 *
 * @typedef {object} Kept
 * @property {ToldState | null} rules  null where the room has ended
 * @property {readonly PlaceNote[]} places
 * @property {number} heardMs
 */

import { repeat } from '../timers.js';
import { CLUSTER_VERSION, roomRules } from './messages.js';

/**
 * The interval at which a node tells its rooms' states again, in milliseconds: others may have
 * come.
 */
const REPEAT_MS = 5000;

/** The shortest time between two tellings of all because of nodes that come, in milliseconds. */
const ALL_EVERY_MS = 100;

/**
 * A state of which nothing was heard for this long is forgotten at the soonest, in milliseconds.
 */
const KEPT_MS = 60_000;

/** The most rooms whose states are kept: beyond them the one heard of longest ago is forgotten. */
const MOST = 10_000;

/**
 * The states of occupied rooms, with their rules and settings. Every node keeps all of them, so
 * that a room whose node is gone goes on elsewhere as it was.
 */
export class RoomRules {
  #self;
  #toldAllMs = -Infinity;
  /** @type {unknown} */
  #later = null;
  #bus;
  #clock;
  #subjects;
  #reader;
  #met;
  #keptMs;
  /** Of this node's rooms. @type {Map<string, { rules: ToldState, setMs: number }>} */
  #own = new Map();
  /** Of other nodes' rooms, the one heard of last being the last. @type {Map<string, Kept>} */
  #others = new Map();
  /** @type {(() => void)[]} */
  #stops = [];

  /**
   * @param {object} options
   * @param {Bus} options.bus
   * @param {Clock} options.clock
   * @param {Subjects} options.subjects
   * @param {MessageReader} options.reader
   * @param {() => { id: string }} options.self
   * @param {number} [options.keptMs] how long a resume token is believed, which a state must
   *   outlast
   * @param {(room: string, rules: ToldState) => void} options.met another node has, or had, a room
   *   that is this one's
   */
  constructor({ bus, clock, subjects, reader, self, keptMs = 0, met }) {
    this.#keptMs = Math.max(KEPT_MS, keptMs);
    this.#self = self;
    this.#met = met;
    this.#bus = bus;
    this.#clock = clock;
    this.#subjects = subjects;
    this.#reader = reader;
  }

  start() {
    this.#stops.push(this.#bus.subscribe(this.#subjects.rules, (message) => this.#heard(message)));
    this.#stops.push(repeat(this.#clock, REPEAT_MS, () => this.#tellAll()));
  }

  /** @param {string} room  of this node @param {ToldState} rules */
  set(room, rules) {
    this.#own.set(room, { rules, setMs: this.#clock.now() });
    this.#others.delete(room);
    this.#tell(room, rules);
  }

  /**
   * A room of this node has ended: nothing holds any more but what is known of its tokens.
   * @param {string} room
   * @param {readonly PlaceNote[]} places
   */
  ended(room, places) {
    if (!this.#own.delete(room)) return;
    this.#keep(room, null, places);
    this.#tell(room, null, places);
  }

  /**
   * The state of a room, whichever node has it.
   * @param {string} room
   * @returns {ToldState | null}
   */
  of(room) {
    const own = this.#own.get(room);
    if (own) return this.#aged(own.rules, own.setMs);
    const kept = this.#kept(room);
    return kept?.rules ? this.#aged(kept.rules, kept.heardMs) : null;
  }

  /**
   * What tokens of a room's places don't say, also where it has ended.
   * @param {string} room
   * @returns {readonly PlaceNote[]}
   */
  placesOf(room) {
    return this.#own.get(room)?.rules.places ?? this.#kept(room)?.places ?? [];
  }

  /**
   * A state of that time as it is now: its bans have less time left.
   * @param {ToldState} rules
   * @param {number} atMs
   */
  #aged(rules, atMs) {
    const ms = this.#clock.now() - atMs;
    const bans = rules.bans.map((ban) => ({ ...ban, leftMs: ban.leftMs - ms }));
    return { ...rules, bans: bans.filter(({ leftMs }) => leftMs > 0) };
  }

  /** @param {string} room */
  #kept(room) {
    const found = this.#others.get(room);
    return found && this.#clock.now() - found.heardMs <= this.#keptMs ? found : null;
  }

  /**
   * A room is another node's now. The two may have been apart, so that one hears the last of it.
   * @param {string} room
   */
  moved(room) {
    const rules = this.of(room);
    if (!this.#own.delete(room) || !rules) return;
    this.keep(room, rules);
    this.#tell(room, rules);
  }

  /** A node has come that knows nothing yet. */
  nodeCame() {
    const waitMs = this.#toldAllMs + ALL_EVERY_MS - this.#clock.now();
    if (waitMs <= 0) this.#tellAll();
    else this.#later ??= this.#clock.setTimeout(() => this.#tellAll(), waitMs);
  }

  #tellAll() {
    this.#clock.clearTimeout(this.#later);
    this.#later = null;
    this.#toldAllMs = this.#clock.now();
    for (const room of this.#own.keys()) this.#tell(room, this.of(room));
  }

  /** @param {string} room @param {ToldState | null} rules @param {readonly PlaceNote[]} [places] */
  #tell(room, rules, places) {
    this.#bus.publish(this.#subjects.rulesOf(room), {
      version: CLUSTER_VERSION,
      from: this.#self().id,
      room,
      rules,
      ...(places && { places }),
    });
  }

  /** @param {unknown} message */
  #heard(message) {
    const told = this.#reader.read(roomRules, message);
    if (told === null) return;
    if (this.#own.has(told.room))
      return void (told.rules && told.from !== this.#self().id && this.#met(told.room, told.rules));
    this.#keep(told.room, told.rules, told.rules?.places ?? told.places);
  }

  /** @param {string} room  of another node @param {ToldState} rules */
  keep(room, rules) {
    if (!this.#own.has(room)) this.#keep(room, rules, rules.places);
  }

  /** @param {string} room @param {ToldState | null} rules @param {readonly PlaceNote[]} places */
  #keep(room, rules, places) {
    this.#others.delete(room);
    this.#others.set(room, { rules, places, heardMs: this.#clock.now() });
    if (this.#others.size <= MOST) return;
    const [oldest] = this.#others.keys();
    this.#others.delete(oldest);
  }

  /** Idempotent. */
  close() {
    this.#clock.clearTimeout(this.#later);
    for (const stop of this.#stops.splice(0)) stop();
  }
}
