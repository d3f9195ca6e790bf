/**
 * Moderating in the page: people, the room, its door, and what those it happens to see and hear.
 */

import { expect } from 'vitest';
import { OPERATOR } from '../../server/state/grant.js';
import { tokenCommand } from '../../server/token-command.js';
import { startServer } from '../../testkit/aloud-server.js';
import { BROWSER, inBrowser } from '../../testkit/browsers/browser.js';
import { looksRight, WIDTHS } from './support/contrast.js';
import { announced, button, openPage, people } from './support/room-page.js';
import { longSpeech, loudness, record } from './support/recording.js';
import { useSite } from './support/site.js';

/** @typedef {import('playwright-core').Page} Page */

const KEYS = 'main:a-secret-of-at-least-32-characters';

const says = (/** @type {Page} */ page, /** @type {string} */ text) =>
  page.getByRole('alert').getByText(text).waitFor();
const notices = (/** @type {Page} */ page) => page.getByRole('alert').innerText();
const inCall = (/** @type {Page} */ page) => button(page, 'Leave').waitFor();
const focused = (/** @type {Page} */ page) =>
  page.evaluate(
    () =>
      document.activeElement?.getAttribute('aria-label') ??
      document.activeElement?.textContent ??
      '',
  );

/** Opens what a moderator can do with somebody. @param {Page} page @param {string} name */
async function moderate(page, name) {
  await button(page, `Options for ${name}`).click();
  await button(page, 'Moderate…').click();
  return page.getByRole('dialog', { name: `Moderate ${name}` });
}

/** @param {Page} page @param {string} name @param {string} role */
async function setRole(page, name, role) {
  const dialog = await moderate(page, name);
  await dialog.getByLabel('Role').selectOption(role);
  await dialog.getByRole('button', { name: 'Change role' }).click();
}

/** @param {Page} page */
async function openRoomPanel(page) {
  await button(page, 'Room').click();
  return page.getByRole('complementary', { name: 'Room' });
}

inBrowser.describe(`moderating in ${BROWSER}`, () => {
  // Sound of everybody's microphone, longer than the tests listen.
  const site = useSite(['--engine', 'none', '--server-delay-ms', '60'], longSpeech);

  inBrowser.it(
    'mutes somebody, who is silent and can’t undo it until allowed, and then does it themselves',
    async () => {
      const anna = await site.join('people', 'Anna');
      const ben = await site.join('people', 'Ben');
      await expect
        .poll(() => people(anna))
        .toEqual([
          expect.stringMatching(/^Anna \(you\)\s+moderator/),
          expect.stringMatching(/^Ben/),
        ]);
      const heard = await record(anna);
      await expect.poll(() => loudness(heard)).toBeGreaterThan(0.02);
      await ben.keyboard.press('h');
      const dialog = await moderate(anna, 'Ben');
      await dialog.getByRole('button', { name: 'Lower their hand' }).waitFor();
      await looksRight(anna, 'person');
      await dialog.getByRole('button', { name: 'Lower their hand' }).click();
      await says(ben, 'Anna has lowered your hand.');

      await (
        await moderate(anna, 'Ben')
      )
        .getByRole('button', { name: 'Mute for everybody' })
        .click();
      expect(await focused(anna)).toBe('Options for Ben');
      await says(ben, 'Anna has muted you.');
      await expect
        .poll(() => people(anna))
        .toContainEqual(expect.stringMatching(/^Ben[^]*muted by a moderator/));
      await expect.poll(() => loudness(heard)).toBeLessThan(0.001);
      const unmute = button(ben, 'Unmute');
      expect(await unmute.getAttribute('aria-disabled')).toBe('true');
      await ben.keyboard.press('m');
      await says(ben, 'A moderator has muted you.');
      await looksRight(ben, 'muted');
      await ben.keyboard.press('m');
      await ben.keyboard.down(' ');
      // A program that unmutes without the page's leave isn't heard either.
      await ben.evaluate(() => /** @type {any} */ (window).aloud.call.mute(false));
      expect(await loudness(heard)).toBeLessThan(0.001);
      await ben.keyboard.up(' ');

      await (await moderate(anna, 'Ben')).getByRole('button', { name: 'Allow to speak' }).click();
      await says(ben, 'Anna lets you speak again.');
      expect(await notices(ben)).not.toContain('A moderator has muted you.');
      expect(await people(anna)).toContainEqual(expect.stringMatching(/^Ben[^]*muted/));
      expect(await loudness(heard)).toBeLessThan(0.001);
      await unmute.click();
      await expect.poll(() => people(anna)).not.toContainEqual(expect.stringMatching(/muted/));
      await expect.poll(() => loudness(heard)).toBeGreaterThan(0.02);

      // Hands the room on, and makes somebody a listener.
      expect(await button(ben, 'Room').isVisible()).toBe(false);
      const panel = await openRoomPanel(anna);
      await panel.getByText('You are the only moderator.').waitFor();
      await setRole(anna, 'Ben', 'Moderator');
      await says(ben, 'Anna has made you a moderator of this room.');
      await button(anna, 'Stop being a moderator').click();
      await says(anna, 'Anna has made you a speaker.');
      await expect.poll(() => button(anna, 'Room').isVisible()).toBe(false);
      expect(await panel.isVisible()).toBe(false);
      expect(await focused(anna)).toBe('people');
      await setRole(ben, 'Anna', 'Listener');
      await says(anna, 'Ben has made you a listener.');
      expect(await button(anna, 'Unmute').getAttribute('aria-disabled')).toBe('true');
      await button(anna, 'Unmute').click({ force: true });
      await says(anna, 'You are a listener here');
      await expect.poll(() => people(ben)).toHaveLength(1);

      // Takes somebody out, who isn't brought back.
      await (await openRoomPanel(ben)).getByRole('button', { name: 'Remove Anna' }).click();
      await says(anna, 'A moderator has removed you from the room.');
      await button(anna, 'Join').waitFor();
      await ben.getByText('There are no listeners.').waitFor();
    },
  );

  inBrowser.it(
    'has people wait in a lobby, lets them in or turns them away, by keyboard',
    async () => {
      const anna = await site.join('door', 'Anna');
      // The menu of buttons that a moderator has more of fits on the smallest phone.
      await anna.setViewportSize({ width: WIDTHS[2], height: 780 });
      await button(anna, 'More').click();
      expect((await button(anna, 'Record').boundingBox())?.x).toBeGreaterThanOrEqual(0);
      await anna.setViewportSize({ width: WIDTHS[0], height: 720 });
      const panel = await openRoomPanel(anna);
      await looksRight(anna, 'room');
      await panel.getByRole('switch', { name: 'Lobby' }).focus();
      await anna.keyboard.press('Space');
      await anna.getByText('1 person · lobby on').waitFor();
      await anna.keyboard.press('Escape');
      const cleo = await site.room('door', { name: 'Cleo' });
      await button(cleo, 'Join').click();
      await cleo.getByText('The moderators know that you are here.').first().waitFor();
      expect(await focused(cleo)).toBe('Cancel');
      await looksRight(cleo, 'waiting');
      await button(anna, 'Let in Cleo').waitFor();
      expect(await announced(anna)).toBe('Cleo wants to come in.');
      const dot = await site.room('door', { name: 'Dot' });
      await button(dot, 'Join').click();
      await button(anna, 'Turn away Dot').waitFor();
      await looksRight(anna, 'knocks');
      await button(anna, 'Let in Cleo').focus();
      // Firefox takes keys for the page in front alone.
      await anna.bringToFront();
      await anna.keyboard.press('Enter');
      await inCall(cleo);
      await expect.poll(() => people(cleo)).toHaveLength(2);
      await button(cleo, 'Mute').waitFor();
      // The focus stays in the list of the waiting people.
      await expect.poll(() => focused(anna)).toBe('Let in Dot');
      await anna.keyboard.press('Tab');
      await anna.keyboard.press('Enter');
      await says(dot, 'You weren’t let into the room.');
      await expect.poll(() => anna.locator('#knocks').isHidden()).toBe(true);
      expect(await focused(anna)).toBe('door');
      await button(dot, 'Join').click();
      await button(anna, 'Let in Dot').waitFor();
      await button(dot, 'Cancel').click();
      await button(dot, 'Join').waitFor();
      await expect.poll(() => anna.locator('#knocks').isHidden()).toBe(true);

      // The lock, and the password.
      await openRoomPanel(anna);
      await panel.getByRole('switch', { name: 'Lobby' }).click();
      await panel.getByRole('switch', { name: 'Lock the room' }).click();
      await expect.poll(() => announced(cleo)).toBe('The room is locked.');
      await button(dot, 'Join').click();
      await says(dot, 'The room is locked.');
      await panel.getByRole('switch', { name: 'Lock the room' }).click();
      await panel.getByLabel('Password', { exact: true }).fill('open sesame');
      await anna.bringToFront();
      await anna.keyboard.press('Enter');
      await panel.getByText('The room has a password.').waitFor();
      await button(dot, 'Join').click();
      const field = dot.getByLabel('Password of the room');
      await dot.getByText('The room has a password. Type it').waitFor();
      await looksRight(dot, 'password');
      await field.fill('sesame');
      await dot.bringToFront();
      await dot.keyboard.press('Enter');
      await dot.getByText('That isn’t the room’s password.').waitFor();
      await field.fill('open sesame');
      await button(dot, 'Join').click();
      await inCall(dot);
      expect(
        await dot.evaluate(() => JSON.stringify([localStorage, sessionStorage, location.href])),
      ).not.toContain('sesame');
      await button(anna, 'Remove password').click();
      await panel.getByText('The room has no password.').waitFor();

      // Rights to write and record, and the end.
      await button(dot, 'Chat').click();
      await panel.getByLabel('Who may write').selectOption('Moderators');
      await panel.getByLabel('Who may record').selectOption('Moderators');
      await dot.getByText('You may read, but not write here now.').waitFor();
      expect(await dot.getByLabel('Message to everybody').getAttribute('readonly')).toBe('');
      await button(dot, 'Record').click();
      await dot.getByText('You may not record here.').waitFor();
      expect(await button(dot, 'Start recording').isVisible()).toBe(false);
      await button(anna, 'End the call for everybody').click();
      const question = anna.getByRole('dialog', { name: 'End the call for everybody?' });
      await question.getByRole('button', { name: 'Go on' }).click();
      await button(anna, 'End the call for everybody').click();
      await question.getByRole('button', { name: 'End it' }).click();
      for (const page of [anna, cleo, dot])
        await says(page, 'A moderator has ended the call for everybody.');
    },
  );

  inBrowser.it(
    'bans somebody by their invitation, who reads so and can’t come back until allowed',
    async () => {
      const server = await startServer('--engine', 'none', '--keys', KEYS);
      try {
        const come = async (/** @type {string} */ name, /** @type {string} */ role) => {
          const { token } = await tokenCommand(
            ['--room', 'tea', '--name', name, '--role', role, '--keys', KEYS],
            { env: {} },
          );
          const page = await openPage(
            site.browser,
            `${server.url}/r/tea?name=Guest&processing=off#token=${token}`,
            { permissions: ['microphone'] },
          );
          await button(page, 'Join').click();
          await inCall(page);
          return page;
        };
        const anna = await come('Anna', 'moderator');
        const eve = await come('Eve', 'speaker');
        const dialog = await moderate(anna, 'Eve');
        await dialog.getByLabel('Keep out for').selectOption('One day');
        await dialog.getByRole('button', { name: 'Remove and ban' }).click();
        await says(eve, 'A moderator has banned you from this room for a while.');
        await button(eve, 'Join').click();
        await expect.poll(() => notices(eve)).toContain('A moderator has banned you');
        await button(eve, 'Join').waitFor();
        const panel = await openRoomPanel(anna);
        await panel.getByText(/^Eve, by the invitation/).waitFor();
        await button(anna, 'Allow again: Eve').scrollIntoViewIfNeeded();
        await looksRight(anna, 'bans');
        await button(anna, 'Allow again: Eve').click();
        await expect.poll(() => panel.getByText('Kept out').isVisible()).toBe(false);
        await button(eve, 'Join').click();
        await inCall(eve);
        // A moderator's open question is gone with the call.
        await moderate(anna, 'Eve');
        server.rooms.get('tea')?.rules.moderation.endForAll(OPERATOR);
        await says(anna, 'A moderator has ended the call for everybody.');
        expect(await anna.getByRole('dialog').count()).toBe(0);
      } finally {
        await site.closePages();
        await server.close();
      }
    },
  );
});
