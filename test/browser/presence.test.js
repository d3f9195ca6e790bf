import { afterEach, expect } from 'vitest';
import { WebSocket } from 'ws';
import { byLength } from '../support/long.js';
import { BROWSER, inBrowser, openBrowser } from './support/browser.js';
import { joinRoom, people, shows } from './support/room-page.js';
import { useSite } from './support/site.js';

/** What a late person sends waits for this long, in milliseconds. The clocks take half of it for the way. */
const HELD_MS = 400;

/** A connection that holds back what is sent. */
class LateSocket extends WebSocket {
  /** @param {any} data */
  send(data) {
    const kept = typeof data === 'string' ? data : Uint8Array.from(data);
    setTimeout(() => this.readyState === WebSocket.OPEN && super.send(kept), HELD_MS);
  }
}

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

  inBrowser.it('are heard as late as their sound comes, each for themselves, and the page says whose voice is how old', async () => {
    const anna = await site.join('ages', 'Anna');
    await site.guest('ages', 'Ben');
    await site.guest('ages', 'Cleo', { WebSocket: /** @type {any} */ (LateSocket) });
    await expect.poll(() => people(anna), { timeout: 20_000 }).toContainEqual(expect.stringMatching(/^Cleo[^]*heard \d+ ms later than others/));
    expect((await people(anna)).filter((person) => /later than others|everybody’s sound waits/.test(person))).toHaveLength(1);
    /** How old somebody's voice is, in milliseconds, as their options say. @param {string} name */
    const ageOf = async (name) => {
      await anna.getByRole('button', { name: `Options for ${name}`, exact: true }).click();
      const options = anna.getByRole('group', { name: `Options for ${name}`, exact: true });
      return Number(/Heard (\d+) ms after it was said/.exec(await options.getByText(/^Heard \d+ ms after/).innerText())?.[1]);
    };
    const ben = await ageOf('Ben');
    expect(ben).toBeGreaterThan(0);
    expect(await ageOf('Cleo')).toBeGreaterThan(ben + HELD_MS / 4);
  });
});
