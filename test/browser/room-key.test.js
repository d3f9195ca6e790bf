/** Pages of an encrypted room that have another key, or none. */

import { expect } from 'vitest';
import { makeRoomKey } from '../../public/shared/links.js';
import { BROWSER, inBrowser } from '../../testkit/browsers/browser.js';
import { levelDb } from '../../testkit/sound/signal.js';
import { longSpeech, record } from './support/recording.js';
import { button } from './support/room-page.js';
import { useSite } from './support/site.js';

inBrowser.describe(`a room that is encrypted end to end, in ${BROWSER}`, () => {
  const site = useSite(['--mode', 'forward', '--delivery', 'tick'], longSpeech);

  /** @param {string} room @param {string} name @param {string} [hash] */
  async function askFor(room, name, hash = '') {
    const page = await site.page(`/r/${room}?processing=off&name=${name}${hash}`);
    await button(page, 'Join').click();
    return page;
  }

  /** Joins with a key that nobody else has. @param {string} room @param {string} name */
  async function join(room, name) {
    const page = await askFor(room, name, `#e2e=${makeRoomKey()}`);
    await button(page, 'Leave').waitFor();
    return page;
  }

  inBrowser.it('isn’t heard with another key, and the page says why', async () => {
    const listener = await join('other', 'Lis');
    const heard = await record(listener);
    await join('other', 'Spe');
    await listener.getByText('The others use another key').waitFor();
    expect(levelDb(await heard())).toBeLessThan(-80);
  });

  inBrowser.it(
    'has no place without the key, and the page says to open the whole link',
    async () => {
      await join('closed', 'Ann');
      const page = await askFor('closed', 'Eve');
      await page.getByText('Ask for the whole link').waitFor();
    },
  );
});
