import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { align } from '../../testkit/sound/signal.js';
import { undisturbed } from '../../testkit/undisturbed.js';
import { readWav } from '../../testkit/sound/wav.js';
import { loadCodec } from '../../server/codec/codec.js';
import { Chapters } from '../../server/recording/chapters.js';
import { Peaks } from '../../server/recording/recording.js';
import { oggOf, putRecording } from '../fakes/recorded.js';
import { violationsOf } from '../../testkit/browsers/axe.js';
import { BROWSER, inBrowser, isFirefox } from '../../testkit/browsers/browser.js';
import { takePicture } from './support/contrast.js';
import { samplesOf } from './support/recording.js';
import { useSite } from './support/site.js';
import { button } from './support/room-page.js';

/** @typedef {import('playwright-core').Page} Page */

const SECONDS = 12;

const { channels } = await readWav(new URL('../../testkit/speech/speech-low.wav', import.meta.url));
/** Speech that nowhere is like elsewhere: the second half is played backwards. */
const speech = Float32Array.from(
  { length: SECONDS * 48_000 },
  (_, i) => channels[0][(i < 6 * 48_000 ? i : SECONDS * 48_000 - i + 7919) % channels[0].length],
);

/** Runs in the page before its own code: keeps what it plays, by either player. */
function keepSound() {
  const page = /** @type {any} */ (window);
  page.heard = [];
  const connect = /** @type {any} */ (AudioNode.prototype.connect);
  const tap = (/** @type {AudioNode} */ node) => {
    const recorder = /** @type {AudioContext} */ (node.context).createScriptProcessor(8192, 1, 1);
    recorder.onaudioprocess = ({ inputBuffer }) =>
      void page.heard.push(inputBuffer.getChannelData(0).slice());
    connect.call(node, recorder);
    connect.call(recorder, node.context.destination);
  };
  AudioNode.prototype.connect = /** @type {any} */ (
    function (/** @type {any[]} */ ...to) {
      // @ts-expect-error: `this` is the node
      if (to[0] === this.context.destination) tap(this);
      // @ts-expect-error: likewise
      return connect.apply(this, to);
    }
  );
  const { Audio } = window;
  page.Audio = function () {
    const element = new Audio();
    element.addEventListener(
      'play',
      () => {
        const context = new AudioContext({ sampleRate: 48_000 });
        context.createMediaElementSource(element).connect(context.destination);
      },
      { once: true },
    );
    return element;
  };
}

/** Runs in the page. @returns {Promise<string>} the played sound, as a data URL */
async function takeSound() {
  const reader = new FileReader();
  reader.readAsDataURL(new Blob(/** @type {any} */ (window).heard.splice(0)));
  await new Promise((resolve) => void reader.addEventListener('load', resolve));
  return String(reader.result);
}

/**
 * Sound that a page plays until it has reached a second.
 * @param {Page} page
 * @param {number} second
 */
async function heardUntil(page, second) {
  await expect.poll(() => positionOf(page), { timeout: 30_000 }).toBeGreaterThanOrEqual(second);
  return samplesOf(await page.evaluate(takeSound));
}

const slider = (/** @type {Page} */ page) => page.getByRole('slider', { name: 'Position' });
const positionOf = async (/** @type {Page} */ page) =>
  Number(await slider(page).getAttribute('aria-valuenow'));

/**
 * The best likeness of a piece of the speech, of half a second from one of some moments on, in a
 * sound.
 * @param {Float32Array} sound
 * @param {number[]} moments
 */
const likeness = (sound, moments) =>
  Math.max(
    ...moments.map(
      (at) => align(speech.subarray(at * 48_000, (at + 0.5) * 48_000), sound).correlation,
    ),
  );

inBrowser.describe(`the page of a recording in ${BROWSER}`, () => {
  const directory = mkdtempSync(join(tmpdir(), 'aloud-recorded-'));
  const site = useSite(['--recording-dir', directory]);
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  const closePages = () => site.closePages();

  async function recorded() {
    const codec = await loadCodec('libopus-wasm');
    const [peaks, chapters] = [new Peaks(0.02), new Chapters(0.02)];
    for (let frame = 0; frame < SECONDS * 50; frame++) {
      peaks.add(speech.subarray(frame * 960, (frame + 1) * 960));
      chapters.heard(frame < 300 ? 'a' : 'b', frame < 300 ? 'Ada' : 'Ben <b>', frame, 30);
    }
    const others = { 'peaks.json': JSON.stringify(peaks), 'chapters.vtt': chapters.toVtt() };
    return putRecording(directory, {
      mix: Buffer.concat(oggOf(codec, speech, SECONDS)),
      seconds: SECONDS,
      room: 'planning',
      others,
    });
  }

  /** @param {string} path */
  async function open(path) {
    const context = await site.browser.newContext({ viewport: { width: 360, height: 740 } });
    const page = await context.newPage();
    await page.addInitScript(keepSound);
    await page.goto(new URL(path, site.url).href);
    await page.getByText(/^Over/).waitFor();
    return page;
  }

  inBrowser.it('speaks the language of its reader, and keeps time from left to right', async () => {
    const id = await recorded();
    const page = await site.page(`/recordings/${id}`, {
      locale: 'ar',
      viewport: { width: 390, height: 844 },
    });
    const { recordingPageTexts: texts } = await import('../../public/texts/ar/pages.js');
    await button(page, texts.play).waitFor();
    await page.getByRole('heading', { name: texts.chapters }).waitFor();
    const player = page.locator('#player');
    expect(await player.evaluate((one) => getComputedStyle(one).direction)).toBe('ltr');
    const { lang, dir, wider } = await page.evaluate(() => {
      const root = document.documentElement;
      return { lang: root.lang, dir: root.dir, wider: root.scrollWidth - innerWidth };
    });
    expect({ lang, dir, wider }).toEqual({ lang: 'ar', dir: 'rtl', wider: 0 });
    expect(await violationsOf(page)).toEqual([]);
    await takePicture(page, 'recording-ar');
  });

  for (const [name, query] of isFirefox
    ? [['HTTP', '?via=http']]
    : [
        ['WebTransport', ''],
        ['HTTP', '?via=http'],
      ])
    inBrowser.it(`plays it from a moment on over ${name}, seeks, and plays faster`, () =>
      undisturbed(async () => {
        const page = await open(`/recordings/${await recorded()}${query}#t=3`);
        await page.getByText(`Over ${name}`).waitFor();
        expect(await positionOf(page)).toBe(3);
        await button(page, 'Play').click();
        const heard = await heardUntil(page, 6);
        expect(likeness(heard, [3.3, 3.9, 4.4])).toBeGreaterThan(0.85);
        expect(likeness(heard, [1, 9, 10])).toBeLessThan(0.7);

        await page.getByRole('button', { name: '0:06 Ben <b>' }).click();
        await page.getByLabel('Speed').selectOption('2');
        const began = performance.now();
        const from = await positionOf(page);
        // A busy machine comes here when all has been played, which ends in a pause.
        const play = button(page, 'Play');
        if (await play.isVisible()) await play.click();
        await expect
          .poll(() => positionOf(page), { timeout: 20_000 })
          .toBeGreaterThanOrEqual(from + 4);
        expect(performance.now() - began).toBeLessThan(name === 'HTTP' ? 9000 : 6000);
        await slider(page).press('Home');
        await expect.poll(() => positionOf(page)).toBeLessThan(3);
        await button(page, 'Pause').click();
        await slider(page).press('ArrowRight');
        expect(await positionOf(page)).toBeGreaterThanOrEqual(5);
        await page.context().close();
      }, closePages),
    );

  inBrowser.it('keeps the speed and the moment that were chosen before it could play', () =>
    undisturbed(async () => {
      const id = await recorded();
      const context = await site.browser.newContext();
      const page = await context.newPage();
      /** @type {(value?: unknown) => void} */
      let go = () => {};
      const asked = new Promise((resolve) => (go = resolve));
      await page.route('**/segment-player.js', async (route) => {
        await asked;
        await route.continue();
      });
      await page.goto(new URL(`/recordings/${id}#t=3`, site.url).href);
      await page.getByLabel('Speed').selectOption('2');
      await page.getByRole('button', { name: '0:06 Ben <b>' }).click();
      go();
      await page.getByText(/^Over/).waitFor();
      expect(await positionOf(page)).toBe(6);
      await button(page, 'Play').click();
      await expect.poll(() => positionOf(page)).toBeGreaterThanOrEqual(7);
      const began = performance.now();
      const from = await positionOf(page);
      await expect
        .poll(() => positionOf(page), { timeout: 20_000 })
        .toBeGreaterThanOrEqual(from + 4);
      expect(performance.now() - began).toBeLessThan(3500);
      await context.close();
    }, closePages),
  );

  if (!isFirefox)
    inBrowser.it('plays on over HTTP when WebTransport breaks for good', async () => {
      const context = await site.browser.newContext();
      const page = await context.newPage();
      await page.addInitScript(() => {
        const { Worker } = window;
        window.Worker = class extends Worker {
          /** @param {ConstructorParameters<typeof Worker>} given */
          constructor(...given) {
            super(...given);
            Object.assign(window, { segments: this });
          }
        };
      });
      await page.goto(new URL(`/recordings/${await recorded()}`, site.url).href);
      await page.getByText('Over WebTransport').waitFor();
      await button(page, 'Play').click();
      await expect.poll(() => positionOf(page)).toBeGreaterThanOrEqual(1);
      await page.evaluate(() => {
        const { segments } = /** @type {Window & { segments?: Worker }} */ (window);
        segments?.dispatchEvent(new MessageEvent('message', { data: { failed: 'gone' } }));
      });
      await page.getByText('Over HTTP').waitFor();
      const from = await positionOf(page);
      await expect.poll(() => positionOf(page)).toBeGreaterThanOrEqual(from + 2);
      await context.close();
    });

  inBrowser.it(
    'can be used without sight and on a phone, and says what there isn\u2019t',
    async () => {
      const id = await recorded();
      const page = await open(`/recordings/${id}?via=http`);
      expect(await violationsOf(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
        360,
      );
      expect(await slider(page).getAttribute('aria-valuetext')).toBe('0:00 of 0:12');
      await page.getByRole('link', { name: 'Everybody together', exact: true }).waitFor();
      await page.keyboard.press('ArrowRight');
      await expect.poll(() => positionOf(page)).toBe(5);
      await page.goto(new URL(`/recordings/${id}?via=http#t=999`, site.url).href);
      await page.reload();
      await expect.poll(() => positionOf(page)).toBe(12);
      const answer = await page.goto(new URL(`/recordings/${'x'.repeat(22)}`, site.url).href);
      expect(answer?.status()).toBe(404);
      await page.getByRole('heading', { name: 'There is no such recording.' }).waitFor();
      await page.getByRole('link', { name: 'Start or join a room' }).waitFor();
      await page.context().close();
    },
  );

  inBrowser.it('keeps the keyboard’s place when the recording has ended', async () => {
    const id = await recorded();
    const context = await site.browser.newContext();
    const page = await context.newPage();
    let on = true;
    await page.route(`**/api/recordings/${id}`, async (route) => {
      const description = await (await route.fetch()).json();
      await route.fulfill({ json: { ...description, on } });
    });
    await page.goto(new URL(`/recordings/${id}?via=http`, site.url).href);
    const live = page.locator('button.live');
    await live.waitFor();
    await live.focus();
    on = false;
    await live.waitFor({ state: 'hidden' });
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
      'Play',
    );
    await context.close();
  });

  inBrowser.it('plays though the code of its transcript can’t be had', async () => {
    const id = await recorded();
    const context = await site.browser.newContext();
    const page = await context.newPage();
    await page.route(`**/api/recordings/${id}`, async (route) => {
      const description = await (await route.fetch()).json();
      await route.fulfill({ json: { ...description, transcript: true } });
    });
    await page.route('**/transcript.vtt', (route) => route.fulfill({ body: 'WEBVTT' }));
    await page.route('**/transcript-list.js', (route) => route.abort());
    await page.goto(new URL(`/recordings/${id}`, site.url).href);
    await page.getByText(/^Over/).waitFor();
    await context.close();
  });

  inBrowser.it('says why a recording can’t be had', async () => {
    const id = await recorded();
    const context = await site.browser.newContext();
    const page = await context.newPage();
    for (const [status, sentence] of /** @type {const} */ ([
      [403, 'A moderator has banned you from this room for a while.'],
      [500, 'The server can’t be reached. Check the connection, then reload the page.'],
    ])) {
      await page.route('**/api/recordings/*', (route) => route.fulfill({ status, json: {} }));
      await page.goto(new URL(`/recordings/${id}`, site.url).href);
      await page.getByText(sentence).waitFor();
    }
    await context.close();
  });

  inBrowser.it('that is not there is told in the language of its reader', async () => {
    // A page of its own: the site takes a missing page for a fault.
    const context = await site.browser.newContext({ locale: 'de' });
    const page = await context.newPage();
    await page.goto(new URL(`/recordings/${'x'.repeat(22)}`, site.url).href);
    const { errorPageTexts, recordingPageTexts } = await import('../../public/texts/de/pages.js');
    await page.getByRole('heading', { name: recordingPageTexts.missing }).waitFor();
    await page.getByRole('link', { name: errorPageTexts.start }).waitFor();
    await page.goto(new URL('/nothing', site.url).href);
    await page.getByRole('heading', { name: errorPageTexts.reasons['not-found'] }).waitFor();
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('de');
    expect(await violationsOf(page)).toEqual([]);
    await context.close();
  });
});
