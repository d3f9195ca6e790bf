/**
 * Rooms in worker threads, over real sockets: people hear each other wherever their room is, and a
 * worker's end is its own.
 */

import { setTimeout as pass } from 'node:timers/promises';
import { isBuilt } from '@aloud/native';
import { WebSocket } from 'ws';
import { describe, expect, it, vi } from 'vitest';
import { Headless } from '../../testkit/participants/headless.js';
import { levelDb } from '../../testkit/sound/signal.js';
import { CONTROL_VERSION } from '../../public/shared/wire/control.js';
import { errors } from '../../public/shared/errors.js';
import { loadCodec } from '../../server/codec/codec.js';
import { loadConfig } from '../../server/config/config.js';
import { createServer } from '../../server/server.js';
import { canBuildNative, requireOrSkip } from '../../testkit/skip.js';
import { undisturbedTest } from '../../testkit/undisturbed.js';
import { askOperator, WITH_OPERATOR } from '../support/operator.js';

/** @import { RunningServer } from '../../server/server.js' */

const quiet = { error() {}, warn() {}, info() {}, debug() {} };
const codec = await loadCodec('libopus-wasm');

/** A second of a tone: unlike speech it has no pauses, so that a gap is one. */
const tone = Float32Array.from(
  { length: 48_000 },
  (_, i) => 0.2 * Math.sin((2 * Math.PI * 440 * i) / 48_000),
);

/** @typedef {{ onTestFinished: (close: () => Promise<void>) => void }} Test */

/** @param {Test} test @param {string[]} argv */
async function startServer(test, ...argv) {
  const config = loadConfig({
    argv: ['--port', '0', '--h3-port', '0', '--workers', '2', ...WITH_OPERATOR, ...argv],
    env: {},
  });
  const server = await createServer(config, { log: quiet });
  test.onTestFinished(() => server.close());
  return server;
}

/**
 * @param {Test} test @param {RunningServer} server @param {string} room @param {string} name
 * @param {{ transport?: any, speech?: Float32Array }} [options]
 */
async function join(test, server, room, name, { transport = 'auto', speech } = {}) {
  const headless = new Headless({ codec, speech, recordSeconds: 60, lasting: true });
  test.onTestFinished(() => headless.close());
  await headless.join({ origin: server.url, room, name, transport, silenceSuppression: false });
  return headless;
}

/** True when the last quarter of a second is sound. @param {Headless} listener */
const hears = ({ recording, recorded }) =>
  levelDb(recording.subarray(Math.max(0, recorded - 12_000), recorded)) > -40;

/** @param {Headless[]} listeners */
const allHear = (...listeners) =>
  vi.waitFor(() => expect(listeners.map(hears)).toEqual(listeners.map(() => true)), {
    interval: 20,
  });

/**
 * The longest silence in a part of a recording, in milliseconds.
 * @param {Headless} listener @param {number} from  a sample @param {number} [to]
 */
function longestSilence({ recording, recorded }, from, to = recorded) {
  let [longest, run] = [0, 0];
  for (let i = from; i < to; i++) {
    run = Math.abs(recording[i]) < 1e-3 ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest / 48;
}

/**
 * The people of a room as the operator sees them.
 * @param {RunningServer} server
 * @param {string} room
 */
const peopleOf = async (server, room) =>
  (await askOperator(server.url, 'GET', `/rooms/${room}`)).answer.people;

/**
 * A bare client over WebSocket.
 * @param {Test} test @param {RunningServer} server @param {object} wish @param {string} [query]
 */
async function openSocket(test, server, wish, query = '') {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/session${query}`);
  test.onTestFinished(async () => socket.close());
  const told = /** @type {any[]} */ ([]);
  const closed = /** @type {number[]} */ ([]);
  socket.on('message', (data, isBinary) => void (isBinary || told.push(JSON.parse(String(data)))));
  socket.on('close', (code) => void closed.push(code - 4000));
  await new Promise((resolve) => void socket.once('open', resolve));
  socket.send(JSON.stringify({ type: 'join', version: CONTROL_VERSION, name: 'Bare', ...wish }));
  await vi.waitFor(() => expect(told.length).toBeGreaterThan(0));
  return { socket, told, closed };
}

const engine = requireOrSkip(isBuilt(), 'the native engine is not built', canBuildNative);

for (const transport of /** @type {const} */ (['webtransport', 'websocket', 'http1'])) {
  const { describe: describeIf } = transport === 'webtransport' ? engine : { describe };
  describeIf(`rooms in workers, over ${transport}`, () => {
    it('have people hear each other, and others not', (context) =>
      undisturbedTest(context, async (test) => {
        const server = await startServer(test);
        const [ann, bob, cid] = await Promise.all([
          join(test, server, 'tea', 'Ann', { transport, speech: tone }),
          join(test, server, 'tea', 'Bob', { transport }),
          join(test, server, 'coffee', 'Cid', { transport }),
        ]);
        await allHear(bob);
        expect([hears(ann), hears(cid)]).toEqual([false, false]);
        expect([ann, bob, cid].map((person) => person.transport)).toEqual([
          transport,
          transport,
          transport,
        ]);
        expect(server.rooms.size).toBe(0);
        const { rooms } = (await askOperator(server.url, 'GET', '/rooms')).answer;
        expect(
          rooms.map((/** @type {any} */ { room, present }) => `${room} ${present}`).toSorted(),
        ).toEqual(['coffee 1', 'tea 2']);
        const states = await server.roomsByThread.states();
        expect(states.map((state) => state.rooms)).toEqual([0, 1, 1]);
        expect(
          (await peopleOf(server, 'tea')).map((/** @type {any} */ person) => person.transport),
        ).toEqual([transport, transport]);
      }));
  });
}

engine.describe('rooms in workers', () => {
  it('are the same room for all transports, and for sessions whose URL names none', (context) =>
    undisturbedTest(context, async (test) => {
      const server = await startServer(test);
      const ann = await join(test, server, 'tea', 'Ann', {
        transport: 'webtransport',
        speech: tone,
      });
      const bob = await join(test, server, 'tea', 'Bob', { transport: 'websocket', speech: tone });
      const cid = await join(test, server, 'tea', 'Cid', { transport: 'http1' });
      const bare = await openSocket(test, server, { room: 'tea' });
      await allHear(ann, bob, cid);
      expect(bare.told[0]).toMatchObject({ type: 'welcome', room: 'tea' });
      expect(bare.told[0].people.map((/** @type {any} */ { name }) => name)).toEqual([
        'Ann',
        'Bob',
        'Cid',
        'Bare',
      ]);
      const wrong = await openSocket(test, server, { room: 'coffee' }, '?room=tea');
      expect(wrong.told[0]).toMatchObject({ type: 'refused', code: 'bad-request' });
      await vi.waitFor(() => expect(wrong.closed).toEqual([errors['bad-request'].close]));
    }));

  it('have no gap if another worker ends; its people return with ids, hands and chat', (context) =>
    undisturbedTest(context, async (test) => {
      const server = await startServer(test);
      const [ann, bob, cid, dan] = [
        await join(test, server, 'tea', 'Ann', { transport: 'webtransport', speech: tone }),
        await join(test, server, 'tea', 'Bob', { transport: 'websocket', speech: tone }),
        await join(test, server, 'coffee', 'Cid', { transport: 'webtransport', speech: tone }),
        await join(test, server, 'coffee', 'Dan', { transport: 'websocket', speech: tone }),
      ];
      await allHear(ann, bob, cid, dan);
      ann.sendControl({ type: 'chat', text: 'before' });
      bob.sendControl({ type: 'hand', raised: true });
      await askOperator(server.url, 'PATCH', '/rooms/tea', {
        locked: true,
        password: 'of the room',
      });
      await askOperator(server.url, 'PATCH', '/rooms/tea/people/2', { muted: true });
      await pass(600);
      const before = await peopleOf(server, 'tea');
      const statesBefore = ann.states.length;
      const [start, cidStart, danStart] = [bob, cid, dan].map(({ recorded }) => recorded);
      await server.workers?.endWorkerOf('tea');
      await vi.waitFor(() => expect(ann.states.length).toBeGreaterThan(statesBefore));
      await vi.waitFor(
        () => expect([ann, bob].map(({ states }) => states.at(-1))).toEqual(['joined', 'joined']),
        { interval: 10 },
      );
      await allHear(bob);
      await pass(500);
      // From the end of the sound to its return.
      expect(longestSilence(bob, start)).toBeLessThan(1500);
      expect(
        [longestSilence(cid, cidStart), longestSilence(dan, danStart)].map((ms) => ms < 100),
      ).toEqual([true, true]);
      const known = (/** @type {any} */ { id, name, label, muted, silenced, hand, role }) => ({
        id,
        name,
        label,
        muted,
        silenced,
        hand,
        role,
      });
      expect(
        (await peopleOf(server, 'tea'))
          .map(known)
          .toSorted((/** @type {any} */ a, /** @type {any} */ b) => a.id - b.id),
      ).toEqual(before.map(known));
      const welcome = bob.controls.filter(({ type }) => type === 'welcome').at(-1);
      expect(welcome?.chat).toMatchObject([{ text: 'before', name: 'Ann', number: 1 }]);
      expect(welcome?.rules).toMatchObject({ locked: true, password: true });
      const late = async (/** @type {string} */ password) =>
        (await openSocket(test, server, { room: 'tea', password })).told[0].code;
      expect([await late('of another'), await late('of the room')]).toEqual([
        'password-wrong',
        'room-locked',
      ]);
      expect(server.workers?.restarts).toBe(1);
    }));

  it('keep to the limits of the whole server', async (context) => {
    const server = await startServer(context, '--max-sessions', '3', '--max-rooms', '2');
    await openSocket(context, server, { room: 'tea' });
    await openSocket(context, server, { room: 'coffee' });
    expect((await openSocket(context, server, { room: 'cocoa' })).told[0]).toMatchObject({
      code: 'too-many-rooms',
    });
    await openSocket(context, server, { room: 'tea' });
    expect((await openSocket(context, server, { room: 'coffee' })).told[0]).toMatchObject({
      code: 'server-full',
    });
  });

  it('keep to the limit of one network’s joins', async (context) => {
    const server = await startServer(context, '--max-network-joins', '4', '--trust-proxy', '1');
    const from = async (/** @type {string} */ room) => {
      const response = await fetch(`${server.url}/api/sessions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.7' },
        body: JSON.stringify({ type: 'join', version: CONTROL_VERSION, room, name: 'Eve' }),
      });
      return response.status;
    };
    const answers = [];
    for (const room of ['a', 'b', 'a', 'b', 'a', 'b']) answers.push(await from(room));
    expect(answers).toEqual([201, 201, 201, 201, 429, 429]);
  });

  it('are moderated over the API, and bans hold wherever a room is', async (context) => {
    const server = await startServer(context);
    // The main thread counts for all servers of this process.
    const { joins } = (await askOperator(server.url, 'GET', '/status')).answer;
    const eve = await openSocket(context, server, { room: 'tea', name: 'Eve' });
    expect(
      (await askOperator(server.url, 'PATCH', '/rooms/tea/people/1', { muted: true })).status,
    ).toBe(204);
    await vi.waitFor(() =>
      expect(eve.told.some(({ type, action }) => type === 'moderated' && action === 'muted')).toBe(
        true,
      ),
    );
    expect(
      (await askOperator(server.url, 'PATCH', '/rooms/tea', { serverDelayMs: 80 })).answer,
    ).toMatchObject({
      room: 'tea',
      present: 1,
    });
    expect((await askOperator(server.url, 'DELETE', '/rooms/tea/people/1')).status).toBe(204);
    await vi.waitFor(() => expect(eve.closed).toEqual([errors.removed.close]));
    expect((await askOperator(server.url, 'DELETE', '/rooms/tea/people/1')).status).toBe(404);
    expect((await askOperator(server.url, 'GET', '/rooms/nothing')).status).toBe(404);
    expect((await askOperator(server.url, 'GET', '/status')).answer).toMatchObject({
      people: 0,
      joins: joins + 1,
      load: { workers: [{}, {}] },
    });
  });

  it('tell of draining, and end with the server', async (context) => {
    const server = await startServer(context);
    const ann = await openSocket(context, server, { room: 'tea' });
    const drained = server.drain(5000);
    await vi.waitFor(() => expect(ann.told).toContainEqual({ type: 'draining', seconds: 5 }));
    expect((await openSocket(context, server, { room: 'coffee' })).told[0]).toMatchObject({
      code: 'draining',
    });
    ann.socket.close(1000);
    await drained;
    const bob = await openSocket(context, await startServer(context), { room: 'tea' });
    expect(bob.told[0]).toMatchObject({ type: 'welcome' });
  });

  it('are closed with the code of a server that closes', async (context) => {
    const server = await startServer(context);
    const ann = await openSocket(context, server, { room: 'tea' });
    await server.close();
    await vi.waitFor(() => expect(ann.closed).toEqual([errors['server-closing'].close]));
  });
});
