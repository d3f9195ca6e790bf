/**
 * Nodes of this release beside nodes of the release before, over a real NATS. Their people hear
 * each other. A call outlives the update of its node, in either direction.
 *
 * ALOUD_TEST_RELEASE_BEFORE names the folder of that release, with its packages and its addon: an
 * installed package, or `git worktree add DIR v0.1.0` and `npm ci` there.
 */

import { existsSync } from 'node:fs';
import { join as joinPath } from 'node:path';
import { isBuilt } from '@aloud/native';
import { afterEach, expect, it, vi } from 'vitest';
import {
  endAll,
  findNats,
  freePort,
  startNats,
  startNode,
} from '../../deploy/cluster-processes.js';
import { join } from '../../programs/client.js';
import { ofTheMachine, requireOrSkip } from '../../testkit/skip.js';

/** @import { ChildProcess } from 'node:child_process' */
/** @typedef {Awaited<ReturnType<typeof join>>} Person */

const BEFORE = joinPath(process.env.ALOUD_TEST_RELEASE_BEFORE ?? '/nowhere', 'server', 'main.js');
const KEY = 'a-key-of-at-least-32-characters-for-both';
const ARGV = ['--drain-seconds', '20'];

/** Peak from which a tone is heard, and the longest wait for it, in milliseconds. */
const LOUD = 0.1;
const HEARD_MS = 15_000;

const nats = findNats();

/** @type {ChildProcess[]} */
const children = [];
/** @type {Person[]} */
const people = [];

afterEach(async () => {
  await Promise.all(people.splice(0).map((person) => person.leave()));
  await endAll(children.splice(0));
});

/**
 * Says a tone again and again until the other hears it.
 * @param {Person} speaker
 * @param {Person} listener
 */
async function expectHeard(speaker, listener) {
  const tone = Float32Array.from({ length: speaker.sampleRate / 4 }, (_, i) => Math.sin(i / 8) / 3);
  const reader = listener.heard.getReader();
  const endMs = performance.now() + HEARD_MS;
  let peak = 0;
  try {
    while (peak < LOUD && performance.now() < endMs) {
      await speaker.say(tone);
      for (let pieces = 0; pieces < 25; pieces++) {
        const { value = [] } = await reader.read();
        for (const sample of value) peak = Math.max(peak, Math.abs(sample));
      }
    }
  } finally {
    reader.releaseLock();
  }
  expect(peak).toBeGreaterThan(LOUD);
}

requireOrSkip(
  nats !== null && isBuilt() && existsSync(BEFORE),
  'nats-server, the addon, or the release before in ALOUD_TEST_RELEASE_BEFORE is missing',
  ofTheMachine,
).describe('a call whose node is of the release', () => {
  /** @type {[string, string | undefined, string | undefined][]} */
  const orders = [
    ['before', BEFORE, undefined],
    ['now', undefined, BEFORE],
  ];
  it.each(orders)(
    '%s goes on at a node of the other one',
    async (_name, first, second) => {
      const port = await freePort();
      children.push(await startNats(/** @type {string} */ (nats), { port }));
      const options = { nats: `nats://127.0.0.1:${port}`, key: KEY, argv: ARGV };
      const owner = await startNode(1, { ...options, main: first });
      children.push(owner.child);
      const ann = await join({ url: owner.url, room: 'tea', name: 'Ann' });
      people.push(ann);
      const other = await startNode(2, { ...options, main: second });
      children.push(other.child);
      await vi.waitFor(async () => expect(await nodesOf(other.url)).toBe(2), { timeout: 10_000 });
      // The other node finds the room at its owner.
      const ben = await join({ url: other.url, room: 'tea', name: 'Ben' });
      people.push(ben);
      expect(ben.people.map(({ name }) => name).sort()).toEqual(['Ann', 'Ben']);
      await expectHeard(ann, ben);
      ann.chat('before the update');

      // The owner is updated: its room goes to the other node.
      const ended = new Promise((resolve) => void owner.child.once('exit', resolve));
      owner.child.kill('SIGTERM');
      expect(await ended).toBe(0);
      expect([ann.state, ben.state]).toEqual(['joined', 'joined']);
      expect(ben.people).toHaveLength(2);
      await expectHeard(ben, ann);
      const cid = await join({ url: other.url, room: 'tea', name: 'Cid' });
      people.push(cid);
      expect(cid.people.map(({ name }) => name).sort()).toEqual(['Ann', 'Ben', 'Cid']);
      await expectHeard(cid, ann);
    },
    120_000,
  );
});

/** Number of nodes that a node knows. @param {string} url */
async function nodesOf(url) {
  return (await (await fetch(`${url}/api/config`)).json()).nodes.length;
}
