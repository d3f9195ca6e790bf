import { expect } from 'vitest';
import { BROWSER, inBrowser } from '../../testkit/browsers/browser.js';
import { violationsOf } from '../../testkit/browsers/axe.js';
import { button, joinRoom, openPage, people } from './support/room-page.js';
import { useSite } from './support/site.js';

/** @typedef {import('playwright-core').Page} Page */

/** Counts how often the page asks for a microphone. @param {Page} page */
const countAsking = (page) =>
  page.addInitScript(() => {
    const { mediaDevices } = navigator;
    Object.assign(window, { asked: 0 });
    const open = mediaDevices.getUserMedia.bind(mediaDevices);
    mediaDevices.getUserMedia = (wish) => {
      /** @type {any} */ (window).asked += 1;
      return open(wish);
    };
  });

const asked = (/** @type {Page} */ page) => page.evaluate(() => /** @type {any} */ (window).asked);

inBrowser.describe(`the page of the call for listeners, in ${BROWSER}`, () => {
  const site = useSite(['--engine', 'none']);

  /** @param {string} room @param {number} width */
  async function listening(room, width = 390) {
    const page = await openPage(
      site.browser,
      `${site.url}/r/${room}?listen=call`,
      { viewport: { width, height: 800 } },
      countAsking,
    );
    return page;
  }

  inBrowser.it(
    'plays after one press, without a microphone, and says who is there and how many listen',
    async () => {
      const ann = await joinRoom(site.browser, site.url, 'hall', { name: 'Ann' });
      const lea = await listening('hall');
      expect(await lea.getByLabel('Microphone').isVisible()).toBe(false);
      expect(await violationsOf(lea)).toEqual([]);
      await button(lea, 'Listen').click();
      await button(lea, 'Leave').waitFor();
      await lea.getByText('1 person · 1 listener').waitFor();
      await ann.getByText('1 person · 1 listener').waitFor();
      expect(await people(ann)).toEqual([expect.stringMatching(/^Ann \(you\)/)]);
      expect(await people(lea)).toEqual([
        expect.stringMatching(/^Ann/),
        expect.stringMatching(/^Listener \(you\)/),
      ]);
      expect(await asked(lea)).toBe(0);
      expect(await lea.getByRole('button', { name: 'Options for Ann' }).isVisible()).toBe(false);
      expect(await violationsOf(lea)).toEqual([]);
      expect(await lea.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
        390,
      );
    },
  );

  inBrowser.it(
    'raises a hand by the keyboard, is let speak, and is a speaker to everybody',
    async () => {
      const ann = await joinRoom(site.browser, site.url, 'court', { name: 'Ann' });
      const lea = await listening('court', 1200);
      await lea.locator('#name').fill('Lea');
      await lea.keyboard.press('Enter');
      await button(lea, 'Leave').waitFor();
      await lea.keyboard.press('h');
      await ann.getByRole('button', { name: 'Let speak: Lea' }).waitFor();
      expect(await violationsOf(ann)).toEqual([]);
      await ann.getByRole('button', { name: 'Let speak: Lea' }).click();
      await expect
        .poll(() => people(ann))
        .toEqual([expect.stringMatching(/^Ann/), expect.stringMatching(/^Lea/)]);
      expect(await asked(lea)).toBe(0);
      await button(lea, 'Unmute').click();
      await button(lea, 'Mute').waitFor();
      expect(await asked(lea)).toBeGreaterThan(0);
      await expect.poll(async () => (await people(ann))[1]).not.toMatch(/muted/);
    },
  );

  inBrowser.it('are found by a moderator by their name, and removed', async () => {
    const ann = await joinRoom(site.browser, site.url, 'loft', { name: 'Ann' });
    for (const name of ['Lea', 'Max']) {
      const page = await listening('loft');
      await page.locator('#name').fill(name);
      await button(page, 'Listen').click();
      await button(page, 'Leave').waitFor();
    }
    await button(ann, 'Room').click();
    await ann.getByText('2 of 2 listeners').waitFor();
    await ann.getByLabel('Find a listener').fill('ma');
    await ann.getByText('1 of 2 listeners').waitFor();
    expect(await violationsOf(ann)).toEqual([]);
    await ann.getByRole('button', { name: 'Remove Max' }).click();
    await ann.getByText('The one listener has another name.').waitFor();
  });
});
