import { expect } from 'vitest';
import { loadCodec } from '../../../server/codec/codec.js';
import { BROWSER, inBrowser } from '../../../testkit/browsers/browser.js';
import { Headless } from '../../../testkit/participants/headless.js';
import { fanNoise } from '../../../testkit/sound/noise.js';
import { levelDb } from '../../../testkit/sound/signal.js';
import { noticeText } from '../../../public/texts/texts.js';
import { expectProblems, keepTracks } from '../support/room-page.js';
import { useSite } from '../support/site.js';

/** @typedef {import('playwright-core').Page} Page */

const RATE = 48_000;

const toggle = (/** @type {Page} */ page, /** @type {string} */ name) =>
  page.getByRole('switch', { name, exact: true });

inBrowser.describe(`noise suppression in ${BROWSER}`, () => {
  const site = useSite(['--silence-suppression', 'false'], {
    speech: fanNoise(60 * RATE, 1),
  });

  /** @param {string} room */
  async function listener(room) {
    const guest = new Headless({ codec: await loadCodec('libopus-wasm'), recordSeconds: 60 });
    await guest.join({ origin: site.url, room, name: 'Ben', transport: 'websocket' });
    return guest;
  }

  /** The level of the last second that somebody heard, in dBFS. @param {Headless} guest */
  const heardDb = ({ recording, recorded }) =>
    levelDb(recording.subarray(recorded - RATE, recorded));

  /** Opens a green room without processing. @param {string} room */
  async function open(room) {
    const page = await site.page(`/r/${room}?name=Ann`);
    await page.getByText('Sound settings').click();
    for (const name of ['Echo cancellation', 'Noise suppression', 'Automatic gain'])
      await toggle(page, name).uncheck();
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('button', { name: 'Leave' }).waitFor();
    return page;
  }

  inBrowser.it(
    'of the page takes out a fan once it is chosen, and leaves it in music',
    async () => {
      const page = await open('fan');
      const guest = await listener('fan');
      try {
        await expect.poll(() => heardDb(guest)).toBeGreaterThan(-45);
        await page.waitForTimeout(1000);
        const fanDb = heardDb(guest);
        await page.getByRole('button', { name: 'Settings' }).click();
        expect(await toggle(page, 'Stronger noise suppression').isDisabled()).toBe(true);
        await toggle(page, 'Noise suppression').check();
        await toggle(page, 'Stronger noise suppression').check();
        await expect.poll(() => heardDb(guest)).toBeLessThan(fanDb - 10);
        await page.getByRole('button', { name: 'Sound', exact: true }).click();
        await page.getByText('10 ms of your sound’s delay comes from noise suppression.').waitFor();

        await page.getByRole('button', { name: 'Settings' }).click();
        await toggle(page, 'Music').check();
        await expect.poll(() => heardDb(guest)).toBeGreaterThan(fanDb - 2);
      } finally {
        await guest.close();
      }
    },
  );

  inBrowser.it('is the browser’s, with a sentence, where the model doesn’t load', async () => {
    const page = await open('no-model');
    await page.route('**/vendor/rnnoise-wasm/*', (route) => route.abort());
    expectProblems(page, /net::ERR_|rnnoise/);
    await page.evaluate(keepTracks);
    await page.getByRole('button', { name: 'Settings' }).click();
    await toggle(page, 'Noise suppression').check();
    await toggle(page, 'Stronger noise suppression').check();
    await page.getByText(noticeText('noise-model')).waitFor();
    const last = () =>
      page.evaluate(() => {
        const track = /** @type {any} */ (window).testTracks.at(-1);
        return { state: track.readyState, on: track.getSettings().noiseSuppression };
      });
    await expect.poll(last).toEqual({ state: 'live', on: true });
    expect(await page.getByRole('button', { name: 'Leave' }).isVisible()).toBe(true);
  });
});
