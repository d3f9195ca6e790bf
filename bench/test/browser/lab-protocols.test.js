/** The protocols that the plugin adds to the page /lab. */

import { isBuilt } from '@aloud/native';
import { afterEach, expect } from 'vitest';
import plugin from '../../plugin/index.js';
import { missing } from '../../ways/webrtc.js';
import { errors } from '../../../public/shared/errors.js';
import { startServerWith } from '../../../testkit/aloud-server.js';
import { COLOURS, violationsOf } from '../../../testkit/browsers/axe.js';
import { chromiumPath, inBrowser, openBrowser } from '../../../testkit/browsers/browser.js';
import { download, ended, measure, tableOf } from '../../../testkit/browsers/lab-page.js';
import { canBuildNative, requireOrSkip } from '../../../testkit/skip.js';
import { undisturbed } from '../../../testkit/undisturbed.js';

const lacksWebRtc = await missing();

const onNative = chromiumPath
  ? requireOrSkip(isBuilt(), 'the native engine is not built', canBuildNative)
  : inBrowser;

const withPeers = lacksWebRtc === null ? onNative : requireOrSkip(false, lacksWebRtc, () => false);

/** Closes what a test opened. @type {(() => unknown)[]} */
const open = [];

async function closeAll() {
  for (const close of open.splice(0).toReversed()) await close();
}
afterEach(closeAll);

/** Names of the ways to carry packets on streams. */
const STREAMS = ['One stream', 'A stream each', 'Reset streams'];

/** Opens the page of a server whose sessions may ask for a way, and lists the errors it meets. */
async function openLab() {
  const server = await startServerWith(plugin, '--carry', 'any');
  open.push(() => server.close());
  const { browser, close } = await openBrowser({ isMeasured: true });
  open.push(close);
  const page = await browser.newPage();
  const problems = /** @type {string[]} */ ([]);
  page.on('pageerror', ({ message }) => void problems.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  await page.goto(`${server.url}/lab`);
  await page.getByRole('checkbox', { name: 'HTTP/1' }).waitFor();
  return { server, page, problems };
}

inBrowser.describe("the lab's page on a server with the plugin", () => {
  onNative.it('measures packets on streams too', () =>
    undisturbed(async () => {
      const { server, page, problems } = await openLab();
      expect(await page.locator('#protocols label').allInnerTexts()).toHaveLength(
        3 + STREAMS.length + 1,
      );
      const line = page.locator('#protocols .swatch.stream');
      await expect
        .poll(() => line.evaluate((swatch) => getComputedStyle(swatch).borderBlockStartStyle))
        .toBe('dashed');
      await page.getByRole('checkbox', { name: 'Data channel' }).setChecked(false);
      await measure(page, 6);
      await expect
        .poll(() => server.rooms.people, { timeout: 20_000 })
        .toBe(2 * (3 + STREAMS.length));
      await ended(page);
      const trips = await tableOf(page, 'Round trips of each protocol');
      for (const way of ['WebTransport', ...STREAMS]) {
        expect(Number(trips.Answered[way]), way).toBeGreaterThan(20);
        expect(trips.Lost[way], way).toBe('0');
      }
      expect(JSON.parse(await download(page, 'JSON')).round_trips.protocols).toHaveProperty(
        'reset-streams',
      );
      await page.setViewportSize({ width: 320, height: 800 });
      await expect
        .poll(() =>
          page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
          ),
        )
        .toBe(0);
      expect(await violationsOf(page, COLOURS)).toEqual([]);
      expect(problems).toEqual([]);
    }, closeAll),
  );

  withPeers.it(
    'measures a data channel to the server’s own peer, and says why where there is none',
    () =>
      undisturbed(async () => {
        const { server, page, problems } = await openLab();
        for (const other of STREAMS)
          await page.getByRole('checkbox', { name: other }).setChecked(false);
        await measure(page, 6, ['WebSocket']);
        await expect.poll(() => server.rooms.people, { timeout: 20_000 }).toBe(4);
        await ended(page);
        await expect.poll(() => server.rooms.people).toBe(0);
        const trips = await tableOf(page, 'Round trips of each protocol');
        expect(Number(trips.Answered['Data channel'])).toBeGreaterThan(100);
        expect(trips.Lost['Data channel']).toBe('0');
        expect(await violationsOf(page, 'empty-table-header')).toEqual([]);
        const sound = await tableOf(page, 'Sound latency of each protocol');
        expect(parseFloat(sound['Similarity to the original']['Data channel'])).toBeGreaterThan(70);
        const { protocols } = JSON.parse(await download(page, 'JSON')).round_trips;
        expect(Object.keys(protocols)).toEqual(['datachannel', 'websocket']);
        expect(problems).toEqual([]);

        const { status, message } = errors['server-full'];
        await page.route('**/api/data-channels', (route) =>
          route.fulfill({ status, json: { code: 'server-full', message } }),
        );
        await measure(page, 6, ['WebSocket']);
        await page.getByText(`Data channel was left out: ${message}`).waitFor();
        await ended(page);
        const { Lost } = await tableOf(page, 'Round trips of each protocol');
        expect(Object.keys(Lost)).toEqual(['WebSocket']);
        expect(problems).toEqual([expect.stringContaining('status of 503')]);
      }, closeAll),
  );
});
