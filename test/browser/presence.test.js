import { afterEach, expect } from 'vitest';
import { byLength } from '../support/long.js';
import { BROWSER, inBrowser, openBrowser } from './support/browser.js';
import { joinRoom, people, shows } from './support/room-page.js';
import { useSite } from './support/site.js';

inBrowser.describe(`the people of a call in ${BROWSER}`, () => {
  const site = useSite(['--idle-timeout-ms', '3000', '--away-timeout-ms', '1000']);
  /** @type {(() => Promise<unknown>)[]} */
  const closing = [];
  afterEach(async () => {
    await site.closePages();
    for (const close of closing.splice(0)) await close();
  });

  for (const transport of byLength({ short: /** @type {const} */ (['webtransport']), long: /** @type {const} */ (['websocket', 'http1']) })) {
    inBrowser.it(`are shown as they join, are muted, leave, close the tab, or are killed, over ${transport}`, async () => {
      const room = `people-${transport}`;
      const anna = await site.join(room, { name: 'Anna', transport });
      await shows(anna, /^Anna \(you\)/);
      const ben = await site.join(room, { name: 'Ben', transport });
      await shows(anna, /^Anna \(you\)/, /^Ben/);
      await shows(ben, /^Anna/, /^Ben \(you\)/);

      await ben.getByRole('button', { name: 'Mute' }).click();
      await shows(anna, /^Anna \(you\)/, /^Ben[^]*muted/);
      await ben.getByRole('button', { name: 'Unmute' }).click();
      await expect.poll(() => people(anna)).not.toContainEqual(expect.stringMatching(/muted/));

      await ben.getByRole('button', { name: 'Leave' }).click();
      await shows(anna, /^Anna/);
      await ben.getByRole('button', { name: 'Join' }).click();
      await shows(anna, /^Anna/, /^Ben/);
      await ben.close();
      await shows(anna, /^Anna/);

      const doomed = await openBrowser();
      closing.push(doomed.close);
      await joinRoom(doomed.browser, site.url, room, { name: 'Ben', transport });
      await shows(anna, /^Anna/, /^Ben/);
      await doomed.kill();
      await expect.poll(() => people(anna)).toHaveLength(1);
    });
  }
});
