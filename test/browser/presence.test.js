import { afterEach, expect } from 'vitest';
import { WebSocket } from 'ws';
import { random } from '../fakes/random.js';
import { byLength } from '../support/long.js';
import { BROWSER, inBrowser, openBrowser } from './support/browser.js';
import { joinRoom, people, shows } from './support/room-page.js';
import { useSite } from './support/site.js';

/** What a late person sends waits for this long, in milliseconds. The clocks take half of it for the way. */
const HELD_MS = 400;

/** Opens a connection that holds back what is sent. */
const LateSocket = /** @type {any} */ (class extends WebSocket {
  /**
   * @override
   * @param {any} data
   */
  send(data) {
    const kept = typeof data === 'string' ? data : Uint8Array.from(data);
    setTimeout(() => this.readyState === WebSocket.OPEN && super.send(kept), HELD_MS);
  }
});

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
    // In silence few packets are sent, of which nobody's lateness is told.
    const next = random(5);
    const speech = Float32Array.from({ length: 48_000 }, () => 0.1 * (next() - 0.5));
    await site.guest('ages', 'Ben', { speech });
    await site.guest('ages', 'Cleo', { speech, WebSocket: LateSocket });
    const late = async () => (await people(anna)).filter((person) => /later than others|everybody’s sound waits/.test(person));
    await expect.poll(late, { timeout: 30_000 }).toEqual([expect.stringMatching(/^Cleo[^]*heard \d+ ms later than others/)]);
    /** Opens somebody's options, which say how old their voice is, in milliseconds. @param {string} name */
    const ageOf = async (name) => {
      await anna.getByRole('button', { name: `Options for ${name}`, exact: true }).click();
      const age = anna.getByRole('group', { name: `Options for ${name}`, exact: true }).getByText(/^Heard \d+ ms after it was said$/);
      return async () => Number(/\d+/.exec(await age.innerText()));
    };
    const ben = await (await ageOf('Ben'))();
    expect(ben).toBeGreaterThan(0);
    await expect.poll(await ageOf('Cleo')).toBeGreaterThan(ben + HELD_MS / 4);
  });
});
