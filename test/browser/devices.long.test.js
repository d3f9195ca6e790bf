import { setTimeout as pass } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { startServer } from '../../testkit/aloud-server.js';
import { BROWSER, inBrowser, openBrowser } from '../../testkit/browsers/browser.js';
import { record } from './support/recording.js';
import { joinRoom } from './support/room-page.js';

/** @typedef {import('playwright-core').Page} Page */

/** Tones for the fake microphone, as long as words: what is steady is taken for a hum. */
const tone = Float32Array.from({ length: 60 * 48000 }, (_, i) => {
  const isOn = i % 24000 < 12000;
  return isOn
    ? 0.3 * Math.sin((2 * Math.PI * (300 + 40 * (Math.floor(i / 24000) % 7)) * i) / 48000)
    : 0;
});

const loudest = (/** @type {Float32Array} */ samples) =>
  samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
const notices = (/** @type {Page} */ page) => page.getByRole('alert').innerText();

/** Runs in the page before all else: keeps what it opens, and lets a test take devices away. */
function keepDevices() {
  const { mediaDevices } = navigator;
  const { getUserMedia, enumerateDevices } = mediaDevices;
  const kept = { isGone: false, tracks: /** @type {MediaStreamTrack[]} */ ([]) };
  Object.assign(window, { testDevices: kept });
  mediaDevices.getUserMedia = async (wish) => {
    if (kept.isGone) throw new DOMException('There is none.', 'NotFoundError');
    const stream = await getUserMedia.call(mediaDevices, wish);
    kept.tracks.push(...stream.getAudioTracks());
    return stream;
  };
  mediaDevices.enumerateDevices = async () =>
    (await enumerateDevices.call(mediaDevices)).filter(
      ({ kind }) => !kept.isGone || kind !== 'audioinput',
    );
}

/** Runs in the page. @param {boolean} isGone true if there is no other microphone */
function unplug(isGone) {
  const { testDevices } = /** @type {any} */ (window);
  testDevices.isGone = isGone;
  const track = testDevices.tracks.at(-1);
  track.stop();
  track.dispatchEvent(new Event('ended'));
  navigator.mediaDevices.dispatchEvent(new Event('devicechange'));
}

/** Runs in the page. */
function plugIn() {
  /** @type {any} */ (window).testDevices.isGone = false;
  navigator.mediaDevices.dispatchEvent(new Event('devicechange'));
}

inBrowser.describe(`devices that come and go during a call, in ${BROWSER}`, () => {
  /** @type {Awaited<ReturnType<typeof startServer>>} */
  let server;
  /** @type {import('../../testkit/browsers/browser.js').OpenBrowser} */
  let speakers;
  /** @type {import('../../testkit/browsers/browser.js').OpenBrowser} */
  let listeners;
  /** @type {Page} */
  let speaker;
  /** @type {() => Promise<Float32Array>} */
  let heard;
  let id = '';

  beforeAll(async () => {
    server = await startServer();
    speakers = await openBrowser({ speech: tone });
    listeners = await openBrowser();
  });
  beforeEach(async () => {
    const listener = await joinRoom(listeners.browser, server.url, 'devices', { name: 'Lis' });
    heard = await record(listener);
    const prepare = (/** @type {Page} */ page) => page.addInitScript(keepDevices);
    speaker = await joinRoom(speakers.browser, server.url, 'devices', { name: 'Spe', prepare });
    await isHeard();
    id = idOfSpeaker();
    // A microphone that ends sooner after it was opened is opened again only later.
    await pass(2500);
  });
  afterEach(async () => {
    expect(idOfSpeaker()).toBe(id);
    for (const { browser } of [speakers, listeners]) {
      for (const context of browser.contexts()) await context.close();
    }
    // A page that was closed before it could say so is away for a while.
    await expect.poll(() => server.rooms.get('devices'), { timeout: 50_000 }).toBe(undefined);
  });
  afterAll(async () => {
    await speakers?.close();
    await listeners?.close();
    await server?.close();
  });

  const idOfSpeaker = () =>
    server.rooms
      .get('devices')
      ?.describe()
      .people.find(({ name }) => name === 'Spe')?.id ?? '';
  const isHeard = async () => {
    await heard();
    await expect
      .poll(async () => loudest(await heard()), { timeout: 10_000, interval: 250 })
      .toBeGreaterThan(0.1);
  };
  const isSilent = async () => {
    await pass(1000);
    await heard();
    await pass(1200);
    expect(loudest(await heard())).toBeLessThan(0.01);
  };

  inBrowser.it('is heard again through another microphone when its own is unplugged', async () => {
    await speaker.evaluate(unplug, false);
    await isHeard();
    expect(await notices(speaker)).toMatch(/Your microphone is in use now/);
  });

  inBrowser.it(
    'listens while there is no microphone, and is heard when one is plugged in',
    async () => {
      await speaker.evaluate(unplug, true);
      await expect.poll(() => notices(speaker)).toMatch(/The microphone stopped sending sound/);
      await isSilent();
      await speaker.evaluate(plugIn);
      await isHeard();
      expect(await notices(speaker)).not.toMatch(/stopped sending/);
    },
  );

  inBrowser.it('is heard again when the system had stopped its sound', async () => {
    await speaker.evaluate(async () => {
      const { context } = /** @type {any} */ (window).aloud.call.output;
      context.resume = async () => {
        throw new Error('not while the telephone rings');
      };
      await context.suspend();
    });
    await expect.poll(() => notices(speaker)).toMatch(/Turn sound on/);
    await isSilent();
    await speaker.evaluate(
      () => delete (/** @type {any} */ (window).aloud.call.output.context.resume),
    );
    await speaker.getByRole('button', { name: 'Turn sound on' }).click();
    await isHeard();
    await expect.poll(() => notices(speaker)).not.toMatch(/holds sound back/);
    expect(await notices(speaker)).toMatch(/You and the others can hear each other again/);

    // Sound that may be resumed at once needs no press.
    await speaker.evaluate(() => /** @type {any} */ (window).aloud.call.output.context.suspend());
    await isHeard();
  });
});
