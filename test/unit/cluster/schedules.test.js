/**
 * Nodes die, hang and drain by seeds, on a network that is cut and healed. In the end each room has
 * one node, and everybody is sent to it.
 */

import { describe, expect, it } from 'vitest';
import { BEAT_MS } from '../../../server/cluster/beats.js';
import { Cluster } from '../../../server/cluster/cluster.js';
import { FakeClock } from '../../../testkit/fake-clock.js';
import { FakeNetwork } from '../../fakes/fake-bus.js';
import { random } from '../../fakes/random.js';

const ROOMS = ['tea', 'lab'];
const STEP_MS = 50;
const quiet = { info() {}, warn() {}, error() {} };

/** Lets promises go on. */
const turn = async () => {
  for (let i = 0; i < 12; i++) await null;
};

/** A node whose rooms are names with people in them. */
class SimulatedNode {
  /** @type {Map<string, { people: number }>} */
  rooms = new Map();
  /**
   * People sent elsewhere by this node.
   * @type {{ room: string, people: number, to: string | null }[]}
   */
  moved = [];

  /** @param {World} world @param {number} number */
  constructor(world, number) {
    const { clock, network, next } = world;
    this.id = `n${number}`;
    this.skewMs = next() < 0.15 ? 60_000 * (next() - 0.5) : 200 * (next() - 0.5);
    this.bus = network.join(this.id);
    const own = this.rooms;
    const rooms = {
      get: (/** @type {string} */ room) => own.get(room),
      move: (/** @type {string} */ room, /** @type {{ id: string } | null} */ node) => {
        const people = own.get(room)?.people ?? 0;
        own.delete(room);
        if (people > 0) this.moved.push({ room, people, to: node?.id ?? null });
      },
      get people() {
        return [...own.values()].reduce((sum, { people }) => sum + people, 0);
      },
      busy: false,
    };
    this.cluster = new Cluster({
      id: this.id,
      name: 'test',
      openBus: () => this.bus,
      clock: {
        ...clock,
        setTimeout: (run, ms) =>
          clock.setTimeout(
            () => this.bus.dead || (this.bus.isStill ? this.bus.deliver(run) : run()),
            ms,
          ),
      },
      wallNow: () => 1_700_000_000_000 + clock.now() + this.skewMs,
      log: quiet,
      rooms: () => rooms,
      limits: { people: 100 },
      software: '0',
    });
    this.cluster.start({
      url: `http://${this.id}`,
      h3Port: 1,
      certificateHashes: () => [],
      origins: [],
    });
  }

  get isUp() {
    return !this.bus.dead && !this.bus.isStill;
  }

  /**
   * Somebody comes to this node, and is let in here or sent on.
   * @param {string} room
   * @param {number} above
   */
  async come(room, above) {
    const found = this.cluster.isHere(room)
      ? { node: null }
      : await this.cluster.find(room, { hold: true, above });
    if (typeof found === 'string') return null;
    if (found.node !== null) return found.node.id;
    if (!this.isUp || !this.cluster.isHere(room)) return null;
    this.rooms.set(room, { people: (this.rooms.get(room)?.people ?? 0) + 1 });
    return this.id;
  }
}

class World {
  clock = new FakeClock();
  /** @type {SimulatedNode[]} */
  nodes = [];
  /** Events of the schedule, to understand a failure. @type {string[]} */
  story = [];

  /** @param {number} seed */
  constructor(seed) {
    this.next = random(seed);
    this.network = new FakeNetwork(this.clock, () => 0.5 + 4 * this.next() ** 4);
    const count = 2 + Math.floor(this.next() * 3);
    for (let i = 0; i < count; i++) this.nodes.push(new SimulatedNode(this, i));
  }

  /** @param {number} ms */
  async pass(ms) {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      this.clock.advance(STEP_MS);
      await turn();
    }
  }

  get up() {
    return this.nodes.filter(({ isUp }) => isUp);
  }

  /** @template T @param {readonly T[]} all @returns {T} */
  pick(all) {
    return all[Math.floor(this.next() * all.length)];
  }

  /**
   * Somebody comes to any node, and follows where they are sent, three times at most.
   * @param {string} room
   */
  come(room) {
    const first = this.pick(this.up);
    if (!first) return;
    const follow = async (/** @type {SimulatedNode} */ node, /** @type {number} */ hops) => {
      const at = await node.come(room, 0);
      const next = this.nodes.find(({ id }) => id === at);
      if (next && next !== node && hops < 3 && next.isUp) void follow(next, hops + 1);
    };
    void follow(first, 0);
  }

  /** One thing happens. */
  happen() {
    const { next, up } = this;
    const what = next();
    const node = this.pick(this.nodes);
    if (what < 0.5) this.come(this.pick(ROOMS));
    else if (what < 0.58 && up.length > 1)
      this.#say('kill', node, () => void (node.bus.dead = true));
    else if (what < 0.7 && !node.bus.dead)
      this.#say(node.bus.isStill ? 'go on' : 'stand still', node, () =>
        node.bus.stand(!node.bus.isStill),
      );
    else if (what < 0.82 && !node.bus.dead)
      this.#say('cut off', node, () => void (node.bus.part = 1));
    else if (what < 0.92) this.#say('heal', node, () => this.heal());
    else if (what < 0.95 && up.length > 2 && node.isUp)
      this.#say('drain', node, () => void node.cluster.drain());
  }

  /** @param {string} what @param {SimulatedNode} node @param {() => void} run */
  #say(what, node, run) {
    this.story.push(`${this.clock.now()} ${what} ${node.id}`);
    run();
  }

  /**
   * Whither somebody is sent who asks a node for a room.
   * @param {SimulatedNode} node
   * @param {string} room
   */
  async whoHas(node, room) {
    const asked = node.cluster.find(room, { hold: false });
    await this.pass(4 * STEP_MS);
    const found = await asked;
    return typeof found === 'string' ? 'nobody' : (found.node?.id ?? node.id);
  }

  heal() {
    for (const { bus } of this.nodes) bus.part = 0;
  }

  /** @param {string} room @returns {string[]} */
  owners(room) {
    return this.up.filter(({ cluster }) => cluster.isHere(room)).map(({ id }) => id);
  }
}

/** @param {number} seed */
async function worldOf(seed) {
  const world = new World(seed);
  await world.pass(BEAT_MS * 2);
  for (let i = 0; i < 25; i++) {
    world.happen();
    await world.pass(STEP_MS * Math.floor(world.next() * 12));
  }
  world.heal();
  for (const { bus } of world.nodes) if (!bus.dead && bus.isStill) bus.stand(false);
  // One round of beats, and the messages on their way.
  await world.pass(BEAT_MS + 2 * STEP_MS);
  return world;
}

/** Schedules in all, and of one test: each is done soon on a busy machine too. */
const SEEDS = 2000;
const BATCH = 200;

describe('rooms of a cluster', () => {
  let contested = 0;

  it.each(Array.from({ length: SEEDS / BATCH }, (_, i) => 1 + i * BATCH))(
    `have one owner after a beat, whatever happened before, in ${BATCH} schedules from %i on`,
    async (first) => {
      const wrong = [];
      for (let seed = first; seed < first + BATCH; seed++) {
        const world = await worldOf(seed);
        for (const room of ROOMS) {
          const owners = world.owners(room);
          const split = world.up
            .filter(({ id, rooms }) => rooms.has(room) && !owners.includes(id))
            .map(({ id }) => id);
          if (owners.length > 1 || split.length > 0)
            wrong.push({ seed, room, owners, split, story: world.story });
          const sent = await Promise.all(world.up.map((node) => world.whoHas(node, room)));
          if (owners.length === 1 && new Set([...sent, ...owners]).size > 1)
            wrong.push({ seed, room, sent, story: world.story });
          contested += world.nodes.reduce(
            (sum, { moved }) => sum + moved.filter((move) => move.room === room).length,
            0,
          );
        }
        for (const { cluster } of world.nodes) void cluster.close();
      }
      expect(wrong).toEqual([]);
    },
  );

  it('were contested: else the schedules would show nothing', () =>
    expect(contested).toBeGreaterThan(SEEDS / 10));
});
