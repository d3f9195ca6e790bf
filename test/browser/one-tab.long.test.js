import { expect } from 'vitest';
import { violationsOf } from '../../testkit/browsers/axe.js';
import { BROWSER, inBrowser } from '../../testkit/browsers/browser.js';
import { button, people } from './support/room-page.js';
import { useSite } from './support/site.js';

inBrowser.describe(`a second tab of one browser, in ${BROWSER}`, () => {
  const site = useSite(['--engine', 'none']);

  inBrowser.it('is not heard beside the first: it asks, and may take the call over', async () => {
    const first = await site.join('tabs', 'Anna');
    const second = await first.context().newPage();
    await second.goto(`${site.url}/r/tabs?name=Anna&processing=off`);
    await button(second, 'Join').click();
    const question = second.getByRole('dialog', { name: 'You are in this room already' });
    await question.waitFor();
    expect(await violationsOf(second)).toEqual([]);
    await second.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(await button(second, 'Join').isEnabled()).toBe(true);
    expect(site.server.rooms.get('tabs')?.size).toBe(1);
    expect(await button(first, 'Leave').count()).toBe(1);

    await button(second, 'Join').click();
    await button(second, 'Move it here').click();
    await button(second, 'Leave').waitFor();
    await first.getByText('This call continues in another tab or window.').waitFor();
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

  inBrowser.it('goes on where the first was: the others notice nothing', async () => {
    const ben = await site.join('moved', 'Ben');
    const first = await site.join('moved', 'Anna');
    await expect.poll(() => people(ben)).toHaveLength(2);
    await button(first, 'Raise hand').click();
    await button(first, 'Mute').click();
    await button(first, 'Options for Ben').click();
    await first.getByRole('slider', { name: 'Volume of Ben' }).fill('50');
    await expect
      .poll(() => people(ben))
      .toContainEqual(expect.stringMatching(/^Anna[^]*hand raised · muted/));
    const said = ben.getByRole('status');
    await said.evaluate((element) => (element.textContent = 'nothing since'));

    const second = await first.context().newPage();
    await second.goto(`${site.url}/r/moved?name=Another&processing=off`);
    await button(second, 'Join').click();
    await button(second, 'Move it here').click();
    await button(second, 'Leave').waitFor();
    await first.getByText('This call continues in another tab or window.').waitFor();
    await button(second, 'Unmute').waitFor();
    expect(await button(second, 'Lower hand').getAttribute('aria-pressed')).toBe('true');
    await button(second, 'Options for Ben').click();
    expect(await second.getByRole('slider', { name: 'Volume of Ben' }).inputValue()).toBe('50');
    expect(await people(ben)).toEqual([
      expect.stringMatching(/^Ben/),
      expect.stringMatching(/^Anna[^]*hand raised · muted/),
    ]);
    expect(await said.innerText()).toBe('nothing since');
    await button(second, 'Unmute').click();
    await expect.poll(() => people(ben)).not.toContainEqual(expect.stringMatching(/muted/));
  });

  inBrowser.it('goes on as muted as the first, though that had lost its connection', async () => {
    const first = await site.join('lost', 'Anna');
    await button(first, 'Mute').click();
    await first.evaluate(() => {
      const now = Date.now();
      const away = { since: now, nextTry: now + 60_000 };
      /** @type {any} */ (window).aloud.call.store.set({ state: 'away', away });
    });
    const second = await first.context().newPage();
    await second.goto(`${site.url}/r/lost?name=Anna&processing=off`);
    await button(second, 'Join').click();
    await button(second, 'Move it here').click();
    await button(second, 'Unmute').waitFor();
    await first.getByText('This call continues in another tab or window.').waitFor();
    await expect.poll(() => people(second)).toEqual([expect.stringMatching(/^Anna[^]*muted/)]);
  });

  inBrowser.it('makes the first leave where that tells nothing of its call', async () => {
    const first = await site.room('still', {
      name: 'Anna',
      prepare: (page) => page.addInitScript('BroadcastChannel.prototype.postMessage = () => {}'),
    });
    await button(first, 'Join').click();
    await button(first, 'Leave').waitFor();
    const second = await first.context().newPage();
    await second.goto(`${site.url}/r/still?name=Anna&processing=off`);
    await button(second, 'Join').click();
    await button(second, 'Move it here').click();
    await button(second, 'Leave').waitFor();
    await first.getByText('This call continues in another tab or window.').waitFor();
    await expect.poll(() => people(second)).toEqual([expect.stringMatching(/^Anna \(you\)/)]);
  });
});
