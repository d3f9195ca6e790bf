/** Text twice as large on the smallest phone, and forced colours: nothing is out of sight. */

import { expect } from 'vitest';
import { BROWSER, inBrowser } from '../../testkit/browsers/browser.js';
import { takePicture } from './support/contrast.js';
import { openPage } from './support/room-page.js';
import { useSite } from './support/site.js';

const WIDTH = 320;
const HEIGHT = 640;

/** Runs in the page: what reaches beyond its sides. */
function beyond() {
  const { clientWidth, scrollWidth } = document.documentElement;
  return [...document.querySelectorAll('main *, dialog *')]
    .filter((element) => element.checkVisibility() && !element.closest('.visually-hidden, svg'))
    .filter((element) => {
      const { left, right, width } = element.getBoundingClientRect();
      return width > 1 && (left < -1 || right > clientWidth + 1);
    })
    .map((element) => element.id || element.textContent?.slice(0, 40) || element.tagName)
    .concat(scrollWidth > clientWidth ? ['the page'] : []);
}

inBrowser.describe(`the page for low vision, in ${BROWSER}`, () => {
  const site = useSite(['--engine', 'none']);

  for (const locale of ['en', 'de', 'ar'])
    inBrowser.it(`leaves everything within reach of large text in ${locale}`, async () => {
      const url = `${site.url}/r/large-${locale}?name=Anna&processing=off`;
      const page = await openPage(site.browser, url, {
        ...{ locale, viewport: { width: WIDTH, height: HEIGHT }, forcedColors: 'active' },
      });
      const fits = async (/** @type {string} */ where) => {
        await takePicture(page, `${locale}-${where}`);
        expect([where, ...(await page.evaluate(beyond))]).toEqual([where]);
      };
      await page.evaluate(() => {
        document.documentElement.style.fontSize = '200%';
      });
      await page.locator('#sound-advanced summary').click();
      await fits('green-room');
      await page.locator('#join-button').click();
      await page.locator('#leave').waitFor();
      await fits('call');
      for (const panel of ['record', 'moderate', 'sound', 'settings']) {
        await page.locator('#more').click();
        const button = page.locator(`#${panel}`);
        const box = await button.boundingBox();
        expect([panel, box && box.y >= 0 && box.y + box.height <= HEIGHT]).toEqual([panel, true]);
        await button.click();
        await page.locator('#side-content :is(button, select)').first().waitFor();
        await fits(panel);
        await page.locator('#side-close').click();
      }
      await page.locator('#show-qr').click();
      await page.locator('dialog').waitFor();
      await fits('qr');
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
      await page.keyboard.press('?');
      await page.locator('dialog').waitFor();
      await fits('keys');
    });

  inBrowser.it(
    'shows in forced colours who speaks, the level, the quality and the parts of the delay',
    async () => {
      const page = await openPage(site.browser, `${site.url}/r/forced?name=Anna&processing=off`, {
        forcedColors: 'active',
      });
      /** True when the first of these has another colour than the place behind it. */
      const stands = (/** @type {string} */ selector) =>
        page.evaluate((first) => {
          const colour = (/** @type {Element | null} */ element) =>
            element && getComputedStyle(element).backgroundColor;
          return colour(document.querySelector(first)) !== colour(document.body);
        }, selector);
      expect(await stands('.level-bar')).toBe(true);
      await page.locator('#join-button').click();
      const tile = page.locator('.person').first();
      const outline = () => tile.evaluate((element) => getComputedStyle(element).outlineStyle);
      expect(await outline()).toBe('none');
      await tile.evaluate((element) => {
        element.classList.add('speaking');
        element.querySelector('.quality')?.setAttribute('data-quality', '2');
      });
      expect(await outline()).toBe('solid');
      expect(await stands('.quality span:nth-child(2)')).toBe(true);
      const bars = await tile
        .locator('.quality > span')
        .evaluateAll((all) => all.map((bar) => getComputedStyle(bar).backgroundColor));
      expect([bars[0] === bars[1], bars[1] === bars[2]]).toEqual([true, false]);
      await page.locator('#sound').click();
      const keys = page.locator('.part-key');
      await keys.first().waitFor();
      const colours = await keys.evaluateAll((all) =>
        all.map((key) => getComputedStyle(key).backgroundColor),
      );
      expect(new Set(colours).size).toBe(colours.length);
    },
  );
});
