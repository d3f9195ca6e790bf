import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, onTestFinished, vi } from 'vitest';
import { loadCodec } from '../../server/codec/codec.js';
import { startServer } from '../../testkit/aloud-server.js';
import { violationsOf } from '../../testkit/browsers/axe.js';
import { inBrowser, openBrowser } from '../../testkit/browsers/browser.js';
import { Headless } from '../../testkit/participants/headless.js';
import { keepTracks, openPage } from './support/room-page.js';
import { noticeText } from '../../public/texts/texts.js';

/**
 * @typedef {HTMLElement & { call: import('../../public/call.js').Call | null, state:
 *   import('../../public/client/call/types.js').CallView, join(): Promise<void>, leave():
 *   Promise<void>, mute(muted: boolean): void }} AloudRoom
 */

const RATE = 48_000;
const VOICE_HZ = 440;
const GUEST_HZ = 660;
/** Time for the call's sound to arrive and to be measured, in milliseconds. */
const HEARD_MS = 15_000;

/** @param {number} hz @param {number} [seconds] */
const tone = (hz, seconds = 1) =>
  Float32Array.from(
    { length: seconds * RATE },
    (_, i) => 0.3 * Math.sin((2 * Math.PI * hz * i) / RATE),
  );

/**
 * Share of a sound's energy at one frequency, 0 to 1.
 * @param {Float32Array} sound
 * @param {number} hz
 */
function shareAt(sound, hz) {
  let [re, im, energy] = [0, 0, 0];
  for (const [i, value] of sound.entries()) {
    re += value * Math.cos((2 * Math.PI * hz * i) / RATE);
    im += value * Math.sin((2 * Math.PI * hz * i) / RATE);
    energy += value * value;
  }
  return energy === 0 ? 0 : (2 * (re * re + im * im)) / (sound.length * energy);
}

/** Runs in the page: the loudest frequency of what the call plays, in Hz. */
async function loudestHz() {
  const { output } = /** @type {AloudRoom} */ (document.querySelector('aloud-room')).call ?? {};
  if (!output) return 0;
  const analyser = new AnalyserNode(output.context, { fftSize: 16384 });
  output.connect(analyser);
  await new Promise((resolve) => setTimeout(resolve, 500));
  const levels = new Float32Array(analyser.frequencyBinCount);
  analyser.getFloatFrequencyData(levels);
  output.disconnect(analyser);
  const bin = levels.indexOf(Math.max(...levels));
  return levels[bin] < -60 ? 0 : (bin * output.context.sampleRate) / analyser.fftSize;
}

inBrowser.describe('a page of another origin', () => {
  /** @type {Awaited<ReturnType<typeof startServer>>} */
  let server;
  /** @type {Awaited<ReturnType<typeof openBrowser>>} */
  let opened;
  /** The other site: it serves the example, changed to this server. */
  const site = createServer(async (request, response) => {
    const example = await readFile(new URL('../../examples/room.html', import.meta.url), 'utf8');
    const room = request.url?.slice(1);
    const html = example
      .replace('http://localhost:8080', new URL(server.url).origin)
      .replace('room="tea"', `room="${room}" music`);
    response.setHeader('Content-Type', 'text/html');
    if (room !== 'strict') return void response.end(html);
    // Without the page's own script, which is inline.
    response.setHeader('Content-Security-Policy', await policyOfDocs());
    response.end(html.replace(/<script type="module">[^]*<\/script>/, ''));
  });
  /** The policy of docs/embedding.md, for this server, and for nothing else. */
  async function policyOfDocs() {
    const docs = await readFile(new URL('../../docs/embedding.md', import.meta.url), 'utf8');
    const [, sources] = /^ *```\n( *script-src [^]*?) *```/m.exec(docs) ?? [];
    const page = new URL(server.url);
    const lines = sources
      .replaceAll('https://talk.example.org:4433', `https://${page.hostname}:${server.h3Port}`)
      .replaceAll('wss://talk.example.org', `ws://${page.host}`)
      .replaceAll('https://talk.example.org', page.origin);
    return `default-src 'none'; ${lines.trim().split(/\n */).join('; ')}`;
  }
  let origin = '';

  beforeAll(async () => {
    site.listen(0, '127.0.0.1');
    await once(site, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (site.address());
    origin = `http://localhost:${port}`;
    [server, opened] = await Promise.all([
      startServer('--embed-origins', origin),
      openBrowser({ speech: tone(VOICE_HZ, 60), isMeasured: true }),
    ]);
  });
  afterAll(async () => {
    await Promise.all([server?.close(), opened?.close()]);
    site.close();
  });

  /** A participant with a tone of its own, who records. */
  async function guest(/** @type {string} */ room) {
    const one = new Headless({ codec: await loadCodec('libopus-wasm'), speech: tone(GUEST_HZ) });
    onTestFinished(() => one.close());
    await one.join({ origin: server.url, room, name: 'Bo', silenceSuppression: false });
    return one;
  }

  inBrowser.it(
    'speaks and hears by the element, which tells it the state and takes its wishes',
    async () => {
      const other = await guest('tea');
      const page = await openPage(opened.browser, `${origin}/tea`);
      expect(await violationsOf(page)).toEqual([]);
      await page.getByLabel('Your name').fill('Ada');
      await page.getByRole('button', { name: 'Join' }).click();
      await page.getByRole('listitem').filter({ hasText: 'Bo' }).waitFor();
      await expect.poll(() => page.locator('output').textContent()).toMatch(/Ada.*Bo|Bo.*Ada/);
      expect(await violationsOf(page)).toEqual([]);

      await vi.waitFor(
        async () => expect(await page.evaluate(loudestHz)).toBeCloseTo(GUEST_HZ, -1),
        {
          timeout: HEARD_MS,
        },
      );
      const heard = (/** @type {number} */ hz) =>
        shareAt(
          other.recording.subarray(Math.max(0, other.recorded - RATE / 2), other.recorded),
          hz,
        );
      await vi.waitFor(() => expect(heard(VOICE_HZ)).toBeGreaterThan(0.8), { timeout: HEARD_MS });

      await page.getByRole('button', { name: 'Mute me' }).click();
      const mute = page.getByRole('button', { name: 'Mute', exact: true });
      expect(await mute.getAttribute('aria-pressed')).toBe('true');
      await expect.poll(() => other.people.find(({ name }) => name === 'Ada')?.muted).toBe(true);
      await mute.click();
      await expect.poll(() => other.people.find(({ name }) => name === 'Ada')?.muted).toBe(false);

      await page.getByRole('button', { name: 'Leave' }).click();
      await page.getByText('You have left the call.').waitFor();
      await expect.poll(() => other.people.map(({ name }) => name)).toEqual(['Bo']);
    },
  );

  inBrowser.it('joins muted if it said so before, and leaves with the element', async () => {
    const other = await guest('coffee');
    const page = await openPage(opened.browser, `${origin}/coffee`);
    await page.evaluate(() =>
      /** @type {AloudRoom} */ (document.querySelector('aloud-room')).mute(true),
    );
    await page.getByLabel('Your name').fill('Cy');
    await page.getByRole('button', { name: 'Join' }).click();
    await expect.poll(() => other.people.length).toBe(2);
    await expect.poll(() => other.people.find(({ name }) => name === 'Cy')?.muted).toBe(true);
    await page.evaluate(() => document.querySelector('aloud-room')?.remove());
    await expect.poll(() => other.people.length).toBe(1);
  });

  /** The focused element within the room's. @param {import('playwright-core').Page} page */
  const focused = (page) =>
    page.evaluate(() => {
      const element = document.querySelector('aloud-room')?.shadowRoot?.activeElement;
      return element?.checkVisibility() ? element.textContent : 'lost';
    });

  inBrowser.it('keeps the keyboard’s place, and a row for each person', async () => {
    const other = await guest('milk');
    const page = await openPage(opened.browser, `${origin}/milk`);
    await page.getByLabel('Your name').fill('Di');
    /** @type {(value?: unknown) => void} */
    let join = () => {};
    const hasLooked = new Promise((resolve) => (join = resolve));
    await page.route('**/api/config*', async (route) => {
      await hasLooked;
      await route.continue();
    });
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toBe('Joining…');
    join();
    const row = page.getByRole('listitem').filter({ hasText: 'Bo' });
    await row.evaluate((element) => element.setAttribute('data-seen', ''));
    expect(await focused(page)).toBe('');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Mute');
    other.sendControl({ type: 'hand', raised: true });
    await page.waitForFunction(() => {
      const { state } = /** @type {AloudRoom} */ (document.querySelector('aloud-room'));
      return state.people.some(({ hand }) => hand > 0);
    });
    expect(await page.locator('[data-seen]').count()).toBe(1);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('You have left the call.').waitFor();
    expect(await focused(page)).toBe('Join');
  });

  inBrowser.it('shows that a moderator has muted its person', async () => {
    const other = await guest('soda');
    const page = await openPage(opened.browser, `${origin}/soda`);
    await page.getByLabel('Your name').fill('Di');
    await page.getByRole('button', { name: 'Join' }).click();
    const mute = page.getByRole('button', { name: 'Mute', exact: true });
    await mute.waitFor();
    const idOf = () => other.people.find(({ name }) => name === 'Di')?.id ?? '';
    await expect.poll(idOf).not.toBe('');
    const id = idOf();
    const moderates = (/** @type {boolean} */ muted) =>
      other.sendControl({ type: 'moderate', action: 'mute', person: id, muted });
    await mute.focus();
    moderates(true);
    await expect.poll(() => mute.getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.press('Enter');
    expect([await focused(page), await mute.getAttribute('aria-pressed')]).toEqual([
      'Mute',
      'true',
    ]);
    moderates(false);
    await expect.poll(() => mute.getAttribute('aria-disabled')).toBe('false');
    // Until this person presses the button, nobody hears them.
    expect(await mute.getAttribute('aria-pressed')).toBe('true');
    expect(other.people.find(({ name }) => name === 'Di')?.muted).toBe(true);
  });

  inBrowser.it('says why its person isn’t heard, for as long as that is so', async () => {
    await guest('juice');
    const page = await openPage(opened.browser, `${origin}/juice`, {}, (one) =>
      one.addInitScript(() => {
        const { mediaDevices } = navigator;
        const open = mediaDevices.getUserMedia.bind(mediaDevices);
        let isRefused = true;
        mediaDevices.getUserMedia = (constraints) => {
          if (!isRefused) return open(constraints);
          isRefused = false;
          return Promise.reject(new DOMException('refused', 'NotAllowedError'));
        };
      }),
    );
    await page.getByLabel('Your name').fill('Di');
    await page.getByRole('button', { name: 'Join' }).click();
    const status = page.locator('aloud-room').getByRole('status');
    await expect.poll(() => status.textContent()).toBe(noticeText('microphone-refused'));
    await page.getByRole('listitem').filter({ hasText: 'Bo' }).waitFor();
    await page.evaluate(() =>
      /** @type {AloudRoom} */ (document.querySelector('aloud-room')).call?.setMicrophone(''),
    );
    await expect.poll(() => status.textContent()).toBe('');
  });

  inBrowser.it('leaves the waiting room with its element, and closes the microphone', async () => {
    const other = await guest('lobby');
    other.sendControl({ type: 'moderate', action: 'lobby', on: true });
    const page = await openPage(opened.browser, `${origin}/lobby`, {}, (one) =>
      one.addInitScript(keepTracks),
    );
    const live = () =>
      page.evaluate(
        () =>
          /** @type {any} */ (window).testTracks.filter(
            (/** @type {MediaStreamTrack} */ { readyState }) => readyState === 'live',
          ).length,
      );
    await page.getByLabel('Your name').fill('Di');
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByText('Waiting until a moderator lets you in…').waitFor();
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByText('You have left the call.').waitFor();
    await expect.poll(live).toBe(0);
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByText('Waiting until a moderator lets you in…').waitFor();
    expect(await live()).toBe(1);
    await page.evaluate(() => {
      const element = /** @type {AloudRoom} */ (document.querySelector('aloud-room'));
      Object.assign(window, { element });
      element.remove();
    });
    await expect.poll(live).toBe(0);
    await page.evaluate(() => document.body.append(/** @type {any} */ (window).element));
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByText('Waiting until a moderator lets you in…').waitFor();
    expect(await live()).toBe(1);
  });

  inBrowser.it('gets a code and a sentence that say why it can’t join', async () => {
    const page = await openPage(opened.browser, `${origin}/a/b`);
    const code = await page.evaluate(() =>
      /** @type {AloudRoom} */ (document.querySelector('aloud-room')).join().then(
        () => 'joined',
        (error) => error.code,
      ),
    );
    expect(code).toBe('room-name');
    expect(await page.locator('aloud-room').getByRole('status').textContent()).toMatch(
      /^A room name has 1 to 64/,
    );
  });

  inBrowser.it('joins once, however often it is asked to', async () => {
    const page = await openPage(opened.browser, `${origin}/twice`);
    const names = await page.evaluate(async () => {
      const room = /** @type {AloudRoom} */ (document.querySelector('aloud-room'));
      room.setAttribute('name', 'Ada');
      void room.join();
      await room.join();
      return room.call?.store.value.people.map(({ name }) => name);
    });
    expect(names).toEqual(['Ada']);
  });

  inBrowser.it('joins by the module without a name, which it may leave out', async () => {
    const page = await openPage(opened.browser, `${origin}/milk`);
    const module = new URL('/public/aloud.js', server.url).href;
    // A text, since Vitest would replace import() in a function.
    const names = await page.evaluate(`import('${module}').then(async ({ join }) => {
      const call = await join({ room: 'milk' });
      const { people } = call.store.value;
      await call.leave();
      return people.map(({ name }) => name);
    })`);
    expect(names).toEqual(['Guest']);
  });

  inBrowser.it('joins over WebTransport with the policy of docs/embedding.md', async () => {
    await guest('strict');
    const page = await openPage(opened.browser, `${origin}/strict`);
    await page.getByLabel('Your name').fill('Di');
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('listitem').filter({ hasText: 'Bo' }).waitFor();
    await vi.waitFor(async () => expect(await page.evaluate(loudestHz)).toBeCloseTo(GUEST_HZ, -1), {
      timeout: HEARD_MS,
    });
    const took = await page.evaluate(
      () => /** @type {AloudRoom} */ (document.querySelector('aloud-room')).state.transport?.took,
    );
    expect(took).toBe(server.h3Port === null ? 'websocket' : 'webtransport');
  });

  inBrowser.it('gets nothing of the client if the server doesn’t name it', async () => {
    const page = await openPage(
      opened.browser,
      `${origin.replace('localhost', '127.0.0.1')}/tea`,
      undefined,
      undefined,
      /blocked by CORS policy|net::ERR_FAILED|is null/,
    );
    expect(await page.evaluate(() => customElements.get('aloud-room') === undefined)).toBe(true);
  });
});
