import { expect } from 'vitest';
import { tokenCommand } from '../../server/token-command.js';
import { startServer } from '../../testkit/aloud-server.js';
import { inBrowser } from '../../testkit/browsers/browser.js';
import { ended, measure, openLab, startOf, tableOf } from '../../testkit/browsers/lab-page.js';
import { lowContrast } from './support/contrast.js';
import { openPage } from './support/room-page.js';
import { useSite } from './support/site.js';

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
    await expect.poll(people).toBe(0);
    expect(await page.getByRole('status').innerText()).toMatch(/^Stopped/);
    await startOf(page).click();
    // A join that is answered as its page goes away is nobody's to take back.
    await page
      .getByText(/turn 1 of \d+/)
      .first()
      .waitFor({ timeout: 20_000 });
    await page.goto('about:blank');
    await expect.poll(people).toBe(0);
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
      await page.locator('#protocols').getByLabel('WebSocket').check();
      expect(await page.locator('#measure-problem').isVisible()).toBe(false);
    } finally {
      await alone.close();
    }
  });

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
      await expect.poll(() => closed.rooms.people).toBe(0);
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
