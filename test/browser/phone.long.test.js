/**
 * The page as a phone shows it, as far as Chromium emulates one: its screen, touch, and a page that
 * is frozen.
 */

import { devices } from 'playwright-core';
import { expect } from 'vitest';
import { BROWSER, inBrowser } from '../../testkit/browsers/browser.js';
import { button, shows } from './support/room-page.js';
import { useSite } from './support/site.js';

/** @typedef {import('playwright-core').Page} Page */

/** The smallest target for a finger, in CSS pixels (WCAG 2.2, 2.5.5). */
const FINGER = 44;

/** @param {import('../../testkit/participants/headless.js').Headless} guest @param {string} name */
const personOf = (guest, name) => guest.people.find((person) => person.name === name);

/** By how much the page is wider than the screen. @param {Page} page */
const overflow = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

inBrowser.describe(`on a phone, in ${BROWSER}`, () => {
  const site = useSite(['--server-delay-ms', '60']);

  /** Joins by touch. @param {string} room @param {string} device */
  async function join(room, device) {
    const { defaultBrowserType: _, ...options } = devices[device];
    const page = await site.page(`/r/${room}?name=Anna&processing=off`, options);
    await button(page, 'Join').tap();
    await button(page, 'Leave').waitFor();
    return page;
  }

  for (const device of ['Galaxy S9+', 'Pixel 7', 'Pixel 7 landscape', 'iPhone 15'])
    inBrowser.it(`joins, mutes, and opens every panel by touch: ${device}`, async () => {
      const anna = await join('touch', device);
      const ben = await site.guest('touch', 'Ben');
      await shows(anna, /Anna/, /Ben/);
      const bar = await Promise.all(
        ['Mute', 'Leave'].map((name) => button(anna, name).boundingBox()),
      );
      for (const box of bar)
        expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(FINGER);
      await button(anna, 'Mute').tap();
      await expect.poll(() => personOf(ben, 'Anna')?.muted).toBe(true);
      await button(anna, 'Unmute').tap();
      await expect.poll(() => personOf(ben, 'Anna')?.muted).toBe(false);
      for (const panel of ['Chat', 'Sound', 'Settings', 'Room']) {
        if (!(await button(anna, panel).isVisible())) await button(anna, 'More').tap();
        await anna
          .getByRole('button', { name: panel, exact: true })
          .or(anna.getByRole('menuitem', { name: panel, exact: true }))
          .first()
          .tap();
        await anna.getByRole('heading', { name: panel, exact: true }).waitFor();
        expect([panel, await overflow(anna)]).toEqual([panel, 0]);
        await button(anna, 'Close').first().tap();
      }
    });

  inBrowser.it('goes on speaking and hearing after the system had frozen the page', async () => {
    const anna = await join('frozen', 'Pixel 7');
    const received = () =>
      Number(site.server.rooms.get('frozen')?.describe().people[0].stats.received);
    await expect.poll(received).toBeGreaterThan(10);
    const system = await anna.context().newCDPSession(anna);
    await system.send('Page.setWebLifecycleState', { state: 'frozen' });
    await new Promise((done) => setTimeout(done, 5000));
    await system.send('Page.setWebLifecycleState', { state: 'active' });
    const before = received();
    await expect.poll(received, { timeout: 10_000 }).toBeGreaterThan(before + 20);
    await anna.getByText('Connected over').first().waitFor();
    expect(
      await anna.evaluate(() => /** @type {any} */ (window).aloud.call.output.context.state),
    ).toBe('running');
  });
});
