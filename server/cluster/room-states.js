/**
 * @import { GroupsState, PlaceNote, KnownState } from '../state/portable-state.js'
 * @import { OwnNode } from './beats.js'
 *
 * @typedef {object} Kept
 * @property {KnownState | null} rules  null after the room has ended
 * @property {readonly PlaceNote[]} places
 * @property {number} heardMs
 * @property {string | null} from  the node that announced it; null if unknown
 */

import { repeat } from '../timers.js';
import { CLUSTER_VERSION, roomRules } from '../bus/messages.js';

/**
 * Interval between repeated announcements of a node's room states, in milliseconds: new nodes need
 * them.
 */
const REPEAT_MS = 5000;

/** Minimum time between two announcements of all states because of new nodes, in milliseconds. */
const ALL_EVERY_MS = 100;

/** Minimum time for which a state is kept after its last announcement, in milliseconds. */
const KEPT_MS = 60_000;

/** Limit of kept room states: beyond it the one heard least recently is dropped. */
const MOST = 10_000;

/**
 * Keeps the states of occupied rooms, with their rules and settings. Every node keeps all of them,
 * so that a room survives the loss of its node unchanged.
 */
export class RoomStates {
  #node;
  #announcedAllMs = -Infinity;
  /** @type {unknown} */
  #later = null;
  #met;
  #keptMs;
  /** States of this node's rooms. @type {Map<string, { rules: KnownState, setMs: number }>} */
  #own = new Map();
  /** States of other nodes' rooms, the most recently heard one last. @type {Map<string, Kept>} */
  #others = new Map();
  /** @type {(() => void)[]} */
  #stops = [];

  /**
   * @param {OwnNode} node
   * @param {object} options
   * @param {number} [options.keptMs] validity of a resume token, which a state must outlast
   * @param {(room: string, rules: KnownState) => void} options.met called when another node
   *   announces its state of a room that this node has
   */
  constructor(node, { keptMs = 0, met }) {
    this.#node = node;
    this.#keptMs = Math.max(KEPT_MS, keptMs);
    this.#met = met;
  }

  start() {
    const { bus, clock, subjects } = this.#node;
    this.#stops.push(bus.subscribe(subjects.rules, (message) => this.#heard(message)));
    this.#stops.push(repeat(clock, REPEAT_MS, () => this.#tellAll()));
  }

  /** @param {string} room  of this node @param {KnownState} rules */
  set(room, rules) {
    this.#own.set(room, { rules, setMs: this.#node.clock.now() });
    this.#others.delete(room);
    this.#tell(room, rules);
  }

  /**
   * Drops everything about an ended room of this node but the state of its tokens.
   * @param {string} room
   * @param {readonly PlaceNote[]} places
   */
  ended(room, places) {
    if (!this.#own.delete(room)) return;
    this.#keep(room, null, places);
    this.#tell(room, null, places);
  }

  /**
   * State of a room on any node.
   * @param {string} room
   * @returns {KnownState | null}
   */
  of(room) {
    const own = this.#own.get(room);
    if (own) return this.#aged(own.rules, own.setMs);
    const kept = this.#kept(room);
    return kept?.rules ? this.#aged(kept.rules, kept.heardMs) : null;
  }

  /** Node that last announced the state of an occupied room, if known. @param {string} room */
  ownerOf(room) {
    const kept = this.#kept(room);
    return kept?.rules ? kept.from : null;
  }

  /**
   * State of a room's places that tokens don't carry, also after the room's end.
   * @param {string} room
   * @returns {readonly PlaceNote[]}
   */
  placesOf(room) {
    return this.#own.get(room)?.rules.places ?? this.#kept(room)?.places ?? [];
  }

  /**
   * Updates an old state to now: its bans and its groups have less time left.
   * @param {KnownState} rules
   * @param {number} atMs
   */
  #aged(rules, atMs) {
    const ms = this.#node.clock.now() - atMs;
    const bans = rules.bans.map((ban) => ({ ...ban, leftMs: ban.leftMs - ms }));
    return {
      ...rules,
      bans: bans.filter(({ leftMs }) => leftMs > 0),
      groups: rules.groups && agedGroups(rules.groups, ms),
    };
  }

  /** @param {string} room */
  #kept(room) {
    const found = this.#others.get(room);
    return found && this.#node.clock.now() - found.heardMs <= this.#keptMs ? found : null;
  }

  /**
   * Announces once more the state of a room that another node owns now, because the two nodes may
   * have been disconnected.
   * @param {string} room
   */
  moved(room) {
    const rules = this.of(room);
    if (!this.#own.delete(room) || !rules) return;
    this.keep(room, rules);
    this.#tell(room, rules);
  }

  /** Announces all states to a new node. */
  nodeJoined() {
    const waitMs = this.#announcedAllMs + ALL_EVERY_MS - this.#node.clock.now();
    if (waitMs <= 0) this.#tellAll();
    else this.#later ??= this.#node.clock.setTimeout(() => this.#tellAll(), waitMs);
  }

  #tellAll() {
    this.#node.clock.clearTimeout(this.#later);
    this.#later = null;
    this.#announcedAllMs = this.#node.clock.now();
    for (const room of this.#own.keys()) this.#tell(room, this.of(room));
  }

  /**
   * @param {string} room
   * @param {KnownState | null} rules
   * @param {readonly PlaceNote[]} [places]
   */
  #tell(room, rules, places) {
    const { bus, subjects, self } = this.#node;
    bus.publish(subjects.rulesOf(room), {
      version: CLUSTER_VERSION,
      from: self().id,
      room,
      rules,
      ...(places && { places }),
    });
  }

  /** @param {unknown} message */
  #heard(message) {
    const told = this.#node.reader.read(roomRules, message);
    if (told === null) return;
    if (this.#own.has(told.room)) {
      if (told.rules && told.from !== this.#node.self().id) this.#met(told.room, told.rules);
      return;
    }
    const { room, rules, places, from = null } = told;
    // The end of the room at an earlier node may be heard after its state at the next one.
    if (rules === null && (this.ownerOf(room) ?? from) !== from) return;
    this.#keep(room, rules, rules?.places ?? places, from);
  }

  /** @param {string} room  of another node @param {KnownState} rules */
  keep(room, rules) {
    if (!this.#own.has(room)) this.#keep(room, rules, rules.places);
  }

  /**
   * @param {string} room
   * @param {KnownState | null} rules
   * @param {readonly PlaceNote[]} places
   * @param {string | null} [from]
   */
  #keep(room, rules, places, from = null) {
    this.#others.delete(room);
    this.#others.set(room, { rules, places, heardMs: this.#node.clock.now(), from });
    if (this.#others.size <= MOST) return;
    const [oldest] = this.#others.keys();
    this.#others.delete(oldest);
  }

  /** Idempotent. */
  close() {
    this.#node.clock.clearTimeout(this.#later);
    for (const stop of this.#stops.splice(0)) stop();
  }
}

/** @param {GroupsState} groups @param {number} ms  since then @returns {GroupsState} */
const agedGroups = ({ leftMs, ...groups }, ms) => ({
  ...groups,
  leftMs: leftMs === null ? null : Math.max(0, leftMs - ms),
});
