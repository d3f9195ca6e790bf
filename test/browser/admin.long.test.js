import { afterEach, expect } from 'vitest';
import { WebSocket } from 'ws';
import { OPERATOR_TOKEN, WITH_OPERATOR } from '../support/operator.js';
import { COLOURS, violationsOf } from '../../testkit/browsers/axe.js';
import { inBrowser } from '../../testkit/browsers/browser.js';
import { lowContrast, overflow } from './support/contrast.js';
import { expectProblems } from './support/room-page.js';
import { useSite } from './support/site.js';

/** @typedef {import('playwright-core').Page} Page */

/** The browser logs answers of 401 as errors. */
const REFUSED = /status of 401/;

/**
 * Runs in the page: what can be pressed and is too small for a thumb. A switch may be pressed
 * around it.
 */
const smallTargets = () =>
  [...document.querySelectorAll('button, input, select, summary, a[href]')]
    .filter((element) => element.checkVisibility())
    .map((element) => {
      const { width, height } = element.getBoundingClientRect();
      const around = parseFloat(getComputedStyle(element, '::after').insetBlockStart);
      const more = around < 0 ? -2 * around : 0;
      return {
        name: element.id || element.textContent,
        width: width + more,
        height: height + more,
      };
    })
    .filter(({ width, height }) => width < 44 || height < 44);

inBrowser.describe('the operator’s page', () => {
  const site = useSite(['--engine', 'none', ...WITH_OPERATOR]);

  /** @type {WebSocket[]} */
  const sockets = [];
  // A person who leaves has no place that is kept for the next test's look at the page.
  afterEach(() => sockets.splice(0).forEach((socket) => socket.close()));

  /** Asks to come in, without a page. @param {string} room @param {string} name */
  async function knock(room, name) {
    const socket = new WebSocket(`${site.url.replace('http', 'ws')}/session`);
    sockets.push(socket);
    /** @type {any[]} */
    const told = [];
    socket.on('message', (data, isBinary) => !isBinary && told.push(JSON.parse(String(data))));
    await new Promise((resolve) => void socket.once('open', resolve));
    socket.send(JSON.stringify({ type: 'join', version: 1, room, name }));
    await expect.poll(() => told.length).toBeGreaterThan(0);
    return { socket, told };
  }

  /** Joins without a page. @param {string} room @param {string} name */
  async function join(room, name) {
    const person = await knock(room, name);
    expect(person.told[0]).toMatchObject({ type: 'welcome' });
    return person;
  }

  /**
   * @param {object} [context]
   * @param {(page: Page) => Promise<unknown>} [prepare]  before the sign-in
   */
  async function signedIn(context, prepare) {
    const page = await site.page('/admin', context);
    await prepare?.(page);
    await page.getByLabel('Operator token').fill(OPERATOR_TOKEN);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'This server' }).waitFor();
    return page;
  }

  inBrowser.it(
    'asks for the token, says what is wrong with another, and keeps it as long as the tab',
    async () => {
      const page = await site.page('/admin');
      expectProblems(page, REFUSED);
      const token = page.getByLabel('Operator token');
      await expect
        .poll(() => token.evaluate((field) => field === document.activeElement))
        .toBe(true);
      await page.keyboard.press('Enter');
      expect(await page.locator('#token-problem').innerText()).toMatch(/Type the operator token/);
      await token.fill('wrong');
      await page.keyboard.press('Enter');
      await expect
        .poll(() => page.locator('#token-problem').innerText())
        .toMatch(/not the server’s operator token/);
      expect(await token.getAttribute('aria-invalid')).toBe('true');
      await token.fill(OPERATOR_TOKEN);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'This server' }).waitFor();
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('server-title');
      await page.reload();
      await page.getByRole('heading', { name: 'This server' }).waitFor();
      expect(
        await page.evaluate(() =>
          [JSON.stringify(localStorage), document.cookie, location.href].join(),
        ),
      ).not.toContain(OPERATOR_TOKEN);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await token.waitFor();
      await page.reload();
      expect(await token.isVisible()).toBe(true);
    },
  );

  inBrowser.it('shows rooms and people as they come and go, and what was refused', async () => {
    const page = await signedIn();
    await page.getByText('Nobody is in a room.').waitFor();
    const ann = await join('tea', 'Ann');
    const card = page.locator('.room', { hasText: 'tea' });
    await card.locator('summary').click();
    const person = card.getByRole('listitem').filter({ hasText: 'Ann' });
    await person.waitFor();
    expect(await person.innerText()).toMatch(/WebSocket/);
    ann.socket.send(JSON.stringify({ type: 'mute', muted: true }));
    await person.getByText('Muted').waitFor();
    const bob = await join('tea', 'Bob');
    await card.getByText('2 people').waitFor();
    bob.socket.send(JSON.stringify({ type: 'leave' }));
    await card.getByText('1 person').waitFor();
    expect(await card.getByRole('listitem').count()).toBe(1);
    await page.request.get(`${site.url}/api/nothing`);
    await page.getByRole('row', { name: /HTTP: not-found/ }).waitFor();
  });

  inBrowser.it('sets a room’s delay, removes somebody and ends a room, by keyboard', async () => {
    const people = [await join('keys', 'Ann'), await join('keys', 'Bob')];
    const page = await signedIn();
    const card = page.locator('.room', { hasText: 'keys' });
    await card.locator('summary').focus();
    await page.keyboard.press('Enter');
    const automatic = card.getByRole('switch', { name: 'Automatic delay' });
    await expect.poll(() => automatic.isChecked()).toBe(true);
    await automatic.focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('120');
    await page.keyboard.press('Enter');
    const said = page.getByRole('status');
    await expect.poll(() => said.innerText()).toBe('The delay of keys was set.');
    expect(site.server.rooms.get('keys')?.describe().delay).toMatchObject({
      mode: 'fixed',
      wantedMs: 120,
    });

    await card.getByRole('button', { name: 'Remove Bob' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Remove Bob?' });
    await dialog.getByRole('button', { name: 'Cancel' }).press('Enter');
    expect(site.server.rooms.get('keys')?.size).toBe(2);
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Remove' }).press('Enter');
    await expect.poll(() => said.innerText()).toBe('Bob was removed.');
    await expect
      .poll(() => people[1].told.at(-1))
      .toMatchObject({ type: 'closing', code: 'removed' });
    expect(site.server.rooms.get('keys')?.size).toBe(1);
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('SUMMARY');

    await card.getByRole('button', { name: 'End the room' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'End the room' }).press('Enter');
    await expect
      .poll(() => people[0].told.at(-1))
      .toMatchObject({ type: 'closing', code: 'room-ended' });
    await page.getByText('Nobody is in a room.').waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('server-title');
  });

  inBrowser.it('moderates a room, by keyboard', async () => {
    const people = [await join('rules', 'Ann'), await join('rules', 'Bob')];
    const [, bob] = people;
    bob.socket.send(JSON.stringify({ type: 'hand', raised: true }));
    const room = () => site.server.rooms.get('rules');
    const page = await signedIn();
    const card = page.locator('.room', { hasText: 'rules' });
    await card.locator('summary').press('Enter');
    const said = page.getByRole('status');
    const row = card.getByRole('listitem').filter({ hasText: 'Bob' });

    await row.getByRole('button', { name: 'Mute Bob' }).press('Enter');
    await expect.poll(() => said.innerText()).toBe('Bob is muted, and can’t undo it.');
    await expect
      .poll(() => bob.told.findLast(({ type }) => type === 'moderated'))
      .toMatchObject({ action: 'muted', by: 'operator' });
    await row.getByText('Muted by a moderator').waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => said.innerText()).toBe('Bob may unmute again.');

    await row.getByRole('button', { name: 'Lower hand of Bob' }).press('Enter');
    await expect.poll(() => said.innerText()).toBe('The hand of Bob was lowered.');
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toBe('Mute Bob');

    const role = row.getByRole('combobox', { name: 'Role of Bob' });
    expect(await role.inputValue()).toBe('speaker');
    await role.focus();
    await page.keyboard.type('Mod');
    await page.keyboard.press('Tab');
    // The delay isn't set yet, and the page has asked the server in between.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(await role.inputValue()).toBe('moderator');
    await page.keyboard.press('Enter');
    await expect.poll(() => said.innerText()).toBe('Bob is a moderator now.');
    await expect
      .poll(() => bob.told.findLast(({ type }) => type === 'moderated'))
      .toMatchObject({ action: 'role', role: 'moderator' });

    const lock = card.getByRole('switch', { name: /^Locked/ });
    await lock.press('Space');
    await expect.poll(() => said.innerText()).toBe('The rules of rules were changed.');
    expect(room()?.rules.told.locked).toBe(true);
    await card.locator('.locked-sign').waitFor();
    await lock.press('Space');
    await expect.poll(() => room()?.rules.told.locked).toBe(false);
    people[0].socket.send(JSON.stringify({ type: 'record', on: true }));
    const stop = card.getByRole('button', { name: 'Stop recording' });
    await stop.press('Enter');
    await expect.poll(() => stop.isVisible()).toBe(false);
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('SUMMARY');
    await card.getByRole('switch', { name: 'Only moderators write' }).press('Space');
    await card.getByRole('switch', { name: 'Only moderators record' }).press('Space');
    await expect
      .poll(() => room()?.rules.told)
      .toMatchObject({ chat: 'moderators', record: 'moderators' });

    await card.getByRole('textbox', { name: 'New password of rules' }).fill('tea-for-two');
    await page.keyboard.press('Enter');
    await expect.poll(() => said.innerText()).toBe('rules has a new password.');
    const away = card.getByRole('button', { name: 'Remove password' });
    await away.press('Enter');
    await expect.poll(() => said.innerText()).toBe('rules has no password any more.');
    await expect.poll(() => away.isVisible()).toBe(false);
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
      'New password of rules',
    );
  });

  inBrowser.it('lets people in from the lobby, and turns them away', async () => {
    await join('lobby', 'Ann');
    site.server.rooms.get('lobby')?.rules.moderation.lobby(true, { id: 'test', label: 'test' });
    const knocks = [await knock('lobby', 'Bob'), await knock('lobby', 'Cid')];
    const page = await signedIn();
    const card = page.locator('.room', { hasText: 'lobby' });
    await card.getByText('2 wait to be let in').waitFor();
    await card.locator('summary').press('Enter');
    await card.getByRole('button', { name: 'Let in Bob' }).press('Enter');
    await expect.poll(() => knocks[0].told.some(({ type }) => type === 'welcome')).toBe(true);
    await card.getByRole('button', { name: 'Turn away Cid' }).press('Enter');
    await expect
      .poll(() => knocks[1].told.at(-1))
      .toMatchObject({ type: 'refused', code: 'turned-away' });
    await expect.poll(() => card.locator('.knocks').isVisible()).toBe(false);
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('role')))
      .toBe('switch');
  });

  inBrowser.it(
    'bans, says where that can’t be done, and lifts bans of rooms that nobody is in',
    async () => {
      site.server.rooms.bans.add(
        'long-ago',
        'Eve',
        { identity: null, tokenId: null, network: '192.0.2.9' },
        3_600_000,
      );
      const ann = await join('bans', 'Ann');
      const page = await signedIn();
      expectProblems(page, /status of 409/);
      await page.getByText('Eve, from long-ago').waitFor();
      expect(await page.getByRole('listitem').filter({ hasText: 'Eve' }).innerText()).toMatch(
        /by network 192\.0\.2\.9; for (1 h 0|59) min more/,
      );
      const card = page.locator('.room', { hasText: 'bans' });
      await card.locator('summary').press('Enter');
      await card.getByRole('button', { name: 'Ban Ann for a day' }).press('Enter');
      await page
        .getByRole('dialog', { name: /^Ban Ann/ })
        .getByRole('button', { name: 'Ban for a day' })
        .press('Enter');
      await expect.poll(() => ann.told.at(-1)).toMatchObject({ type: 'closing', code: 'removed' });
      // The test comes from this machine, whose network can't be banned.
      await expect
        .poll(() => page.getByRole('alert').innerText())
        .toMatch(/not banned: they come from the server's own machine/);
      await page.getByRole('button', { name: 'Lift the ban of Eve from long-ago' }).press('Enter');
      await expect
        .poll(() => page.getByRole('status').innerText())
        .toBe('The ban of Eve was lifted.');
      await page.getByText('Nobody is banned from a room.').waitFor();
      await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('bans-title');
      expect(site.server.rooms.bans.listAll(9)).toEqual([]);
    },
  );

  inBrowser.it(
    'shows within two looks whom somebody else has banned, and a recording that began',
    async () => {
      const ann = await join('elsewhere', 'Ann');
      const page = await signedIn();
      await page.getByText('Nobody is banned from a room.').waitFor();
      expect(await page.getByText(/, in progress$/).count()).toBe(0);
      let looks = 0;
      page.on('request', (request) => (looks += Number(request.url().endsWith('/api/status'))));
      const comesInTwo = async (/** @type {string | RegExp} */ text) => {
        const before = looks;
        await page.getByText(text).waitFor();
        // A third one may have begun before the test sees the text.
        expect(looks - before).toBeLessThanOrEqual(3);
      };
      site.server.rooms.bans.add(
        'elsewhere',
        'Eve',
        { identity: null, tokenId: null, network: '192.0.2.9' },
        3_600_000,
      );
      await comesInTwo('Eve, from elsewhere');
      expect(await page.getByText('Nobody is banned from a room.').isVisible()).toBe(false);
      ann.socket.send(JSON.stringify({ type: 'record', on: true }));
      await comesInTwo(/, in progress$/);
      await page.getByText('1 in progress').waitFor();
      ann.socket.send(JSON.stringify({ type: 'record', on: false }));
      await page.getByRole('button', { name: 'Lift the ban of Eve from elsewhere' }).press('Enter');
      await comesInTwo('Nobody is banned from a room.');
    },
  );

  inBrowser.it('shows nothing of an earlier look that is answered later', async () => {
    const network = { identity: null, tokenId: null, network: '192.0.2.9' };
    site.server.rooms.bans.add('slow', 'Eve', network, 3_600_000);
    const page = await signedIn();
    const lift = page.getByRole('button', { name: 'Lift the ban of Eve from slow' });
    await lift.waitFor();
    /** @type {(value?: unknown) => void} */
    let answer = () => {};
    const mayAnswer = new Promise((resolve) => (answer = resolve));
    await new Promise((resolve) => {
      const hold = async (/** @type {import('playwright-core').Route} */ route) => {
        const response = await route.fetch();
        resolve(null);
        await mayAnswer;
        await route.fulfill({ response });
      };
      void page.route('**/api/bans', hold, { times: 1 });
    });
    await lift.press('Enter');
    await page.getByText('Nobody is banned from a room.').waitFor();
    answer();
    await page.waitForTimeout(300);
    expect(await lift.count()).toBe(0);
  });

  inBrowser.it('shows no recording again that was deleted while they were listed', async () => {
    const startedAt = '2026-11-30T10:00:00Z';
    let recordings = [{ id: 'one', room: 'tea', startedAt, on: false }];
    let [open, lists] = [0, 0];
    /** @type {(value?: unknown) => void} */
    let answer = () => {};
    const mayAnswer = new Promise((resolve) => (answer = resolve));
    const page = await signedIn({}, async (one) => {
      await one.route('**/api/status', async (route) => {
        const status = await (await route.fetch()).json();
        await route.fulfill({ json: { ...status, recordings: { ...status.recordings, open } } });
      });
      await one.route('**/api/recordings', async (route) => {
        const json = { recordings };
        if (++lists === 2) await mayAnswer;
        await route.fulfill({ json });
      });
      await one.route('**/api/recordings/one', async (route) => {
        recordings = [];
        await route.fulfill({ status: 204 });
      });
    });
    const remove = page.getByRole('button', { name: 'Delete the recording of tea' });
    await remove.waitFor();
    // The begin of a recording makes the page ask for the list.
    open = 1;
    await expect.poll(() => lists).toBe(2);
    await remove.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter');
    await page.getByText('There are no recordings.').waitFor();
    answer();
    await page.waitForTimeout(300);
    expect(await remove.count()).toBe(0);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  inBrowser.it('draws its lines as wide from their second value on as after a minute', async () => {
    const page = await signedIn();
    const line = page.locator('.tile', { hasText: 'Mixing' }).locator('.spark path');
    await expect
      .poll(() => line.getAttribute('d'))
      .toMatch(/^M0\.0 [\d.]+(L[\d.]+ [\d.]+)*L59\.0 [\d.]+$/);
  });

  inBrowser.it('asks in red before it does what can’t be undone', async () => {
    const page = await signedIn();
    await page.getByRole('button', { name: 'Drain the server' }).click();
    const yes = page.getByRole('dialog').getByRole('button', { name: 'Drain' });
    const colours = await yes.evaluate((button) => {
      const danger = document.body.appendChild(document.createElement('i'));
      danger.style.background = 'var(--danger)';
      return [getComputedStyle(button).backgroundColor, getComputedStyle(danger).backgroundColor];
    });
    expect(colours[0]).toBe(colours[1]);
    expect(await page.getByRole('dialog').innerText()).toContain(
      'the server stops as with SIGTERM',
    );
    await page.getByRole('button', { name: 'Cancel' }).click();
  });

  /** @param {Page} page */
  const focused = (page) => page.evaluate(() => document.activeElement?.id);

  inBrowser.it('keeps the keyboard’s place when the last recording is deleted', async () => {
    const startedAt = '2026-11-30T10:00:00Z';
    const recordings = [{ id: 'one', room: 'tea', startedAt, on: false }];
    const page = await signedIn({}, async (one) => {
      await one.route('**/api/recordings', (route) => route.fulfill({ json: { recordings } }));
      await one.route('**/api/recordings/one', async (route) => {
        recordings.pop();
        await route.fulfill({ status: 204 });
      });
    });
    await page.getByRole('button', { name: 'Delete the recording of tea' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter');
    await page.getByText('There are no recordings.').waitFor();
    expect(await focused(page)).toBe('recordings-title');
  });

  inBrowser.it('keeps the keyboard’s place when the server drains, or a notice goes', async () => {
    let state = 'ready';
    const page = await signedIn({}, (one) =>
      one.route('**/api/status', async (route) => {
        const status = await (await route.fetch()).json();
        await route.fulfill({ json: { ...status, state } });
      }),
    );
    await page.getByRole('button', { name: 'Drain the server' }).focus();
    state = 'draining';
    await page.getByRole('button', { name: 'Drain the server' }).waitFor({ state: 'hidden' });
    expect(await focused(page)).toBe('server-title');

    expectProblems(page, /net::ERR_/);
    await page.context().setOffline(true);
    const dismiss = page.getByRole('alert').getByRole('button', { name: 'Dismiss' });
    await dismiss.press('Enter');
    await expect.poll(() => focused(page)).toBe('server-title');
    await page.context().setOffline(false);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  inBrowser.it('keeps the keyboard’s place when a room ends behind a question', async () => {
    const ann = await join('question', 'Ann');
    const page = await signedIn();
    const card = page.locator('.room', { hasText: 'question' });
    await card.locator('summary').press('Enter');
    await card.getByRole('button', { name: 'End the room' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    ann.socket.send(JSON.stringify({ type: 'leave' }));
    await card.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await focused(page)).toBe('server-title');
  });

  inBrowser.it('says so when the server doesn’t answer, and goes on when it does', async () => {
    const page = await signedIn();
    expectProblems(page, /net::ERR_/);
    await page.context().setOffline(true);
    await expect
      .poll(() => page.getByRole('alert').innerText())
      .toMatch(/The server doesn’t answer/);
    // Screen readers announce it once: later looks leave it as it is.
    await page.locator('.notice').evaluate((notice) => notice.setAttribute('data-seen', ''));
    for (let i = 0; i < 2; i++) await page.waitForRequest('**/api/status');
    expect(await page.locator('[data-seen]').count()).toBe(1);
    await page.context().setOffline(false);
    await expect.poll(() => page.getByRole('alert').innerText()).toBe('');
  });

  inBrowser.it(
    'can be read and pressed at any width, and axe finds no fault, light and dark',
    async () => {
      const room = 'harbor-velvet-finch-lute-moss';
      await join(room, 'W'.repeat(40));
      const looksRight = async (/** @type {Page} */ page, /** @type {string} */ where) => {
        // The two differ by their colours alone.
        for (const [colorScheme, rule] of /** @type {const} */ ([
          ['light', undefined],
          ['dark', COLOURS],
        ])) {
          // Colours change at once then.
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          expect([
            where,
            colorScheme,
            await page.evaluate(lowContrast),
            await violationsOf(page, rule),
          ]).toEqual([where, colorScheme, [], []]);
        }
      };
      await looksRight(await site.page('/admin'), 'sign in');
      const page = await signedIn();
      await page.locator('.room > summary', { hasText: room }).click();
      await page.getByRole('button', { name: /^Remove W/ }).waitFor();
      for (const width of [320, 390, 1280]) {
        await page.setViewportSize({ width, height: 700 });
        expect([width, await overflow(page)]).toEqual([width, 0]);
        expect([width, await page.evaluate(smallTargets)]).toEqual([width, []]);
        await looksRight(page, `${width} px`);
      }
      await page.getByRole('button', { name: 'Drain the server' }).click();
      await looksRight(page, 'asked whether to drain');
    },
  );
});
