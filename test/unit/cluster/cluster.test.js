import { describe, expect, it } from 'vitest';
import { ALIVE_MS } from '../../../server/bus/bus.js';
import { BEAT_MS } from '../../../server/cluster/beats.js';
import { Cluster } from '../../../server/cluster/cluster.js';
import { HOLD_MS } from '../../../server/cluster/ownership.js';
import { FakeNetwork } from '../../fakes/fake-bus.js';
import { FakeClock } from '../../../testkit/fake-clock.js';
import { logTo } from '../../../testkit/log-lines.js';

/** Nodes on one network, without people. */
class Nodes {
  clock = new FakeClock();
  network = new FakeNetwork(this.clock);
  /** @type {object[]} */
  warnings = [];

  /**
   * @param {string} id
   * @param {{ people?: number, busy?: boolean, skewMs?: number, maxPeople?: number, origins?:
   *   string[], reached?: object, keptMs?: number }} [options]
   */
  add(
    id,
    { people = 0, busy = false, skewMs = 0, maxPeople = 10, origins = [], reached, keptMs } = {},
  ) {
    const bus = this.network.join(id);
    /** Rooms with people in them, and where rooms went. */
    const used = new Set();
    /** @type {any[]} */
    const moved = [];
    const rooms = {
      get: (/** @type {string} */ room) => (used.has(room) ? {} : undefined),
      move: (/** @type {string} */ room, /** @type {any} */ node) =>
        moved.push([room, node?.id ?? null]),
      people,
      busy,
    };
    const { warnings } = this;
    /** A node that stands still does nothing when it is due. */
    const clock = {
      ...this.clock,
      setTimeout: (/** @type {() => void} */ run, /** @type {number} */ ms) =>
        this.clock.setTimeout(() => (bus.isStill ? bus.deliver(run) : run()), ms),
    };
    const cluster = new Cluster({
      id,
      name: 'test',
      openBus: () => bus,
      clock,
      wallNow: () => 1_700_000_000_000 + clock.now() + skewMs,
      log: { ...logTo(), warn: (fields) => void warnings.push(fields) },
      rooms: () => rooms,
      limits: { people: maxPeople },
      software: '0',
      keptMs,
    });
    cluster.start({
      url: `http://${id}.example`,
      h3Port: 4433,
      certificateHashes: () => [],
      origins,
      ...reached,
    });
    return { id, bus, cluster, used, moved, rooms };
  }

  /** @param {number} [ms] */
  async pass(ms = 3 * BEAT_MS) {
    for (let left = ms; left > 0; left -= 5) {
      this.clock.advance(Math.min(5, left));
      for (let i = 0; i < 8; i++) await null;
    }
  }

  /** @template T @param {Promise<T>} asked @returns {Promise<T>} */
  async answer(asked) {
    const state = { isThere: false };
    void asked.then(() => (state.isThere = true));
    for (let i = 0; i < 2000 && !state.isThere; i++) await this.pass(5);
    return asked;
  }
}

/** @param {string} room  so that there are rooms of every node */
const rooms = (room) => Array.from({ length: 60 }, (_, i) => `${room}${i}`);

/**
 * @param {Nodes} nodes
 * @param {ReturnType<Nodes['add']>} node
 * @param {string} room
 * @param {boolean} [hold]
 */
async function where(nodes, node, room, hold = true) {
  const found = await nodes.answer(node.cluster.find(room, { hold }));
  return typeof found === 'string' ? found : (found.node?.id ?? node.id);
}

/** State of a room that its owner announces. */
const rules = {
  locked: true,
  lobby: false,
  chat: /** @type {const} */ ('everybody'),
  record: /** @type {const} */ ('everybody'),
  password: null,
  broadcast: null,
  streamKey: null,
  groups: null,
  bans: [],
  version: 2,
  restraints: [],
  places: [],
  nextId: 3,
  nextHand: 1,
};

describe('a room', () => {
  it('is opened by one node, and all nodes find it there', async () => {
    const nodes = new Nodes();
    const [a, b, c] = [nodes.add('a'), nodes.add('b'), nodes.add('c')];
    await nodes.pass();
    const owners = new Set();
    for (const room of rooms('tea')) {
      const owner = await where(nodes, a, room);
      expect([await where(nodes, b, room), await where(nodes, c, room)]).toEqual([owner, owner]);
      owners.add(owner);
    }
    expect(owners.size).toBe(3);
  });

  it('is only asked for without being opened', async () => {
    const nodes = new Nodes();
    const [a, b] = [nodes.add('a'), nodes.add('b')];
    await nodes.pass();
    for (const room of rooms('tea')) await where(nodes, a, room, false);
    expect([a, b].map(({ cluster }) => cluster.status.rooms)).toEqual([0, 0]);
  });

  it('that nobody comes into is let go of, and one with people stays', async () => {
    const nodes = new Nodes();
    const a = nodes.add('a');
    await where(nodes, a, 'tea');
    await where(nodes, a, 'lab');
    a.used.add('lab');
    await nodes.pass(HOLD_MS + 100);
    expect([a.cluster.isHere('tea'), a.cluster.isHere('lab')]).toEqual([false, true]);
    a.cluster.ended('lab');
    expect(a.cluster.isHere('lab')).toBe(false);
  });

  it('has an epoch above that of the one whose place it takes, whatever the clocks', async () => {
    const nodes = new Nodes();
    const a = nodes.add('a', { skewMs: -3_600_000 });
    await nodes.answer(a.cluster.find('tea', { hold: true, above: 1_700_000_000_500 }));
    expect(a.cluster.epochOf('tea')).toBe(1_700_000_000_501);
    expect(a.cluster.epochOf('lab')).toBe(0);
  });

  it('has an epoch above those of all who look for it, until somebody is in it', async () => {
    const nodes = new Nodes();
    const a = nodes.add('a', { skewMs: -3_600_000 });
    const [hold, other] = [true, nodes.network.join('other')];
    const first = 1_700_000_000_500;
    const searches = [0, first, 1].map((above) => a.cluster.find('tea', { hold, above }));
    await nodes.answer(Promise.all(searches));
    expect(a.cluster.epochOf('tea')).toBe(first + 1);
    await nodes.answer(a.cluster.find('tea', { hold, above: first + 10 }));
    expect(a.cluster.epochOf('tea')).toBe(first + 11);
    const ask = (/** @type {number} */ above) => {
      const request = { version: 2, room: 'tea', hold, above };
      return nodes.answer(other.request('aloud.test.node.a.open', request, 50));
    };
    expect(await ask(first + 20)).toMatchObject({ node: { id: 'a' } });
    expect(a.cluster.epochOf('tea')).toBe(first + 21);
    a.used.add('tea');
    expect(await ask(first + 30)).toMatchObject({ node: { id: 'a' } });
    await nodes.answer(a.cluster.find('tea', { hold, above: first + 40 }));
    expect(a.cluster.epochOf('tea')).toBe(first + 21);
  });

  it('of two nodes is the one’s that opened it later, and the other tells its people', async () => {
    const nodes = new Nodes();
    const [a, b] = [nodes.add('a'), nodes.add('b')];
    b.bus.part = 1;
    await where(nodes, a, 'tea');
    await nodes.pass(1000);
    await where(nodes, b, 'tea');
    b.bus.part = 0;
    await nodes.pass(BEAT_MS + 20);
    expect([a.cluster.isHere('tea'), b.cluster.isHere('tea'), a.moved]).toEqual([
      false,
      true,
      [['tea', 'b']],
    ]);
  });

  it('of an owner who says nothing is another’s, sooner where a node is missing', async () => {
    const nodes = new Nodes();
    const [a, b, c] = [nodes.add('a'), nodes.add('b'), nodes.add('c')];
    await nodes.pass();
    const room =
      (
        await Promise.all(
          rooms('tea').map(async (name) => ((await where(nodes, b, name)) === 'a' ? name : '')),
        )
      ).find(Boolean) ?? '';
    a.bus.stand(true);
    await nodes.pass(ALIVE_MS + BEAT_MS);
    const from = nodes.clock.now();
    expect(await where(nodes, b, room)).not.toBe('a');
    expect(nodes.clock.now() - from).toBeLessThan(400);
    a.bus.stand(false);
    await nodes.pass(20);
    expect(a.cluster.isHere(room)).toBe(false);
    expect(await where(nodes, c, room)).toBe(await where(nodes, b, room));
  });
});

describe('a slow owner of a room', () => {
  it('keeps it while its beats come, though another node has died', async () => {
    const nodes = new Nodes();
    const [a, b, c] = [nodes.add('a'), nodes.add('b'), nodes.add('c')];
    await nodes.pass();
    // One that would be opened at another node.
    let room = '';
    for (const name of rooms('tea')) if ((await where(nodes, c, name, false)) === 'b') room = name;
    for (const { bus } of [b, c]) bus.part = 1;
    await where(nodes, a, room);
    a.used.add(room);
    for (const { bus } of [b, c]) bus.part = 0;
    a.cluster.ruled(room, rules);
    await nodes.pass(20);
    c.bus.dead = true;
    await nodes.pass(ALIVE_MS + BEAT_MS);
    a.bus.stand(true);
    const asked = b.cluster.find(room, { hold: true });
    await nodes.pass(600);
    a.bus.stand(false);
    await nodes.pass(20);
    expect([await asked, b.cluster.isHere(room), a.moved]).toMatchObject([
      { node: { id: 'a' } },
      false,
      [],
    ]);
    // One that has died is replaced as soon as before.
    a.bus.stand(true);
    await nodes.pass(ALIVE_MS + BEAT_MS);
    const from = nodes.clock.now();
    expect(await where(nodes, b, room)).toBe('b');
    expect(nodes.clock.now() - from).toBeLessThan(400);
  });
});

describe('a node that stood still', () => {
  it('knows the others before it has read their beats, but none that is gone', async () => {
    const nodes = new Nodes();
    const [a, b] = [nodes.add('a'), nodes.add('b')];
    await nodes.pass();
    a.bus.stand(true);
    await nodes.pass(5000);
    expect(a.cluster.status.nodes).toBe(2);
    b.bus.dead = true;
    a.bus.stand(false);
    await nodes.pass(ALIVE_MS / 2);
    expect(a.cluster.status.nodes).toBe(2);
    await nodes.pass(ALIVE_MS);
    expect(a.cluster.status.nodes).toBe(1);
  });
});

describe('the node that opens a room', () => {
  it('is one that is neither full, busy nor off by its clock, while there is another', async () => {
    for (const bad of [{ people: 10 }, { busy: true }, { skewMs: 5000 }, { skewMs: -5000 }]) {
      const nodes = new Nodes();
      const [a, b] = [nodes.add('a'), nodes.add('b')];
      const last = nodes.add('c', bad);
      await nodes.pass();
      for (const room of rooms('tea'))
        for (const node of [a, b, last]) expect(await where(nodes, node, room)).not.toBe('c');
      a.bus.dead = b.bus.dead = true;
      await nodes.pass(ALIVE_MS + BEAT_MS);
      expect(await where(nodes, last, 'lab')).toBe('c');
    }
  });

  it('is seldom one that has little room', async () => {
    const nodes = new Nodes();
    const a = nodes.add('a', { people: 8 });
    nodes.add('b');
    await nodes.pass();
    let own = 0;
    for (const room of rooms('tea')) if ((await where(nodes, a, room, false)) === 'a') own += 1;
    expect(own).toBeGreaterThan(0);
    expect(own).toBeLessThan(25);
  });

  it('is asked before, so that one that died just now sends nobody to it', async () => {
    const nodes = new Nodes();
    const [a, b] = [nodes.add('a'), nodes.add('b')];
    await nodes.pass();
    b.bus.dead = true;
    for (const room of rooms('tea')) expect(await where(nodes, a, room)).toBe('a');
  });
});

describe('a node that drains', () => {
  it('hands its rooms over, opens none, and lets go of those in which nobody is', async () => {
    const nodes = new Nodes();
    const [a, b] = [nodes.add('a'), nodes.add('b')];
    await nodes.pass();
    const own = [];
    for (const room of rooms('tea')) if ((await where(nodes, a, room)) === 'a') own.push(room);
    own.slice(1).forEach((room) => a.used.add(room));
    await nodes.answer(a.cluster.drain());
    expect(a.cluster.status.rooms).toBe(0);
    expect(a.moved.map(([room]) => room).toSorted()).toEqual(own.slice(1).toSorted());
    expect(b.cluster.isHere(own[1])).toBe(true);
    for (const room of rooms('lab')) expect(await where(nodes, a, room)).toBe('b');
  });

  it('keeps its rooms where there is no other, and says so', async () => {
    const nodes = new Nodes();
    const a = nodes.add('a');
    await where(nodes, a, 'tea');
    a.used.add('tea');
    await nodes.answer(a.cluster.drain());
    expect(a.cluster.isHere('tea')).toBe(true);
    expect(nodes.warnings).toEqual([{ node: 'a', event: 'room-not-moved', room: 'tea' }]);
    expect(await where(nodes, a, 'new')).toBe('draining');
  });
});

describe('the rules of a room', () => {
  it('are known to all nodes while it exists, and for a minute after its node dies', async () => {
    const nodes = new Nodes();
    const [a, b] = [nodes.add('a'), nodes.add('b')];
    await nodes.pass();
    await nodes.answer(a.cluster.find('tea', { hold: true }));
    const [owner, other] = a.cluster.isHere('tea') ? [a, b] : [b, a];
    owner.used.add('tea');
    owner.cluster.ruled('tea', rules);
    await nodes.pass(20);
    expect(other.cluster.rulesOf('tea')).toEqual(rules);
    // A later node is notified too.
    const late = nodes.add('late');
    await nodes.pass(5100);
    expect(late.cluster.rulesOf('tea')).toEqual(rules);
    owner.bus.dead = true;
    await nodes.pass(50_000);
    expect(other.cluster.rulesOf('tea')).toEqual(rules);
    await nodes.pass(15_000);
    expect(other.cluster.rulesOf('tea')).toBe(null);
  });

  it('stay known while tokens of its places are valid, as does what tokens don’t say', async () => {
    const nodes = new Nodes();
    const [a, b] = [nodes.add('a', { keptMs: 135_000 }), nodes.add('b', { keptMs: 135_000 })];
    b.bus.part = 1;
    await where(nodes, a, 'tea');
    await where(nodes, a, 'lab');
    b.bus.part = 0;
    a.cluster.ruled('tea', rules);
    a.cluster.ruled('lab', rules);
    const decided = { out: true, role: null, silenced: null, group: null, language: null };
    const out = { key: 'k', epoch: 1, at: 1, ...decided };
    a.cluster.ended('lab', [out]);
    await nodes.pass(20);
    a.bus.dead = true;
    await nodes.pass(130_000);
    expect([b.cluster.rulesOf('tea'), b.cluster.placesOf('lab')]).toEqual([rules, [out]]);
    await nodes.pass(5100);
    expect([b.cluster.rulesOf('tea'), b.cluster.placesOf('lab')]).toEqual([null, []]);
  });

  it('have bans that end in time, however long nothing else changes', async () => {
    const nodes = new Nodes();
    const [a, b] = [nodes.add('a'), nodes.add('b')];
    b.bus.part = 1;
    await where(nodes, a, 'tea');
    a.used.add('tea');
    b.bus.part = 0;
    const ban = {
      name: 'Eve',
      identity: null,
      tokenId: null,
      network: '192.0.2.0',
      leftMs: 20_000,
    };
    a.cluster.ruled('tea', { ...rules, bans: [ban, { ...ban, leftMs: 60_000 }] });
    await nodes.pass(30_000);
    const leftOf = (/** @type {typeof a} */ { cluster }) =>
      cluster.rulesOf('tea')?.bans.map(({ leftMs }) => Math.round(leftMs / 1000));
    expect([leftOf(a), leftOf(b)]).toEqual([[30], [30]]);
    a.bus.dead = true;
    await nodes.pass(10_000);
    expect(leftOf(b)).toEqual([20]);
  });

  it('have groups that end in time, and at once if their node died before', async () => {
    const nodes = new Nodes();
    const [a, b] = [nodes.add('a'), nodes.add('b')];
    b.bus.part = 1;
    await where(nodes, a, 'tea');
    a.used.add('tea');
    b.bus.part = 0;
    const groups = { count: 2, choose: false, leftMs: 40_000 };
    a.cluster.ruled('tea', { ...rules, groups });
    await nodes.pass(30_000);
    const leftOf = (/** @type {typeof a} */ { cluster }) =>
      Math.round((cluster.rulesOf('tea')?.groups?.leftMs ?? NaN) / 1000);
    expect([leftOf(a), leftOf(b)]).toEqual([10, 10]);
    a.bus.dead = true;
    await nodes.pass(20_000);
    expect(leftOf(b)).toBe(0);
  });

  it('are forgotten when it has ended, and go with it when it moves', async () => {
    const nodes = new Nodes();
    const [a, b] = [nodes.add('a'), nodes.add('b')];
    await nodes.pass();
    await nodes.answer(a.cluster.find('tea', { hold: true }));
    const [owner, other] = a.cluster.isHere('tea') ? [a, b] : [b, a];
    owner.used.add('tea');
    owner.cluster.ruled('tea', rules);
    await nodes.answer(owner.cluster.drain());
    expect([
      other.cluster.isHere('tea'),
      other.cluster.rulesOf('tea'),
      owner.cluster.rulesOf('tea'),
    ]).toEqual([true, rules, rules]);
    other.cluster.ruled('tea', rules);
    other.cluster.ended('tea');
    await nodes.pass(20);
    expect([other.cluster.rulesOf('tea'), owner.cluster.rulesOf('tea')]).toEqual([null, null]);
  });

  it('are kept when the end of the room at an earlier node is heard late', async () => {
    const nodes = new Nodes();
    const [a, b, c] = ['a', 'b', 'c'].map((id) => nodes.add(id));
    await nodes.pass();
    await where(nodes, a, 'tea');
    const owner = [a, b, c].find(({ cluster }) => cluster.isHere('tea')) ?? a;
    owner.used.add('tea');
    owner.cluster.ruled('tea', rules);
    await nodes.pass(20);
    const earlier = nodes.network.join('earlier');
    const { subjects } = owner.cluster.wire;
    const ended = { version: 2, room: 'tea', rules: null, places: [] };
    earlier.publish(subjects.rulesOf('tea'), { ...ended, from: 'earlier' });
    await nodes.pass(20);
    const others = [a, b, c].filter((node) => node !== owner);
    expect(others.map(({ cluster }) => cluster.rulesOf('tea'))).toEqual([rules, rules]);
    owner.cluster.ended('tea');
    await nodes.pass(20);
    expect(others.map(({ cluster }) => cluster.rulesOf('tea'))).toEqual([null, null]);
  });
});

describe('an encrypted room', () => {
  const state = { ...rules, locked: false, e2e: true };

  it('is not given up to a plain one that was opened later where the network was cut', async () => {
    const nodes = new Nodes();
    const [a, b] = [nodes.add('a'), nodes.add('b')];
    b.bus.part = 1;
    await where(nodes, a, 'tea');
    a.cluster.ruled('tea', state);
    await nodes.pass(1000);
    await where(nodes, b, 'tea');
    b.bus.part = 0;
    await nodes.pass(2 * BEAT_MS + 20);
    expect([a.cluster.isHere('tea'), b.cluster.isHere('tea'), b.moved]).toEqual([
      true,
      false,
      [['tea', 'a']],
    ]);
    expect(a.cluster.epochOf('tea')).toBeGreaterThan(1_700_000_001_000);
  });

  it('is handed over as any other', async () => {
    const nodes = new Nodes();
    const [a, b] = [nodes.add('a'), nodes.add('b')];
    b.bus.part = 1;
    await where(nodes, a, 'tea');
    a.used.add('tea');
    b.bus.part = 0;
    await nodes.pass();
    a.cluster.ruled('tea', state);
    await nodes.answer(a.cluster.drain());
    await nodes.pass();
    expect([
      a.cluster.isHere('tea'),
      b.cluster.isHere('tea'),
      b.cluster.rulesOf('tea')?.e2e,
    ]).toEqual([false, true, true]);
  });
});

describe('a room of two nodes that were apart', () => {
  it('learns the other side’s state when they meet; a new node learns all at once', async () => {
    const nodes = new Nodes();
    const [a, b] = [nodes.add('a'), nodes.add('b')];
    /** @type {any[]} */
    const met = [];
    Object.assign(b.rooms, {
      met: (/** @type {string} */ room, /** @type {any} */ { lobby }) => met.push([room, lobby]),
    });
    b.bus.part = 1;
    await where(nodes, a, 'tea');
    const lenient = { ...rules, locked: false, lobby: true };
    a.cluster.ruled('tea', lenient);
    await nodes.pass(1000);
    await where(nodes, b, 'tea');
    b.cluster.ruled('tea', { ...lenient, lobby: false });
    b.bus.part = 0;
    await nodes.pass(BEAT_MS + 20);
    expect([b.cluster.isHere('tea'), a.cluster.isHere('tea')]).toEqual([true, false]);
    expect(met[0]).toEqual(['tea', true]);
    const late = nodes.add('late');
    await nodes.pass(1100);
    expect(late.cluster.rulesOf('tea')).toMatchObject({ lobby: false });
  });
});

describe('a node without its bus', () => {
  it('a node that never had one serves alone, and meets the others later', async () => {
    const nodes = new Nodes();
    const [a, b] = [nodes.add('a'), nodes.add('b')];
    a.bus.state = 'connecting';
    a.bus.part = 1;
    expect(await where(nodes, a, 'tea')).toBe('a');
    await nodes.pass();
    await where(nodes, b, 'tea');
    a.bus.state = 'connected';
    a.bus.part = 0;
    await nodes.pass(BEAT_MS + 20);
    expect([a.cluster.isHere('tea'), b.cluster.isHere('tea')].filter(Boolean)).toHaveLength(1);
  });

  it('a node that has lost it has its own rooms, and no others', async () => {
    const nodes = new Nodes();
    const a = nodes.add('a');
    await where(nodes, a, 'tea');
    a.bus.state = 'lost';
    expect([await where(nodes, a, 'tea'), await where(nodes, a, 'lab')]).toEqual([
      'a',
      'cluster-unreachable',
    ]);
  });
});

describe('a foreign message', () => {
  it('is dropped and counted, whatever it is', async () => {
    const nodes = new Nodes();
    const a = nodes.add('a');
    const stranger = nodes.network.join('stranger');
    await where(nodes, a, 'tea');
    const before = a.cluster.status.droppedMessages;
    const bad = [
      {},
      { version: 2 },
      { version: 1, node: 'b', epoch: -1 },
      { version: 1, node: 'b.*', epoch: 5 },
      { version: 1, node: 'b', epoch: 1e300 },
    ];
    for (const message of bad) stranger.publish('aloud.test.room.tea.claim', message);
    stranger.publish('aloud.test.node.x.beat', { version: 2, id: 'x', url: 'javascript:alert(1)' });
    for (const message of [{}, { version: 2, room: '../x', hold: true, above: 0 }])
      expect(
        await nodes.answer(stranger.request('aloud.test.node.a.open', message, 50)),
      ).toBeTypeOf('symbol');
    await nodes.pass(50);
    expect(a.cluster.status.droppedMessages - before).toBe(bad.length + 3);
    expect([a.cluster.isHere('tea'), a.cluster.nodes().length]).toEqual([true, 1]);
  });

  it('is named once where it is a node of another release', async () => {
    const nodes = new Nodes();
    const a = nodes.add('a');
    const newer = nodes.network.join('newer');
    for (let i = 0; i < 3; i++)
      newer.publish('aloud.test.node.newer.beat', {
        version: 3,
        id: 'newer',
        url: 'http://newer.example',
        more: true,
      });
    await nodes.pass(50);
    expect(a.cluster.nodes()).toHaveLength(1);
    expect(nodes.warnings).toEqual([
      {
        node: 'a',
        event: 'node-version',
        from: 'newer',
        url: 'http://newer.example',
        version: 3,
        ownVersion: 2,
      },
    ]);
  });

  it('is no answer to where a room is', async () => {
    const nodes = new Nodes();
    const a = nodes.add('a');
    const stranger = nodes.network.join('stranger');
    stranger.serve('aloud.test.room.tea.where', () => ({
      version: 2,
      node: { id: 'x', url: 'file:///etc/passwd', h3Port: 0, certificateHashes: [] },
      epoch: 1,
    }));
    expect(await where(nodes, a, 'tea')).toBe('a');
  });
});

describe('pages of the cluster', () => {
  it('may use each node, those of a node that is gone too, and nobody else’s', async () => {
    const nodes = new Nodes();
    const a = nodes.add('a', { origins: ['https://a.example'] });
    const b = nodes.add('b', { origins: ['https://call.example', 'https://b.example'] });
    await nodes.pass();
    b.bus.dead = true;
    await nodes.pass(120_000);
    const allowed = [
      'https://a.example',
      'https://b.example',
      'https://call.example',
      'https://evil.example',
      'http://b.example',
      'null',
      undefined,
    ];
    expect(allowed.map((origin) => a.cluster.allowsOrigin(origin))).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});

it('a node that is closed leaves no timer and no subscription', async () => {
  const nodes = new Nodes();
  const a = nodes.add('a');
  await where(nodes, a, 'tea');
  await a.cluster.close();
  await a.cluster.close();
  await nodes.pass();
  expect(nodes.clock.waiting).toBe(0);
});
