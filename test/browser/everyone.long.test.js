import { expect } from 'vitest';
import { COLOURS, violationsOf } from '../../testkit/browsers/axe.js';
import { BROWSER, inBrowser } from '../../testkit/browsers/browser.js';
import { lowContrast, takePicture } from './support/contrast.js';
import { button, openPage, people } from './support/room-page.js';
import { useSite } from './support/site.js';

/** @typedef {import('playwright-core').Page} Page */

/**
 * Limit for a room's page before the codec, in bytes over the wire: 179.6 kB in English on
 * 2026-11-29, in 89 files. Another language adds some 20.
 */
const MOST_BYTES = 180_000;

inBrowser.describe(`the page for everyone, in ${BROWSER}`, () => {
  const site = useSite();

  for (const width of [390, 1280]) {
    inBrowser.it(
      `has nothing that axe-core objects to, at ${width} px, light and dark`,
      async () => {
        const page = await site.page('/', {
          viewport: { width, height: 800 },
          reducedMotion: 'reduce',
        });
        const check = async (/** @type {string} */ where) => {
          // The two differ by their colours alone.
          for (const [colorScheme, rule] of /** @type {const} */ ([
            ['light', undefined],
            ['dark', COLOURS],
          ])) {
            await page.emulateMedia({ colorScheme });
            const about = `${where}, ${colorScheme}`;
            expect([about, ...(await violationsOf(page, rule))]).toEqual([about]);
            expect([about, ...(await page.evaluate(lowContrast))]).toEqual([about]);
            await takePicture(page, `${width}-${colorScheme}-${where.replaceAll(' ', '-')}`);
            expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
          }
        };
        const open = async (/** @type {string} */ name) => {
          const wanted = button(page, name);
          if (!(await wanted.isVisible())) await button(page, 'More').click();
          await wanted.click();
        };
        const room = `everyone-${width}`;
        await check('start');
        await page.goto(`${site.url}/r/${room}?name=Anna&processing=off`);
        await page.getByText('Sound settings').click();
        await page.getByText('Advanced').click();
        await button(page, 'Test my level').click();
        await check('green room');
        await button(page, 'Join').click();
        await page.getByText('You are the only one here.').waitFor();
        await check('alone');
        await site.join(room, 'Ben');
        await button(page, 'Options for Ben').click();
        await check('two people');
        await open('Chat');
        await page.getByLabel('Message to everybody').fill('Hello https://example.org');
        await page.keyboard.press('Enter');
        await page.getByRole('link', { name: 'https://example.org' }).waitFor();
        await check('chat');
        await open('Sound');
        await page.getByRole('img', { name: 'Bit rate' }).waitFor();
        await page.getByText('For the operator').click();
        await check('sound');
        await open('Settings');
        await check('settings');
        await open('Record');
        await check('record');
        await page.keyboard.press('Escape');
        await open('QR code');
        await page.getByRole('img', { name: 'QR code' }).waitFor();
        await check('QR code');
      },
    );
  }

  inBrowser.it(
    'shows two people to each other, and five, on a desk and in the hand, without a scroll ' +
      'bar to the side',
    async () => {
      const names = ['Anna', 'Ben', 'Cleo', 'Dora', 'Emil'];
      const pages = /** @type {Page[]} */ ([]);
      const seesAll = async (/** @type {Page} */ page) => {
        const own = names[pages.indexOf(page)];
        const all = names
          .slice(0, pages.length)
          .map((name) => expect.stringMatching(`^${name}${name === own ? ' \\(you\\)' : ''}`));
        await expect.poll(() => people(page)).toEqual(all);
      };
      for (const name of names) {
        pages.push(await site.join('five', name));
        if (pages.length === 2) for (const page of pages) await seesAll(page);
      }
      for (const page of pages) await seesAll(page);
      const [anna] = pages;
      await anna.getByText('5 people').waitFor();
      for (const width of [320, 390, 1280]) {
        await anna.setViewportSize({ width, height: 800 });
        const overflow = await anna.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(overflow).toBe(0);
        const bar = await anna.getByRole('group', { name: 'Call controls' }).boundingBox();
        expect(bar && bar.y + bar.height).toBeLessThanOrEqual(800);
        await takePicture(anna, `five-people-${width}`);
        for (const name of ['Mute', 'Raise hand', 'Chat', 'Leave']) {
          const box = await button(anna, name).boundingBox();
          expect(box?.height).toBeGreaterThanOrEqual(48);
          expect(box?.width).toBeGreaterThanOrEqual(48);
        }
      }
    },
  );

  inBrowser.it(
    'is light: it comes compressed, and the codec, the plots and the QR code only when ' +
      'they are needed',
    async () => {
      let bytes = 0;
      /** @type {string[]} */
      const loaded = [];
      const page = await openPage(site.browser, 'about:blank', {}, async (blank) => {
        const network = await blank.context().newCDPSession(blank);
        await network.send('Network.enable');
        network.on(
          'Network.loadingFinished',
          ({ encodedDataLength }) => (bytes += encodedDataLength),
        );
        blank.on('response', (response) => loaded.push(new URL(response.url()).pathname));
      });
      await page.goto(`${site.url}/r/light?name=Anna`);
      await button(page, 'Join').waitFor();
      await page.waitForLoadState('networkidle');
      console.info(`the room's page: ${bytes} bytes in ${loaded.length} files`);
      expect(bytes).toBeGreaterThan(10_000);
      expect(bytes).toBeLessThan(MOST_BYTES);
      expect(
        loaded.filter((path) => /vendor|processor|client\/worker|sound-panel/.test(path)),
      ).toEqual([]);
      expect(
        await page.evaluate(() => performance.getEntriesByName('first-contentful-paint').length),
      ).toBe(1);
    },
  );
});
