import { expect } from 'vitest';
import { loadCodec } from '../../../server/codec/codec.js';
import { BROWSER, inBrowser } from '../../../testkit/browsers/browser.js';
import { Headless } from '../../../testkit/participants/headless.js';
import { levelDb } from '../../../testkit/sound/signal.js';
import { formatWav } from '../../../testkit/sound/wav.js';
import { button } from '../support/room-page.js';
import { useSite } from '../support/site.js';

const RATE = 48_000;

/** Level of the shared tone, in dBFS, and its length in seconds. */
const TONE_DB = -17;
const TONE_SECONDS = 6;

const tone = Float32Array.from(
  { length: TONE_SECONDS * RATE },
  (_, i) => 0.2 * Math.sin((2 * Math.PI * 1000 * i) / RATE),
);

inBrowser.describe(`a shared sound in ${BROWSER}`, () => {
  const site = useSite();

  inBrowser.it('of a file is heard by others beside its owner, until it is over', async () => {
    const page = await site.join('share', 'Ann');
    const guest = new Headless({ codec: await loadCodec('libopus-wasm'), recordSeconds: 60 });
    try {
      await guest.join({ origin: site.url, room: 'share', name: 'Ben', transport: 'websocket' });
      const heardDb = () =>
        levelDb(guest.recording.subarray(guest.recorded - RATE / 2, guest.recorded));
      await page.getByRole('button', { name: 'Sound', exact: true }).click();
      await page.locator('#share-file').setInputFiles({
        name: 'Tune.wav',
        mimeType: 'audio/wav',
        buffer: Buffer.from(formatWav({ sampleRate: RATE, channels: [tone, tone] })),
      });
      await page.getByText('Everybody hears “Tune” beside your voice.').waitFor();
      await expect.poll(heardDb).toBeGreaterThan(TONE_DB - 1);
      expect(heardDb()).toBeLessThan(TONE_DB + 1);
      const people = page.getByRole('list', { name: 'People in the room' });
      expect(await people.innerText()).toMatch(/Ann[^]*Tune\s+shared by Ann[^]*Ben/);
      expect(await page.getByText('2 people').first().isVisible()).toBe(true);
      await page.getByText('It is over: nobody hears it any more.').waitFor();
      const names = () => guest.people.map(({ name }) => name);
      await expect.poll(names).toEqual(['Ann', 'Ben']);
      await expect.poll(heardDb).toBeLessThan(-100);
    } finally {
      await guest.close();
    }
  });

  inBrowser.it('is not sent in a later call than the one that it was chosen in', async () => {
    const page = await site.join('later', {
      name: 'Ann',
      prepare: (blank) =>
        blank.addInitScript(() => {
          const { arrayBuffer } = Blob.prototype;
          const mayRead = new Promise((resolve) => Object.assign(window, { read: resolve }));
          Blob.prototype.arrayBuffer = async function () {
            await mayRead;
            return arrayBuffer.call(this);
          };
        }),
    });
    await button(page, 'Sound').click();
    await page.locator('#share-file').setInputFiles({
      name: 'Tune.wav',
      mimeType: 'audio/wav',
      buffer: Buffer.from(formatWav({ sampleRate: RATE, channels: [tone, tone] })),
    });
    await page.getByText('The file is being read.').waitFor();
    await button(page, 'Leave').click();
    await button(page, 'Join').click();
    await button(page, 'Sound').click();
    await page.evaluate(() => /** @type {any} */ (window).read());
    await page.getByText('You share none.').waitFor();
    expect(site.server.rooms.get('later')?.size).toBe(1);
  });
});
