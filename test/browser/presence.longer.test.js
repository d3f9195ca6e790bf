import { afterEach, expect } from 'vitest';
import { WebSocket } from 'ws';
import { random } from '../fakes/random.js';
import { byLength } from '../support/long.js';
import { BROWSER, inBrowser, openBrowser } from '../../testkit/browsers/browser.js';
import { joinRoom, people, shows } from './support/room-page.js';
import { useSite } from './support/site.js';

/**
 * Delay of a late person's packets, in milliseconds. Clocks attribute half of it to the path.
 */
const HELD_MS = 400;

/** Opens a connection that holds back what is sent. */
const LateSocket = /** @type {any} */ (
  class extends WebSocket {
    /**
     * @override
     * @param {any} data
     */
    send(data) {
      const kept = typeof data === 'string' ? data : Uint8Array.from(data);
      setTimeout(() => this.readyState === WebSocket.OPEN && super.send(kept), HELD_MS);
    }
  }
);

inBrowser.describe(`the people of a call in ${BROWSER}`, () => {
  const site = useSite(['--idle-timeout-ms', '3000', '--away-timeout-ms', '1000']);
  /** @type {(() => Promise<unknown>)[]} */
  const closing = [];
  afterEach(async () => {
    await site.closePages();
    for (const close of closing.splice(0)) await close();
  });

  for (const transport of byLength({
    short: /** @type {const} */ (['webtransport']),
    long: /** @type {const} */ (['websocket', 'http1']),
  })) {
    inBrowser.it(
      `are shown as they join, are muted, leave, close the tab, or are killed, over ${transport}`,
      async () => {
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
      },
    );
  }

  inBrowser.it(
    'are heard as late as their sound comes, each for themselves, and the page says whose ' +
      'voice is how old',
    async () => {
      const anna = await site.join('ages', 'Anna');
      // In silence there are few packets, and nobody's lateness is reported.
      const next = random(5);
      const speech = Float32Array.from({ length: 48_000 }, () => 0.1 * (next() - 0.5));
      await site.guest('ages', 'Ben', { speech });
      await site.guest('ages', 'Cleo', { speech, WebSocket: LateSocket });
      /** By how much somebody is heard later than others, in milliseconds. @param {string} name */
      const lateOf = async (name) =>
        Number(
          /heard (\d+) ms later than others/.exec(
            (await people(anna)).find((person) => person.startsWith(name)) ?? '',
          )?.[1] ?? 0,
        );
      /**
       * Age of somebody's voice, in milliseconds, as their options say.
       * @param {string} name
       */
      const ageOf = async (name) => {
        await anna.getByRole('button', { name: `Options for ${name}`, exact: true }).click();
        const age = anna
          .getByRole('group', { name: `Options for ${name}`, exact: true })
          .getByText(/^Heard \d+ ms after it was said$/);
        const ms = Number(/\d+/.exec(await age.innerText()));
        await anna.keyboard.press('Escape');
        return ms;
      };
      // A busy machine makes Ben late as well.
      const apart = async (/** @type {(name: string) => Promise<number>} */ of) =>
        (await of('Cleo')) - (await of('Ben'));
      await expect.poll(() => apart(lateOf), { timeout: 30_000 }).toBeGreaterThan(HELD_MS / 4);
      await expect.poll(() => apart(ageOf), { timeout: 30_000 }).toBeGreaterThan(HELD_MS / 4);
      expect(await ageOf('Ben')).toBeGreaterThan(0);
    },
  );
});
