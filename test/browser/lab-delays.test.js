/** What the lab's page shows of the server-side delay: the received audio follows it. */

import { expect } from 'vitest';
import { inBrowser } from './support/browser.js';
import { download, openLab, startOf, tableOf } from './support/lab-page.js';
import { useSite } from './support/site.js';
import { undisturbed } from '../support/undisturbed.js';

inBrowser.describe("the lab's page", () => {
  const site = useSite(['--idle-timeout-ms', '30000', '--server-delay-ms', '60']);
  const people = () => site.server.rooms.people;

  inBrowser.it('shows how received audio follows the delay', () =>
    undisturbed(
      async () => {
        const page = await openLab(site);
        await page.locator('#delay-protocols').getByLabel('WebSocket').check();
        const slider = page.getByRole('slider', { name: 'Server-side delay' });
        await slider.fill('0');
        await page.getByRole('button', { name: 'Try delays' }).click();
        const heard = async () => [
          await page.locator('#heard-a-text').innerText(),
          await page.locator('#heard-b-text').innerText(),
        ];
        const percent = async () => (await heard()).map(parseFloat);
        // At 0 ms one of the two hears nothing: the other's frame comes half a frame after its own.
        await expect
          .poll(async () => Math.min(...(await percent())), { timeout: 15_000 })
          .toBeLessThan(30);
        await slider.focus();
        for (let i = 0; i < 25; i++) await page.keyboard.press('ArrowRight');
        expect(await page.locator('#server-delay-value').innerText()).toBe('100 ms');
        await expect
          .poll(async () => Math.min(...(await percent())), { timeout: 15_000 })
          .toBeGreaterThan(90);
        await page.getByText('As a table').last().click();
        await expect
          .poll(() => tableOf(page, 'Received audio by server-side delay'))
          .toHaveProperty('100 ms');
        await page.getByRole('button', { name: 'Stop' }).click();
        await expect.poll(people).toBe(0);
        await page.getByRole('button', { name: 'Try delays' }).waitFor();
        expect(await heard()).toEqual(['–', '–']);
        const table = await tableOf(page, 'Received audio by server-side delay');
        expect(parseFloat(table['100 ms']['WebSocket, client A'])).toBeGreaterThan(60);
      },
      () => site.closePages(),
    ),
  );

  inBrowser.it('sweeps through the delays', () =>
    undisturbed(
      async () => {
        const page = await openLab(site);
        for (const protocol of ['WebTransport', 'HTTP/1']) {
          const box = page.locator('#protocols').getByLabel(protocol);
          if (await box.isEnabled()) await box.uncheck();
        }
        await page.getByRole('button', { name: 'Sweep 0 to 400 ms' }).click();
        expect(await startOf(page).isDisabled()).toBe(true);
        await page.getByRole('button', { name: 'Sweep 0 to 400 ms' }).waitFor({ timeout: 60_000 });
        expect(await page.getByRole('status').innerText()).toMatch(
          /^Done\. Both clients hear 90 % from \d+ ms on/,
        );
        const least = await tableOf(page, 'The least delay that will do');
        expect(parseFloat(least['B hears 90 % from'].WebSocket)).toBeLessThan(50);
        const { spans } = JSON.parse(await download(page, 'JSON')).received_audio;
        expect(new Set(spans.map((/** @type {any} */ span) => span.server_delay_ms)).size).toBe(51);
        expect(people()).toBe(0);
      },
      () => site.closePages(),
    ),
  );
});
