/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Bus } from './bus.js'
 * @import { Beat, MessageReader, NodeAddress, Subjects } from './messages.js'
 *
 * @typedef {Omit<Beat, 'version' | 'at'>} SelfDescription  what a node tells of itself
 *
 * @typedef {object} Known  a node of which this one has heard
 * @property {Beat} beat        the last
 * @property {number} heardMs   when it came, on the monotonic clock
 * @property {number} offsetMs  its date less this node's, as the quickest of the last beats had it
 */

import { repeat } from '../timers.js';
import { beat as beatSchema, CLUSTER_VERSION } from './messages.js';
import { rendezvous } from './rendezvous.js';

/** The interval of beats, in milliseconds. */
export const BEAT_MS = 200;

/** A node that wasn't heard from for this long is taken for dead, in milliseconds. */
export const ALIVE_MS = 1000;

/** A node that wasn't heard from for this long is forgotten, in milliseconds. */
const FORGOTTEN_MS = 60_000;

/** The most nodes that are known at once. */
const MAX_NODES = 256;

/** The most origins of pages that are remembered: those of dead nodes too, whose pages go on. */
const MAX_REMEMBERED = 1024;

/** A node whose clock is off by more than this from most is chosen last, in milliseconds. */
const MAX_SKEW_MS = 2000;

/**
 * By how much a clock may look later with each beat, in milliseconds: it may have been set back.
 */
const SKEW_DECAY_MS = 50;

/** Who is there: each node says so five times a second, and how much it can still take. */
export class Beats {
  #bus;
  #clock;
  #wallNow;
  #subjects;
  #reader;
  #self;
  #came;
  /** @type {Map<string, Known>} */
  #known = new Map();
  /** Origins of the cluster's pages, the one heard of last being the last. @type {Set<string>} */
  #origins = new Set();
  #relayTurn = 0;
  /** @type {(() => void)[]} */
  #stops = [];

  /**
   * @param {object} options
   * @param {Bus} options.bus
   * @param {Clock} options.clock
   * @param {() => number} options.wallNow  milliseconds since 1970
   * @param {Subjects} options.subjects
   * @param {MessageReader} options.reader
   * @param {() => SelfDescription} options.self
   * @param {() => void} options.came  a node has come
   */
  constructor({ bus, clock, wallNow, subjects, reader, self, came }) {
    this.#bus = bus;
    this.#clock = clock;
    this.#wallNow = wallNow;
    this.#subjects = subjects;
    this.#reader = reader;
    this.#self = self;
    this.#came = came;
  }

  /** Begins to beat, and to listen. */
  start() {
    this.#stops.push(this.#bus.subscribe(this.#subjects.beats, (message) => this.#heard(message)));
    this.#stops.push(repeat(this.#clock, BEAT_MS, () => this.tell()));
    this.tell();
  }

  /** Tells the others of this node now. */
  tell() {
    const own = this.#self();
    this.#bus.publish(this.#subjects.beat(own.id), {
      version: CLUSTER_VERSION,
      ...own,
      at: this.#wallNow(),
    });
  }

  /** @param {unknown} message */
  #heard(message) {
    const beat = this.#reader.read(beatSchema, message);
    if (beat === null || beat.id === this.#self().id) return;
    const now = this.#clock.now();
    const before = this.#known.get(beat.id);
    if (!before && this.#known.size >= MAX_NODES) this.#forget(now);
    if (!before && this.#known.size >= MAX_NODES) return;
    const offsetMs = beat.at - this.#wallNow();
    // A beat that waited on its way makes a clock look late; the quickest tells.
    const steady =
      before === undefined ? offsetMs : Math.max(offsetMs, before.offsetMs - SKEW_DECAY_MS);
    this.#known.set(beat.id, { beat, heardMs: now, offsetMs: steady });
    for (const origin of beat.origins) this.#remember(origin);
    if (!before || now - before.heardMs > ALIVE_MS) this.#came();
  }

  /** @param {number} now */
  #forget(now) {
    for (const [id, { heardMs }] of this.#known)
      if (now - heardMs > FORGOTTEN_MS) this.#known.delete(id);
  }

  /** @param {string} origin */
  #remember(origin) {
    this.#origins.delete(origin);
    this.#origins.add(origin);
    if (this.#origins.size <= MAX_REMEMBERED) return;
    const [oldest] = this.#origins;
    this.#origins.delete(oldest);
  }

  /** Whether pages of an origin are a node's of this cluster. @param {string | undefined} origin */
  isOurs(origin) {
    return (
      origin !== undefined && (this.#origins.has(origin) || this.#self().origins.includes(origin))
    );
  }

  /** The other nodes that are alive. @returns {Known[]} */
  #alive() {
    const since = this.#clock.now() - ALIVE_MS;
    return [...this.#known.values()].filter(({ heardMs }) => heardMs >= since);
  }

  /** Whether a node has fallen silent in the last minute: it may have had rooms. */
  get isSomeoneMissing() {
    const now = this.#clock.now();
    return [...this.#known.values()].some(
      ({ heardMs }) => now - heardMs > ALIVE_MS && now - heardMs < FORGOTTEN_MS,
    );
  }

  /** Where clients reach a node. @param {string} id @returns {NodeAddress | null} */
  addressOf(id) {
    const found = this.#known.get(id);
    return found ? addressIn(found.beat) : null;
  }

  /**
   * Where clients reach this node and the others that are alive, this one first.
   * @returns {NodeAddress[]}
   */
  addresses() {
    return [addressIn(this.#self()), ...this.#alive().map(({ beat }) => addressIn(beat))];
  }

  /**
   * The nodes that may open a room, in the order in which they are asked. Those that are busy or
   * full, and those whose clock is off, come last; one that drains doesn't come at all.
   * @param {string} room
   * @returns {SelfDescription[]}
   */
  order(room) {
    const own = this.#self();
    const others = this.#alive();
    const middle = median([0, ...others.map(({ offsetMs }) => offsetMs)]);
    const isOff = (/** @type {number} */ offsetMs) => Math.abs(offsetMs - middle) > MAX_SKEW_MS;
    const all = [
      { node: own, isLast: isOff(0) },
      ...others.map(({ beat, offsetMs }) => ({
        node: /** @type {SelfDescription} */ (beat),
        isLast: isOff(offsetMs),
      })),
    ];
    const able = all
      .filter(({ node }) => !node.draining)
      .map(({ node, isLast }) => ({
        id: node.id,
        node,
        isLast: isLast || node.busy || node.people >= node.maxPeople,
        weight: 1 - node.people / node.maxPeople,
      }));
    const ordered = rendezvous(room, able);
    return [
      ...ordered.filter(({ isLast }) => !isLast),
      ...ordered.filter(({ isLast }) => isLast),
    ].map(({ node }) => node);
  }

  /**
   * Another node for one who only listens: each time the next of those that have room, by turns.
   * @param {string} room
   * @returns {NodeAddress | null} null where there is none
   */
  relayFor(room) {
    const own = this.#self().id;
    const able = this.order(room).filter(
      ({ id, busy, people, maxPeople }) => id !== own && !busy && people < maxPeople,
    );
    return able.length > 0 ? addressIn(able[this.#relayTurn++ % able.length]) : null;
  }

  /** Idempotent. */
  close() {
    for (const stop of this.#stops.splice(0)) stop();
  }
}

/** @param {SelfDescription} node @returns {NodeAddress} */
const addressIn = ({ id, url, h3Port, certificateHashes }) => ({
  id,
  url,
  h3Port,
  certificateHashes,
});

/** @param {number[]} values at least one */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}
