/** The lab's page measures all protocols at once, which beside other tests has no verdict. */

import { expect } from 'vitest';
import { inBrowser } from '../support/browser.js';
import { download, ended, measure, openLab, PROTOCOLS, tableOf } from '../support/lab-page.js';
import { useSite } from '../support/site.js';
import { undisturbed } from '../../support/undisturbed.js';

inBrowser.describe("the lab's page, alone", () => {
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
});
