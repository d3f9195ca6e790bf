/** Moderating in the page: mute, remove, who may come in, and invitations. */

import { expect } from 'vitest';
import { Tokens } from '../../server/access/tokens.js';
import { violationsOf } from './support/axe.js';
import { inChromium } from './support/chromium.js';
import { expectProblems, people } from './support/room-page.js';
import { useSite } from './support/site.js';

/** @typedef {import('playwright-core').Page} Page */

const KEYS = ['key:a-secret-of-more-than-32-characters'];

/** The size of a small phone. */
const NARROW = { width: 390, height: 780 };

/** HTTP's own lines about requests that were refused on purpose. */
const REFUSED = /the server responded with a status of 40[13]/;

/** Where pictures of the pages go, for people to look at; none by default. */
const PICTURES = process.env.ALOUD_TEST_PICTURES;

const button = (/** @type {Page} */ page, /** @type {string | RegExp} */ name) => page.getByRole('button', { name, exact: true });
const said = (/** @type {Page} */ page) => page.locator('#announcer').innerText();
const notice = (/** @type {Page} */ page, /** @type {string} */ code) => page.locator(`.notice[data-code="${code}"]`);
const focused = (/** @type {Page} */ page) => page.evaluate(() => document.activeElement?.textContent ?? '');

/** A page has no faults for assistive technology, wide and narrow, and nothing of it is cut off. @param {Page} page @param {string} name */
async function looksRight(page, name) {
  const wide = page.viewportSize() ?? { width: 1280, height: 720 };
  for (const size of [wide, NARROW]) {
    await page.setViewportSize(size);
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}-${size.width}.png`, animations: 'disabled' });
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  }
  await page.setViewportSize(wide);
}

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

inChromium.describe('moderating in Chromium', () => {
  const site = useSite(['--server-delay-ms', '60']);

  inChromium.it('mutes somebody, who can\'t undo it until allowed, and then does it themselves', async () => {
    const anna = await site.join('mute', 'Anna');
    const ben = await site.join('mute', 'Ben');
    await expect.poll(() => people(anna)).toEqual([expect.stringMatching(/^Anna \(you\)\s+moderator/), expect.stringMatching(/^Ben/)]);
    const dialog = await moderate(anna, 'Ben');
    await looksRight(anna, 'person');
    await dialog.getByRole('button', { name: 'Mute for everybody' }).click();
    await dialog.waitFor({ state: 'detached' });
    await notice(ben, 'silenced').waitFor();
    await expect.poll(() => people(anna)).toContainEqual(expect.stringMatching(/^Ben[^]*muted by a moderator/));
    await looksRight(ben, 'muted');

    const unmute = button(ben, 'Unmute');
    expect(await unmute.getAttribute('aria-disabled')).toBe('true');
    await notice(ben, 'silenced').getByRole('button', { name: 'Dismiss' }).click();
    await ben.keyboard.press('m');
    await notice(ben, 'silenced').waitFor();
    await unmute.click({ force: true });
    expect(await unmute.getAttribute('aria-pressed')).toBe('true');

    await (await moderate(anna, 'Ben')).getByRole('button', { name: 'Allow to speak' }).click();
    await notice(ben, 'speech-allowed').waitFor();
    expect(await notice(ben, 'silenced').count()).toBe(0);
    expect(await people(anna)).toContainEqual(expect.stringMatching(/^Ben[^]*muted/));
    await button(ben, 'Unmute').click();
    await expect.poll(() => people(anna)).not.toContainEqual(expect.stringMatching(/muted/));
  });

  inChromium.it('hands the room on, and makes somebody a listener', async () => {
    const anna = await site.join('roles', 'Anna');
    const ben = await site.join('roles', 'Ben');
    expect(await button(ben, 'Room').count()).toBe(0);
    await setRole(anna, 'Ben', 'Moderator');
    await notice(ben, 'now-moderator').waitFor();
    await button(ben, 'Room').waitFor();
    await setRole(ben, 'Anna', 'Listener');
    await notice(anna, 'now-listener').waitFor();
    await expect.poll(() => button(anna, 'Room').count()).toBe(0);
    expect(await button(anna, 'Unmute').getAttribute('aria-disabled')).toBe('true');
    await openRoomPanel(ben);
    await button(ben, 'Stop being a moderator').click();
    await notice(ben, 'last-moderator').waitFor();
  });

  inChromium.it('removes somebody, who reads so and isn\'t brought back', async () => {
    const anna = await site.join('remove', 'Anna');
    const ben = await site.join('remove', 'Ben');
    await (await moderate(anna, 'Ben')).getByRole('button', { name: 'Remove from the room' }).click();
    await notice(ben, 'removed').waitFor();
    await button(ben, 'Join').waitFor();
    await looksRight(ben, 'removed');
    await expect.poll(() => people(anna)).toHaveLength(1);
    await button(ben, 'Join').click();
    await button(ben, 'Leave').waitFor();
    const dialog = await moderate(anna, 'Ben');
    await dialog.getByLabel('Ban for').selectOption('One day');
    await dialog.getByRole('button', { name: 'Remove and ban' }).click();
    await notice(ben, 'banned').waitFor();
    await button(ben, 'Join').click();
    await expect.poll(() => notice(ben, 'banned').count()).toBe(1);
    await button(ben, 'Join').waitFor();
  });

  inChromium.it('has people wait in a lobby, lets them in or turns them away, by keyboard', async () => {
    const anna = await site.join('lobby', 'Anna');
    const panel = await openRoomPanel(anna);
    await looksRight(anna, 'room');
    const lobby = panel.getByRole('switch', { name: 'Lobby' });
    await lobby.focus();
    await anna.keyboard.press('Space');
    await anna.keyboard.press('Escape');
    const cleo = await site.room('lobby', { name: 'Cleo' });
    await button(cleo, 'Join').click();
    await cleo.getByText('This room has a lobby.').first().waitFor();
    await looksRight(cleo, 'knocking');
    const letIn = button(anna, 'Let in Cleo');
    await letIn.waitFor();
    expect(await said(anna)).toBe('Cleo wants to come in.');
    const dot = await site.room('lobby', { name: 'Dot' });
    await button(dot, 'Join').click();
    await button(anna, 'Turn away Dot').waitFor();
    await looksRight(anna, 'knocks');
    await letIn.focus();
    await anna.keyboard.press('Enter');
    await button(cleo, 'Leave').waitFor();
    // The focus stays among those who wait.
    await expect.poll(() => focused(anna)).toBe('Let in');
    await anna.keyboard.press('Tab');
    await anna.keyboard.press('Enter');
    await notice(dot, 'turned-away').waitFor();
    await expect.poll(() => anna.locator('#knocks').isHidden()).toBe(true);
    expect(await focused(anna)).toBe('lobby');
    await button(dot, 'Join').click();
    await button(dot, 'Cancel').click();
    await button(dot, 'Join').waitFor();
    await expect.poll(() => anna.locator('#knocks').isHidden()).toBe(true);
  });

  inChromium.it('locks the room, restricts who may write, and ends the call for all', async () => {
    const anna = await site.join('rules', 'Anna');
    const ben = await site.join('rules', 'Ben');
    const panel = await openRoomPanel(anna);
    await panel.getByRole('switch', { name: 'Lock the room' }).click();
    await expect.poll(() => said(ben)).toBe('The room is locked.');
    const cleo = await site.room('rules', { name: 'Cleo' });
    await button(cleo, 'Join').click();
    await notice(cleo, 'room-locked').waitFor();
    await panel.getByLabel('Who may write').selectOption('Moderators');
    await button(ben, 'Chat').click();
    await ben.getByText('Only some may write here now').waitFor();
    expect(await ben.getByLabel('Message to everybody').getAttribute('readonly')).toBe('');
    expect(await violationsOf(ben)).toEqual([]);
    await button(anna, 'End the call for everybody').click();
    await anna.getByRole('dialog').getByRole('button', { name: 'End it' }).click();
    for (const page of [anna, ben]) await notice(page, 'room-ended').waitFor();
  });

  inChromium.it('asks for the room\'s password', async () => {
    const anna = await site.join('password', 'Anna');
    const panel = await openRoomPanel(anna);
    await panel.getByLabel('Password', { exact: true }).fill('open sesame');
    await button(anna, 'Set password').click();
    await panel.getByText('The room has a password.').waitFor();
    const ben = await site.room('password', { name: 'Ben' });
    await button(ben, 'Join').click();
    const field = ben.getByLabel('Password of the room');
    await field.waitFor();
    await looksRight(ben, 'password');
    await field.fill('sesame');
    await button(ben, 'Join').click();
    await ben.getByText('This is not the room’s password.').waitFor();
    await field.fill('open sesame');
    await button(ben, 'Join').click();
    await button(ben, 'Leave').waitFor();
    expect(await ben.evaluate(() => JSON.stringify(localStorage))).not.toContain('sesame');
  });
});

inChromium.describe('an invitation in Chromium', () => {
  const site = useSite(['--keys', KEYS.join(','), '--server-delay-ms', '60']);
  const tokens = new Tokens(KEYS, Date.now);
  const tokenFor = (/** @type {string} */ room) => tokens.make({ room, name: 'Anna', subject: 'anna', role: 'moderator', seconds: 600 });

  inChromium.it('is taken from the link once, kept for a reload, and needed', async () => {
    const page = await site.page('/r/tea?name=Eve&processing=off');
    expectProblems(page, REFUSED);
    await button(page, 'Join').click();
    await notice(page, 'token-needed').waitFor();
    await page.goto(`${site.url}/r/tea?name=Eve&processing=off#token=${await tokenFor('lab')}`);
    await page.reload();
    await button(page, 'Join').click();
    await notice(page, 'token-room').waitFor();

    const anna = await site.page(`/r/tea?processing=off&name=whatever#token=${await tokenFor('tea')}`);
    expect(new URL(anna.url()).hash).toBe('');
    await anna.reload();
    await button(anna, 'Join').click();
    await button(anna, 'Leave').waitFor();
    await expect.poll(() => people(anna)).toEqual([expect.stringMatching(/^Anna \(you\)\s+moderator/)]);
    await anna.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await button(anna, 'Copy link').click();
    await button(anna, 'Link copied').waitFor();
    expect(await anna.evaluate(() => navigator.clipboard.readText())).not.toContain('token');
  });
});
