import { expect } from 'vitest';
import { moderate } from '../../public/client/call/moderate.js';
import { tokenCommand } from '../../server/token-command.js';
import { BROWSER, inBrowser } from '../../testkit/browsers/browser.js';
import { button, openPage, people } from './support/room-page.js';
import { useSite } from './support/site.js';

const KEYS = 'main:a-secret-of-at-least-32-characters';

inBrowser.describe(`a link with a token, in ${BROWSER}`, () => {
  const site = useSite(['--engine', 'none', '--keys', KEYS]);

  /** @param {string} room @param {string} name @param {string} role */
  async function invited(room, name, role) {
    const { token } = await tokenCommand(
      ['--room', room, '--name', name, '--role', role, '--keys', KEYS],
      { env: {} },
    );
    const page = await openPage(
      site.browser,
      `${site.url}/r/${room}?name=Guest&processing=off#token=${token}`,
      { permissions: ['microphone'] },
    );
    const field = page.getByLabel('Name');
    expect([await field.inputValue(), await field.getAttribute('readonly')]).toEqual([name, '']);
    await button(page, 'Join').click();
    await button(page, 'Leave').waitFor();
    return page;
  }

  inBrowser.it(
    'lets in, is gone from the address bar, and outlasts a reload; without it the page says so',
    async () => {
      const ann = await invited('tea', 'Ann', 'moderator');
      expect(ann.url()).toBe(`${site.url}/r/tea?name=Guest&processing=off`);
      await expect.poll(() => people(ann)).toEqual([expect.stringMatching(/^Ann \(you\)/)]);
      await ann.reload();
      await button(ann, 'Join').click();
      await button(ann, 'Leave').waitFor();
      const eve = await openPage(site.browser, `${site.url}/r/tea?name=Eve&processing=off`, {
        permissions: ['microphone'],
      });
      await button(eve, 'Join').click();
      await eve.getByText('Joining here needs an invitation.').waitFor();
    },
  );

  inBrowser.it(
    'a person muted by a moderator gets a sentence, is shown as muted, and can’t undo it',
    async () => {
      // A person from another test may be away there for a while.
      const room = 'quiet';
      const ann = await invited(room, 'Ann', 'moderator');
      const bob = await invited(room, 'Bob', 'speaker');
      await expect.poll(() => people(ann)).toHaveLength(2);
      const id =
        [...(site.server.rooms.get(room)?.describe().people ?? [])].find(
          ({ name }) => name === 'Bob',
        )?.id ?? '';
      await ann.evaluate(
        (message) => /** @type {any} */ (window).aloud.call.sendControl(message),
        moderate.mute(id, true),
      );
      await bob.getByText('Ann has muted you.').waitFor();
      // Told to be disabled, the button answers all the same.
      await button(bob, 'Unmute').click({ force: true });
      await bob.getByText('A moderator has muted you.').waitFor();
      await button(bob, 'Unmute').waitFor();
      expect(
        site.server.rooms
          .get(room)
          ?.describe()
          .people.find((person) => person.id === id),
      ).toMatchObject({ muted: true, silenced: true });
    },
  );
});
