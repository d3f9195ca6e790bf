import { connect, createServer } from 'node:net';
import { setTimeout as pass } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { PLACE_AFTER_MS } from '../../server/room/room-config.js';
import { startServer } from '../../testkit/aloud-server.js';
import { BROWSER, inBrowser, openBrowser } from '../../testkit/browsers/browser.js';
import { record } from './support/recording.js';
import { openLink as openFragileLink } from '../support/fragile-link.js';
import {
  announced,
  CUT_OFF,
  joinRoom as joinAnyRoom,
  openPage,
  people,
  throughLink,
} from './support/room-page.js';

/** @typedef {import('playwright-core').Page} Page */

/** Tones for the fake microphone, as long as words: what is steady is taken for a hum. */
const tone = Float32Array.from({ length: 60 * 48000 }, (_, i) => {
  const isOn = i % 24000 < 12000;
  return isOn
    ? 0.3 * Math.sin((2 * Math.PI * (300 + 40 * (Math.floor(i / 24000) % 7)) * i) / 48000)
    : 0;
});

/** @type {typeof joinAnyRoom} */
const joinRoom = (browser, url, room, visit) =>
  joinAnyRoom(browser, url, room, { ...visit, problems: CUT_OFF });

const stateOf = (/** @type {Page} */ page) =>
  page.evaluate(() => /** @type {any} */ (window).aloud.call?.state);
const idOf = (/** @type {Page} */ page) =>
  page.evaluate(() => /** @type {any} */ (window).aloud.call.store.value.you);

/** @param {Float32Array} samples */
const loudest = (samples) => samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);

inBrowser.describe(`a call that is cut off, in ${BROWSER}`, () => {
  /** @type {Awaited<ReturnType<typeof startServer>>} */
  let server;
  /** @type {import('../../testkit/browsers/browser.js').OpenBrowser} */
  let speakers;
  /** @type {import('../../testkit/browsers/browser.js').OpenBrowser} */
  let listeners;

  beforeAll(async () => {
    speakers = await openBrowser({ speech: tone });
    listeners = await openBrowser();
  });
  afterEach(async () => {
    for (const { browser } of [speakers, listeners]) {
      for (const context of browser.contexts()) await context.close();
    }
    await server?.close();
  });
  afterAll(async () => {
    await speakers?.close();
    await listeners?.close();
  });

  /** @param {() => Promise<Float32Array>} heard @param {number} [timeout] */
  const isHeard = (heard, timeout = 10_000) =>
    expect
      .poll(async () => loudest(await heard()), { timeout, interval: 250 })
      .toBeGreaterThan(0.1);

  for (const transport of /** @type {const} */ (['webtransport', 'websocket', 'http1'])) {
    inBrowser.it(
      `is heard again within seconds after a restart of the server, over ${transport}`,
      async () => {
        server = await startServer();
        const listener = await joinRoom(listeners.browser, server.url, 'back', {
          name: 'Lis',
          transport,
        });
        const heard = await record(listener);
        const speaker = await joinRoom(speakers.browser, server.url, 'back', {
          name: 'Spe',
          transport,
        });
        await isHeard(heard);

        const ports = ['--port', String(server.port), '--h3-port', String(server.h3Port ?? 0)];
        await server.close();
        await expect.poll(() => stateOf(listener)).toBe('away');
        server = await startServer(...ports);
        const from = performance.now();
        for (const page of [listener, speaker])
          await expect.poll(() => stateOf(page), { timeout: 20_000 }).toBe('joined');
        expect(performance.now() - from).toBeLessThan(15_000);
        await heard();
        await isHeard(heard);
        await expect
          .poll(async () => (await people(listener)).toSorted())
          .toEqual([expect.stringMatching(/^Lis \(you\)/), expect.stringMatching(/^Spe/)]);
      },
    );
  }

  inBrowser.it('of a listener has the hand as the page shows it', async () => {
    server = await startServer('--engine', 'none');
    const speaker = await joinRoom(speakers.browser, server.url, 'hall', { name: 'Spe' });
    const page = await openPage(
      listeners.browser,
      `${server.url}/r/hall?listen&name=Lis&transport=websocket`,
      {},
      undefined,
      CUT_OFF,
    );
    const button = (/** @type {string} */ name) => page.getByRole('button', { name, exact: true });
    const hands = () => server.rooms.get('hall')?.rules.hands.size;
    await button('Listen').click();
    await button('Raise hand').click();
    await expect.poll(hands).toBe(1);
    await button('Pause').click();
    await button('Listen').click();
    await button('Raise hand').waitFor();
    await expect.poll(hands).toBe(0);
    await button('Raise hand').click();
    await expect.poll(hands).toBe(1);
    const port = String(server.port);
    await server.close();
    server = await startServer('--engine', 'none', '--port', port);
    await expect.poll(() => stateOf(speaker), { timeout: 20_000 }).toBe('joined');
    await expect.poll(hands, { timeout: 20_000 }).toBe(1);
    expect(await button('Raise hand').count()).toBe(0);
  });

  inBrowser.it('of a listener has the hand down after a pause while it was cut off', async () => {
    server = await startServer('--engine', 'none');
    const link = await openLink(server.port);
    try {
      await joinRoom(speakers.browser, server.url, 'hall', { name: 'Spe' });
      const page = await openPage(
        listeners.browser,
        `http://localhost:${link.port}/r/hall?listen&name=Lis&transport=websocket`,
        {},
        undefined,
        CUT_OFF,
      );
      const button = (/** @type {string} */ name) =>
        page.getByRole('button', { name, exact: true });
      const hands = () => server.rooms.get('hall')?.rules.hands.size;
      await button('Listen').click();
      await button('Raise hand').click();
      await expect.poll(hands).toBe(1);
      // A place is kept for who was heard from for a while; a listener sends something every 2 s.
      await pass(PLACE_AFTER_MS + 2200);
      link.cut();
      await expect.poll(() => stateOf(page)).toBe('away');
      await button('Pause').click();
      await page.getByText('Paused. Nothing is downloaded now.').waitFor();
      expect(hands()).toBe(1);
      link.mend();
      await button('Listen').click();
      await button('Raise hand').waitFor();
      await expect.poll(hands).toBe(0);
    } finally {
      await link.close();
    }
  });

  inBrowser.it(
    'is heard and hears again when its tab stood still for a while, with the same id and name',
    async () => {
      server = await startServer();
      const listener = await joinRoom(listeners.browser, server.url, 'frozen', { name: 'Lis' });
      const heard = await record(listener);
      const speaker = await joinRoom(speakers.browser, server.url, 'frozen', { name: 'Spe' });
      await isHeard(heard);
      const who = () =>
        server.rooms
          .get('frozen')
          ?.describe()
          .people.map(({ id, name }) => `${id} ${name}`)
          .toSorted();
      const before = who();
      for (const [page, opened] of /** @type {const} */ ([
        [speaker, speakers],
        [listener, listeners],
      ])) {
        const resume = await standStill(opened);
        await pass(2000);
        await (page === speaker ? heard() : undefined);
        await pass(4000);
        const meanwhile = page === speaker ? loudest(await heard()) : 0;
        resume();
        expect(meanwhile).toBeLessThan(0.01);
        await expect.poll(() => stateOf(page)).toBe('joined');
        await heard();
        await isHeard(heard);
      }
      expect(who()).toEqual(before);
      expect(before).toHaveLength(2);
      expect(await people(listener)).toEqual([
        expect.stringMatching(/^Lis \(you\)/),
        expect.stringMatching(/^Spe/),
      ]);
    },
  );

  inBrowser.it(
    'has its place again, with the same id and name, when the link was cut for five seconds',
    async () => {
      server = await startServer();
      const link = await openLink(server.port);
      try {
        const visit = /** @type {const} */ ({ name: 'Lis', transport: 'websocket' });
        const listener = await joinRoom(
          listeners.browser,
          `http://localhost:${link.port}`,
          'place',
          visit,
        );
        const heard = await record(listener);
        await joinRoom(speakers.browser, server.url, 'place', { name: 'Spe' });
        await isHeard(heard);
        const id = await idOf(listener);
        // A place is kept for who was heard from for a while.
        await pass(PLACE_AFTER_MS);
        link.cut();
        await expect.poll(() => stateOf(listener)).toBe('away');
        const alert = listener.getByRole('alert');
        const told = await alert.innerText();
        expect(told).toMatch(
          /The connection was interrupted\. Stay on this page: it is reconnecting/,
        );
        expect(told).toMatch(/Trying (again in \d+ s\.|now…)/);
        expect(await listener.title()).toBe('connection lost · place · aloud');
        expect(server.rooms.get('place')?.size).toBe(2);
        await pass(5000);
        link.mend();
        // The fifth try may have been in vain by now, and the next be 15 s away.
        await expect.poll(() => stateOf(listener), { timeout: 20_000 }).toBe('joined');
        expect(await alert.innerText()).toBe('');
        expect(await announced(listener)).toBe('You are connected again.');
        expect(await listener.title()).toBe('place · aloud');
        expect(await idOf(listener)).toBe(id);
        await heard();
        await isHeard(heard);
        expect(await people(listener)).toEqual([
          expect.stringMatching(/^Lis \(you\)/),
          expect.stringMatching(/^Spe/),
        ]);
      } finally {
        await link.close();
      }
    },
  );

  inBrowser.it(
    'looks at once whether it lives when the network has changed, or the computer or the ' +
      'page comes back',
    async () => {
      server = await startServer('--engine', 'none');
      const page = await joinRoom(listeners.browser, server.url, 'waking', {
        name: 'Lis',
        prepare: (blank) =>
          blank.addInitScript(() => {
            const { postMessage } = Worker.prototype;
            Object.assign(window, { woken: 0 });
            Worker.prototype.postMessage = function (
              /** @type {any} */ message,
              /** @type {any} */ ...rest
            ) {
              if (message.type === 'wake') /** @type {any} */ (window).woken += 1;
              return postMessage.call(this, message, ...rest);
            };
          }),
      });
      const woken = await page.evaluate(() => {
        const { connection } = /** @type {any} */ (navigator);
        // The browser fires such events itself, too.
        const before = /** @type {any} */ (window).woken;
        for (const type of ['online', 'offline', 'pageshow']) dispatchEvent(new Event(type));
        for (const type of ['visibilitychange', 'resume']) document.dispatchEvent(new Event(type));
        // Firefox doesn't tell of its connection.
        connection?.dispatchEvent(new Event('change'));
        return /** @type {any} */ (window).woken - before + (connection ? 0 : 1);
      });
      expect(woken).toBe(6);
      expect(await stateOf(page)).toBe('joined');
    },
  );

  inBrowser.it('loses no message of the chat, and tries at once when it is told to', async () => {
    server = await startServer();
    const link = await openFragileLink(server);
    try {
      const other = await joinRoom(speakers.browser, server.url, 'chat', { name: 'Spe' });
      const page = await joinRoom(listeners.browser, link.url, 'chat', {
        name: 'Lis',
        prepare: await throughLink(link),
      });
      link.cut({ tcp: true, udp: true });
      await expect.poll(() => stateOf(page)).toBe('away');
      await page.getByRole('button', { name: 'Chat' }).click();
      for (const text of ['one', 'two']) {
        await page.getByLabel('Message to everybody').fill(text);
        await page.keyboard.press('Enter');
      }
      await page
        .getByText('Your message waits here, and is sent when you are connected again.')
        .waitFor();
      expect(await page.getByRole('button', { name: 'Raise hand' }).isDisabled()).toBe(true);
      await pass(1000);
      // Before the link is mended: a try that is on its way would succeed then, and take the button
      // away.
      await page.getByRole('button', { name: 'Try now' }).click();
      await expect.poll(() => page.getByRole('timer').innerText()).toBe('Trying now…');
      link.cut({});
      await expect.poll(() => stateOf(page)).toBe('joined');
      await other.getByRole('button', { name: 'Chat 2 unread' }).waitFor();
      expect(await page.getByRole('log').getByRole('listitem').allInnerTexts()).toEqual([
        expect.stringMatching(/one$/),
        'two',
      ]);
    } finally {
      link.cut({});
      await link.close();
    }
  });

  inBrowser.it('goes on over a WebSocket where UDP is blocked', async () => {
    server = await startServer();
    const link = await openFragileLink(server);
    try {
      await joinRoom(speakers.browser, server.url, 'udp', { name: 'Spe' });
      const page = await joinRoom(listeners.browser, link.url, 'udp', {
        name: 'Lis',
        prepare: await throughLink(link),
      });
      const how = () => page.getByLabel('How you are connected').innerText();
      const who = () =>
        server.rooms
          .get('udp')
          ?.describe()
          .people.map(({ id, name }) => `${id} ${name}`)
          .toSorted();
      expect(await how()).toMatch(/Connected over WebTransport/);
      const before = who();
      link.cut({ udp: true });
      await expect.poll(() => stateOf(page)).toBe('away');
      await expect.poll(() => stateOf(page)).toBe('joined');
      expect(await how()).toMatch(/Connected over WebSocket[^]*Tried WebTransport first/);
      expect(await how()).toMatch(/first\. It (had not answered|didn’t answer)/);
      expect(who()).toEqual(before);
    } finally {
      link.cut({});
      await link.close();
    }
  });
});

/**
 * Stops all tabs of a browser, their workers and worklets with them, as a system does that is short
 * of something. (Chromium freezes no visible tab, and one without a screen is always visible.)
 * @param {import('../../testkit/browsers/browser.js').OpenBrowser} browser
 * @returns {Promise<() => void>} lets them go on
 */
async function standStill({ tabs: find }) {
  const tabs = await find();
  expect(tabs.length).toBeGreaterThan(0);
  for (const id of tabs) process.kill(id, 'SIGSTOP');
  return () => tabs.forEach((id) => process.kill(id, 'SIGCONT'));
}

/**
 * A TCP link to a server, that can be cut.
 * @param {number} to
 */
async function openLink(to) {
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set();
  let isCut = false;
  const relay = createServer((near) => {
    const far = connect(to, 'localhost');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => sockets.delete(one) && other.destroy());
      one.pipe(other);
    }
    if (isCut) near.destroy();
  });
  await new Promise((resolve) => void relay.listen(0, 'localhost', () => resolve(undefined)));
  const end = () => sockets.forEach((socket) => socket.destroy());
  return {
    port: /** @type {import('node:net').AddressInfo} */ (relay.address()).port,
    cut: () => {
      isCut = true;
      end();
    },
    mend: () => {
      isCut = false;
    },
    close: () => {
      end();
      return new Promise((resolve) => void relay.close(resolve));
    },
  };
}
