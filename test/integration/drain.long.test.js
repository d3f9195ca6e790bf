/**
 * Nodes of a real cluster that the operator drains over HTTP: as SIGTERM does, and bounded in time.
 */

import { afterEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { LocalCluster } from '../../testkit/local-cluster.js';
import { findNats } from '../../deploy/cluster-processes.js';
import { requireOrSkip } from '../../testkit/skip.js';

/** @import { NodeProcess } from '../../deploy/cluster-processes.js' */

const OPERATOR = 'the-operators-own-token';

/** The time for calls of the drained node, and what of it is for closing, in seconds. */
const DRAIN_SECONDS = 9;
const CLOSING_SECONDS = 5;

const nats = findNats();
/** @type {LocalCluster} */
let cluster;
/** @type {WebSocket[]} */
const sockets = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate();
  await cluster.close();
});

/** Two nodes, and rooms of the one that is to drain. */
async function start() {
  cluster = new LocalCluster({
    argv: [
      '--engine',
      'none',
      '--drain-seconds',
      String(DRAIN_SECONDS),
      '--operator-token',
      OPERATOR,
    ],
  });
  await cluster.start(/** @type {string} */ (nats), { nodes: 2 });
  return /** @type {NodeProcess} */ (cluster.nodes.get(1));
}

/**
 * Joins a room that a node has or opens.
 * @param {NodeProcess} node
 * @param {string} room
 */
async function join({ url }, room) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/session`);
  sockets.push(socket);
  /** @type {any[]} */
  const messages = [];
  socket.on(
    'message',
    (data, isBinary) => void (isBinary || messages.push(JSON.parse(String(data)))),
  );
  const closed = new Promise(
    (/** @type {(code: number) => void} */ resolve) => void socket.once('close', resolve),
  );
  await new Promise((resolve, reject) => void socket.once('open', resolve).once('error', reject));
  socket.send(JSON.stringify({ type: 'join', version: 1, room, name: 'Ann' }));
  await expect.poll(() => messages.length).toBeGreaterThan(0);
  return { messages, closed };
}

/** Joins rooms until a node has `count` of them. @param {NodeProcess} node @param {number} count */
async function joinRoomsOf(node, count) {
  const joined = [];
  for (let i = 0; joined.length < count; i++) {
    const one = await join(node, `room-${i}`);
    if (one.messages[0].type === 'welcome') joined.push(one);
  }
  return joined;
}

/**
 * @param {NodeProcess} node
 * @returns {Promise<{ code: number | null, seconds: number }>} code and time of its end
 */
async function drain({ url, child }) {
  const ended = new Promise(
    (/** @type {(code: number | null) => void} */ resolve) => void child.once('exit', resolve),
  );
  const begun = performance.now();
  const asked = { method: 'POST', headers: { authorization: `Bearer ${OPERATOR}` } };
  expect((await fetch(`${url}/api/drain`, asked)).status).toBe(202);
  return { code: await ended, seconds: (performance.now() - begun) / 1000 };
}

requireOrSkip(nats !== null, 'nats-server is not installed').describe(
  'a node that the operator drains',
  () => {
    it('sends its calls to the other node, and ends once they have gone', async () => {
      const node = await start();
      const [call] = await joinRoomsOf(node, 1);
      const left = expect
        .poll(() => call.messages.map(({ type }) => type))
        .toContain('moved')
        .then(() => sockets.forEach((one) => one.close()));
      expect(await drain(node)).toMatchObject({ code: 0 });
      await left;
      expect(node.output()).toContain('event="closing" signal="SIGTERM"');
    });

    it('whose rooms no node takes tells their people, and ends in time', async () => {
      const node = await start();
      // Each of them waits for an answer of the other node, which stands still.
      const calls = await joinRoomsOf(node, 12);
      cluster.nodes.get(2)?.child.kill('SIGSTOP');
      const { code, seconds } = await drain(node);
      expect(code).toBe(0);
      expect(seconds).toBeGreaterThan(DRAIN_SECONDS - CLOSING_SECONDS - 0.5);
      expect(seconds).toBeLessThan(DRAIN_SECONDS);
      for (const { messages, closed } of calls) {
        expect(messages.find(({ type }) => type === 'draining')?.seconds).toBeGreaterThan(0);
        expect(await closed).toBe(4012);
      }
    });
  },
);
