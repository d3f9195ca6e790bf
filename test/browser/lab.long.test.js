import { isBuilt } from '@aloud/native';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { errors } from '../../public/shared/errors.js';
import { loadPlugin } from '../../server/plugin.js';
import { tokenCommand } from '../../server/token-command.js';
import { startServer, startServerWith } from '../../testkit/aloud-server.js';
import { violationsOf } from '../../testkit/browsers/axe.js';
import { chromiumPath, inBrowser } from '../../testkit/browsers/browser.js';
import { lowContrast } from './support/contrast.js';
import { download, ended, measure, openLab, startOf, tableOf } from './support/lab-page.js';
import { expectProblems, openPage } from './support/room-page.js';
import { useSite } from './support/site.js';
import { canBuildNative, requireOrSkip } from '../../testkit/skip.js';
import { undisturbed } from '../../testkit/undisturbed.js';

/** The lab's plugin, as `--lab FILE` loads it. */
const plugin = await loadPlugin(
  fileURLToPath(new URL('../../bench/plugin/index.js', import.meta.url)),
);
const library = await import('node-datachannel').catch(() => null);

const onNative = chromiumPath
  ? requireOrSkip(isBuilt(), 'the native engine is not built', canBuildNative)
  : inBrowser;

const withPeers = library
  ? onNative
  : requireOrSkip(false, 'node-datachannel is not installed', () => false);

/** A line of the accessibility tree that has a role and no name. */
const NAMELESS =
  /- (button|textbox|combobox|link|slider|meter|progressbar|img|checkbox|radio)\s*(\[|:|$)/m;

inBrowser.describe("the lab's page", () => {
  const site = useSite(['--idle-timeout-ms', '30000', '--server-delay-ms', '60'], {
    isMeasured: true,
  });

  const people = () => site.server.rooms.people;

  inBrowser.it('leaves nobody on the server when it is stopped, or goes away', async () => {
    const page = await openLab(site);
    await measure(page, 60);
    await expect.poll(people, { timeout: 20_000 }).toBeGreaterThan(3);
    await page.getByRole('button', { name: 'Stop' }).click();
    await ended(page);
    await expect.poll(people, { timeout: 5000 }).toBe(0);
    expect(await page.getByRole('status').innerText()).toMatch(/^Stopped/);
    await startOf(page).click();
    // A join that is answered as its page goes away is nobody's to take back.
    await page
      .getByText(/turn 1 of \d+/)
      .first()
      .waitFor({ timeout: 20_000 });
    await page.goto('about:blank');
    await expect.poll(people, { timeout: 5000 }).toBe(0);
  });

  inBrowser.it('says why a protocol is not there, and asks for one at least', async () => {
    const alone = await startServer('--engine', 'none');
    try {
      const page = await openPage(site.browser, `${alone.url}/lab`);
      const box = page.locator('#protocols').getByLabel('WebTransport');
      await box.waitFor();
      expect(await box.isDisabled()).toBe(true);
      expect(await page.locator('#protocols label').first().innerText()).toMatch(/engine none/);
      expect(await page.locator('#delay-protocols').getByLabel('WebSocket').isChecked()).toBe(true);
      for (const protocol of ['WebSocket', 'HTTP/1'])
        await page.locator('#protocols').getByLabel(protocol).uncheck();
      await startOf(page).click();
      expect(await page.locator('#measure-problem').innerText()).toMatch(/at least one/);
    } finally {
      await alone.close();
    }
  });

  onNative.it('measures packets on streams too, where the server lets a session ask for that', () =>
    undisturbed(
      async () => {
        const asked = await startServerWith(plugin, '--carry', 'any');
        try {
          const page = await openPage(site.browser, `${asked.url}/lab`);
          await page.getByRole('checkbox', { name: 'HTTP/1' }).waitFor();
          const ways = ['One stream', 'A stream each', 'Reset streams'];
          expect(await page.locator('#protocols label').allInnerTexts()).toHaveLength(
            3 + ways.length + 1,
          );
          await page.getByRole('checkbox', { name: 'Data channel' }).setChecked(false);
          await measure(page, 6);
          await expect
            .poll(() => asked.rooms.people, { timeout: 20_000 })
            .toBe(2 * (3 + ways.length));
          await ended(page);
          const trips = await tableOf(page, 'Round trips of each protocol');
          for (const way of ['WebTransport', ...ways]) {
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
          expect(await page.evaluate(lowContrast)).toEqual([]);
        } finally {
          await asked.close();
        }
      },
      () => site.closePages(),
    ),
  );

  withPeers.it(
    'measures a data channel to the server’s own peer, and says why where there is none',
    () =>
      undisturbed(
        async () => {
          const asked = await startServerWith(plugin, '--carry', 'any');
          try {
            const page = await openPage(site.browser, `${asked.url}/lab`);
            await page.getByRole('checkbox', { name: 'Data channel' }).waitFor();
            for (const other of ['One stream', 'A stream each', 'Reset streams'])
              await page.getByRole('checkbox', { name: other }).setChecked(false);
            await measure(page, 6, ['WebSocket']);
            await expect.poll(() => asked.rooms.people, { timeout: 20_000 }).toBe(4);
            await ended(page);
            expect(asked.rooms.people).toBe(0);
            const trips = await tableOf(page, 'Round trips of each protocol');
            expect(Number(trips.Answered['Data channel'])).toBeGreaterThan(100);
            expect(trips.Lost['Data channel']).toBe('0');
            expect(await violationsOf(page, 'empty-table-header')).toEqual([]);
            const sound = await tableOf(page, 'Sound latency of each protocol');
            expect(parseFloat(sound['Similarity to the original']['Data channel'])).toBeGreaterThan(
              70,
            );
            const { protocols } = JSON.parse(await download(page, 'JSON')).round_trips;
            expect(Object.keys(protocols)).toEqual(['datachannel', 'websocket']);

            expectProblems(page, /status of 503/);
            const { status, message } = errors['server-full'];
            await page.route('**/api/data-channels', (route) =>
              route.fulfill({ status, json: { code: 'server-full', message } }),
            );
            await measure(page, 6, ['WebSocket']);
            await page.getByText(`Data channel was left out: ${message}`).waitFor();
            await ended(page);
            expect(
              Object.keys(
                await tableOf(page, 'Round trips of each protocol').then(({ Lost }) => Lost),
              ),
            ).toEqual(['WebSocket']);
          } finally {
            await asked.close();
          }
        },
        () => site.closePages(),
      ),
  );

  inBrowser.it('needs a token where joining does, and takes it out of the address', async () => {
    const keys = 'main:a-secret-of-at-least-32-characters';
    const closed = await startServer('--engine', 'none', '--keys', keys);
    try {
      const stranger = await openPage(site.browser, `${closed.url}/lab`);
      await stranger.getByRole('checkbox', { name: 'HTTP/1' }).waitFor();
      await measure(stranger, 6, ['WebSocket', 'HTTP/1']);
      for (const protocol of ['WebSocket', 'HTTP/1']) {
        await stranger
          .getByText(`${protocol} was left out: Joining here needs an invitation.`)
          .waitFor();
      }
      await expect
        .poll(() => stranger.getByRole('status').innerText())
        .toBe('Nothing was measured.');
      expect(closed.rooms.people).toBe(0);
      const { token } = await tokenCommand(
        ['--room', 'measured', '--name', 'Lab', '--keys', keys],
        { env: {} },
      );
      const page = await openPage(site.browser, `${closed.url}/lab#token=${token}`);
      await page.getByRole('checkbox', { name: 'HTTP/1' }).waitFor();
      expect(page.url()).toBe(`${closed.url}/lab`);
      await measure(page, 6, ['WebSocket', 'HTTP/1']);
      await expect.poll(() => closed.rooms.get('measured')?.size, { timeout: 20_000 }).toBe(4);
      await ended(page);
      const trips = await tableOf(page, 'Round trips of each protocol');
      for (const protocol of ['WebSocket', 'HTTP/1'])
        expect(Number(trips.Answered[protocol])).toBeGreaterThan(60);
      // The likeness on a machine of its own is for sound/lab.measured.long.test.js.
      const sound = await tableOf(page, 'Sound latency of each protocol');
      for (const protocol of ['WebSocket', 'HTTP/1'])
        expect(parseFloat(sound['Similarity to the original'][protocol])).toBeGreaterThan(50);
      expect(closed.rooms.people).toBe(0);
    } finally {
      await site.closePages();
      await closed.close();
    }
  });

  inBrowser.it('can be read and used at any width, light and dark', async () => {
    const page = await openLab(site, {
      viewport: { width: 390, height: 800 },
      reducedMotion: 'reduce',
    });
    await measure(page, 6, ['WebSocket', 'HTTP/1']);
    await ended(page);
    for (const summary of await page.locator('summary').all())
      if (await summary.isVisible()) await summary.click();
    for (const width of [320, 390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await expect
        .poll(() =>
          page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
          ),
        )
        .toBe(0);
      for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
        await page.emulateMedia({ colorScheme });
        expect([colorScheme, ...(await page.evaluate(lowContrast))]).toEqual([colorScheme]);
      }
    }
    expect(await page.locator('body').ariaSnapshot()).not.toMatch(NAMELESS);
    for (const plot of await page.locator('.plot:visible').all()) {
      expect(await plot.getAttribute('aria-label')).toMatch(/^Plot: /);
      expect((await plot.boundingBox())?.height).toBeGreaterThan(200);
    }
    await page.getByRole('radio', { name: 'Histogram' }).check();
    expect(await page.locator('#round-trip-histogram').isVisible()).toBe(true);
    expect(await page.locator('#round-trip-cumulative').isVisible()).toBe(false);
    for (const button of await page.getByRole('button').all()) {
      expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    }
  });
});
