/**
 * Three nodes of aloud, each a process, on three NATS servers. Nodes are killed, stopped and
 * drained, NATS servers are killed, and their network is cut.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { isBuilt } from '@aloud/native';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import {
  heardAgain,
  LocalCluster,
  longestGapMs,
  withoutPauses,
} from '../../testkit/local-cluster.js';
import { Headless } from '../../testkit/participants/headless.js';
import { readWav } from '../../testkit/sound/wav.js';
import { endAll, findNats, freePort, startNats } from '../../deploy/cluster-processes.js';
import { loadCodec } from '../../server/codec/codec.js';
import { requireOrSkip } from '../../testkit/skip.js';
import { openBridge } from '../support/paths.js';
import { byLength, isLong } from '../support/long.js';
import { undisturbed } from '../../testkit/undisturbed.js';

const nats = findNats();
const codec = await loadCodec('libopus-wasm');
const [recorded] = (await readWav(new URL('../../testkit/speech/speech-low.wav', import.meta.url)))
  .channels;
const speech = withoutPauses(recorded);

/** The bars of a call whose node was killed, in milliseconds. */
const MEDIAN_MS = 2000;
const P95_MS = 3000;

const cluster = new LocalCluster({ argv: ['--max-participants', '300'] });
/** @type {Headless[]} */
const people = [];

/**
 * @param {{ url: string }} node
 * @param {string} room
 * @param {string} name
 * @param {{ speech?: Float32Array, transport?: 'auto' | 'webtransport' | 'websocket' | 'http1',
 *   lasting?: boolean }} [options]
 */
async function join(
  { url },
  room,
  name,
  { transport = isBuilt() ? 'webtransport' : 'websocket', lasting = true, ...options } = {},
) {
  const headless = new Headless({ codec, lasting, recordSeconds: 240, ...options });
  people.push(headless);
  await headless.join({ origin: url, room, name, transport });
  return headless;
}

/** Somebody who speaks and somebody who listens, joined at different nodes. @param {string} room */
async function pair(room) {
  const [one, other = one] = cluster.nodes.values();
  const speaker = await join(one, room, 'Spe', { speech });
  const listener = await join(other, room, 'Lis');
  await vi.waitFor(
    () => {
      expect(listener.recorded).toBeGreaterThan(700 * 48);
      expect(longestGapMs(lately(listener, 500))).toBeLessThan(200);
    },
    { timeout: 20_000 },
  );
  return { speaker, listener };
}

/** Last sound that somebody heard. @param {Headless} listener @param {number} ms */
const lately = ({ recording, recorded: end }, ms) =>
  recording.subarray(Math.max(0, end - ms * 48), end);

async function allLeave() {
  await Promise.all(people.splice(0).map((one) => one.close()));
}

/** Starts again what was ended. */
async function mend() {
  await allLeave();
  for (const number of [1, 2, 3]) if (!cluster.nodes.has(number)) await cluster.startNode(number);
  await cluster.settle(3);
}

/**
 * @param {number} ms time until the room is one, on one node, with that number of people
 * @param {string} room
 * @param {number} count
 */
const isOne = (room, count, ms) =>
  vi.waitFor(async () => expect(Object.values(await cluster.peopleIn(room))).toEqual([count]), {
    timeout: ms,
    interval: 50,
  });

requireOrSkip(nats !== null, 'nats-server is not installed').describe(
  'a cluster of three nodes',
  () => {
    beforeAll(() => cluster.start(/** @type {string} */ (nats), { natsServers: 3 }));
    afterAll(async () => {
      await allLeave();
      await cluster.close();
    });

    if (!isLong)
      it('has one room for 200 who join one new name at all nodes at once', async () => {
        const urls = [...cluster.nodes.values()].map(({ url }) => url);
        const joined = await Promise.all(
          Array.from({ length: 200 }, (_, i) => joinOverHttp(urls[i % 3], 'crowd', `P${i}`)),
        );
        expect(new Set(joined.map(({ url }) => url)).size).toBe(1);
        expect(Object.values(await cluster.peopleIn('crowd'))).toEqual([200]);
        await Promise.all(
          joined.map(({ url, token }) =>
            fetch(`${url}/api/sessions/${token}`, { method: 'DELETE' }),
          ),
        );
      });

    if (!isLong)
      it.each(
        isBuilt()
          ? /** @type {const} */ (['webtransport', 'websocket'])
          : /** @type {const} */ (['websocket']),
      )('sends one who joins at the wrong node to the right one, over %s', async (transport) => {
        const { listener } = await pair('right');
        const owner = await cluster.ownerOf('right');
        const third = [...cluster.nodes.values()].find(({ url }) => url !== owner.url);
        // Without being told beforehand which node has the room.
        const { transports } = await cluster.configOf(/** @type {any} */ (third).url, 'nobody');
        const late = new Headless({ codec });
        people.push(late);
        const joinedAt = await late.join({
          origin: /** @type {any} */ (third).url,
          room: 'right',
          name: 'Late',
          transport,
          config: { transports },
        });
        expect(joinedAt.origin).toBe(owner.url);
        await vi.waitFor(() => expect(listener.people).toHaveLength(3));
        await allLeave();
      });

    it('has a call of a killed node heard again in less than 3 s, with ids and names', async () => {
      const times = await undisturbed(async () => {
        const { speaker, listener } = await pair('kill');
        const ids = listener.people.map(({ id, name }) => `${id} ${name}`).toSorted();
        /** @type {number[]} */
        const found = [];
        for (let i = 0; i < byLength({ short: 2, long: 20 }); i++) {
          const owner = await cluster.ownerOf('kill');
          found.push(await heardAgain(listener, () => cluster.kill(owner)));
          expect(listener.people.map(({ id, name }) => `${id} ${name}`).toSorted()).toEqual(ids);
          await cluster.startNode(owner.number);
          await cluster.settle(3);
          await pause(500);
        }
        expect([speaker.ended, listener.ended]).toEqual([null, null]);
        found.sort((a, b) => a - b);
        expect(found[Math.floor(found.length / 2)]).toBeLessThan(MEDIAN_MS);
        expect(found[Math.ceil(0.95 * found.length) - 1]).toBeLessThan(P95_MS);
        return found;
      }, mend);
      expect(times.length).toBeGreaterThan(1);
      await allLeave();
    });

    if (!isLong)
      it('has one room again after its node has stood still for 2 s', async () => {
        await undisturbed(async () => {
          const { listener } = await pair('still');
          const owner = await cluster.ownerOf('still');
          const ms = await heardAgain(listener, async () => {
            owner.child.kill('SIGSTOP');
            await pause(2000);
            owner.child.kill('SIGCONT');
          });
          expect(ms).toBeLessThan(5000);
          await isOne('still', 2, 3000);
        }, mend);
        await allLeave();
      });

    if (!isLong)
      it('hands calls over when a node drains, with sound gaps under 300 ms', async () => {
        await undisturbed(async () => {
          const { listener } = await pair('drain');
          const owner = await cluster.ownerOf('drain');
          const from = listener.recorded;
          const ended = new Promise((resolve) => owner.child.once('exit', resolve));
          owner.child.kill('SIGTERM');
          cluster.nodes.delete(owner.number);
          await pause(2000);
          expect(longestGapMs(listener.recording.subarray(from, listener.recorded))).toBeLessThan(
            300,
          );
          expect(listener.states).not.toContain('away');
          expect(await cluster.ownerOf('drain')).not.toBe(undefined);
          await isOne('drain', 2, 2000);
          expect(await ended).toBe(0);
          await mend();
        }, mend);
      });

    if (!isLong)
      it('goes on without one or all NATS servers, except for rooms of other nodes', async () => {
        await undisturbed(
          async () => {
            const { listener } = await pair('nats');
            const owner = await cluster.ownerOf('nats');
            const states = listener.states.length;
            const from = listener.recorded;
            const losses = () => owner.output().split('NATS is lost').length;
            const before = losses();
            await endAll([cluster.natsServers[0]]);
            await pause(1000);
            await isOne('nats', 2, 2000);
            await endAll(cluster.natsServers);
            await vi.waitFor(() => expect(losses()).toBeGreaterThan(before));
            await pause(500);
            // Nothing was to be heard of it.
            expect(longestGapMs(listener.recording.subarray(from, listener.recorded))).toBeLessThan(
              400,
            );
            expect(listener.states.length).toBe(states);
            const known = await join(owner, 'nats', 'Known', { lasting: false });
            expect(known.people).toHaveLength(3);
            await expect(join(owner, 'another', 'New', { lasting: false })).rejects.toMatchObject({
              code: 'cluster-unreachable',
            });
          },
          async () => {
            await cluster.mendNats();
            await mend();
            // Each node has a second connection to NATS again.
            await pause(2500);
          },
        );
        await allLeave();
      });
  },
);

if (!isLong)
  requireOrSkip(nats !== null, 'nats-server is not installed').it(
    'two halves of a network that was cut meet in one room',
    async () => {
      const program = /** @type {string} */ (nats);
      const [onePort, oneRoute, otherPort, otherRoute] = await Promise.all(
        Array.from({ length: 4 }, freePort),
      );
      const bridge = await openBridge(otherRoute);
      const halves = new LocalCluster();
      const servers = [
        await startNats(program, {
          port: otherPort,
          routePort: otherRoute,
          advertise: bridge.port,
        }),
      ];
      try {
        servers.push(
          await startNats(program, { port: onePort, routePort: oneRoute, routes: [bridge.port] }),
        );
        await halves.startNode(1, `nats://127.0.0.1:${onePort}`);
        await halves.startNode(2, `nats://127.0.0.1:${otherPort}`);
        await halves.settle(2);
        const [one, other] = halves.nodes.values();
        bridge.cut(true);
        // Each half believes itself alone.
        await halves.settle(1);
        const ann = await join(one, 'cut', 'Ann', { speech });
        const bob = await join(other, 'cut', 'Bob');
        expect(await halves.peopleIn('cut')).toEqual({ 1: 1, 2: 1 });
        bridge.cut(false);
        await vi.waitFor(
          async () => expect(Object.values(await halves.peopleIn('cut'))).toEqual([2]),
          { timeout: 20_000, interval: 50 },
        );
        await vi.waitFor(() => expect(longestGapMs(lately(bob, 500))).toBeLessThan(200), 20_000);
        expect([ann.states, bob.states].flat()).not.toContain('away');
      } finally {
        await allLeave();
        await halves.close();
        await endAll(servers);
        await bridge.close();
      }
    },
  );

/**
 * Joins over HTTP/1, and follows where it is sent.
 * @param {string} url @param {string} room @param {string} name
 * @returns {Promise<{ url: string, token: string }>}
 */
async function joinOverHttp(url, room, name, hops = 0) {
  const body = JSON.stringify({ type: 'join', version: 1, room, name });
  const response = await fetch(`${url}/api/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const { token, messages: [first] = [], ...refusal } = await response.json();
  if (first?.type === 'moved' && hops < 3)
    return joinOverHttp(first.node.url, room, name, hops + 1);
  expect(first?.type ?? refusal).toBe('welcome');
  return { url, token };
}
