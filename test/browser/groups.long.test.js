/** Groups in the page: what a moderator does with them, and what each person sees and hears. */

import { expect } from 'vitest';
import { violationsOf } from '../../testkit/browsers/axe.js';
import { BROWSER, inBrowser } from '../../testkit/browsers/browser.js';
import { looksRight, takePicture } from './support/contrast.js';
import { longSpeech, loudness, record } from './support/recording.js';
import { announced, button, shows } from './support/room-page.js';
import { useSite } from './support/site.js';

/** @typedef {import('playwright-core').Page} Page */

const bar = (/** @type {Page} */ page) => page.getByRole('region', { name: 'Groups' });
const focused = (/** @type {Page} */ page) =>
  page.evaluate(() => document.activeElement?.textContent ?? '');

inBrowser.describe(`groups in ${BROWSER}`, () => {
  const site = useSite(['--engine', 'none', '--server-delay-ms', '60'], longSpeech);

  inBrowser.it('are opened, filled, spoken to and called back, and heard alone', async () => {
    const anna = await site.join('school', 'Anna');
    const ben = await site.join('school', 'Ben');
    const [heardByAnna, heardByBen] = [await record(anna), await record(ben)];
    await expect.poll(() => loudness(heardByAnna)).toBeGreaterThan(0.02);
    expect(await bar(ben).count()).toBe(0);

    await button(anna, 'Room').click();
    const panel = anna.getByRole('complementary', { name: 'Room' });
    await panel.getByLabel('Number of groups').fill('3');
    await looksRight(anna, 'groups-closed');
    await panel.getByRole('button', { name: 'Open the groups' }).focus();
    await anna.keyboard.press('Enter');
    await bar(ben).getByText('You are in group 1. Only its people hear you').waitFor();
    await expect.poll(() => announced(ben)).toContain('You are in group 1.');
    await bar(anna).getByText('Groups are open. You are in the room.').waitFor();
    expect(await focused(anna)).toBe('Groups');
    await shows(anna, /^Anna \(you\)\s+moderator/, /^Ben\s+group 1/);
    await expect.poll(() => loudness(heardByAnna)).toBeLessThan(0.001);
    await expect.poll(() => loudness(heardByBen)).toBeLessThan(0.001);
    await looksRight(anna, 'groups-open');
    await looksRight(ben, 'group');

    // Ben may only go back. The moderator goes where she likes.
    expect(await bar(ben).getByLabel('Your group').isVisible()).toBe(false);
    await bar(anna).getByLabel('Your group').selectOption('Group 1 (1)');
    await expect.poll(() => loudness(heardByAnna)).toBeGreaterThan(0.02);
    await expect.poll(() => loudness(heardByBen)).toBeGreaterThan(0.02);
    await bar(anna).getByLabel('Your group').selectOption('The room');
    await expect.poll(() => loudness(heardByBen)).toBeLessThan(0.001);

    await panel.getByRole('button', { name: 'Speak to all groups' }).click();
    await bar(ben).getByText('Anna is speaking to all groups.').waitFor();
    await expect.poll(() => loudness(heardByBen)).toBeGreaterThan(0.02);
    expect(await loudness(heardByAnna)).toBeLessThan(0.001);
    await panel.getByRole('button', { name: 'Stop speaking to all groups' }).click();
    await expect.poll(() => loudness(heardByBen)).toBeLessThan(0.001);

    await panel.getByRole('combobox', { name: 'Group of Ben' }).selectOption('Group 3 (0)');
    await expect.poll(() => announced(ben)).toContain('You are in group 3.');
    await bar(ben).getByRole('button', { name: 'Back to the room' }).click();
    await expect.poll(() => loudness(heardByAnna)).toBeGreaterThan(0.02);
    await panel.getByRole('combobox', { name: 'Group of Ben' }).selectOption('Group 2 (0)');

    await panel.getByLabel('Everybody comes back').selectOption('in 30 seconds');
    await button(anna, 'Call everybody back').click();
    await bar(ben)
      .getByText(/Everybody comes back to the room in 0:2\d\./)
      .waitFor();
    await expect.poll(() => announced(ben)).toContain('Everybody comes back to the room in');
    await panel.getByLabel('Everybody comes back').selectOption('at once');
    await button(anna, 'Call everybody back').click();
    await expect
      .poll(() => announced(ben))
      .toBe('The groups are over. Everybody is in the room again.');
    await expect.poll(() => bar(ben).count()).toBe(0);
    await expect.poll(() => loudness(heardByAnna)).toBeGreaterThan(0.02);
    await shows(ben, /^Anna/, /^Ben \(you\)\s+connection/);
  });

  inBrowser.it('has listeners choose a language, which their browser keeps', async () => {
    const anna = await site.join('hall', 'Anna');
    const iris = await site.join('hall', 'Iris');
    await button(anna, 'Room').click();
    await button(anna, 'Go live').click();
    await button(anna, 'End the broadcast').waitFor();
    const lea = await site.page('/r/hall?listen', { viewport: { width: 390, height: 800 } });
    await button(lea, 'Listen').click();
    await button(lea, 'Pause').waitFor();
    expect(await lea.getByLabel('Language').count()).toBe(0);
    const heard = await record(lea);
    await expect.poll(() => loudness(heard)).toBeGreaterThan(0.02);
    // Anna is silent, so the floor is, once Iris interprets.
    await button(anna, 'Mute').click();

    await button(anna, 'Options for Iris').click();
    await button(anna, 'Moderate…').click();
    const dialog = anna.getByRole('dialog', { name: 'Moderate Iris' });
    await dialog.getByLabel('Interprets into').selectOption('Spanish');
    await looksRight(anna, 'interpreter');
    await dialog.getByRole('button', { name: 'Set the language' }).click();
    await shows(anna, /^Anna \(you\)/, /^Iris\s+interprets into Spanish/);
    await lea.getByLabel('Language').waitFor();
    await expect.poll(() => loudness(heard)).toBeLessThan(0.001);
    expect(await violationsOf(lea)).toEqual([]);
    await takePicture(lea, 'listener-390');
    await lea.getByLabel('Language').selectOption('Spanish');
    await expect.poll(() => loudness(heard)).toBeGreaterThan(0.02);
    // A language that has just ended is refused: the page says so, and shows what is still heard.
    await lea.getByLabel('Language').evaluate((list) => list.append(new Option('French', 'fr')));
    await lea.getByLabel('Language').selectOption('French');
    await lea.getByText('Nobody interprets into this language now.').waitFor();
    expect(await lea.getByLabel('Language').inputValue()).toBe('es');
    expect(await loudness(heard)).toBeGreaterThan(0.02);
    await lea.getByLabel('Language').selectOption('As spoken');
    await expect.poll(() => loudness(heard)).toBeLessThan(0.001);
    await lea.getByLabel('Language').focus();
    await lea.keyboard.press('ArrowDown');
    await expect.poll(() => loudness(heard)).toBeGreaterThan(0.02);

    // Each call asks for the language again.
    await button(lea, 'Pause').click();
    await button(lea, 'Listen').click();
    await button(lea, 'Pause').waitFor();
    const resumed = await record(lea);
    await expect.poll(() => loudness(resumed)).toBeGreaterThan(0.02);

    await lea.reload();
    await button(lea, 'Listen').click();
    await button(lea, 'Pause').waitFor();
    await expect.poll(() => lea.getByLabel('Language').inputValue()).toBe('es');
    const again = await record(lea);
    await expect.poll(() => loudness(again)).toBeGreaterThan(0.02);
    expect(await iris.getByText('interprets into Spanish').count()).toBe(1);

    await lea.getByLabel('Language').focus();
    await button(iris, 'Leave').click();
    await lea.getByLabel('Language').waitFor({ state: 'hidden' });
    expect(await lea.evaluate(() => document.activeElement?.id)).toBe('listen-button');
  });
});
