import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isBuilt } from '@aloud/native';
import { afterEach, expect } from 'vitest';
import { loadConfig } from '../../server/config/config.js';
import { createLog } from '../../server/log.js';
import { createServer } from '../../server/server.js';
import { DaySchedule } from '../../testkit/fake-clock.js';
import { canBuildNative, requireOrSkip } from '../../testkit/skip.js';
import { startServer } from '../../testkit/aloud-server.js';
import { BROWSER, chromiumPath, inBrowser, openBrowser } from '../../testkit/browsers/browser.js';
import { CUT_OFF, givePatience, joinRoom, openRoom, shows } from './support/room-page.js';
import { useSite } from './support/site.js';

/** @typedef {import('playwright-core').Page} Page */

const notices = (/** @type {Page} */ page) => page.getByRole('alert').innerText();

/** Only the server's own engine takes another certificate while it runs. */
const renewalTests = chromiumPath
  ? requireOrSkip(isBuilt(), 'the native engine is not built', canBuildNative)
  : inBrowser;

inBrowser.describe(`a call in ${BROWSER}`, () => {
  const site = useSite([
    '--idle-timeout-ms',
    '3000',
    '--away-timeout-ms',
    '1000',
    '--max-participants',
    '2',
  ]);
  /** @type {(() => Promise<unknown>)[]} */
  const closing = [];
  afterEach(async () => {
    // Pages first: a page without a server tries to reconnect.
    await site.closePages();
    for (const close of closing.splice(0)) await close();
  });

  inBrowser.it('chooses WebTransport', async () => {
    const visit = /** @type {const} */ ({ name: 'Anna', transport: 'auto' });
    const page = await site.join('auto', { ...visit, prepare: givePatience });
    expect(await page.getByLabel('How you are connected').innerText()).toMatch(
      /Connected over WebTransport/,
    );
    await expect
      .poll(() => page.getByLabel('How you are connected').innerText())
      .toMatch(/Round trip \d+ ms/);
  });

  renewalTests.it(
    'lets people in, and stays, when the server has renewed its certificate',
    async () => {
      const directory = mkdtempSync(join(tmpdir(), 'aloud-renewal-'));
      const schedule = new DaySchedule();
      // The browser's own clock has to lie within both certificates' days.
      schedule.wallMs -= 10.5 * 24 * 60 * 60 * 1000;
      const config = loadConfig({
        argv: ['--port', '0', '--h3-port', '0', '--cert-dir', directory],
        env: {},
      });
      const log = createLog({ level: 'error' });
      const server = await createServer(config, {
        log,
        clock: schedule,
        wallNow: () => schedule.wallMs,
      });
      closing.push(
        () => server.close(),
        async () => rmSync(directory, { recursive: true }),
      );
      const hashes = async () => {
        const answer = await fetch(new URL('/api/config', server.url));
        return /** @type {string[]} */ (
          (await answer.json()).transports.webtransport.certificateHashes
        );
      };
      const transport = 'webtransport';
      const anna = await joinRoom(site.browser, server.url, 'renewed', { name: 'Anna', transport });
      const [first] = await hashes();
      schedule.pass(9.5);
      await expect.poll(hashes).toHaveLength(2);
      schedule.pass(1);
      await expect.poll(hashes).not.toContain(first);
      await joinRoom(site.browser, server.url, 'renewed', { name: 'Ben', transport });
      await shows(anna, /^Anna \(you\)/, /^Ben/);
      expect(await notices(anna)).toBe('');
    },
  );

  inBrowser.it('takes a WebSocket where the server has no HTTP/3, and says so', async () => {
    const plain = await startServer('--engine', 'none');
    closing.push(() => plain.close());
    const page = await joinRoom(site.browser, plain.url, 'auto', {
      name: 'Anna',
      transport: 'auto',
    });
    const connection = await page.getByLabel('How you are connected').innerText();
    expect(connection).toMatch(/Connected over WebSocket/);
    expect(connection).toMatch(/Tried WebTransport first\. ./);
    await shows(page, /^Anna \(you\)/);

    const stubborn = await openRoom(site.browser, plain.url, 'auto', {
      name: 'Ben',
      transport: 'webtransport',
    });
    await stubborn.getByRole('button', { name: 'Join' }).click();
    await expect
      .poll(() => notices(stubborn))
      .toMatch(/doesn’t offer the connection that you chose\. Choose Automatic/);
  });

  inBrowser.it(
    'takes HTTP/1 in a browser that has neither WebTransport nor WebSocket',
    async () => {
      const prepare = (/** @type {Page} */ page) =>
        page.route('**/client/call/worker.js', async (route) => {
          const response = await route.fetch();
          const body = `delete self.WebTransport; delete self.WebSocket;\n${await response.text()}`;
          await route.fulfill({ response, body });
        });
      const page = await site.join('auto', { name: 'Anna', transport: 'auto', prepare });
      const connection = await page.getByLabel('How you are connected').innerText();
      expect(connection).toMatch(/Connected over HTTP\/1/);
      expect(connection).toMatch(/Tried WebTransport first\. .[^]*Tried WebSocket first\. ./);
    },
  );

  inBrowser.it('lets one listen when the microphone is refused, and says what to do', async () => {
    const refusing = await openBrowser({ microphone: 'refused' });
    closing.push(refusing.close);
    const page = await joinRoom(refusing.browser, site.url, 'refused', { name: 'Anna' });
    expect(await notices(page)).toMatch(/not allowed to use the microphone\. Allow it/);
    await shows(page, /^Anna \(you\)[^]*muted/);
    // Pressing Unmute asks once more.
    await page.getByRole('button', { name: 'Dismiss' }).click();
    expect(await notices(page)).toBe('');
    await page.getByRole('button', { name: 'Unmute' }).click();
    await expect.poll(() => notices(page)).toMatch(/not allowed/);
  });

  inBrowser.it('lets one listen where there is no microphone, and says what to do', async () => {
    const deaf = await openBrowser({ microphone: 'missing' });
    closing.push(deaf.close);
    const page = await joinRoom(deaf.browser, site.url, 'missing', { name: 'Anna' });
    expect(await notices(page)).toMatch(/No microphone was found\. Plug one in/);
    await shows(page, /^Anna \(you\)[^]*muted/);
  });

  inBrowser.it('lets one choose to listen, and to speak later', async () => {
    const page = await site.room('listen', { name: 'Anna' });
    await page.getByLabel('Microphone').selectOption({ label: 'No microphone: listen only' });
    await page.getByRole('button', { name: 'Join' }).click();
    await shows(page, /^Anna \(you\)[^]*muted/);
    await page.getByRole('button', { name: 'Unmute' }).click();
    await shows(page, /^Anna \(you\)(?![^]*muted)/);
    expect(await page.getByRole('button', { name: 'Mute' }).getAttribute('aria-pressed')).toBe(
      'false',
    );
    expect(await notices(page)).toBe('');
  });

  inBrowser.it('says that a room is full, and lets one try again', async () => {
    const first = await site.guest('full', 'Anna');
    await site.guest('full', 'Ben');
    const page = await site.room('full', { name: 'Chloe' });
    await page.getByRole('button', { name: 'Join' }).click();
    await expect.poll(() => notices(page)).toMatch(/The room is full\. Wait until somebody leaves/);
    await first.close();
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('button', { name: 'Leave' }).waitFor();
    expect(await notices(page)).toBe('');
  });

  inBrowser.it(
    'says beside the field what is wrong with a control character in a name',
    async () => {
      const page = await site.room('names', { name: 'A\u0007nna' });
      await page.getByRole('button', { name: 'Join' }).click();
      const field = page.getByLabel('Name');
      await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
      expect(await page.locator('#name-problem').innerText()).toMatch(/1 to 40 characters/);
      expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    },
  );

  inBrowser.it('says how a name that is too long is shown, and shows it so', async () => {
    const page = await site.room('names', { name: 'x'.repeat(41) });
    await page.getByText(`The name is too long. The others see “${'x'.repeat(40)}”.`).waitFor();
    await page.getByRole('button', { name: 'Join' }).click();
    await shows(page, /^x{40} \(you\)/);
  });

  for (const [what, again, told] of /** @type {const} */ ([
    ['is stopped', false, ['end', 'none']],
    ['begins again', true, ['end', 'begin']],
  ]))
    inBrowser.it(`records nothing for a recording that ${what} while its code comes`, async () => {
      const page = await site.join('own', 'Anna');
      // The first part that each of two recordings gets.
      const first = await page.evaluate(async (isAgain) => {
        const { call } = /** @type {any} */ (window).aloud;
        const [one, two] = [new MessageChannel(), new MessageChannel()];
        const part = (/** @type {MessagePort} */ port) =>
          new Promise((resolve) => {
            port.onmessage = ({ data }) => resolve(Object.keys(data)[0]);
          });
        const parts = [part(one.port1), part(two.port1)];
        call.toWorker('record-own', one.port2, [one.port2]);
        if (isAgain) call.toWorker('record-own', two.port2, [two.port2]);
        else call.toWorker('record-own', null);
        // The code has come once the first has a part.
        const end = await parts[0];
        const later = new Promise((resolve) => setTimeout(() => resolve('none'), 3000));
        return [end, await Promise.race([parts[1], later])];
      }, again);
      expect(first).toEqual(told);
    });

  inBrowser.it('says that the connection is lost, and offers to leave', async () => {
    const doomed = await startServer();
    const page = await joinRoom(site.browser, doomed.url, 'lost', {
      name: 'Anna',
      problems: CUT_OFF,
    });
    await doomed.close();
    await expect
      .poll(() => notices(page), { timeout: 10_000 })
      .toMatch(/The connection was interrupted/);
    await page.getByRole('button', { name: 'Leave' }).click();
    expect(await notices(page)).toBe('');
    expect(await page.getByRole('button', { name: 'Join' }).isEnabled()).toBe(true);
  });
});
