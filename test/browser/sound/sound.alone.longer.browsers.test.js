import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { levelDb } from '../../../testkit/sound/signal.js';
import { readWav } from '../../../testkit/sound/wav.js';
import { startServer } from '../../../testkit/aloud-server.js';
import { BROWSER, inBrowser, openBrowser } from '../../../testkit/browsers/browser.js';
import { compareSpeech } from '../support/likeness.js';
import { record } from '../support/recording.js';
import { joinRoom, nextStats, people } from '../support/room-page.js';
import { isLong, isShort } from '../../support/long.js';
import { undisturbed } from '../../../testkit/undisturbed.js';

/** @typedef {import('playwright-core').Page} Page */

const RATE = 48000;
const ms = (/** @type {number} */ milliseconds) => (milliseconds * RATE) / 1000;
/** Silence for as long as joining takes, then somebody speaks. */
const LEAD_MS = 4000;

/**
 * @param {string} name of a fixture
 */
async function readSpeech(name) {
  const { sampleRate, channels } = await readWav(
    new URL(`../../../testkit/speech/${name}.wav`, import.meta.url),
  );
  expect(sampleRate).toBe(RATE);
  const [speech] = channels;
  const spoken = new Float32Array(ms(LEAD_MS) + speech.length);
  spoken.set(speech, ms(LEAD_MS));
  return { speech, spoken, lengthMs: (spoken.length * 1000) / RATE };
}

inBrowser.describe(`sound in ${BROWSER}`, () => {
  /** @type {Awaited<ReturnType<typeof startServer>>} */
  let server;
  /** @type {import('../../../testkit/browsers/browser.js').OpenBrowser} */
  let listeners;
  /** @type {import('../../../testkit/browsers/browser.js').OpenBrowser[]} */
  let speakers = [];

  beforeAll(async () => {
    server = await startServer();
    listeners = await openBrowser();
  });
  const closePages = async () => {
    for (const context of listeners.browser.contexts()) await context.close();
    await Promise.all(speakers.map((speaker) => speaker.close()));
    speakers = [];
  };
  afterEach(closePages);
  afterAll(async () => {
    await listeners?.close();
    await server?.close();
  });

  const speak = async (/** @type {Float32Array} */ speech) => {
    const speaker = await openBrowser({ speech });
    speakers.push(speaker);
    return speaker.browser;
  };

  /**
   * Browsers that have no WebTransport don't hand out a microphone's sound either: it goes through
   * a worklet there.
   */
  const prepares = {
    websocket: (/** @type {Page} */ page) =>
      page.addInitScript(() => void Reflect.deleteProperty(window, 'MediaStreamTrackProcessor')),
    webtransport: undefined,
    http1: undefined,
  };

  /**
   * One speaks, one listens.
   * @param {'webtransport' | 'websocket' | 'http1'} transport
   * @param {string} room
   * @param {(page: Page) => Promise<unknown>} [act] further acts of the pages
   * @param {(page: Page) => Promise<unknown>} [prepare] both pages before they load
   */
  const converse = async (transport, room, act = async () => {}, prepare = undefined) => {
    const { speech, spoken, lengthMs } = await readSpeech('speech-low');
    const [speakerBrowser, listener] = await Promise.all([
      speak(spoken),
      joinRoom(listeners.browser, server.url, room, { name: 'Lis', transport, prepare }),
    ]);
    const heard = await record(listener);
    const speaker = await joinRoom(speakerBrowser, server.url, room, {
      name: 'Spe',
      transport,
      prepare: prepare ?? prepares[transport],
    });
    const echoed = await record(speaker);
    await act(listener);
    await act(speaker);
    await sleep(lengthMs + 1000);
    const { playout } = await nextStats(listener);
    const output = await heard();
    const echoDb = levelDb(await echoed());
    await listener.close();
    await speaker.close();
    return { ...compareSpeech(speech, output), playout, echoDb };
  };

  const transports = [
    ...(isShort ? /** @type {const} */ (['webtransport']) : []),
    ...(isLong ? /** @type {const} */ (['websocket', 'http1']) : []),
  ];
  for (const transport of transports) {
    inBrowser.it(`arrives as it was spoken, without a gap, over ${transport}`, () =>
      undisturbed(async () => {
        const call = await converse(transport, transport);
        expect(call.gaps).toEqual([]);
        expect(call.correlation).toBeGreaterThanOrEqual(0.8);
        expect(Math.abs(call.gainDb)).toBeLessThan(3);
        expect(call.playout.garbage).toBe(0);
        expect(lostPercent(call.playout)).toBeLessThanOrEqual(2);
        expect(call.echoDb).toBeLessThan(-80);
      }, closePages),
    );
  }

  if (isLong)
    inBrowser.it('has no gap while both pages are busy for 200 ms of every second', () =>
      undisturbed(async () => {
        const call = await converse('webtransport', 'busy', (page) =>
          page.evaluate(() => {
            setInterval(() => {
              const until = performance.now() + 200;
              while (performance.now() < until);
            }, 1000);
          }),
        );
        expect(call.gaps).toEqual([]);
        expect(call.correlation).toBeGreaterThanOrEqual(0.8);
        expect(call.playout.underruns).toBeLessThanOrEqual(2);
      }, closePages),
    );

  if (isShort)
    inBrowser.it('stops within a second of Mute, and starts again', async () => {
      const { speech } = await readSpeech('speech-high');
      const spoken = Float32Array.from(
        { length: speech.length * 4 },
        (_, i) => speech[i % speech.length],
      );
      const listener = await joinRoom(listeners.browser, server.url, 'mute', { name: 'Lis' });
      const heard = await record(listener);
      const speaker = await joinRoom(await speak(spoken), server.url, 'mute', { name: 'Spe' });
      const levelAfter = async (/** @type {number} */ milliseconds) => {
        await sleep(milliseconds);
        return levelDb(await heard());
      };
      await expect.poll(() => levelAfter(1000)).toBeGreaterThan(-40);
      await speaker.getByRole('button', { name: 'Mute' }).click();
      await levelAfter(1000);
      expect(await levelAfter(1500)).toBeLessThan(-80);
      expect(await people(listener)).toContainEqual(expect.stringMatching(/^Spe[^]*muted/));
      await speaker.getByRole('button', { name: 'Unmute' }).click();
      await levelAfter(1000);
      expect(await levelAfter(1500)).toBeGreaterThan(-40);
    });

  if (isLong)
    inBrowser.it('is heard in a browser without shared memory, and from it', () =>
      undisturbed(async () => {
        const prepare = async (/** @type {Page} */ page) => {
          await prepares.websocket(page);
          // Without these headers no page has shared memory.
          await page.route('**/r/**', async (route) => {
            const response = await route.fetch();
            const { 'cross-origin-opener-policy': _, ...headers } = response.headers();
            await route.fulfill({ response, headers });
          });
        };
        const call = await converse(
          'webtransport',
          'unshared',
          async (page) => {
            expect(await page.evaluate(() => crossOriginIsolated)).toBe(false);
          },
          prepare,
        );
        expect(call.correlation).toBeGreaterThanOrEqual(0.8);
        expect(Math.abs(call.gainDb)).toBeLessThan(3);
      }, closePages),
    );
});

/** @param {{ lost: number, played: number }} playout */
const lostPercent = ({ lost, played }) => (100 * lost) / Math.max(1, played);
