import { expect } from 'vitest';
import { violationsOf } from '../../testkit/browsers/axe.js';
import { BROWSER, inBrowser } from '../../testkit/browsers/browser.js';
import { announced, button, expectProblems, people } from './support/room-page.js';
import { useSite } from './support/site.js';

/** @typedef {import('playwright-core').Page} Page */

const TOKEN = 'token-of-the-operator';

const messages = (/** @type {Page} */ page) =>
  page.getByRole('log', { name: 'Messages' }).getByRole('listitem');
const write = async (/** @type {Page} */ page, /** @type {string} */ text) => {
  await page.getByLabel('Message to everybody').fill(text);
  await page.keyboard.press('Enter');
};

inBrowser.describe(`being together in ${BROWSER}`, () => {
  const site = useSite(['--operator-token', TOKEN, '--server-delay-ms', '60']);

  inBrowser.it(
    'lets people write to each other, counts what is unread, and keeps it for those who come later',
    async () => {
      const anna = await site.join('chat', 'Anna');
      const ben = await site.join('chat', 'Ben');
      await button(anna, 'Chat').click();
      await anna.getByText('Nothing has been written yet.').waitFor();
      await write(anna, 'Look at https://example.org/a, <b>Ben</b>');
      await write(anna, 'javascript:alert(1)');
      await messages(anna).nth(1).waitFor();

      await button(ben, 'Chat 2 unread').waitFor();
      expect(await violationsOf(ben, 'label-content-name-mismatch')).toEqual([]);
      expect(await announced(ben)).toBe('Anna wrote: javascript:alert(1)');
      await ben.keyboard.press('c');
      await expect.poll(() => messages(ben).count()).toBe(2);
      await button(ben, 'Chat').waitFor();
      const link = ben.getByRole('link', { name: 'https://example.org/a' });
      expect(await link.getAttribute('rel')).toMatch(/noopener/);
      expect(await link.getAttribute('href')).toBe('https://example.org/a');
      expect(await messages(ben).getByRole('link').count()).toBe(1);
      expect(await messages(ben).first().innerText()).toContain('<b>Ben</b>');

      const late = await site.join('chat', 'Cleo');
      await button(late, 'Chat').click();
      await expect.poll(() => messages(late).count()).toBe(2);
      // Escape gives the focus back to the button.
      await late.keyboard.press('Escape');
      expect(
        await button(late, 'Chat').evaluate((element) => element === document.activeElement),
      ).toBe(true);
    },
  );

  inBrowser.it('slows a flood of messages, says so, and loses none', async () => {
    const anna = await site.join('flood', 'Anna');
    await button(anna, 'Chat').click();
    for (let i = 1; i <= 8; i++) await write(anna, `message ${i}`);
    const says = anna.getByText(
      'You are writing quickly. Wait a moment: your messages are sent one by one.',
    );
    await says.waitFor();
    expect(await messages(anna).count()).toBeLessThan(8);
    await expect.poll(() => messages(anna).count()).toBe(8);
    expect(
      await messages(anna)
        .getByRole('paragraph')
        .filter({ hasText: /^message/ })
        .allInnerTexts(),
    ).toEqual(Array.from({ length: 8 }, (_, i) => `message ${i + 1}`));
    await expect.poll(() => says.count()).toBe(0);
  });

  inBrowser.it('folds a long message, and says when one is too long to send', async () => {
    const anna = await site.join('long', 'Anna');
    await button(anna, 'Chat').click();
    await anna.getByLabel('Message to everybody').fill('x'.repeat(2001));
    await anna.keyboard.press('Enter');
    await anna.getByText('This is 1 character too long. Shorten it').waitFor();
    await anna.getByLabel('Message to everybody').fill('y'.repeat(1900));
    await anna.getByText('100 more characters fit.').waitFor();
    await anna.keyboard.press('Enter');
    await button(anna, 'Show all of it').click();
    await button(anna, 'Show less').waitFor();
  });

  inBrowser.it('tells two people of one name apart, and shows a raised hand', async () => {
    const first = await site.join('names', 'Anna');
    const second = await site.join('names', 'Anna');
    await expect
      .poll(() => people(first))
      .toEqual([expect.stringMatching(/^Anna \(you\)/), expect.stringMatching(/^Anna \(2\)/)]);
    await second.keyboard.press('h');
    await expect
      .poll(() => people(first))
      .toContainEqual(expect.stringMatching(/^Anna \(2\)[^]*hand raised/));
    expect(await announced(first)).toBe('Anna (2) raised their hand.');
    await button(second, 'Lower hand').click();
    await expect.poll(() => people(first)).not.toContainEqual(expect.stringMatching(/hand raised/));
  });

  inBrowser.it(
    'sets the volume of one person for oneself, and mutes them for oneself',
    async () => {
      const anna = await site.join('volume', 'Anna');
      await site.guest('volume', 'Ben');
      await button(anna, 'Options for Ben').click();
      const slider = anna.getByRole('slider', { name: 'Volume of Ben' });
      await slider.press('End');
      await anna.getByText('200 %').waitFor();
      await button(anna, 'Mute for me').click();
      await anna.getByText('0 %', { exact: true }).waitFor();
      await anna.keyboard.press('Escape');
      expect(
        await button(anna, 'Options for Ben').evaluate(
          (element) => element === document.activeElement,
        ),
      ).toBe(true);
      expect((await people(anna))[1]).toMatch(/muted for you/);
      expect(await button(anna, 'Options for Anna').count()).toBe(0);
      expect(await anna.getByRole('alert').innerText()).toBe('');
      // One menu at a time, and a press beside it closes it.
      await site.guest('volume', 'Cleo');
      await button(anna, 'Options for Ben').press('Enter');
      await button(anna, 'Options for Cleo').press('Enter');
      expect(await anna.getByRole('slider').count()).toBe(1);
      await anna.getByRole('heading', { name: 'volume' }).click();
      expect(await anna.getByRole('slider').count()).toBe(0);
    },
  );

  inBrowser.it(
    'mutes with M, and lets one talk while Space is held, but not while one types',
    async () => {
      const anna = await site.join('talk', 'Anna');
      const ben = await site.guest('talk', 'Ben');
      const isMuted = () => ben.people.find(({ name }) => name === 'Anna')?.muted;
      await expect.poll(() => announced(anna)).toBe('Ben joined.');
      await anna.keyboard.press('m');
      await button(anna, 'Unmute').waitFor();
      expect(await announced(anna)).toBe('You are muted.');
      await expect.poll(isMuted).toBe(true);
      await anna.keyboard.down(' ');
      await button(anna, 'Talking').waitFor();
      await expect.poll(isMuted).toBe(false);
      await anna.keyboard.up(' ');
      await button(anna, 'Unmute').waitFor();
      await expect.poll(isMuted).toBe(true);

      await button(anna, 'Chat').click();
      await anna.keyboard.type('my mh ');
      expect(await anna.getByLabel('Message to everybody').inputValue()).toBe('my mh ');
      await button(anna, 'Unmute').waitFor();
      // On a button that has the focus Space presses it.
      await button(anna, 'Unmute').focus();
      await anna.keyboard.press(' ');
      await button(anna, 'Mute').waitFor();
    },
  );

  inBrowser.it(
    'shows all keys when asked to, closes what is open wherever the focus is, and leaves ' +
      'keys alone when told to',
    async () => {
      const anna = await site.join('keys', 'Anna');
      await anna.keyboard.press('?');
      const help = anna.getByRole('dialog', { name: 'Keys in a call' });
      await help.waitFor();
      expect(await help.innerText()).toMatch(/M\s+mute or unmute yourself[^]*Space, held/);
      expect(await violationsOf(anna)).toEqual([]);
      await anna.keyboard.press('m');
      expect(await button(anna, 'Mute').count()).toBe(1);
      await anna.keyboard.press('Escape');
      expect(await help.count()).toBe(0);
      await button(anna, 'Settings').click();
      await button(anna, 'Show all keys').click();
      await help.getByRole('button', { name: 'Close' }).click();
      expect(
        await button(anna, 'Show all keys').evaluate(
          (element) => element === document.activeElement,
        ),
      ).toBe(true);
      await anna.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).blur());
      await anna.keyboard.press('Escape');
      expect(await button(anna, 'Settings').getAttribute('aria-expanded')).toBe('false');

      await button(anna, 'Settings').click();
      await anna.getByRole('switch', { name: 'Keyboard shortcuts' }).uncheck();
      await anna.keyboard.press('Escape');
      await anna.keyboard.press('m');
      await anna.keyboard.press('h');
      await anna.waitForTimeout(300);
      expect(await button(anna, 'Mute').count()).toBe(1);
      expect(await button(anna, 'Raise hand').count()).toBe(1);
    },
  );

  inBrowser.it(
    'shows in the title who is muted and what is unread, keeps the screen on, and tells how ' +
      'to come back',
    async () => {
      const anna = await site.room('signs', {
        name: 'Anna',
        prepare: (page) =>
          page.addInitScript(() => {
            const locks = /** @type {string[]} */ ([]);
            const scope = /** @type {any} */ (Object.assign(window, { locks }));
            const request = async (/** @type {string} */ kind) => {
              locks.push(kind);
              return (scope.lock = {
                released: false,
                release: async () => void locks.push('released'),
              });
            };
            Object.defineProperty(navigator, 'audioSession', { value: { type: 'auto' } });
            Object.defineProperty(navigator, 'wakeLock', { value: { request } });
          }),
      });
      const locks = () => anna.evaluate(() => /** @type {any} */ (window).locks);
      const audioSession = () =>
        anna.evaluate(() => /** @type {any} */ (navigator).audioSession.type);
      expect([await locks(), await audioSession()]).toEqual([[], 'auto']);
      await button(anna, 'Join').click();
      await button(anna, 'Mute').click();
      await expect.poll(() => anna.title()).toBe('muted · signs · aloud');
      expect([await locks(), await audioSession()]).toEqual([['screen'], 'play-and-record']);
      expect(await anna.evaluate(() => navigator.mediaSession.metadata?.title)).toBe('signs');
      // A browser releases a hidden page's lock, and the page asks again when it is shown.
      const show = (/** @type {boolean} */ isShown) =>
        anna.evaluate((shown) => {
          /** @type {any} */ (window).lock.released ||= !shown;
          Object.defineProperty(document, 'hidden', { value: !shown, configurable: true });
          document.dispatchEvent(new Event('visibilitychange'));
        }, isShown);
      await show(true);
      await show(false);
      expect(await locks()).toEqual(['screen']);
      await show(true);
      await expect.poll(locks).toEqual(['screen', 'screen']);
      const ben = await site.guest('signs', 'Ben');
      ben.sendControl({ type: 'chat', text: 'Hello' });
      await expect.poll(() => anna.title()).toBe('(1) muted · signs · aloud');
      await button(anna, 'Leave').click();
      await anna.getByText('You can join again at any time with the same link.').waitFor();
      expect(await anna.title()).toBe('signs · aloud');
      expect([await locks(), await audioSession()]).toEqual([
        ['screen', 'screen', 'released'],
        'auto',
      ]);
      await button(anna, 'Join').click();
      await button(anna, 'Leave').waitFor();
    },
  );

  inBrowser.it('copies the link, says so, and shows it as a QR code', async () => {
    const anna = await site.join('qr', 'Anna');
    await anna.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await button(anna, 'Copy link').click();
    await button(anna, 'Link copied').waitFor();
    expect(await announced(anna)).toBe('Link copied');
    expect(await anna.evaluate(() => navigator.clipboard.readText())).toBe(
      `${site.url.replace(/\/$/, '')}/r/qr`,
    );
    await button(anna, 'Copy link').waitFor();
    await button(anna, 'QR code').click();
    const dialog = anna.getByRole('dialog', { name: 'Scan to join' });
    await dialog.getByRole('img', { name: 'QR code of this room’s link' }).waitFor();
    expect(await dialog.innerText()).toContain(`${site.url.replace(/\/$/, '')}/r/qr`);
    expect(await dialog.innerText()).not.toContain('Anna');
    await button(anna, 'Close').click();
    expect(await dialog.count()).toBe(0);
  });

  inBrowser.it('keeps the switches, and reopens the microphone when one is turned', async () => {
    const anna = await site.room('switches', { name: 'Anna' });
    await anna.getByText('Sound settings').click();
    await anna.getByRole('switch', { name: 'Music' }).check();
    expect(await anna.getByRole('switch', { name: 'Echo cancellation' }).isDisabled()).toBe(true);
    await anna.reload();
    await anna.getByText('Sound settings').click();
    expect(await anna.getByRole('switch', { name: 'Music' }).isChecked()).toBe(true);
    await anna.getByRole('switch', { name: 'Music' }).uncheck();
    expect(await anna.getByRole('switch', { name: 'Echo cancellation' }).isChecked()).toBe(true);
    await button(anna, 'Join').click();
    await button(anna, 'Settings').click();
    await anna.getByRole('switch', { name: 'Noise suppression', exact: true }).uncheck();
    await anna.getByLabel('Microphone', { exact: true }).selectOption({ index: 0 });
    expect(await button(anna, 'Mute').count()).toBe(1);
    expect(await anna.getByRole('alert').innerText()).toBe('');
  });

  inBrowser.it('shows how old the sound is and why, and lets it be copied', async () => {
    const anna = await site.join('panel', 'Anna');
    await site.guest('panel', 'Ben');
    await button(anna, 'Sound').click();
    const panel = anna.getByRole('complementary', { name: 'Sound' });
    await expect.poll(() => panel.innerText()).toMatch(/What you hear is \d+ ms old/);
    for (const name of [
      'Round trip',
      'Received audio',
      'Server-side delay',
      'Playout delay',
      'Lost packets',
      'Bit rate',
    ]) {
      await expect
        .poll(() =>
          panel
            .getByRole('img', { name: `${name}, the last two minutes` })
            .getAttribute('aria-label'),
        )
        .toMatch(/Now .*\d/);
    }
    await panel.getByRole('heading', { name: 'What would shorten it' }).waitFor();
    // A frame is 20 ms here. The server's delay is 60, of which one is needed, and what the way
    // takes.
    await panel.getByText('Begin the room with frames of 2.5 ms: up to 18 ms.').waitFor();
    const saved = await panel
      .getByText(
        /^Ask the people whose sound comes late to use a cable instead of Wi-Fi: up to \d+ ms\.$/,
      )
      .innerText();
    expect(Number(/up to (\d+)/.exec(saved)?.[1])).toBeGreaterThan(20);
    expect(Number(/up to (\d+)/.exec(saved)?.[1])).toBeLessThan(60);
    const parts = await panel.getByRole('definition').allInnerTexts();
    const sum = parts.reduce((total, part) => total + (Number.parseFloat(part) || 0), 0);
    const age = Number(/is (\d+) ms old/.exec(await panel.innerText())?.[1]);
    expect(Math.abs(sum - age)).toBeLessThan(60);
    await anna.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await button(anna, 'Copy as text').click();
    await button(anna, 'Copied').waitFor();
    expect(await anna.evaluate(() => navigator.clipboard.readText())).toMatch(
      /^aloud, room panel, [^]*Round trip: \d+ ms/,
    );
    const [download] = await Promise.all([
      anna.waitForEvent('download'),
      button(anna, 'Save statistics as CSV').click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^aloud-.*\.csv$/);
  });

  inBrowser.it('lets the operator set the delay for everybody, and shows it at once', async () => {
    const anna = await site.join('operator', 'Anna');
    const ben = await site.join('operator', 'Ben');
    expectProblems(anna, /status of 401/);
    for (const page of [anna, ben]) await button(page, 'Sound').click();
    await anna.getByText('For the operator').click();
    await anna.getByLabel('Operator token').fill('wrong');
    await button(anna, 'Use').click();
    await anna.getByText('This is not the server’s operator token.').waitFor();
    await anna.getByLabel('Operator token').fill(TOKEN);
    await button(anna, 'Use').click();
    const slider = anna.getByRole('slider', { name: 'Server-side delay of the room' });
    await slider.fill('200');
    const shown = (/** @type {Page} */ page) =>
      page.getByRole('img', { name: /^Server-side delay/ }).getAttribute('aria-label');
    for (const page of [anna, ben]) await expect.poll(() => shown(page)).toMatch(/Now 200 ms/);
    await anna.getByRole('switch', { name: 'Automatic delay' }).check();
    await expect.poll(() => shown(ben), { timeout: 20_000 }).not.toMatch(/Now 200 ms/);
    // The token is kept only for this tab.
    await button(anna, 'Leave').click();
    await button(anna, 'Join').click();
    await button(anna, 'Sound').click();
    const part = anna.locator('details.operator');
    await part.evaluate((details) => Object.assign(details, { open: true }));
    await slider.waitFor();
    expect(await anna.getByLabel('Operator token').isVisible()).toBe(false);
    // The panel shows what holds when it is opened again.
    await expect.poll(() => slider.isDisabled()).toBe(true);
    site.server.rooms.get('operator')?.setDelay(150);
    for (let i = 0; i < 2; i++) await button(anna, 'Sound').click();
    await expect.poll(() => slider.isDisabled()).toBe(false);
    expect(await slider.inputValue()).toBe('150');
    await anna.evaluate(() => sessionStorage.setItem('aloud.operator', 'wrong'));
    for (let i = 0; i < 2; i++) await button(anna, 'Sound').click();
    await anna.getByLabel('Operator token').waitFor();
    await anna.getByText('This is not the server’s operator token.').waitFor();
  });
});
