import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { CHROMIUM_ARGUMENTS, findChromium } from '../../../testkit/browsers/chromium.js';
import { canServeSound, startSoundServer } from '../../../testkit/browsers/sound-server.js';
import { formatWav } from '../../../testkit/sound/wav.js';
import { requireOrSkip } from '../../../testkit/skip.js';
import { startServer } from '../../../testkit/aloud-server.js';
import { chromiumPath, inBrowser } from '../../../testkit/browsers/browser.js';
import { keepTracks, openPage } from '../support/room-page.js';

/** @typedef {import('playwright-core').Page} Page */

const tests = chromiumPath
  ? requireOrSkip(canServeSound(), 'PulseAudio, with pactl and paplay, is not installed')
  : inBrowser;

/** The settings of the page's open microphones. @param {Page} page @returns {Promise<any[]>} */
const microphones = (page) =>
  page.evaluate(() =>
    /** @type {any} */ (window).testTracks
      .filter((/** @type {any} */ track) => track.readyState === 'live')
      .map((/** @type {any} */ track) => track.getSettings()),
  );

tests.describe('a microphone on PulseAudio, in Chromium', () => {
  /** @type {Awaited<ReturnType<typeof startServer>>} */
  let server;
  /** @type {Awaited<ReturnType<typeof startSoundServer>>} */
  let sound;
  /** @type {import('playwright-core').Browser} */
  let browser;

  beforeAll(async () => {
    server = await startServer();
    const silence = new Float32Array(48000);
    sound = await startSoundServer({
      microphone: formatWav({ sampleRate: 48000, channels: [silence, silence] }),
      speaker: true,
    });
    browser = await chromium.launch({
      executablePath: findChromium(),
      args: [...CHROMIUM_ARGUMENTS, '--use-fake-ui-for-media-stream'],
      env: { ...process.env, ...sound.environment },
    });
  });
  afterAll(async () => {
    await browser?.close();
    await sound?.close();
    await server?.close();
  });

  /** @param {string} room @param {...string} switches  turned on in the green room */
  async function join(room, ...switches) {
    const page = await openPage(browser, `${server.url}/r/${room}?name=Ann`, {}, (opened) =>
      opened.addInitScript(keepTracks),
    );
    await page.getByText('Sound settings').click();
    for (const name of switches) await page.getByRole('switch', { name }).check();
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('button', { name: 'Leave' }).waitFor();
    return page;
  }

  tests.it(
    'gives music in pieces as short as those of a voice, and the page says what it adds',
    async () => {
      const page = await join('music-room', 'Music');
      expect(await microphones(page)).toEqual([
        expect.objectContaining({
          echoCancellation: 'remote-only',
          noiseSuppression: false,
          autoGainControl: false,
          latency: 0.01,
        }),
      ]);
      await page.getByRole('button', { name: 'Sound', exact: true }).click();
      await expect
        .poll(() => page.locator('.sound-sum').innerText())
        .toMatch(/Sound card and speaker\s+\d+ ms[^]*Your own microphone adds \d+ ms/);
      expect(await page.locator('.sound-sum').innerText()).not.toMatch(/NaN|undefined|null/);
    },
  );

  tests.it('keeps both sides of music apart, in the longer pieces that it has then', async () => {
    const page = await join('stereo-music', 'Music', 'Stereo');
    expect(await microphones(page)).toEqual([
      expect.objectContaining({ echoCancellation: false, channelCount: 2 }),
    ]);
    expect(await page.getByRole('alert').innerText()).not.toMatch(/both sides/);
  });

  tests.it('says that a voice’s two sides are the same, until that is no longer so', async () => {
    const page = await join('stereo-voice', 'Stereo');
    await expect
      .poll(() => page.getByRole('alert').innerText())
      .toMatch(/makes both sides of a microphone the same/);
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('switch', { name: 'Music' }).check();
    await expect.poll(() => page.getByRole('alert').innerText()).not.toMatch(/both sides/);
  });
});
