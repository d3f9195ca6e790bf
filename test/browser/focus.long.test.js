/** The keyboard’s place after the element that had it is gone: never at the page’s beginning. */

import { setTimeout as pass } from 'node:timers/promises';
import { expect } from 'vitest';
import { moderate } from '../../public/client/call/moderate.js';
import { noticeText } from '../../public/texts/texts.js';
import { BROWSER, inBrowser } from '../../testkit/browsers/browser.js';
import { formatWav } from '../../testkit/sound/wav.js';
import { useSite } from './support/site.js';
import { button } from './support/room-page.js';

/** @typedef {import('playwright-core').Page} Page */

/** The focused element's id, label or text; 'lost' when it is hidden or none. @param {Page} page */
const focused = (page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (element === document.body || !element?.checkVisibility()) return 'lost';
    return element.id || element.getAttribute('aria-label') || element.textContent?.trim();
  });

/** Presses a button by the keyboard. @param {import('playwright-core').Locator} one */
async function press(one) {
  await one.focus();
  await one.press('Enter');
}

/** Sends a message of a page's call. @param {Page} page @param {object} message */
const send = (page, message) =>
  page.evaluate((one) => /** @type {any} */ (window).aloud.call.sendControl(one), message);

inBrowser.describe(`the keyboard’s place in ${BROWSER}`, () => {
  const site = useSite(['--engine', 'none']);

  inBrowser.it(
    'is kept when one goes back from a group, and when the groups are over',
    async () => {
      const anna = await site.join('school', 'Anna');
      const ben = await site.join('school', 'Ben');
      await button(anna, 'Room').click();
      await button(anna, 'Open the groups').click();
      await press(button(ben, 'Back to the room'));
      const bar = ben.getByRole('region', { name: 'Groups' });
      await bar.getByText('Groups are open. You are in the room.').waitFor();
      expect(await focused(ben)).toBe('call-title');
      await anna.getByLabel('Your group').focus();
      await send(anna, moderate.callBack(0));
      await anna.getByRole('region', { name: 'Groups' }).waitFor({ state: 'hidden' });
      expect(await focused(anna)).toBe('call-title');
    },
  );

  inBrowser.it('is kept when a backing track is chosen, and when it is taken out', async () => {
    const page = await site.join('band', 'Anna');
    await button(page, 'Sound').click();
    const silence = new Float32Array(48_000);
    await button(page, 'Choose a file').focus();
    await page.locator('#track-file').setInputFiles({
      name: 'Tune.wav',
      mimeType: 'audio/wav',
      buffer: Buffer.from(formatWav({ sampleRate: 48_000, channels: [silence, silence] })),
    });
    await button(page, 'Take it out').waitFor();
    expect(await focused(page)).toBe('Choose another file');
    await press(button(page, 'Take it out'));
    await page.locator('.backing-track').getByText('There is none.').waitFor();
    expect(await focused(page)).toBe('Choose a file');
  });

  inBrowser.it('gets nothing from a key that is still held', async () => {
    const page = await site.join('held', 'Anna');
    await button(page, 'Leave').focus();
    await page.keyboard.down('Enter');
    await button(page, 'Join').waitFor();
    await button(page, 'Join').focus();
    for (let i = 0; i < 5; i++) await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await pass(1000);
    expect(await button(page, 'Leave').isVisible()).toBe(false);
    await page.keyboard.press('Enter');
    await button(page, 'Leave').waitFor();
  });

  inBrowser.it('is kept when a notice is shown again, or dismissed', async () => {
    const page = await site.join('notes', 'Anna');
    const show = (/** @type {string[]} */ ...codes) =>
      page.evaluate((all) => {
        const { call } = /** @type {any} */ (window).aloud;
        for (const code of all) call.dispatchEvent(new CustomEvent('notice', { detail: { code } }));
      }, codes);
    await show('room-mono', 'stereo-processed');
    await button(page, 'Dismiss').first().focus();
    await show('room-mono');
    expect(await page.locator('.notice:focus-within').getAttribute('data-code')).toBe('room-mono');
    await press(button(page, 'Dismiss').first());
    expect(await focused(page)).toBe('Dismiss');
    await page.keyboard.press('Enter');
    expect(await focused(page)).toBe('call-title');
  });

  inBrowser.it('is kept when a connection stays lost', async () => {
    const page = await site.join('lost', 'Anna');
    const lose = (/** @type {number} */ agoMs) =>
      page.evaluate((ms) => {
        const { store } = /** @type {any} */ (window).aloud.call;
        const now = Date.now();
        store.set({ state: 'away', away: { since: now - ms, nextTry: now + 60_000 } });
      }, agoMs);
    await lose(0);
    await button(page, 'Try now').focus();
    await lose(31_000);
    await page.getByText(noticeText('reconnecting-long')).waitFor();
    expect(await focused(page)).toBe('Try now');
  });

  inBrowser.it('is kept on a phone when a panel of its menu is closed', async () => {
    const page = await site.join('phone', 'Anna');
    await page.setViewportSize({ width: 390, height: 800 });
    for (const close of [
      () => page.keyboard.press('Escape'),
      () => press(button(page, 'Close')),
      async () => {
        await press(button(page, 'More'));
        await press(button(page, 'Settings'));
      },
    ]) {
      await press(button(page, 'More'));
      await press(button(page, 'Settings'));
      await expect.poll(() => focused(page)).toBe('call-microphone');
      await close();
      expect(await focused(page)).toBe('more');
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await press(button(page, 'Settings'));
    await page.keyboard.press('Escape');
    expect(await focused(page)).toBe('settings');
  });

  inBrowser.it(
    'is kept when files of one’s own are listed again, and when one is deleted',
    async () => {
      const page = await site.join('own', 'Anna');
      await page.route('**/api/recordings/r/', (route) => route.fulfill({ json: { files: [] } }));
      await button(page, 'Sound').click();
      const part = page.locator('.own-recording');
      await button(page, 'Record my microphone').click();
      await part.getByText(/0:01/).waitFor();
      await press(button(page, 'Stop and keep'));
      const row = page.locator('.own-file');
      await row.waitFor();
      expect(await focused(page)).toBe('Record my microphone');
      const keep = row.getByRole('button').first();
      await keep.focus();
      const label = await focused(page);
      expect(label).toMatch(/own-Anna/);
      await page.evaluate(() => {
        const { call } = /** @type {any} */ (window).aloud;
        call.store.set({
          recording: {
            id: 'r',
            on: false,
            ready: true,
            by: 'Anna',
            startedAt: '2026-11-29T12:00:00Z',
          },
        });
      });
      await page.waitForTimeout(500);
      expect(await focused(page)).toBe(label);
      await press(row.getByRole('button').last());
      await expect.poll(() => row.count()).toBe(0);
      expect(await focused(page)).toBe('Record my microphone');
    },
  );

  inBrowser.it('is kept when one moderates, writes or speaks no more', async () => {
    const anna = await site.join('rules', 'Anna');
    const ben = await site.join('rules', 'Ben');
    const id = await ben.evaluate(() => /** @type {any} */ (window).aloud.call.store.value.you);
    await send(anna, moderate.setRole(id, 'moderator'));
    await button(ben, 'Room').waitFor();
    await button(ben, 'Room').focus();
    await send(anna, moderate.setRole(id, 'speaker'));
    await button(ben, 'Room').waitFor({ state: 'hidden' });
    expect(await focused(ben)).toBe('call-title');

    await button(ben, 'Chat').click();
    await button(ben, 'Send').focus();
    await send(anna, moderate.allow('chat', 'moderators'));
    await expect.poll(() => button(ben, 'Send').isDisabled()).toBe(true);
    expect(await focused(ben)).toBe('chat-text-field');

    await button(ben, 'Options for Anna').focus();
    await send(anna, moderate.setRole(id, 'listener'));
    await button(ben, 'Options for Anna').waitFor({ state: 'hidden' });
    expect(await focused(ben)).toBe('call-title');
  });

  inBrowser.it('is kept when the room can no longer be recorded', async () => {
    const page = await site.join('unrecorded', 'Anna');
    await button(page, 'Record').focus();
    await page.evaluate(() => {
      const { call } = /** @type {any} */ (window).aloud;
      call.store.set({ canRecord: false });
    });
    expect(await focused(page)).toBe('call-title');
  });

  inBrowser.it('stays among the people when one is no longer alone', async () => {
    const page = await site.join('alone', 'Anna');
    await page.locator('#stage').focus();
    await site.guest('alone', 'Ben');
    await button(page, 'Options for Ben').waitFor();
    expect(await focused(page)).toBe('stage');
  });

  inBrowser.it('stays where one has gone on while a panel is loaded', async () => {
    /** @type {(value?: unknown) => void} */
    let load = () => {};
    const mayLoad = new Promise((resolve) => (load = resolve));
    const page = await site.join('slow', {
      name: 'Anna',
      prepare: (blank) =>
        blank.route('**/settings-panel.js', async (route) => {
          await mayLoad;
          await route.continue();
        }),
    });
    await press(button(page, 'Settings'));
    await button(page, 'Mute').focus();
    load();
    await page.getByLabel('Microphone', { exact: true }).waitFor();
    expect(await focused(page)).toBe('mute');
  });

  inBrowser.it('is kept on the listeners’ page when a name is entered', async () => {
    await site.guest('hall', 'Anna');
    const page = await site.page('/r/hall?listen');
    await page.getByLabel('Your name').fill('Lea');
    await page.keyboard.press('Enter');
    await button(page, 'Pause').waitFor();
    expect(await focused(page)).toBe('listen-button');
    await page.getByLabel('Volume').focus();
    await page.evaluate(() => /** @type {any} */ (window).aloud.call.leave());
    await button(page, 'Listen').waitFor();
    expect(await focused(page)).toBe('listen-button');
  });
});
