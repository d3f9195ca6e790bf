import { expect } from 'vitest';
import { BROWSER, inBrowser, isFirefox } from '../../testkit/browsers/browser.js';
import { lowContrast, overflow } from './support/contrast.js';
import { announced, people } from './support/room-page.js';
import { useSite } from './support/site.js';

/** @typedef {import('playwright-core').Page} Page */

/**
 * Runs in the page: what can be pressed and is too small for a thumb. A switch may be pressed
 * around it.
 */
function smallTargets() {
  return [...document.querySelectorAll('button, input, select, textarea, summary, a[href]')]
    .filter((element) => element.checkVisibility() && !element.closest('.hint, .messages'))
    .map((element) => {
      const { width, height } = element.getBoundingClientRect();
      const around = parseFloat(getComputedStyle(element, '::after').insetBlockStart);
      const more = around < 0 ? -2 * around : 0;
      return {
        name: element.id || element.textContent,
        width: width + more,
        height: height + more,
      };
    })
    .filter(({ width, height }) => width < 44 || height < 44);
}

/** Roles that an aria snapshot shows without a name after them. */
const NAMELESS = /^\s*- (button|link|textbox|combobox|list|region|heading)(:|\s*\[|$)/m;

inBrowser.describe(`the page in ${BROWSER}`, () => {
  const site = useSite();

  const start = (/** @type {object} */ context = {}) => site.page('/', context);

  inBrowser.it('starts a room of a name that can be read and not be guessed', async () => {
    const page = await start();
    await page.getByRole('button', { name: 'Start a room' }).click();
    await page.waitForURL(/\/r\/([a-z]+-){5}[0-9a-z]{5}$/);
    const room = new URL(page.url()).pathname.slice(3);
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(room);
    expect(await page.title()).toBe(`${room} · aloud`);
  });

  inBrowser.it(
    'goes to a room by its name or its link, and says what is wrong with others',
    async () => {
      const page = await start();
      const field = page.getByLabel('Or join a room');
      const go = page.getByRole('button', { name: 'Go to room' });
      await go.click();
      expect(await page.locator('#room-problem').innerText()).toMatch(/Type a room’s name/);
      await field.fill('a/b');
      await go.click();
      expect(await page.locator('#room-problem').innerText()).toMatch(/1 to 64 letters/);
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      await field.fill('https://elsewhere.example/r/tea-room?name=Eve');
      await field.press('Enter');
      await page.waitForURL(`${site.url.replace(/\/$/, '')}/r/tea-room`);
    },
  );

  inBrowser.it('says so where the address names no good room', async () => {
    const page = await site.page(`/r/${encodeURIComponent('a b/ü')}`);
    expect(await page.getByRole('alert').innerText()).toMatch(/A room name has 1 to 64/);
    expect(await page.getByRole('button', { name: 'Start a room' }).isVisible()).toBe(true);
  });

  inBrowser.it('fills in the form from the address', async () => {
    const page = await site.room('form', { name: 'Anna L', transport: 'http1' });
    expect(await page.getByLabel('Name').inputValue()).toBe('Anna L');
    expect(await page.getByLabel('Connection').inputValue()).toBe('http1');
    expect(await page.getByLabel('Connection').isVisible()).toBe(true);
    await expect
      .poll(() => page.getByLabel('Microphone').locator('option').allInnerTexts())
      .toEqual(expect.arrayContaining(['Default microphone', 'No microphone: listen only']));
  });

  inBrowser.it('asks for a name before anything else', async () => {
    const page = await site.room('form');
    expect(
      await page.getByLabel('Name').evaluate((field) => field === document.activeElement),
    ).toBe(true);
    await page.getByRole('button', { name: 'Join' }).click();
    expect(await page.locator('#name-problem').innerText()).toMatch(/Type the name/);
  });

  inBrowser.it('remembers name, microphone and connection', async () => {
    const page = await site.room('memory', { transport: 'websocket' });
    await page.getByLabel('Name').fill('Anna');
    await page.getByLabel('Microphone').selectOption('none');
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.goto(`${site.url}/r/other`);
    expect(await page.getByLabel('Name').inputValue()).toBe('Anna');
    expect(await page.getByLabel('Connection').inputValue()).toBe('websocket');
    await expect.poll(() => page.getByLabel('Microphone').inputValue()).toBe('none');
  });

  inBrowser.it('shows names as text, never as markup', async () => {
    const name = '<img src=x onerror=alert(1)><b>Eve</b>';
    const page = await site.join('markup', name);
    expect((await people(page))[0]).toContain(name);
    expect(await page.locator('#people img, #people b').count()).toBe(0);
  });

  inBrowser.it('gives everything an accessible name, before a call and in it', async () => {
    const first = await start();
    expect(await first.locator('body').ariaSnapshot()).not.toMatch(NAMELESS);
    const page = await site.room('names', { name: 'Anna', transport: 'auto' });
    expect(await page.locator('body').ariaSnapshot()).not.toMatch(NAMELESS);
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('list', { name: 'People in the room' }).waitFor();
    expect(await page.locator('body').ariaSnapshot()).not.toMatch(NAMELESS);
    for (const name of ['Mute', 'Leave', 'Copy link']) {
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(1);
    }
    expect(await page.getByRole('button', { name: 'Mute' }).getAttribute('aria-pressed')).toBe(
      'false',
    );
  });

  inBrowser.it('works by keyboard, and tells of people who come and go', async () => {
    const anna = await site.room('keys', { name: 'Anna' });
    await anna.keyboard.press('Enter');
    await expect.poll(() => anna.evaluate(() => document.activeElement?.id)).toBe('call-title');
    const ben = await site.guest('keys', 'Ben');
    await expect.poll(() => announced(anna)).toBe('Ben joined.');
    ben.mute(true);
    await expect.poll(() => announced(anna)).toBe('Ben is muted.');
    await ben.close();
    await expect.poll(() => announced(anna)).toBe('Ben left.');
    await anna.getByRole('button', { name: 'Leave' }).press('Enter');
    await expect.poll(() => anna.evaluate(() => document.activeElement?.id)).toBe('join-button');
    await expect.poll(() => announced(anna)).toBe('You left the call.');
  });

  // Firefox can't be asked for dark colours by WebDriver BiDi yet.
  for (const colorScheme of isFirefox ? ['light'] : ['light', 'dark']) {
    inBrowser.it(`can be read at any width, ${colorScheme}`, async () => {
      const page = await start({ colorScheme });
      const atEachWidth = async (/** @type {() => Promise<void>} */ look) => {
        for (const width of [320, 390, 1280]) {
          await page.setViewportSize({ width, height: 700 });
          await look();
        }
      };
      const check = async () => {
        expect(await overflow(page)).toBe(0);
        expect(await page.evaluate(lowContrast)).toEqual([]);
      };
      const checkTargets = async () => {
        await check();
        expect(await page.evaluate(smallTargets)).toEqual([]);
      };
      await atEachWidth(check);
      await page.goto(`${site.url}/r/harbor-velvet-finch-lute-moss-k7m2p?name=${'W'.repeat(40)}`);
      await page.getByText('Sound settings').click();
      await page.getByText('Advanced').click();
      await atEachWidth(checkTargets);
      await page.getByRole('button', { name: 'Join' }).click();
      await page.getByRole('button', { name: 'Mute' }).click();
      await expect
        .poll(() => page.getByLabel('How you are connected').innerText())
        .toMatch(/Round trip/);
      await atEachWidth(checkTargets);
      await atEachWidth(async () => {
        for (const name of ['Settings', 'Chat']) {
          const button = page.getByRole('button', { name, exact: true });
          if (!(await button.isVisible())) await page.getByRole('button', { name: 'More' }).click();
          await button.click();
          expect(await overflow(page)).toBe(0);
          expect(await page.evaluate(smallTargets)).toEqual([]);
        }
      });
    });
  }
});
