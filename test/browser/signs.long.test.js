/**
 * A room's state on the page: the time since a broadcast began, signs and buttons on small screens.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { afterAll, expect } from 'vitest';
import { moderate } from '../../public/client/call/moderate.js';
import { BROWSER, inBrowser } from '../../testkit/browsers/browser.js';
import { button, openPage } from './support/room-page.js';
import { useSite } from './support/site.js';

/** @typedef {import('playwright-core').Page} Page */

const NAME = 'Annabella Wonderful-Longname';

/** @param {Page} page @param {object} message */
const send = (page, message) =>
  page.evaluate((one) => /** @type {any} */ (window).aloud.call.sendControl(one), message);

/**
 * @param {Page} page
 * @param {string} selector
 * @returns {Promise<{ x: number, y: number, width: number, height: number }[]>} boxes
 */
const boxesOf = (page, selector) =>
  page
    .locator(selector)
    .evaluateAll((elements) =>
      elements
        .map((element) => element.getBoundingClientRect().toJSON())
        .filter(({ width }) => width > 0),
    );

/** The seconds that the sign of a broadcast shows. @param {Page} page */
const liveSeconds = async (page) => {
  const [, minutes, seconds] =
    /LIVE (\d+):(\d+)/.exec(await page.locator('.live').innerText()) ?? [];
  return 60 * Number(minutes) + Number(seconds);
};

const scratch = await mkdtemp(joinPath(tmpdir(), 'aloud-signs-'));
afterAll(() => rm(scratch, { recursive: true, force: true }));

inBrowser.describe(`what a room is, in ${BROWSER}`, () => {
  const site = useSite(['--engine', 'none', '--embed-origins', '*', '--recording-dir', scratch]);

  /** @param {string} room @param {number} width */
  async function join(room, width) {
    const page = await openPage(site.browser, `${site.url}/r/${room}?name=${NAME}&processing=off`, {
      viewport: { width, height: 800 },
    });
    await button(page, 'Join').click();
    await button(page, 'Leave').waitFor();
    return page;
  }

  inBrowser.it('counts from when a broadcast began, whatever else happens', async () => {
    const ann = await join('live', 1280);
    await send(ann, moderate.broadcast(true));
    await expect.poll(() => liveSeconds(ann)).toBeGreaterThanOrEqual(3);
    // The answer comes with all that is known of the room.
    await send(ann, moderate.bans());
    await ann.waitForTimeout(300);
    expect(await liveSeconds(ann)).toBeGreaterThanOrEqual(3);
  });

  inBrowser.it('offers nothing in an encrypted room that can’t be there', async () => {
    const page = await site.page('/');
    await button(page, 'Start an encrypted room').click();
    await page.getByLabel('Name').fill('Ann');
    await button(page, 'Join').click();
    await button(page, 'Room').click();
    await page.getByLabel('Who may write').waitFor();
    expect(await page.getByLabel('Who may record').isVisible()).toBe(false);
    expect(await button(page, 'Go live').isVisible()).toBe(false);
  });

  inBrowser.it(
    'tells one who comes onto the stage to press Unmute, also while a recording asks, ' +
      'until they have',
    async () => {
      const ann = await join('stage', 1280);
      await send(ann, moderate.broadcast(true));
      await send(ann, { type: 'record', on: true });
      const lis = await openPage(site.browser, `${site.url}/r/stage?listen&name=Lis`, {
        viewport: { width: 390, height: 800 },
      });
      await button(lis, 'Listen').click();
      await button(lis, 'Raise hand').click();
      await button(ann, /^Let speak/).click();
      const notice = lis.getByText('You are on stage, and muted. Press Unmute to be heard.');
      await notice.waitFor();
      await lis.getByText('This room is being recorded').waitFor();
      await button(lis, 'Agree').click();
      expect(await notice.isVisible()).toBe(true);
      await button(lis, 'Unmute').click();
      await button(lis, 'Mute').waitFor();
      expect(await notice.isVisible()).toBe(false);
    },
  );

  for (const width of [1280, 390, 320])
    inBrowser.it(`has room for its signs, buttons and names at ${width} px`, async () => {
      const ann = await join(`acoustics-of-large-rooms-${width}`, width);
      await ann.locator('.stats span').first().waitFor();
      const buttons = await boxesOf(ann, '.call-share .button');
      for (const one of await boxesOf(ann, '.connection span, .call-room h1')) {
        for (const other of buttons)
          expect(
            one.x + one.width <= other.x ||
              one.y + one.height <= other.y ||
              other.y + other.height <= one.y,
          ).toBe(true);
      }
      await send(ann, moderate.broadcast(true));
      await send(ann, { type: 'record', on: true });
      await ann.locator('#recording-badge').waitFor();
      const [title] = await boxesOf(ann, '.call-room h1');
      for (const pill of await boxesOf(ann, '.live, #recording-badge'))
        expect(title.y - pill.y - pill.height).toBeGreaterThanOrEqual(3);

      await send(ann, { type: 'record', on: false });
      if (width < 700) await button(ann, 'More').click();
      await button(ann, 'Record').click();
      await ann.locator('.file').nth(1).waitFor();
      // A line of text is some 26 px high.
      const heights = (await boxesOf(ann, '.file span')).map(({ height }) => height);
      expect(Math.max(...heights)).toBeLessThan(60);
      expect(Math.min(...heights)).toBeLessThan(30);
      expect(await ann.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
        width,
      );
    });

  inBrowser.it('stands in the middle of another page’s frame before one listens', async () => {
    await site.guest('frame', 'Ann');
    const page = await openPage(site.browser, `${site.url}/r/frame?listen&embed`, {
      viewport: { width: 480, height: 224 },
    });
    await page.getByText('Press Listen.').waitFor();
    const boxes = await boxesOf(page, '.listen > *');
    const below = 224 - Math.max(...boxes.map(({ y, height }) => y + height));
    expect(Math.abs(below - Math.min(...boxes.map(({ y }) => y)))).toBeLessThan(24);
  });
});
