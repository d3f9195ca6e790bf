import { expect } from 'vitest';
import { violationsOf } from './axe.js';
import { inChromium } from './chromium.js';
import { people } from './room-page.js';
import { useSite } from './site.js';

/** @typedef {import('playwright-core').Page} Page */

const button = (/** @type {Page} */ page, /** @type {string} */ name) => page.getByRole('button', { name, exact: true });

inChromium.describe('a second tab of one browser, in Chromium', () => {
  const site = useSite(['--engine', 'none']);

  inChromium.it('is not heard beside the first: it asks, and may take the call over', async () => {
    const first = await site.join('tabs', 'Anna');
    const second = await first.context().newPage();
    await second.goto(`${site.url}/r/tabs?name=Anna&processing=off`);
    await button(second, 'Join').click();
    const question = second.getByRole('dialog', { name: 'You are in this room already' });
    await question.waitFor();
    expect(await violationsOf(second)).toEqual([]);
    await button(second, 'Cancel').click();
    expect(await button(second, 'Join').isEnabled()).toBe(true);
    expect(site.server.rooms.get('tabs')?.size).toBe(1);
    expect(await button(first, 'Leave').count()).toBe(1);

    await button(second, 'Join').click();
    await button(second, 'Move it here').click();
    await button(second, 'Leave').waitFor();
    await first.getByText('This call goes on in another tab or window.').waitFor();
    expect(await button(first, 'Join').isEnabled()).toBe(true);
    await expect.poll(() => people(second)).toEqual([expect.stringMatching(/^Anna \(you\)/)]);
    expect(site.server.rooms.get('tabs')?.size).toBe(1);

    // A tab that is closed, or whose call is left, is in nobody's way.
    await button(second, 'Leave').click();
    await button(first, 'Join').click();
    await button(first, 'Leave').waitFor();
    await first.close();
    await button(second, 'Join').click();
    await button(second, 'Leave').waitFor();

    // Another room is another call.
    const other = await second.context().newPage();
    await other.goto(`${site.url}/r/tabs-2?name=Anna&processing=off`);
    await button(other, 'Join').click();
    await button(other, 'Leave').waitFor();
  });
});
