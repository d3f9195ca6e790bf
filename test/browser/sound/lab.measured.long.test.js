/** Measurements of the lab's page: beside tests that compute most of them have no verdict. */

import { expect } from 'vitest';
import { inBrowser } from '../../../testkit/browsers/browser.js';
import {
  download,
  ended,
  measure,
  openLab,
  PROTOCOLS,
  startOf,
  tableOf,
} from '../../../testkit/browsers/lab-page.js';
import { useSite } from '../support/site.js';
import { undisturbed } from '../../../testkit/undisturbed.js';

inBrowser.describe("measurements of the lab's page", () => {
  const site = useSite(['--idle-timeout-ms', '30000', '--server-delay-ms', '60']);

  const people = () => site.server.rooms.people;

  inBrowser.it('measures all that are there by turns, and gives the data', () =>
    undisturbed(
      async () => {
        const page = await openLab(site);
        const protocols = site.server.h3Port === null ? PROTOCOLS.slice(1) : PROTOCOLS;
        await measure(page, 6);
        await expect.poll(people, { timeout: 20_000 }).toBe(2 * protocols.length);
        await ended(page);
        await expect.poll(people).toBe(0);
        expect(await page.getByRole('status').innerText()).toMatch(/^Done\. Median round trip: /);
        const trips = await tableOf(page, 'Round trips of each protocol');
        const sound = await tableOf(page, 'Sound latency of each protocol');
        for (const protocol of protocols) {
          const median = parseFloat(trips.Median[protocol]);
          expect(median).toBeGreaterThan(0);
          expect(median).toBeLessThan(50);
          expect(trips.Lost[protocol]).toBe('0');
          expect(Number(trips.Answered[protocol])).toBeGreaterThan(60);
          // 20 ms of frame and 60 ms of server-side delay are in both; the codecs' own delay in
          // what is heard.
          const addedUp = parseFloat(sound['Added up, mean'][protocol]);
          expect(addedUp).toBeGreaterThan(80);
          const heard = parseFloat(sound['Heard, median'][protocol]);
          expect(heard - 80 - median).toBeGreaterThan(1);
          expect(heard - 80 - median).toBeLessThan(40);
          expect(parseFloat(sound['Similarity to the original'][protocol])).toBeGreaterThan(90);
        }

        const json = JSON.parse(await download(page, 'JSON'));
        expect(json.environment).toMatchObject({
          sample_rate: 48000,
          frame_ms: 20,
          cross_origin_isolated: true,
        });
        expect(json.environment.user_agent).toMatch(/Chrome/);
        for (const { samples, lost } of Object.values(json.round_trips.protocols)) {
          expect(samples.round_trip_ms.length).toBeGreaterThan(60);
          expect(lost).toBe(0);
        }
        const lines = (await download(page, 'CSV')).trimEnd().split('\r\n');
        const table = lines.filter((line) => !line.startsWith('#')).map((line) => line.split(','));
        for (const row of table) expect(row.length).toBe(table[0].length);
        const count = Object.values(trips.Answered).reduce(
          (sum, answered) => sum + Number(answered),
          0,
        );
        expect(table.filter(([kind]) => kind === 'round_trip').length).toBe(count);
      },
      () => site.closePages(),
    ),
  );

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
        expect(parseFloat(least['B hears 90 % from a delay of'].WebSocket)).toBeLessThan(50);
        const { spans } = JSON.parse(await download(page, 'JSON')).received_audio;
        expect(new Set(spans.map((/** @type {any} */ span) => span.server_delay_ms)).size).toBe(51);
        await expect.poll(people).toBe(0);
      },
      () => site.closePages(),
    ),
  );
});
