/**
 * A cluster on this machine, in processes of their own, and calls at it, for tests and benchmarks.
 *
 * @import { ChildProcess } from 'node:child_process'
 * @import { NodeProcess } from '../deploy/cluster-processes.js'
 * @import { Headless } from './participants/headless.js'
 */

import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { endAll, restartNats, startNatsCluster, startNode } from '../deploy/cluster-processes.js';
import { levelDb } from './sound/signal.js';

/** Length of a window of sound, in samples: 20 ms. */
const WINDOW = 960;

/** Sound is louder than this, in dB of full scale. */
const SOUND_DB = -50;

/** The time between two looks, in milliseconds. */
const LOOK_MS = 5;

export class LocalCluster {
  #key = randomBytes(24).toString('base64url');
  #argv;
  #closed = false;
  #nats = { url: '', children: /** @type {ChildProcess[]} */ ([]) };
  /** Nodes by their number. @type {Map<number, NodeProcess>} */
  nodes = new Map();

  /** @param {{ argv?: string[] }} [options]  argv: further options of nodes */
  constructor({ argv = [] } = {}) {
    this.#argv = ['--log', 'text', ...argv];
  }

  /**
   * @param {string} program  of NATS
   * @param {{ natsServers?: number, nodes?: number }} [options]
   */
  async start(program, { natsServers = 1, nodes = 3 } = {}) {
    this.#nats = await startNatsCluster(program, natsServers);
    await Promise.all(Array.from({ length: nodes }, (_, i) => this.startNode(i + 1)));
    await this.settle(nodes);
  }

  /** The NATS servers. */
  get natsServers() {
    return this.#nats.children;
  }

  /** Starts again those NATS servers that were ended. */
  async mendNats() {
    const { children } = this.#nats;
    await Promise.all(
      children.map(async (child, i) => {
        if (child.exitCode !== null || child.signalCode !== null)
          children[i] = await restartNats(child);
      }),
    );
  }

  /**
   * @param {number} number
   * @param {string} [nats]  where its NATS is, where that isn't where the others' is
   */
  async startNode(number, nats = this.#nats.url) {
    const node = await startNode(number, { nats, key: this.#key, argv: this.#argv });
    // The cluster was closed in the meantime.
    if (this.#closed) await endAll([node.child]);
    this.nodes.set(number, node);
    return node;
  }

  /** Waits until each node knows `count` nodes. @param {number} count */
  async settle(count) {
    const endMs = performance.now() + 60_000;
    for (const { url } of this.nodes.values()) {
      for (;;) {
        const { nodes } = await this.configOf(url, 'nobody');
        if (nodes.length === count) break;
        if (performance.now() > endMs)
          throw new Error(`${url} knows ${nodes.length} of ${count} nodes`);
        await pause(20);
      }
    }
  }

  /** Asks a node where a room is. @param {string} url @param {string} room */
  async configOf(url, room) {
    return (await fetch(`${url}/api/config?room=${room}`)).json();
  }

  /** The node that has a room, or would open it. @param {string} room */
  async ownerOf(room) {
    const [{ url }] = this.nodes.values();
    const { node } = await this.configOf(url, room);
    const owner = node?.url ?? url;
    return /** @type {NodeProcess} */ ([...this.nodes.values()].find((one) => one.url === owner));
  }

  /**
   * Number of people that each node has in a room, by the node's number, without nodes that don't
   * have the room.
   * @param {string} room
   */
  async peopleIn(room) {
    /** @type {Record<number, number>} */
    const people = {};
    for (const { number, url } of this.nodes.values()) {
      const answer = await fetch(`${url}/api/rooms/${room}`);
      if (!answer.ok) continue;
      // A node also answers for rooms of other nodes.
      const { present, node } = await answer.json();
      if (node.url === url) people[number] = present;
    }
    return people;
  }

  /** Ends a node at once, as when its power fails. @param {NodeProcess} node */
  async kill(node) {
    this.nodes.delete(node.number);
    await endAll([node.child]);
  }

  /** Ends everything. Idempotent. */
  async close() {
    this.#closed = true;
    const children = [...this.nodes.values()].map(({ child }) => child);
    this.nodes.clear();
    await endAll([...children, ...this.#nats.children.splice(0)]);
  }
}

/**
 * Speech without its pauses, so that a gap is the network's.
 * @param {Float32Array} speech
 */
export function withoutPauses(speech) {
  const kept = [];
  for (let at = 0; at + WINDOW <= speech.length; at += WINDOW) {
    const window = speech.subarray(at, at + WINDOW);
    if (levelDb(window) > -40) kept.push(...window);
  }
  return Float32Array.from(kept);
}

/**
 * Does something that breaks a call off, and waits until it is heard again.
 * @param {Headless} listener
 * @param {() => unknown} breakOff
 * @param {number} [withinMs]
 * @returns {Promise<number>} the milliseconds until then; Infinity where it isn't
 */
export async function heardAgain(listener, breakOff, withinMs = 10_000) {
  const before = listener.states.length;
  const startMs = performance.now();
  void breakOff();
  while (performance.now() - startMs < withinMs) {
    await pause(LOOK_MS);
    if (listener.states.length === before || listener.states.at(-1) !== 'joined') continue;
    const from = listener.recorded;
    while (performance.now() - startMs < withinMs) {
      await pause(LOOK_MS);
      const { recording, recorded } = listener;
      if (
        recorded - from >= WINDOW &&
        levelDb(recording.subarray(recorded - WINDOW, recorded)) > SOUND_DB
      )
        return performance.now() - startMs;
    }
  }
  return Infinity;
}

/**
 * The longest time without sound in a part of what was heard.
 * @param {Float32Array} sound
 * @returns {number} milliseconds
 */
export function longestGapMs(sound) {
  const step = WINDOW / 2;
  let longest = 0;
  let gap = 0;
  for (let at = 0; at + step <= sound.length; at += step) {
    gap = levelDb(sound.subarray(at, at + step)) > SOUND_DB ? 0 : gap + step;
    longest = Math.max(longest, gap);
  }
  return longest / 48;
}
