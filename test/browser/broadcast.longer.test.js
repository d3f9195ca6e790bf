import { createServer } from 'node:http';
import { expect, onTestFinished } from 'vitest';
import { Headless } from '../../testkit/participants/headless.js';
import { moderate } from '../../public/client/call/moderate.js';
import { align } from '../../testkit/sound/signal.js';
import { loadCodec } from '../../server/codec/codec.js';
import { violationsOf } from '../../testkit/browsers/axe.js';
import { BROWSER, inBrowser } from '../../testkit/browsers/browser.js';
import { record } from './support/recording.js';
import { button, openPage } from './support/room-page.js';
import { useSite } from './support/site.js';
import { isLong, isShort } from '../support/long.js';

/** @typedef {import('playwright-core').Page} Page */

const RATE = 48_000;

/** The least correlation at which one is heard. */
const HEARD = 0.8;

/** Limit for the listeners' page before it plays, in bytes over the wire: 35 kB on 2026-11-30. */
const MOST_BYTES = 36_000;

/** Words of one pitch, half a second each. @param {number} hz @param {number} seconds */
const words = (hz, seconds) =>
  Float32Array.from({ length: seconds * RATE }, (_, i) =>
    i % RATE < RATE / 2 ? 0.3 * Math.sin((2 * Math.PI * hz * i) / RATE) : 0,
  );

const announcer = words(440, 2);
const guest = words(1000, 60);

/** The length of the pieces that are compared, in samples: a busy machine has gaps between them. */
const PIECE = 0.1 * RATE;

/**
 * Similarity of the last two seconds to a voice, by the most similar piece.
 * @param {Float32Array} voice
 * @param {Float32Array} heard
 */
function likeness(voice, heard) {
  const said = voice.subarray(0, RATE / 2);
  let most = 0;
  for (let at = Math.max(0, heard.length - 2 * RATE); at + PIECE <= heard.length; at += PIECE) {
    most = Math.max(most, align(heard.subarray(at, at + PIECE), said).correlation);
  }
  return most;
}

inBrowser.describe(`a broadcast, in ${BROWSER}`, () => {
  const site = useSite(['--engine', 'none', '--embed-origins', '*'], { speech: guest });
  let rooms = 0;

  /**
   * Somebody on stage of a new room, who speaks and moderates.
   * @param {string} name of the room
   */
  async function onStage(name) {
    const room = `${name}-${++rooms}`;
    const ann = new Headless({
      codec: await loadCodec('libopus-wasm'),
      speech: announcer,
      recordSeconds: 60,
      lasting: true,
    });
    onTestFinished(() => ann.close());
    await ann.join({ origin: site.url, room, name: 'Ann', transport: 'websocket' });
    ann.sendControl(moderate.broadcast(true));
    await expect.poll(() => ann.controls.some(({ type }) => type === 'stage')).toBe(true);
    return { ann, room };
  }

  if (isLong)
    inBrowser.it(
      'says when its room has opened, and not instead of why one can’t listen',
      async () => {
        const room = `later-${++rooms}`;
        const prepare = async (/** @type {Page} */ one) => {
          await one.clock.install();
          await one.route('**/call.js', (route) => route.abort());
        };
        const page = await openPage(
          site.browser,
          `${site.url}/r/${room}?listen`,
          {},
          prepare,
          /404|ERR_FAILED/,
        );
        await page.getByText('This room isn’t open yet.', { exact: false }).waitFor();
        const ann = await site.guest(room, 'Ann');
        await page.clock.fastForward(15_000);
        await page.getByText('Press Listen. No microphone is needed.').waitFor();
        await page.route('**/call.js', (route) => route.abort());
        await button(page, 'Listen').click();
        await page
          .getByText('A part of this page could not be loaded.', { exact: false })
          .waitFor();
        await ann.close();
        await expect.poll(() => site.server.rooms.get(room)).toBeUndefined();
        const asked = page.waitForResponse(`**/api/rooms/${room}`);
        await page.clock.fastForward(15_000);
        expect((await asked).status()).toBe(404);
        await page
          .getByText('A part of this page could not be loaded.', { exact: false })
          .waitFor();
      },
    );

  if (isShort)
    inBrowser.it(
      'is heard after one press, and a listener who raises a hand comes onto the stage ' +
        'and goes back',
      async () => {
        const { ann, room } = await onStage('show');
        const lea = await openPage(
          site.browser,
          `${site.url}/r/${room}?name=Lea&transport=websocket&processing=off`,
          { viewport: { width: 360, height: 740 } },
        );
        await lea.getByText('1 listener').or(lea.getByText('0 listeners')).waitFor();
        expect(await violationsOf(lea)).toEqual([]);
        await button(lea, 'Listen').click();
        await lea.getByText('You are listening.').waitFor();
        await lea.getByText('Ann speaks.').waitFor();
        await lea.getByText(/^LIVE 00:\d\d$/).waitFor();
        const heard = await record(lea);
        await expect
          .poll(async () => likeness(announcer, await heard()), { timeout: 20_000, interval: 1500 })
          .toBeGreaterThan(HEARD);
        expect(
          await lea.evaluate(() => [
            navigator.mediaSession.metadata?.title,
            navigator.mediaSession.metadata?.artist,
            navigator.mediaSession.playbackState,
          ]),
        ).toEqual([room, 'LIVE · Ann', 'playing']);
        expect(await violationsOf(lea)).toEqual([]);
        expect(await lea.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
          360,
        );

        await button(lea, 'Raise hand').click();
        const raised = () => ann.controls.findLast(({ type }) => type === 'hands')?.people[0];
        await expect.poll(() => raised()?.label).toBe('Lea');
        const { id } = raised();
        ann.sendControl(moderate.setRole(id, 'speaker'));
        await button(lea, 'Unmute').click();
        await button(lea, 'Mute').waitFor();
        await expect
          .poll(() => likeness(guest, ann.recording.subarray(0, ann.recorded)), {
            timeout: 20_000,
            interval: 500,
          })
          .toBeGreaterThan(HEARD);
        // The sound continued: the recorder is still on the same call.
        await expect
          .poll(async () => likeness(announcer, await heard()), { timeout: 20_000, interval: 1500 })
          .toBeGreaterThan(HEARD);

        ann.sendControl(moderate.setRole(id, 'listener'));
        await lea.getByText('You hear the others, and they don’t hear you').waitFor();
      },
    );

  if (isLong)
    inBrowser.it('pauses and goes on with its place, and is light before it plays', async () => {
      const { room } = await onStage('light');
      let bytes = 0;
      const page = await openPage(site.browser, 'about:blank', {}, async (blank) => {
        await blank.addInitScript(() =>
          Object.defineProperty(navigator, 'connection', {
            value: Object.assign(new EventTarget(), { saveData: true }),
          }),
        );
        const network = await blank.context().newCDPSession(blank);
        await network.send('Network.enable');
        network.on(
          'Network.loadingFinished',
          ({ encodedDataLength }) => (bytes += encodedDataLength),
        );
      });
      await page.goto(`${site.url}/r/${room}?transport=websocket`);
      await button(page, 'Listen').waitFor();
      await page.waitForLoadState('networkidle');
      console.info(`the listeners' page: ${bytes} bytes`);
      expect(bytes).toBeGreaterThan(5000);
      expect(bytes).toBeLessThan(MOST_BYTES);
      await button(page, 'Listen').click();
      await page.getByText('You are listening.').waitFor();
      // The id in the token of the place.
      const you = async () =>
        JSON.parse(
          Buffer.from(
            (await page.evaluate(() => /** @type {any} */ (window).aloud.call.resume)).split(
              '.',
            )[1],
            'base64url',
          ).toString(),
        ).i;
      const before = await you();
      // A place is kept for people who were heard of for 5 s, and a listener sends something every
      // 2 s.
      await page.waitForTimeout(7200);
      await button(page, 'Pause').click();
      await page.getByText('Paused.').waitFor();
      expect(await page.evaluate(() => navigator.mediaSession.playbackState)).toBe('paused');
      await button(page, 'Listen').click();
      await page.getByText('You are listening.').waitFor();
      expect(await you()).toBe(before);
    });

  if (isLong)
    inBrowser.it('takes the offer of the stage back when a moderator does', async () => {
      const { ann, room } = await onStage('offer');
      let mayFail = Promise.resolve();
      const lea = await openPage(
        site.browser,
        `${site.url}/r/${room}?name=Lea&transport=websocket`,
        {},
        (one) =>
          one.route(/[?&]stage=/, async (route) => {
            await mayFail;
            await route.abort();
          }),
        /ERR_FAILED|Failed to fetch/,
      );
      await button(lea, 'Listen').click();
      const listens = lea.getByText('You are listening.');
      await listens.waitFor();
      const access = () =>
        lea.evaluate(() => {
          const { you, access: has } = /** @type {any} */ (window).aloud.call.store.value;
          return { you, role: has.role };
        });
      const { you } = await access();
      const offer = button(lea, 'Go on stage');
      ann.sendControl(moderate.setRole(you, 'speaker'));
      await offer.waitFor();
      ann.sendControl(moderate.setRole(you, 'listener'));
      await offer.waitFor({ state: 'detached' });
      await listens.waitFor();

      /** @type {(value?: any) => void} */
      let fail = () => {};
      mayFail = new Promise((resolve) => (fail = resolve));
      ann.sendControl(moderate.setRole(you, 'speaker'));
      await lea.getByText('You may speak now. The page of the call is loading…').waitFor();
      ann.sendControl(moderate.setRole(you, 'listener'));
      await expect.poll(access).toEqual({ you, role: 'listener' });
      fail();
      await listens.waitFor();
      expect(await offer.count()).toBe(0);
    });

  if (isShort)
    inBrowser.it(
      'is played in a frame of another origin’s page, without shared memory',
      async () => {
        const { ann, room } = await onStage('frame');
        const other = createServer((_request, response) => {
          response.setHeader('Content-Type', 'text/html');
          response.end(
            '<!doctype html><title>blog</title><h1>Blog</h1><script ' +
              `src="${site.url}/embed.js" data-room="${room}" data-title="Our show" ` +
              'async></script>',
          );
        });
        await new Promise((resolve) => void other.listen(0, '127.0.0.1', () => resolve(undefined)));
        const { port } = /** @type {import('node:net').AddressInfo} */ (other.address());
        try {
          const blog = await openPage(site.browser, `http://127.0.0.1:${port}/`);
          const frame = blog.frameLocator('iframe[title="Our show"]');
          await frame.getByRole('button', { name: 'Listen', exact: true }).click();
          await frame.getByText('Ann speaks.').waitFor();
          const [, inside] = blog.frames();
          expect(await inside.evaluate(() => crossOriginIsolated)).toBe(false);
          const heard = await record(/** @type {any} */ (inside));
          await expect
            .poll(async () => likeness(announcer, await heard()), {
              timeout: 20_000,
              interval: 1500,
            })
            .toBeGreaterThan(HEARD);
          const id = await inside.evaluate(
            () => /** @type {any} */ (window).aloud.call.store.value.you,
          );
          ann.sendControl(moderate.setRole(id, 'speaker'));
          const offer = frame.getByRole('link', { name: 'Go on stage' });
          await offer.waitFor();
          ann.sendControl(moderate.setRole(id, 'listener'));
          await offer.waitFor({ state: 'detached' });
          await frame.getByText('You are listening.').waitFor();
        } finally {
          other.close();
        }
      },
    );
});
