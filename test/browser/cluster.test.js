/** A page of one node in a room of another, and a page whose node is killed. */

import { afterAll, beforeAll, expect } from 'vitest';
import { LocalCluster } from '../../bench/cluster/local-cluster.js';
import { findNats } from '../../deploy/cluster-processes.js';
import { requireOrSkip } from '../skip.js';
import { chromiumPath, openBrowser } from './support/browser.js';
import { CUT_OFF, expectProblems, joinRoom, people } from './support/room-page.js';

const nats = findNats();
const cluster = new LocalCluster();
/** @type {Awaited<ReturnType<typeof openBrowser>>} */
let opened;

requireOrSkip(nats !== null && chromiumPath, 'nats-server or Chromium is not installed').describe('pages of a cluster', () => {
  beforeAll(async () => {
    [opened] = await Promise.all([openBrowser(), cluster.start(/** @type {string} */ (nats))]);
  });
  afterAll(async () => {
    await opened?.close();
    await cluster.close();
  });

  const shows = (/** @type {import('playwright-core').Page} */ page, /** @type {string[]} */ ...names) =>
    expect.poll(async () => (await people(page)).map((text) => names.find((name) => text.startsWith(name)) ?? text).toSorted()).toEqual(names.toSorted());

  for (const transport of /** @type {const} */ (['webtransport', 'websocket', 'http1'])) {
    requireOrSkip(true, '').it(`of all nodes meet in one room over ${transport}, and again after its node was killed`, async () => {
      const room = `meet-${transport}`;
      const urls = [...cluster.nodes.values()].map(({ url }) => url);
      const [ann, bob, cid] = await Promise.all(['Ann', 'Bob', 'Cid'].map((name, i) => joinRoom(opened.browser, urls[i], room, { name, transport })));
      for (const page of [ann, bob, cid]) await shows(page, 'Ann', 'Bob', 'Cid');
      const owner = await cluster.ownerOf(room);
      for (const page of [ann, bob, cid]) expectProblems(page, CUT_OFF);
      await cluster.kill(owner);
      await expect.poll(() => cluster.peopleIn(room).then((found) => Object.values(found))).toEqual([3]);
      for (const page of [ann, bob, cid]) await shows(page, 'Ann', 'Bob', 'Cid');
      await Promise.all([ann, bob, cid].map((page) => page.context().close()));
      await cluster.startNode(owner.number);
      await cluster.settle(3);
    });
  }
});
