import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { afterAll, expect } from 'vitest';
import { startServer } from './aloud-server.js';
import { violationsOf } from './axe.js';
import { inChromium } from './chromium.js';
import { joinRoom, people, problemsOf } from './room-page.js';
import { useSite } from './site.js';

/** @typedef {import('playwright-core').Page} Page */

const button = (/** @type {Page} */ page, /** @type {string} */ name) => page.getByRole('button', { name, exact: true });
const said = (/** @type {Page} */ page) => page.getByRole('status').innerText();
const question = (/** @type {Page} */ page) => page.getByRole('dialog', { name: 'This room is being recorded' });

inChromium.describe('recording in Chromium', () => {
  const scratch = mkdtempSync(joinPath(tmpdir(), 'aloud-recordings-'));
  const site = useSite(['--recording-dir', scratch]);
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  inChromium.it('asks everybody, shows everybody that it is on, and gives the files', async () => {
    const anna = await site.join('tape', 'Anna');
    const ben = await site.join('tape', 'Ben');
    await button(anna, 'Record').click();
    await button(anna, 'Start recording').click();
    await anna.getByText('Being recorded: Anna.').waitFor();
    expect(await question(anna).count()).toBe(0);

    await question(ben).waitFor();
    expect(await question(ben).innerText()).toMatch(/Anna has started a recording\. Your voice is kept only if you agree/);
    expect(await violationsOf(ben)).toEqual([]);
    await button(ben, 'Don’t record me').click();
    await ben.getByText('Being recorded', { exact: true }).waitFor();
    expect(await people(anna)).toContainEqual(expect.stringMatching(/^Ben[^]*not recorded/));

    // Who comes later is asked too, and may change their mind.
    const cleo = await site.join('tape', 'Cleo');
    await question(cleo).getByRole('button', { name: 'Agree' }).click();
    await anna.getByText('Being recorded: Anna, Cleo.').waitFor();
    await button(cleo, 'Record: a recording is on').click();
    await cleo.getByRole('switch', { name: 'Record me' }).uncheck();
    await anna.getByText('Being recorded: Anna.').waitFor();
    await cleo.getByRole('switch', { name: 'Record me' }).check();
    await anna.getByText('Being recorded: Anna, Cleo.').waitFor();

    await anna.waitForTimeout(2500);
    await button(cleo, 'Stop recording').click();
    await expect.poll(() => said(ben)).toMatch(/Cleo stopped the recording|files are ready/);
    const files = anna.getByRole('list', { name: 'Files' });
    await files.getByRole('link', { name: 'Everybody together' }).waitFor({ timeout: 15_000 });
    expect(await anna.getByText('Being recorded', { exact: true }).locator('visible=true').count()).toBe(0);
    const [download] = await Promise.all([
      anna.waitForEvent('download'),
      files.getByRole('link', { name: 'Everybody together' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('mix.opus');
    expect(await download.failure()).toBeNull();
    for (const page of [anna, ben, cleo]) expect(problemsOf(page)).toEqual([]);
  });

  inChromium.it('takes the question back where the recording stops before the answer', async () => {
    const anna = await site.join('short', 'Anna');
    const ben = await site.join('short', 'Ben');
    await button(anna, 'Record').click();
    await button(anna, 'Start recording').click();
    await question(ben).waitFor();
    await button(anna, 'Stop recording').click();
    await expect.poll(() => question(ben).count()).toBe(0);
    await button(ben, 'Mute').click();
  });

  inChromium.it('is not offered by a server that records nothing', async () => {
    const none = await startServer('--recording-limit-mb', '0');
    const page = await joinRoom(site.browser, none.url, 'none', { name: 'Anna' });
    await page.getByText('1 person').waitFor();
    expect(await button(page, 'Record').count()).toBe(0);
    await page.context().close();
    await none.close();
  });
});
