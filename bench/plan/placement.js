/**
 * Places rooms on nodes as a cluster does, and computes the load of each. No
 * network and no time: rooms stand for a moment in which everybody has come.
 *
 * @import { RoomLoad, UnitCosts } from './unit-costs.js'
 *
 * @typedef {object} NodeShape
 * @property {number} cores
 * @property {number} busyShare  0 to 1: highest load of its cores, and of each mixing thread
 *
 * @typedef {object} Need
 * @property {number} nodes
 * @property {number} cores        busy cores of all nodes together
 * @property {number} worstThread  load of the busiest mixing thread, in percent of a core
 * @property {number} worstNode    load of the busiest node, in percent of its cores
 * @property {number} egressMbits  of all nodes together
 * @property {number} worstEgressMbits  of the node that sends most
 */

import { rendezvous } from '../../server/cluster/beats.js';
import { costOf } from './unit-costs.js';

/**
 * Bits of a packet on the network with all headers: one frame of 20 ms at 48 kb/s, and each further
 * frame.
 */
const PACKET_BITS = 8 * 185;
const FRAME_BITS = 8 * 123;
const FRAMES = 50;

/**
 * Number of mixing threads of a node, as with `--workers auto`.
 * @param {number} cores
 */
export const workersOn = (cores) => (cores < 4 ? 1 : Math.floor(cores / 2));

/** @param {RoomLoad} load @returns {number} egress of a room, in Mbit/s */
export function egressOf({ people, listeners = 0, stride = 1 }) {
  const listener = (FRAMES / stride) * (PACKET_BITS + (stride - 1) * FRAME_BITS);
  return (people * FRAMES * PACKET_BITS + listeners * listener) / 1e6;
}

class Node {
  egress = 0;
  /** Load of each mixing thread, in percent of a core. */
  #threads;
  #capacity;

  /**
   * @param {string} id
   * @param {NodeShape} shape
   * @param {UnitCosts['node']} own cost without rooms
   */
  constructor(id, { cores, busyShare }, own) {
    this.id = id;
    this.busy = own.busy;
    this.#capacity = 100 * cores * busyShare;
    this.#threads = new Array(workersOn(cores)).fill(own.loop / workersOn(cores));
  }

  /** Free capacity, 0 to 1, as a node reports it to the others. */
  get weight() {
    return Math.max(0, 1 - this.busy / this.#capacity);
  }

  get worstThread() {
    return Math.max(...this.#threads);
  }

  /** @param {{ busy: number, loop: number }} cost @param {number} egress */
  add({ busy, loop }, egress) {
    this.busy += busy;
    this.egress += egress;
    this.#threads[this.#threads.indexOf(Math.min(...this.#threads))] += loop;
  }
}

/**
 * Places rooms on nodes: each by its name and the nodes' free capacity at the time, and on the
 * node's least busy thread.
 * @param {UnitCosts} costs
 * @param {readonly RoomLoad[]} rooms
 * @param {number} count  of nodes
 * @param {NodeShape} shape
 * @returns {Need}
 */
export function place(costs, rooms, count, shape) {
  const nodes = Array.from({ length: count }, (_, i) => new Node(`node-${i}`, shape, costs.node));
  rooms.forEach((room, i) =>
    rendezvous(`room-${i}`, nodes)[0].add(costOf(costs, room), egressOf(room)),
  );
  return needOf(nodes, shape);
}

/** @param {Node[]} nodes @param {NodeShape} shape @returns {Need} */
function needOf(nodes, { cores }) {
  const sum = (/** @type {(node: Node) => number} */ of) =>
    nodes.reduce((all, node) => all + of(node), 0);
  const most = (/** @type {(node: Node) => number} */ of) => Math.max(...nodes.map(of));
  return {
    nodes: nodes.length,
    cores: sum(({ busy }) => busy) / 100,
    worstThread: most(({ worstThread }) => worstThread),
    worstNode: most(({ busy }) => busy / cores),
    egressMbits: sum(({ egress }) => egress),
    worstEgressMbits: most(({ egress }) => egress),
  };
}

/** @param {Need} need @param {NodeShape} shape */
const fits = ({ worstThread, worstNode }, { busyShare }) =>
  worstThread <= 100 * busyShare && worstNode <= 100 * busyShare;

/**
 * Returns the least number of nodes that carry the rooms. A room too large for one thread is too
 * large for any number of nodes.
 * @param {UnitCosts} costs
 * @param {readonly RoomLoad[]} rooms
 * @param {NodeShape} shape
 * @param {number} most  largest number of nodes to try
 * @returns {Need | null} null if `most` nodes aren't enough
 */
export function nodesFor(costs, rooms, shape, most) {
  const busy = rooms.reduce((all, room) => all + costOf(costs, room).busy, 0);
  for (
    let count = Math.max(1, Math.ceil(busy / (100 * shape.cores * shape.busyShare)));
    count <= most;
  ) {
    const need = place(costs, rooms, count, shape);
    if (fits(need, shape)) return need;
    // A twentieth more each time: to place ten thousand rooms takes a while.
    count = Math.max(count + 1, Math.ceil(count * 1.05));
  }
  return null;
}

/**
 * A meeting whose listeners are spread over nodes: one of them mixes, and the others pass its mix
 * on.
 * @param {UnitCosts} costs
 * @param {RoomLoad} meeting
 * @param {NodeShape} shape
 * @returns {Need | null} null where even the people who aren't listeners are too many for one node
 */
export function nodesForMeeting(costs, { listeners = 0, ...home }, shape) {
  const limit = 100 * shape.busyShare;
  for (let count = 1; count <= Math.max(1, listeners); count++) {
    const each = Math.ceil(listeners / count);
    const nodes = Array.from({ length: count }, (_, i) => new Node(`node-${i}`, shape, costs.node));
    nodes.forEach((node, i) => {
      const room = {
        ...(i === 0 ? home : { ...home, people: 0, talking: 0 }),
        listeners: Math.min(each, listeners - i * each),
      };
      node.add(costOf(costs, room), egressOf(room));
    });
    const need = needOf(nodes, shape);
    if (fits(need, shape)) return need;
    // More nodes don't spare the owner its people.
    if (costOf(costs, home).loop > limit) return null;
  }
  return null;
}
