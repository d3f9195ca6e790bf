import { expect } from 'vitest';
import { violationsOf } from '../../testkit/browsers/axe.js';
import { inBrowser } from '../../testkit/browsers/browser.js';
import { languages } from '../../public/texts/language.js';
import { openPage } from './support/room-page.js';
import { useSite } from './support/site.js';

const codes = Object.keys(languages).filter((code) => code !== 'en');

/** Runs in the page: what is wider than the page, or cut off. @param {string} within  a selector */
const cutOff = (within) =>
  [...document.querySelectorAll(within)]
    .flatMap((part) => [
      ...part.querySelectorAll('button, h1, h2, label, legend, select, summary, a'),
    ])
    .filter((element) => element.checkVisibility())
    .filter((element) => {
      const { left, right } = element.getBoundingClientRect();
      return left < -1 || right > innerWidth + 1 || element.scrollWidth > element.clientWidth + 2;
    })
    .map((element) => element.id || element.textContent);

inBrowser.describe('the page on a phone', () => {
  const site = useSite();

  for (const code of codes)
    inBrowser.it(`in ${code} has its own words, and buttons that fit`, async () => {
      const page = await site.page('/', { locale: code, viewport: { width: 390, height: 844 } });
      const { startRoom } = (await import(`../../public/texts/${code}/labels.js`)).labels;
      await page.getByRole('button', { name: startRoom, exact: true }).waitFor();
      const { lang, dir } = await page.evaluate(() => {
        const root = document.documentElement;
        return { lang: root.lang, dir: root.dir };
      });
      expect({ lang, dir }).toEqual({ lang: code, dir: code === 'ar' ? 'rtl' : 'ltr' });
      expect(await page.evaluate(cutOff, 'body')).toEqual([]);
      expect(await violationsOf(page)).toEqual([]);

      await page.goto(new URL('/r/tea', site.url).href);
      const { join } = (await import(`../../public/texts/${code}/labels.js`)).labels;
      await page.getByRole('button', { name: join, exact: true }).first().waitFor();
      expect(await page.evaluate(cutOff, 'body')).toEqual([]);
      await page.getByRole('textbox').first().fill('Ada');
      await page.getByRole('button', { name: join, exact: true }).first().click();
      await page.locator('#call-bar').waitFor();
      expect(await page.evaluate(cutOff, 'body')).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);

      await page.locator('#mute').click();
      for (const panel of ['record', 'moderate', 'sound', 'settings']) {
        await page.locator('#more').click();
        await page.locator(`#${panel}`).click();
        await page.locator('#side-content :is(button, select)').first().waitFor();
        expect(await page.evaluate(cutOff, '#side, #call-bar'), panel).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
        await page.locator('#side-close').click();
      }

      const { listen } = (await import(`../../public/texts/${code}/listen.js`)).listenTexts;
      await site.guest('talk', 'Bo');
      await page.goto(new URL('/r/talk?listen', site.url).href);
      await page.getByRole('button', { name: listen, exact: true }).waitFor();
      expect(await page.evaluate(cutOff, 'body')).toEqual([]);
      expect(await violationsOf(page)).toEqual([]);
      await page.close();
    });

  inBrowser.it(
    'in ar keeps left on the left, and the marks of lists beside their words',
    async () => {
      const page = await site.page('/', { locale: 'ar', viewport: { width: 390, height: 844 } });
      const mark = await page.locator('#language').evaluate((list) => {
        const { backgroundPositionX, paddingLeft, paddingRight } = getComputedStyle(list);
        return {
          backgroundPositionX,
          isRoomLeft: parseFloat(paddingLeft) > parseFloat(paddingRight),
        };
      });
      expect(mark).toEqual({
        backgroundPositionX: expect.stringMatching(/^[\d.]+px$/),
        isRoomLeft: true,
      });
      await site.guest('left', 'Bo');
      await page.goto(new URL('/r/left', site.url).href);
      await page.getByRole('textbox').first().fill('Ada');
      await page.locator('#join-button').click();
      const letter = page.locator('.side-letter').first();
      await letter.waitFor({ state: 'attached' });
      expect(await letter.evaluate((one) => getComputedStyle(one).direction)).toBe('ltr');

      await page.locator('#chat').click();
      const padding = await page.locator('.side-head').evaluate((head) => {
        const { paddingLeft, paddingRight } = getComputedStyle(head);
        return parseFloat(paddingRight) - parseFloat(paddingLeft);
      });
      expect(padding).toBeGreaterThan(8);
    },
  );

  inBrowser.it('stays in the chosen language where the browser stores nothing', async () => {
    const prepare = (/** @type {import('playwright-core').Page} */ blank) =>
      blank.addInitScript(() =>
        Object.defineProperty(window, 'localStorage', {
          get() {
            throw new DOMException('denied', 'SecurityError');
          },
        }),
      );
    const page = await openPage(site.browser, site.url, { locale: 'en-GB' }, prepare);
    await page.getByLabel('Language').selectOption('de');
    await page.getByRole('button', { name: 'Raum öffnen', exact: true }).waitFor();
    expect(await page.getByLabel('Sprache').inputValue()).toBe('de');
    await page.getByRole('button', { name: 'Raum öffnen', exact: true }).click();
    await page.getByRole('button', { name: 'Teilnehmen', exact: true }).first().waitFor();
    await page.goto(`${site.url}/?language=de`);
    await page.getByLabel('Sprache').selectOption('');
    await page.getByRole('button', { name: 'Start a room', exact: true }).waitFor();
  });

  inBrowser.it('says that it is in the browser’s language if it lacks the chosen one', async () => {
    const page = await site.page('/?language=tlh', { locale: 'de' });
    const chosen = () =>
      page
        .getByLabel('Sprache')
        .evaluate((list) => /** @type {HTMLSelectElement} */ (list).selectedOptions[0]?.value);
    expect(await chosen()).toBe('');
    // Another version of the page may have had it.
    await page.evaluate(() =>
      localStorage.setItem('aloud.choices', JSON.stringify({ language: 'tlh' })),
    );
    await page.goto(site.url);
    expect(await chosen()).toBe('');
  });

  inBrowser.it('is in the language that was chosen, whatever the browser prefers', async () => {
    const page = await site.page('/', { locale: 'en-GB' });
    await page.getByLabel('Language').selectOption('de');
    await page.getByRole('button', { name: 'Raum öffnen', exact: true }).waitFor();
    await page.getByLabel('Sprache').selectOption('');
    await page.getByRole('button', { name: 'Start a room', exact: true }).waitFor();
  });
});
