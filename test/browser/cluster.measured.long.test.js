/**
 * A page of one node in a room of another, a page whose node is killed, and one that is let speak
 * at another node.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import { LocalCluster, longestGapMs, withoutPauses } from '../../testkit/local-cluster.js';
import { Headless } from '../../testkit/participants/headless.js';
import { readWav } from '../../testkit/sound/wav.js';
import { findNats } from '../../deploy/cluster-processes.js';
import { loadCodec } from '../../server/codec/codec.js';
import { WITH_PLUGIN } from '../../testkit/plugin.js';
import { requireOrSkip } from '../../testkit/skip.js';
import { undisturbed } from '../../testkit/undisturbed.js';
import { chromiumPath, openBrowser } from '../../testkit/browsers/browser.js';
import { allowRecorder, recordWholly } from './support/recording.js';
import { CUT_OFF, expectProblems, joinRoom, openPage, people } from './support/room-page.js';

const nats = findNats();
const OPERATOR = 'the-operator-of-the-cluster';
const cluster = new LocalCluster({
  argv: [...WITH_PLUGIN, '--relay-from', '1', '--operator-token', OPERATOR],
});

const [recorded] = (await readWav(new URL('../../testkit/speech/speech-low.wav', import.meta.url)))
  .channels;
const speech = withoutPauses(recorded);
/** @type {Awaited<ReturnType<typeof openBrowser>>} */
let opened;

requireOrSkip(nats !== null && chromiumPath, 'nats-server or Chromium is not installed').describe(
  'pages of a cluster',
  () => {
    beforeAll(async () => {
      [opened] = await Promise.all([openBrowser(), cluster.start(/** @type {string} */ (nats))]);
    });
    afterAll(async () => {
      await opened?.close();
      await cluster.close();
    });

    const shows = (
      /** @type {import('playwright-core').Page} */ page,
      /** @type {string[]} */ ...names
    ) =>
      expect
        .poll(async () =>
          (await people(page))
            .map((text) => names.find((name) => text.startsWith(name)) ?? text)
            .toSorted(),
        )
        .toEqual(names.toSorted());

    requireOrSkip(true, '').it(
      'hear the room without a gap where they listen at a relay, and are let speak',
      () =>
        undisturbed(async () => {
          const [{ url }] = cluster.nodes.values();
          const [codec, room] = [await loadCodec('libopus-wasm'), `stage-${Date.now()}`];
          const [spe, near] = [new Headless({ codec, speech }), new Headless({ codec })];
          await spe.join({ origin: url, room, name: 'Spe', transport: 'websocket' });
          await near.join({
            origin: url,
            room,
            name: 'Near',
            transport: 'websocket',
            listen: true,
          });
          const lea = await openPage(
            opened.browser,
            `${url}/r/${room}?listen=call&name=Lea&transport=websocket&processing=off`,
            {},
            allowRecorder,
          );
          try {
            await lea.getByRole('button', { name: 'Listen', exact: true }).click();
            await lea.getByRole('button', { name: 'Leave', exact: true }).waitFor();
            const owner = await cluster.ownerOf(room);
            const ask = async (
              /** @type {string} */ path,
              /** @type {RequestInit} */ options = {},
            ) =>
              fetch(`${owner.url}/api/rooms/${room}${path}`, {
                ...options,
                headers: {
                  authorization: `Bearer ${OPERATOR}`,
                  'content-type': 'application/json',
                },
              });
            const { id } = (await (await ask('/listeners')).json()).people.find(
              (/** @type {{ name: string }} */ { name }) => name === 'Lea',
            );
            await pause(1000);
            const heard = await recordWholly(lea);
            await pause(500);
            expect(
              (
                await ask(`/people/${id}`, {
                  method: 'PATCH',
                  body: JSON.stringify({ role: 'speaker' }),
                })
              ).status,
            ).toBe(204);
            await expect.poll(async () => (await (await ask('')).json()).listeners).toBe(1);
            await pause(1500);
            const sound = await heard();
            expect(sound.length).toBeGreaterThan(1.8 * 48_000);
            expect(longestGapMs(sound)).toBeLessThan(40);
            expect(spe.people.map(({ name }) => name).toSorted()).toEqual(['Lea', 'Spe']);
          } finally {
            await Promise.all([spe.close(), near.close(), lea.context().close()]);
          }
        }),
    );

    for (const transport of /** @type {const} */ (['webtransport', 'websocket', 'http1'])) {
      requireOrSkip(true, '').it(
        `of all nodes meet in one room over ${transport}, and again after its node was killed`,
        async () => {
          const room = `meet-${transport}`;
          const urls = [...cluster.nodes.values()].map(({ url }) => url);
          const [ann, bob, cid] = await Promise.all(
            ['Ann', 'Bob', 'Cid'].map((name, i) =>
              joinRoom(opened.browser, urls[i], room, { name, transport }),
            ),
          );
          for (const page of [ann, bob, cid]) await shows(page, 'Ann', 'Bob', 'Cid');
          const owner = await cluster.ownerOf(room);
          for (const page of [ann, bob, cid]) expectProblems(page, CUT_OFF);
          await cluster.kill(owner);
          await expect
            .poll(() => cluster.peopleIn(room).then((found) => Object.values(found)), {
              // If the fifth try fails, the next one may be 15 s away.
              timeout: 30_000,
            })
            .toEqual([3]);
          for (const page of [ann, bob, cid]) await shows(page, 'Ann', 'Bob', 'Cid');
          await Promise.all([ann, bob, cid].map((page) => page.context().close()));
          await cluster.startNode(owner.number);
          await cluster.settle(3);
        },
      );
    }
  },
);
