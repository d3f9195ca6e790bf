import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { levelDb } from '../../../testkit/sound/signal.js';
import { readWav } from '../../../testkit/sound/wav.js';
import { makeRoomKey } from '../../../public/shared/links.js';
import { startServer } from '../../../testkit/aloud-server.js';
import { BROWSER, inBrowser, openBrowser } from '../../../testkit/browsers/browser.js';
import { compareSpeech } from '../support/likeness.js';
import { record } from '../support/recording.js';
import { openPage } from '../support/room-page.js';
import { byLength, isLong } from '../../support/long.js';
import { undisturbed } from '../../../testkit/undisturbed.js';

/** @typedef {import('playwright-core').Page} Page */

const RATE = 48_000;
/** Silence for as long as joining takes, then somebody speaks. */
const LEAD_MS = 4000;

const {
  channels: [speech],
} = await readWav(new URL('../../../testkit/speech/speech-low.wav', import.meta.url));
/** The sealed way runs here; the plain one with `npm run test:long`. */
const way = byLength({ short: 'bundle', long: 'packets' });
/** Values of the server's option for it. @type {Record<string, string>} */
const deliveryOf = { bundle: 'tick', packets: 'packets' };
const lengthMs = LEAD_MS + (speech.length * 1000) / RATE;

inBrowser.describe(`sound forwarded as ${way} in ${BROWSER}`, () => {
  /** @type {Awaited<ReturnType<typeof startServer>>} */
  let server;
  /** @type {import('../../../testkit/browsers/browser.js').OpenBrowser} */
  let listeners;
  /** @type {import('../../../testkit/browsers/browser.js').OpenBrowser | undefined} */
  let speaker;

  beforeAll(async () => {
    server = await startServer('--mode', 'forward', '--delivery', deliveryOf[way]);
    listeners = await openBrowser();
  });
  const closePages = async () => {
    for (const context of listeners.browser.contexts()) await context.close();
    await speaker?.close();
    speaker = undefined;
  };
  afterEach(closePages);
  afterAll(async () => {
    await listeners?.close();
    await server?.close();
  });

  /**
   * @param {import('playwright-core').Browser} browser
   * @param {string} room
   * @param {string} name
   * @param {string} [hash]
   */
  const join = async (browser, room, name, hash = '') => {
    const page = await openPage(
      browser,
      `${server.url}/r/${room}?processing=off&name=${name}${hash}`,
    );
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('button', { name: 'Leave' }).waitFor();
    return page;
  };

  /** One speaks, one listens. @param {string} room @param {string} hash */
  const converse = async (room, hash) => {
    const spoken = new Float32Array((LEAD_MS * RATE) / 1000 + speech.length);
    spoken.set(speech, (LEAD_MS * RATE) / 1000);
    speaker = await openBrowser({ speech: spoken });
    const listener = await join(listeners.browser, room, 'Lis', hash);
    const heard = await record(listener);
    const speaking = await join(speaker.browser, room, 'Spe', hash);
    const echoed = await record(speaking);
    await listener.waitForTimeout(lengthMs + 1000);
    return { ...compareSpeech(speech, await heard()), echoDb: levelDb(await echoed()), listener };
  };

  const [what, hash] = isLong
    ? ['arrives', '']
    : ['encrypted end to end arrives', `#e2e=${makeRoomKey()}`];
  inBrowser.it(`${what} as it was spoken, without a gap`, () =>
    undisturbed(async () => {
      const call = await converse(hash === '' ? 'open' : 'sealed', hash);
      expect(call.gaps).toEqual([]);
      expect(call.correlation).toBeGreaterThanOrEqual(0.8);
      expect(Math.abs(call.gainDb)).toBeLessThan(3);
      expect(call.echoDb).toBeLessThan(-80);
      const sign = call.listener.getByText('encrypted end to end').locator('visible=true');
      expect(await sign.count()).toBe(hash === '' ? 0 : 1);
    }, closePages),
  );
});
