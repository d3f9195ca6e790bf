/**
 * A room outlives its thread and its node. A worker ends, a node drains or is killed, a network is
 * cut and heals. Processes and NATS are real, and people return with nothing but their tokens.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { LocalCluster } from '../../testkit/local-cluster.js';
import { endAll, findNats, freePort, startNats } from '../../deploy/cluster-processes.js';
import { CONTROL_VERSION } from '../../public/shared/wire/control.js';
import { loadConfig } from '../../server/config/config.js';
import { createServer } from '../../server/server.js';
import { requireOrSkip } from '../../testkit/skip.js';
import { openBridge } from '../support/paths.js';

const OPERATOR_TOKEN = 'a-token-of-more-than-16';
const ARGV = ['--operator-token', OPERATOR_TOKEN, '--idle-timeout-ms', '60000'];
const nats = findNats();

/** @typedef {Awaited<ReturnType<typeof join>>} Person */

/**
 * Joins over WebSocket, goes where it is sent, and follows no further.
 * @param {string} origin
 * @param {object} wish
 * @returns {Promise<{ told: any[], welcome: any, code: string | undefined, origin: string, token:
 *   string, send: (message: object) => void, close: () => void, closed: number | null }>}
 */
async function join(origin, wish, hops = 0) {
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/session`);
  onTestFinished(() => socket.terminate());
  const told = /** @type {any[]} */ ([]);
  /** @type {any} */
  const person = {
    told,
    origin,
    closed: null,
    send: (/** @type {object} */ message) => socket.send(JSON.stringify(message)),
    close: () => socket.close(1000),
    get welcome() {
      return told.find(({ type }) => type === 'welcome');
    },
    get code() {
      return told.find(({ type }) => type === 'refused')?.code;
    },
    get token() {
      return (told.findLast(({ type }) => type === 'resume') ?? this.welcome).resume;
    },
  };
  socket.on('message', (data, isBinary) => void (isBinary || told.push(JSON.parse(String(data)))));
  socket.on('close', (code) => void (person.closed = code - 4000));
  socket.on('error', () => {});
  await new Promise((resolve, reject) => void socket.once('open', resolve).once('error', reject));
  person.send({ type: 'join', version: CONTROL_VERSION, room: 'tea', ...wish });
  await vi.waitFor(() => expect(told.length).toBeGreaterThan(0), { timeout: 10_000, interval: 10 });
  return told[0].type === 'moved' && hops < 3 ? join(told[0].node.url, wish, hops + 1) : person;
}

/** @param {Person} person @param {object} act */
const does = (person, act) => person.send({ type: 'moderate', ...act });

/** @param {Person} person @param {string} type @param {(message: any) => boolean} [is] */
const hears = (person, type, is = () => true) =>
  vi.waitFor(
    () => expect(person.told.some((message) => message.type === type && is(message))).toBe(true),
    { timeout: 20_000, interval: 10 },
  );

/**
 * A room of which everything is set.
 * @param {string} origin @param {string} room
 */
async function furnish(origin, room) {
  const ann = await join(origin, { room, name: 'Ann', frameMs: 10, channels: 2, mode: 'auto' });
  const at = ann.origin;
  const [bob, cid, dan, eve, lis] = [
    await join(at, { room, name: 'Bob' }),
    await join(at, { room, name: 'Cid' }),
    await join(at, { room, name: 'Dan' }),
    await join(at, { room, name: 'Eve' }),
    await join(at, { room, name: 'Lis', listen: true }),
  ];
  const early = { dan: dan.token, eve: eve.token };
  ann.send({ type: 'chat', text: 'hello' });
  bob.send({ type: 'hand', raised: true });
  await hears(ann, 'changed', ({ person }) => person?.hand > 0);
  lis.send({ type: 'hand', raised: true });
  for (const act of [
    { action: 'role', person: bob.welcome.you, role: 'moderator' },
    { action: 'mute', person: cid.welcome.you, muted: true },
    { action: 'role', person: dan.welcome.you, role: 'listener' },
    { action: 'remove', person: eve.welcome.you },
    { action: 'allow', what: 'chat', who: 'moderators' },
    { action: 'allow', what: 'record', who: 'moderators' },
    { action: 'password', password: 'open sesame' },
    { action: 'lobby', on: true },
    { action: 'lock', on: true },
  ])
    does(ann, act);
  const changed = await fetch(`${at}/api/rooms/${room}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ serverDelayMs: 120 }),
  });
  expect(changed.status).toBe(200);
  await hears(ann, 'room', ({ locked }) => locked);
  // Passwords are hashed, and threads tell what has changed a moment later.
  expect((await join(at, { room, name: 'New', password: 'another' })).code).toBe('password-wrong');
  await pause(2000);
  return { room, early, ann, bob, cid, dan, lis };
}

/**
 * @param {string} origin @param {Awaited<ReturnType<typeof furnish>>} before
 * @param {{ chat: boolean, bobs?: string }} kept  bobs: his role
 */
async function expectWhole(
  origin,
  { room, early, ann, bob, cid, dan, lis },
  { chat, bobs = 'moderator' },
) {
  // Such people come first, with nothing, or with an old token.
  expect((await join(origin, { room, name: 'New' })).code).toMatch(
    /^(room-locked|password-missing)$/,
  );
  expect((await join(origin, { room, name: 'New', password: 'another' })).code).toMatch(
    /^(room-locked|password-wrong)$/,
  );
  for (let i = 0; i < 2; i++)
    expect(
      (await join(origin, { room, name: 'Eve', resume: early.eve, password: 'open sesame' })).code,
    ).toBe('room-locked');
  const dan2 = await join(origin, { room, name: 'Dan', resume: early.dan });
  const [lis2, cid2, bob2, ann2] = [
    await join(origin, { room, name: 'x', resume: lis.token }),
    await join(origin, { room, name: 'x', resume: cid.token }),
    await join(origin, { room, name: 'x', resume: bob.token }),
    await join(origin, { room, name: 'x', resume: ann.token }),
  ];
  expect([dan2, lis2, cid2, bob2, ann2].map(({ welcome, code }) => code ?? welcome.you)).toEqual(
    [dan, lis, cid, bob, ann].map(({ welcome }) => welcome.you),
  );
  expect([dan2, lis2, cid2, bob2, ann2].map(({ welcome }) => welcome.role)).toEqual([
    'listener',
    'listener',
    'speaker',
    bobs,
    'moderator',
  ]);
  expect(ann2.welcome).toMatchObject({
    format: { frameMs: 10, channels: 2 },
    e2e: false,
    rules: {
      locked: true,
      lobby: true,
      password: true,
      chat: 'moderators',
      record: 'moderators',
      mode: 'auto',
    },
  });
  expect(
    ann2.welcome.people.map((/** @type {any} */ { name, hand, silenced, muted }) => ({
      name,
      hand,
      silenced,
      muted,
    })),
  ).toEqual(
    expect.arrayContaining([
      { name: 'Bob', hand: 1, silenced: false, muted: false },
      { name: 'Cid', hand: 0, silenced: true, muted: true },
    ]),
  );
  expect(ann2.welcome.chat.map((/** @type {any} */ { text }) => text)).toEqual(
    chat ? ['hello'] : [],
  );
  await hears(ann2, 'hands', ({ people }) => people.length === 1 && people[0].label === 'Lis');
  const answer = await fetch(`${ann2.origin}/api/rooms/${room}`, {
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
  });
  expect((await answer.json()).delay).toMatchObject({ mode: 'fixed' });
}

it('a room outlives its worker', async () => {
  const config = loadConfig({
    argv: ['--port', '0', '--h3-port', '0', '--workers', '2', ...ARGV],
    env: {},
  });
  const server = await createServer(config, {
    log: { error() {}, warn() {}, info() {}, debug() {} },
  });
  try {
    const before = await furnish(server.url, 'tea');
    await server.workers?.endWorkerOf('tea');
    await vi.waitFor(() => expect(before.ann.closed).not.toBe(null));
    // Without a cluster only the newest role of a place counts, whatever its token says.
    await expectWhole(server.url, before, { chat: true });
  } finally {
    await server.close();
  }
});

requireOrSkip(nats !== null, 'nats-server is not installed').describe(
  'a room of a cluster of three nodes',
  () => {
    const cluster = new LocalCluster({ argv: ARGV });
    beforeAll(() => cluster.start(/** @type {string} */ (nats)));
    afterAll(() => cluster.close());

    const anyNode = () => /** @type {{ url: string }} */ ([...cluster.nodes.values()].at(-1)).url;

    beforeEach(async () => {
      for (const number of [1, 2, 3])
        if (!cluster.nodes.has(number)) await cluster.startNode(number);
      await cluster.settle(3);
    });

    it('outlives its node that is killed', async () => {
      const before = await furnish(anyNode(), 'killed');
      const owner = await cluster.ownerOf('killed');
      await cluster.kill(owner);
      await expectWhole(anyNode(), before, { chat: false });
    });

    it('outlives its node that drains', async () => {
      const before = await furnish(anyNode(), 'drained');
      const owner = await cluster.ownerOf('drained');
      cluster.nodes.delete(owner.number);
      owner.child.kill('SIGTERM');
      await hears(before.ann, 'moved');
      await expectWhole(anyNode(), before, { chat: true });
      await new Promise((resolve) =>
        owner.child.exitCode === null ? owner.child.once('exit', resolve) : resolve(undefined),
      );
    });

    it.each([0, 1])(
      'has the same moderator where its node is killed as soon as they are in, time %i',
      async (time) => {
        const room = `soon${time}`;
        const ann = await join(anyNode(), { room, name: 'Ann' });
        const owner = await cluster.ownerOf(room);
        await cluster.kill(owner);
        const [node] = cluster.nodes.values();
        const eve = await join(node.url, { room, name: 'Eve' });
        expect(eve.welcome.role).toBe('speaker');
        const ann2 = await join(node.url, { room, name: 'Ann', resume: ann.token });
        expect(ann2.welcome).toMatchObject({ you: ann.welcome.you, role: 'moderator' });
      },
    );

    it('stays encrypted when its node is killed, even at a node that just started', async () => {
      const ann = await join(anyNode(), { room: 'sealed', name: 'Ann', e2e: true });
      const owner = await cluster.ownerOf('sealed');
      const other = /** @type {any} */ (
        [...cluster.nodes.values()].find(({ number }) => number !== owner.number)
      );
      await cluster.kill(other);
      await cluster.startNode(other.number);
      await cluster.settle(3);
      await cluster.kill(owner);
      for (const { url } of cluster.nodes.values())
        expect((await join(url, { room: 'sealed', name: 'Eve' })).code).toBe('e2e-only');
      expect(
        (await join(anyNode(), { room: 'sealed', name: 'Ann', e2e: true, resume: ann.token }))
          .welcome,
      ).toMatchObject({ you: ann.welcome.you, e2e: true, role: 'moderator' });
    });
  },
);

requireOrSkip(nats !== null, 'nats-server is not installed').it(
  'a room outlives a network that is cut and heals',
  async () => {
    const program = /** @type {string} */ (nats);
    const [onePort, oneRoute, otherPort, otherRoute] = await Promise.all(
      Array.from({ length: 4 }, freePort),
    );
    const bridge = await openBridge(otherRoute);
    const halves = new LocalCluster({ argv: ARGV });
    const servers = [
      await startNats(program, { port: otherPort, routePort: otherRoute, advertise: bridge.port }),
    ];
    try {
      servers.push(
        await startNats(program, { port: onePort, routePort: oneRoute, routes: [bridge.port] }),
      );
      await halves.startNode(1, `nats://127.0.0.1:${onePort}`);
      await halves.startNode(2, `nats://127.0.0.1:${otherPort}`);
      await halves.settle(2);
      const [one, other] = halves.nodes.values();
      const before = await furnish(one.url, 'cut');
      const [near, far] = before.ann.origin === one.url ? [one, other] : [other, one];
      const sealed = await join(near.url, { room: 'sealed', name: 'Ann', e2e: true });
      bridge.cut(true);
      await halves.settle(1);
      // A person who reaches only the other half finds the room as it was, and acts there hold as
      // well.
      expect((await join(far.url, { room: 'cut', name: 'New' })).code).toMatch(
        /^(room-locked|password-missing)$/,
      );
      const bob = await join(far.url, { room: 'cut', name: 'Bob', resume: before.bob.token });
      expect(bob.welcome).toMatchObject({
        you: before.bob.welcome.you,
        role: 'moderator',
        rules: { locked: true, password: true },
      });
      does(before.ann, { action: 'role', person: before.bob.welcome.you, role: 'speaker' });
      await pause(300);
      bridge.cut(false);
      await hears(before.ann, 'moved');
      await hears(bob, 'moderated', ({ role }) => role === 'speaker');
      await expectWhole(far.url, { ...before, bob }, { chat: false, bobs: 'speaker' });
      expect((await join(far.url, { room: 'sealed', name: 'Eve' })).code).toBe('e2e-only');
      expect(sealed.closed).toBe(null);
    } finally {
      await halves.close();
      await endAll(servers);
      await bridge.close();
    }
  },
);
