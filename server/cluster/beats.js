/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Bus } from '../bus/bus.js'
 * @import { Beat, ClusterMessageReader, NodeAddress, Subjects } from '../bus/messages.js'
 *
 * @typedef {Omit<Beat, 'version' | 'at'>} SelfDescription  what a node announces about itself
 *
 * @typedef {object} OwnNode  this node, as its parts share it
 * @property {Bus} bus
 * @property {Clock} clock
 * @property {() => number} wallNow  milliseconds since 1970
 * @property {Subjects} subjects
 * @property {ClusterMessageReader} reader
 * @property {() => SelfDescription} self
 *
 * @typedef {object} Known  another node, from its beats
 * @property {Beat} beat  the last one
 * @property {number} heardMs  time of the last beat on the monotonic clock
 * @property {number} offsetMs  its date minus this node's, by the quickest of the last beats
 */

import { createHash } from 'node:crypto';
import { repeat } from '../timers.js';
import { ALIVE_MS } from '../bus/bus.js';
import { beat as beatSchema, CLUSTER_VERSION } from '../bus/messages.js';

/** Interval between beats, in milliseconds. */
export const BEAT_MS = 200;

/** Lateness of an own beat from which this process has stood still, in milliseconds. */
const STALL_MS = 500;

/** Silence after which a node is forgotten, in milliseconds. */
const FORGOTTEN_MS = 60_000;

const MAX_NODES = 256;

/** Limit of remembered page origins. Those of dead nodes count too: their pages are still open. */
const MAX_REMEMBERED = 1024;

/** Clock difference from the median above which a node is chosen last, in milliseconds. */
const MAX_SKEW_MS = 2000;

/**
 * Amount by which a clock may look later with each beat, in milliseconds: it may have been set
 * back.
 */
const SKEW_DECAY_MS = 50;

/** Tracks the live nodes: each announces itself and its free capacity five times a second. */
export class Beats {
  #node;
  #came;
  /** @type {Map<string, Known>} */
  #known = new Map();
  /** Origins of the cluster's pages, the most recently heard one last. @type {Set<string>} */
  #origins = new Set();
  #relayTurn = 0;
  /** Time of this node's last regular beat, on the monotonic clock. */
  #beatMs = 0;
  /** @type {(() => void)[]} */
  #stops = [];

  /** @param {OwnNode} node @param {() => void} came  called for each new node */
  constructor(node, came) {
    this.#node = node;
    this.#came = came;
  }

  start() {
    this.#stops.push(
      this.#node.bus.subscribe(this.#node.subjects.beats, (message) => this.#heard(message)),
    );
    this.#beatMs = this.#node.clock.now();
    this.#stops.push(repeat(this.#node.clock, BEAT_MS, (lateMs) => this.#beat(lateMs)));
    this.tell();
  }

  /** @param {number} lateMs */
  #beat(lateMs) {
    const now = this.#node.clock.now();
    if (lateMs > STALL_MS)
      for (const known of this.#known.values())
        known.heardMs = Math.min(now, known.heardMs + lateMs);
    this.#beatMs = now;
    this.tell();
  }

  /** Announces this node now. */
  tell() {
    const { bus, subjects, self, wallNow } = this.#node;
    const own = self();
    bus.publish(subjects.beat(own.id), { version: CLUSTER_VERSION, ...own, at: wallNow() });
  }

  /** @param {unknown} message */
  #heard(message) {
    const beat = this.#node.reader.read(beatSchema, message);
    if (beat === null || beat.id === this.#node.self().id) return;
    const now = this.#node.clock.now();
    const before = this.#known.get(beat.id);
    if (!before && this.#known.size >= MAX_NODES) this.#forget(now);
    if (!before && this.#known.size >= MAX_NODES) return;
    const offsetMs = beat.at - this.#node.wallNow();
    // Delay on the network makes a clock look late, so the quickest beat counts.
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

  /**
   * True when a node of this cluster serves pages of an origin.
   * @param {string | undefined} origin
   */
  isOurs(origin) {
    if (origin === undefined) return false;
    return this.#origins.has(origin) || this.#node.self().origins.includes(origin);
  }

  /**
   * Silence of a node, in milliseconds. Time in which this process stood still doesn't count: the
   * beats of that time are read only now.
   * @param {Known} known
   */
  #silenceOf({ heardMs }) {
    const now = this.#node.clock.now();
    const lateMs = now - this.#beatMs - BEAT_MS;
    return now - heardMs - (lateMs > STALL_MS ? lateMs : 0);
  }

  /** @returns {Known[]} */
  #alive() {
    return [...this.#known.values()].filter((known) => this.#silenceOf(known) <= ALIVE_MS);
  }

  /** True when a node has fallen silent in the last minute: it may have had rooms. */
  get isSomeoneMissing() {
    return [...this.#known.values()].some((known) => {
      const silenceMs = this.#silenceOf(known);
      return silenceMs > ALIVE_MS && silenceMs < FORGOTTEN_MS;
    });
  }

  /** True for a node whose beats still come, and for this one. @param {string} id */
  isAlive(id) {
    const known = this.#known.get(id);
    return (
      id === this.#node.self().id || (known !== undefined && this.#silenceOf(known) <= ALIVE_MS)
    );
  }

  /** Address of a node for clients. @param {string} id @returns {NodeAddress | null} */
  addressOf(id) {
    const found = this.#known.get(id);
    return found ? addressIn(found.beat) : null;
  }

  /** Addresses of all live nodes for clients, this one first. @returns {NodeAddress[]} */
  addresses() {
    return [addressIn(this.#node.self()), ...this.#alive().map(({ beat }) => addressIn(beat))];
  }

  /**
   * Orders the nodes that may be asked to open a room. Busy and full nodes come last, and those
   * with a wrong clock; draining nodes are left out.
   * @param {string} room
   * @returns {SelfDescription[]}
   */
  order(room) {
    const own = this.#node.self();
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
   * Chooses another node for a listener, in turn among those with free capacity.
   * @param {string} room
   * @returns {NodeAddress | null} null if there is none
   */
  relayFor(room) {
    const own = this.#node.self().id;
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

/** Minimum weight of a node: a full one is still chosen if there is no other. */
const MIN_WEIGHT = 0.01;

/** Steps of a weight, so that the order doesn't change with each person. */
const STEPS = 8;

/**
 * Orders nodes for a room: weighted rendezvous hashing (Schindelhauer and Schomaker 2005, the
 * logarithmic method). Nodes with the same view compute the same order. Each node comes first for a
 * share of rooms equal to its weight, and a node that leaves moves no other node's rooms.
 * @template {{ id: string, weight: number }} N
 * @param {string} room
 * @param {readonly N[]} nodes  weight: free capacity, 0 to 1
 * @returns {N[]} the best first
 */
export function rendezvous(room, nodes) {
  const scored = nodes.map((node) => ({ node, score: score(room, node) }));
  scored.sort((a, b) => b.score - a.score || (a.node.id < b.node.id ? -1 : 1));
  return scored.map(({ node }) => node);
}

/** @param {string} room @param {{ id: string, weight: number }} node */
function score(room, { id, weight }) {
  const stepped = Math.max(MIN_WEIGHT, Math.ceil(weight * STEPS) / STEPS);
  const hash = createHash('sha256').update(`${room} ${id}`).digest().readUIntBE(0, 6);
  return -stepped / Math.log((hash + 1) / (2 ** 48 + 2));
}
