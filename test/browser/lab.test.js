import { isBuilt } from '@aloud/native';
import { expect } from 'vitest';
import { errors } from '../../public/shared/errors.js';
import { tokenCommand } from '../../server/token-command.js';
import { startServer } from './support/aloud-server.js';
import { chromiumPath, inBrowser } from './support/browser.js';
import { lowContrast } from './support/contrast.js';
import { download, openLab, startOf, tableOf } from './support/lab-page.js';
import { expectProblems, openPage } from './support/room-page.js';
import { useSite } from './support/site.js';
import { canBuildNative, requireOrSkip } from '../skip.js';
import { undisturbed } from '../support/undisturbed.js';

/**
 * @import { Page } from 'playwright-core'
 */

const PROTOCOLS = /** @type {const} */ (['WebTransport', 'WebSocket', 'HTTP/1']);

const library = await import('node-datachannel').catch(() => null);

const onNative = chromiumPath ? requireOrSkip(isBuilt(), 'the native engine is not built', canBuildNative) : inBrowser;

const withPeers = library ? onNative : requireOrSkip(false, 'node-datachannel is not installed', () => false);

/** A line of the accessibility tree that has a role and no name. */
const NAMELESS = /- (button|textbox|combobox|link|slider|meter|progressbar|img|checkbox|radio)\s*(\[|:|$)/m;

inBrowser.describe('the lab\'s page', () => {
  const site = useSite(['--idle-timeout-ms', '30000', '--server-delay-ms', '60']);

  const people = () => site.server.rooms.people;
  const ended = (/** @type {Page} */ page) => startOf(page).waitFor({ timeout: 40_000 });

  /** @param {Page} page @param {number} seconds @param {readonly string[]} [protocols] */
  async function measure(page, seconds, protocols = PROTOCOLS) {
    for (const protocol of PROTOCOLS) {
      const box = page.getByRole('checkbox', { name: protocol });
      if (await box.isEnabled()) await box.setChecked(protocols.includes(protocol));
    }
    await page.getByLabel('Duration').selectOption(String(seconds));
    await startOf(page).click();
  }

  inBrowser.it('measures all that are there by turns, and gives the data', () => undisturbed(async () => {
    const page = await openLab(site);
    const protocols = site.server.h3Port === null ? PROTOCOLS.slice(1) : PROTOCOLS;
    await measure(page, 6);
    await expect.poll(people, { timeout: 20_000 }).toBe(2 * protocols.length);
    await ended(page);
    expect(people()).toBe(0);
    expect(await page.getByRole('status').innerText()).toMatch(/^Done\. Median round trip: /);
    const trips = await tableOf(page, 'Round trips of each protocol');
    const sound = await tableOf(page, 'Sound latency of each protocol');
    for (const protocol of protocols) {
      const median = parseFloat(trips.Median[protocol]);
      expect(median).toBeGreaterThan(0);
      expect(median).toBeLessThan(50);
      expect(trips.Lost[protocol]).toBe('0');
      expect(Number(trips.Answered[protocol])).toBeGreaterThan(60);
      // 20 ms of frame and 60 ms of server-side delay are in both; the codecs' own delay in what is heard.
      const addedUp = parseFloat(sound['Added up, mean'][protocol]);
      expect(addedUp).toBeGreaterThan(80);
      const heard = parseFloat(sound['Heard, median'][protocol]);
      expect(heard - 80 - median).toBeGreaterThan(1);
      expect(heard - 80 - median).toBeLessThan(40);
      expect(parseFloat(sound['Likeness of the sound'][protocol])).toBeGreaterThan(90);
    }

    const json = JSON.parse(await download(page, 'JSON'));
    expect(json.environment).toMatchObject({ sample_rate: 48000, frame_ms: 20, cross_origin_isolated: true });
    expect(json.environment.user_agent).toMatch(/Chrome/);
    for (const { samples, lost } of Object.values(json.round_trips.protocols)) {
      expect(samples.round_trip_ms.length).toBeGreaterThan(60);
      expect(lost).toBe(0);
    }
    const lines = (await download(page, 'CSV')).trimEnd().split('\r\n');
    const table = lines.filter((line) => !line.startsWith('#')).map((line) => line.split(','));
    for (const row of table) expect(row.length).toBe(table[0].length);
    const count = Object.values(trips.Answered).reduce((sum, answered) => sum + Number(answered), 0);
    expect(table.filter(([kind]) => kind === 'round_trip').length).toBe(count);
  }, () => site.closePages()));

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
    await page.getByText(/turn 1 of \d+/).first().waitFor({ timeout: 20_000 });
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
      for (const protocol of ['WebSocket', 'HTTP/1']) await page.locator('#protocols').getByLabel(protocol).uncheck();
      await startOf(page).click();
      expect(await page.locator('#measure-problem').innerText()).toMatch(/at least one/);
    } finally {
      await alone.close();
    }
  });

  onNative.it('measures packets on streams too, where the server lets a session ask for that', () => undisturbed(async () => {
    const asked = await startServer('--carry', 'any');
    try {
      const page = await openPage(site.browser, `${asked.url}/lab`);
      await page.getByRole('checkbox', { name: 'HTTP/1' }).waitFor();
      const ways = ['One stream', 'A stream each', 'Reset streams'];
      expect(await page.locator('#protocols label').allInnerTexts()).toHaveLength(3 + ways.length + 1);
      await page.getByRole('checkbox', { name: 'Data channel' }).setChecked(false);
      await measure(page, 6);
      await expect.poll(() => asked.rooms.people, { timeout: 20_000 }).toBe(2 * (3 + ways.length));
      await ended(page);
      const trips = await tableOf(page, 'Round trips of each protocol');
      for (const way of ['WebTransport', ...ways]) {
        expect(Number(trips.Answered[way]), way).toBeGreaterThan(20);
        expect(trips.Lost[way], way).toBe('0');
      }
      expect(JSON.parse(await download(page, 'JSON')).round_trips.protocols).toHaveProperty('reset-streams');
      await page.setViewportSize({ width: 320, height: 800 });
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
      expect(await page.evaluate(lowContrast)).toEqual([]);
    } finally {
      await asked.close();
    }
  }, () => site.closePages()));

  withPeers.it('measures a data channel to the server’s own peer, and says why where there is none', () => undisturbed(async () => {
    const asked = await startServer('--carry', 'any');
    try {
      const page = await openPage(site.browser, `${asked.url}/lab`);
      await page.getByRole('checkbox', { name: 'Data channel' }).waitFor();
      for (const other of ['One stream', 'A stream each', 'Reset streams']) await page.getByRole('checkbox', { name: other }).setChecked(false);
      await measure(page, 6, ['WebSocket']);
      await expect.poll(() => asked.rooms.people, { timeout: 20_000 }).toBe(4);
      await ended(page);
      expect(asked.rooms.people).toBe(0);
      const trips = await tableOf(page, 'Round trips of each protocol');
      expect(Number(trips.Answered['Data channel'])).toBeGreaterThan(100);
      expect(trips.Lost['Data channel']).toBe('0');
      const sound = await tableOf(page, 'Sound latency of each protocol');
      expect(parseFloat(sound['Likeness of the sound']['Data channel'])).toBeGreaterThan(70);
      const { protocols } = JSON.parse(await download(page, 'JSON')).round_trips;
      expect(Object.keys(protocols)).toEqual(['datachannel', 'websocket']);

      expectProblems(page, /status of 503/);
      const { status, message } = errors['server-full'];
      await page.route('**/api/data-channels', (route) => route.fulfill({ status, json: { code: 'server-full', message } }));
      await measure(page, 6, ['WebSocket']);
      await page.getByText(`Data channel was left out: ${message}`).waitFor();
      await ended(page);
      expect(Object.keys(await tableOf(page, 'Round trips of each protocol').then(({ Lost }) => Lost))).toEqual(['WebSocket']);
    } finally {
      await asked.close();
    }
  }, () => site.closePages()));

  inBrowser.it('needs a token where joining does, and takes it out of the address', () => undisturbed(async () => {
    const keys = 'main:a-secret-of-at-least-32-characters';
    const closed = await startServer('--engine', 'none', '--keys', keys);
    try {
      const stranger = await openPage(site.browser, `${closed.url}/lab`);
      await stranger.getByRole('checkbox', { name: 'HTTP/1' }).waitFor();
      await measure(stranger, 6, ['WebSocket', 'HTTP/1']);
      for (const protocol of ['WebSocket', 'HTTP/1']) {
        await stranger.getByText(`${protocol} was left out: Joining here needs an invitation.`).waitFor();
      }
      await expect.poll(() => stranger.getByRole('status').innerText()).toBe('Nothing was measured.');
      expect(closed.rooms.people).toBe(0);
      const { token } = await tokenCommand(['--room', 'measured', '--name', 'Lab', '--keys', keys], { env: {} });
      const page = await openPage(site.browser, `${closed.url}/lab#token=${token}`);
      await page.getByRole('checkbox', { name: 'HTTP/1' }).waitFor();
      expect(page.url()).toBe(`${closed.url}/lab`);
      await measure(page, 6, ['WebSocket', 'HTTP/1']);
      await expect.poll(() => closed.rooms.get('measured')?.size, { timeout: 20_000 }).toBe(4);
      await ended(page);
      const trips = await tableOf(page, 'Round trips of each protocol');
      for (const protocol of ['WebSocket', 'HTTP/1']) expect(Number(trips.Answered[protocol])).toBeGreaterThan(60);
      const sound = await tableOf(page, 'Sound latency of each protocol');
      for (const protocol of ['WebSocket', 'HTTP/1']) expect(parseFloat(sound['Likeness of the sound'][protocol])).toBeGreaterThan(90);
      expect(closed.rooms.people).toBe(0);
    } finally {
      await closed.close();
    }
  }, () => site.closePages()));

  inBrowser.it('can be read and used at any width, light and dark', async () => {
    const page = await openLab(site, { viewport: { width: 390, height: 800 }, reducedMotion: 'reduce' });
    await measure(page, 6, ['WebSocket', 'HTTP/1']);
    await ended(page);
    for (const summary of await page.locator('summary').all()) if (await summary.isVisible()) await summary.click();
    for (const width of [320, 390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await expect
        .poll(() => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth))
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
