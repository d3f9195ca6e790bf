import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { afterAll, expect } from 'vitest';
import { align } from '../../testkit/sound/signal.js';
import { readWav } from '../../testkit/sound/wav.js';
import { undisturbed } from '../../testkit/undisturbed.js';
import { startServer } from '../../testkit/aloud-server.js';
import { violationsOf } from '../../testkit/browsers/axe.js';
import { BROWSER, inBrowser, openBrowser } from '../../testkit/browsers/browser.js';
import { announced, button, joinRoom, people } from './support/room-page.js';
import { useSite } from './support/site.js';

/** @typedef {import('playwright-core').Page} Page */

/**
 * Runs in the page: what a file sounds like, as 32-bit floats at 48 kHz in base64.
 * @param {string} href
 */
async function playBack(href) {
  const context = new OfflineAudioContext(1, 48000, 48000);
  const file = await (await fetch(href)).arrayBuffer();
  const samples = (await context.decodeAudioData(file)).getChannelData(0);
  const reader = new FileReader();
  reader.readAsDataURL(new Blob([samples.slice()]));
  await new Promise((resolve) => void reader.addEventListener('load', resolve));
  return String(reader.result).split(',')[1];
}

const question = (/** @type {Page} */ page) =>
  page.getByRole('dialog', { name: 'This room is being recorded' });

/**
 * Records what a page says, and compares what the files sound like.
 * @param {Page} page in the room
 * @param {Float32Array} speech its text
 */
async function keepSpeech(page, speech) {
  await button(page, 'Record').click();
  await button(page, 'Start recording').click();
  await page.getByText('Being recorded: Anna.').waitFor();
  await page.waitForTimeout(7500);
  await button(page, 'Stop recording').click();
  const files = page.getByRole('list', { name: 'Files' });
  await files.getByRole('link').nth(1).waitFor({ timeout: 15_000 });
  const lags = [];
  for (const name of ['Everybody together', 'Anna']) {
    const href = String(await files.getByRole('link', { name }).getAttribute('href'));
    const bytes = Buffer.from(await page.evaluate(playBack, href), 'base64');
    const heard = new Float32Array(
      bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
    );
    const { lag, correlation } = align(speech, heard);
    expect(correlation).toBeGreaterThan(0.9);
    lags.push(lag);
  }
  expect(Math.abs(lags[0] - lags[1])).toBeLessThanOrEqual(2);
}

inBrowser.describe(`recording in ${BROWSER}`, () => {
  const scratch = mkdtempSync(joinPath(tmpdir(), 'aloud-recordings-'));
  const site = useSite(['--recording-dir', scratch]);
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  inBrowser.it('asks everybody, shows everybody that it is on, and gives the files', async () => {
    const anna = await site.join('tape', 'Anna');
    const ben = await site.join('tape', 'Ben');
    await button(anna, 'Record').click();
    await button(anna, 'Start recording').click();
    await anna.getByText('Being recorded: Anna.').waitFor();
    expect(await question(anna).count()).toBe(0);

    await question(ben).waitFor();
    expect(await question(ben).innerText()).toMatch(
      /Anna has started a recording\. Your voice is kept only if you agree/,
    );
    expect(await violationsOf(ben)).toEqual([]);
    await button(ben, 'Don’t record me').click();
    await ben.getByText('Being recorded', { exact: true }).waitFor();
    expect(await people(anna)).toContainEqual(expect.stringMatching(/^Ben[^]*not recorded/));

    // Somebody who comes later is asked too, and may change their mind.
    const cleo = await site.join('tape', 'Cleo');
    await question(cleo).getByRole('button', { name: 'Agree' }).click();
    await anna.getByText('Being recorded: Anna, Cleo.').waitFor();
    await button(cleo, 'Record: a recording is on').click();
    await cleo.getByRole('switch', { name: 'Record me' }).uncheck();
    await anna.getByText('Being recorded: Anna.').waitFor();
    await cleo.getByRole('switch', { name: 'Record me' }).check();
    await anna.getByText('Being recorded: Anna, Cleo.').waitFor();

    await anna.waitForTimeout(2500);
    // Neither who started it nor a moderator.
    expect(await button(cleo, 'Stop recording').count()).toBe(0);
    await button(anna, 'Stop recording').click();
    await expect.poll(() => announced(ben)).toMatch(/Anna stopped the recording|files are ready/);
    const files = anna.getByRole('list', { name: 'Files' });
    await files.getByRole('link', { name: 'Everybody together' }).waitFor({ timeout: 15_000 });
    expect(
      await anna.getByText('Being recorded', { exact: true }).locator('visible=true').count(),
    ).toBe(0);
    const [download] = await Promise.all([
      anna.waitForEvent('download'),
      files.getByRole('link', { name: 'Everybody together' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('mix.opus');
    expect(await download.failure()).toBeNull();
  });

  inBrowser.it(
    'is stopped by who started it, though they may start none any more, and by a moderator',
    async () => {
      const anna = await site.join('rights', 'Anna');
      const ben = await site.join('rights', 'Ben');
      await button(ben, 'Record').click();
      await button(ben, 'Start recording').click();
      await question(anna).getByRole('button', { name: 'Agree' }).click();
      await button(anna, 'Room').click();
      await anna.getByLabel('Who may record').selectOption('Moderators');
      await button(ben, 'Stop recording').click();
      await ben.getByText('The recording’s files are ready.').first().waitFor({ timeout: 15_000 });
      // Neither button is left to Ben, so the panel has the focus.
      expect(await button(ben, 'Start recording').isVisible()).toBe(false);
      expect(await ben.evaluate(() => document.activeElement?.id)).toBe('side');

      await anna.getByLabel('Who may record').selectOption('Everybody');
      await button(ben, 'Start recording').click();
      await question(anna).getByRole('button', { name: 'Agree' }).click();
      await button(anna, 'Record: a recording is on').click();
      await button(anna, 'Stop recording').click();
      await expect.poll(() => announced(ben)).toMatch(/Anna stopped the recording|files are ready/);
    },
  );

  inBrowser.it(
    'keeps what was spoken: the files, played back, are the speech, to the sample',
    async () => {
      const { channels } = await readWav(
        new URL('../../testkit/speech/speech-low.wav', import.meta.url),
      );
      const speech = channels[0].subarray(0, 3 * 48000);
      const spoken = new Float32Array(4 * 48000 + speech.length);
      spoken.set(speech, 4 * 48000);
      /** @type {Awaited<ReturnType<typeof openBrowser>> | undefined} */
      let speaker;
      let tries = 0;
      const close = async () => {
        await speaker?.close();
        speaker = undefined;
      };
      const keep = async () => {
        speaker = await openBrowser({ speech: spoken });
        await keepSpeech(
          await joinRoom(speaker.browser, site.url, `spoken-${(tries += 1)}`, { name: 'Anna' }),
          speech,
        );
      };
      await undisturbed(keep, close).finally(close);
    },
  );

  inBrowser.it('takes the question back where the recording stops before the answer', async () => {
    const anna = await site.join('short', 'Anna');
    const ben = await site.join('short', 'Ben');
    await button(anna, 'Record').click();
    await button(anna, 'Start recording').click();
    await question(ben).waitFor();
    await button(anna, 'Stop recording').click();
    await expect.poll(() => question(ben).count()).toBe(0);
    await button(ben, 'Mute').click();
  });

  inBrowser.it('is not offered by a server that records nothing', async () => {
    const none = await startServer('--recording-limit', '0MB');
    const page = await joinRoom(site.browser, none.url, 'none', { name: 'Anna' });
    await page.getByText('1 person').waitFor();
    expect(await button(page, 'Record').count()).toBe(0);
    await page.context().close();
    await none.close();
  });
});
