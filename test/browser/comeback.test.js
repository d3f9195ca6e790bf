import { connect, createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { startServer } from './aloud-server.js';
import { inChromium, openBrowser } from './chromium.js';
import { record } from './recording.js';
import { joinRoom, people } from './room-page.js';

/** @typedef {import('playwright-core').Page} Page */

/** Tones for the fake microphone, as long as words: what is steady is taken for a hum. */
const tone = Float32Array.from({ length: 60 * 48000 }, (_, i) => {
  const isOn = i % 24000 < 12000;
  return isOn ? 0.3 * Math.sin((2 * Math.PI * (300 + 40 * (Math.floor(i / 24000) % 7)) * i) / 48000) : 0;
});

const pass = (/** @type {number} */ ms) => new Promise((resolve) => void setTimeout(resolve, ms));
const stateOf = (/** @type {Page} */ page) => page.evaluate(() => /** @type {any} */ (window).aloud.call?.state);
const idOf = (/** @type {Page} */ page) =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        const { call } = /** @type {any} */ (window).aloud;
        call.addEventListener('people', (/** @type {any} */ { detail }) => resolve(detail.you), { once: true });
        call.mute(true);
        call.mute(false);
      }),
  );

/** @param {Float32Array} samples */
const loudest = (samples) => samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);

inChromium.describe('a call that is cut off, in Chromium', () => {
  /** @type {Awaited<ReturnType<typeof startServer>>} */
  let server;
  /** @type {import('./chromium.js').OpenBrowser} */
  let speakers;
  /** @type {import('./chromium.js').OpenBrowser} */
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
    expect.poll(async () => loudest(await heard()), { timeout, interval: 250 }).toBeGreaterThan(0.1);

  for (const transport of /** @type {const} */ (['webtransport', 'websocket', 'http1'])) {
    inChromium.it(`is heard again within seconds when the server was started anew, over ${transport}`, async () => {
      server = await startServer();
      const listener = await joinRoom(listeners.browser, server.url, 'back', { name: 'Lis', transport });
      const heard = await record(listener);
      const speaker = await joinRoom(speakers.browser, server.url, 'back', { name: 'Spe', transport });
      await isHeard(heard);

      const ports = ['--port', String(server.port), '--h3-port', String(server.h3Port ?? 0)];
      await server.close();
      await expect.poll(() => stateOf(listener), { timeout: 6000 }).toBe('reconnecting');
      server = await startServer(...ports);
      const from = performance.now();
      for (const page of [listener, speaker]) await expect.poll(() => stateOf(page), { timeout: 20_000 }).toBe('joined');
      expect(performance.now() - from).toBeLessThan(15_000);
      await heard();
      await isHeard(heard);
      await expect.poll(() => people(listener)).toHaveLength(2);
    });
  }

  inChromium.it('has its place again, with the same id and name, when the link was cut for five seconds', async () => {
    server = await startServer();
    const link = await openLink(server.port);
    try {
      const visit = /** @type {const} */ ({ name: 'Lis', transport: 'websocket' });
      const listener = await joinRoom(listeners.browser, `http://localhost:${link.port}`, 'place', visit);
      const heard = await record(listener);
      await joinRoom(speakers.browser, server.url, 'place', { name: 'Spe' });
      await isHeard(heard);
      const id = await idOf(listener);
      link.cut();
      await expect.poll(() => stateOf(listener), { timeout: 6000 }).toBe('reconnecting');
      const alert = listener.getByRole('alert');
      expect(await alert.innerText()).toMatch(/The connection broke off, and is being made anew\. .*stay on this page/);
      expect(server.rooms.get('place')?.size).toBe(2);
      await pass(5000);
      link.mend();
      await expect.poll(() => stateOf(listener), { timeout: 10_000 }).toBe('joined');
      expect(await alert.innerText()).toBe('');
      expect(await listener.getByRole('status').innerText()).toBe('You are connected again.');
      expect(await idOf(listener)).toBe(id);
      await heard();
      await isHeard(heard);
      expect(await people(listener)).toHaveLength(2);
    } finally {
      await link.close();
    }
  });
});

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
    for (const [one, other] of [[near, far], [far, near]]) {
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
