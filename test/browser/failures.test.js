import { expect } from 'vitest';
import { errors } from '../../public/shared/errors.js';
import { failureTexts, noticeText } from '../../public/texts/texts.js';
import { startServer } from '../../testkit/aloud-server.js';
import { BROWSER, inBrowser } from '../../testkit/browsers/browser.js';
import { formatWav } from '../../testkit/sound/wav.js';
import {
  announced,
  button,
  CUT_OFF,
  expectProblems,
  joinRoom,
  openRoom,
} from './support/room-page.js';
import { useSite } from './support/site.js';

/** @typedef {import('playwright-core').Page} Page */

const notices = (/** @type {Page} */ page) => page.getByRole('alert').innerText();
const tell = (/** @type {Page} */ page, /** @type {string} */ type, /** @type {object} */ told) =>
  page.evaluate(([name, detail]) => {
    /** @type {any} */ (window).aloud.call.dispatchEvent(
      new CustomEvent(/** @type {string} */ (name), { detail }),
    );
  }, /** @type {const} */ ([type, told]));

/** The codes that end a call, or don't let it begin. */
const ends = [
  ...Object.keys(errors).filter(
    (code) => !/^(chat|recording|operator)-|^(user-name|content-type|body-too-large)$/.test(code),
  ),
  'connection-failed',
  'connection-lost',
  'no-answer',
  'not-offered',
  'no-webtransport',
  'no-sound',
  'from the future',
];

/** The codes with which a call goes on. */
const during = Object.keys(failureTexts).filter((code) =>
  /^(microphone|speaker|sound)-|^no-(microphone|speaker|shared-memory)$/.test(code),
);

const set = (/** @type {Page} */ page, /** @type {object} */ changes) =>
  page.evaluate((all) => /** @type {any} */ (window).aloud.call.store.set(all), changes);

/**
 * Runs in the page before everything else: the network's part of a call, which ends when the test
 * says so.
 */
function failingWorker() {
  Object.assign(window, {
    endsWith: '',
    Worker: class extends EventTarget {
      /** @param {any} message */
      postMessage({ type }) {
        const code = /** @type {any} */ (window).endsWith;
        const end = { code, message: 'What a machine says.' };
        const data = { type: 'changed', detail: { state: 'ended', end } };
        if (type === 'join') setTimeout(() => /** @type {any} */ (this).onmessage({ data }), 1);
      }
      terminate() {}
    },
  });
}

inBrowser.describe(`the sentence for a failure, in ${BROWSER}`, () => {
  const site = useSite(['--engine', 'none', '--operator-token', 'token-of-the-operator']);

  const open = (/** @type {(page: Page) => Promise<unknown>} */ prepare) =>
    site.room('failures', { name: 'Anna', prepare });
  const without = (/** @type {string} */ script) => open((page) => page.addInitScript(script));

  inBrowser.it(
    'is a sentence of the page for whatever ends a call, and the green room is ready again',
    async () => {
      const page = await open((blank) => blank.addInitScript(failingWorker));
      await page.getByLabel('Microphone', { exact: true }).selectOption('none');
      for (const code of ends) {
        await page.evaluate((one) => Object.assign(window, { endsWith: one }), code);
        await button(page, 'Join').click();
        // A wrong password gets a sentence beside its field.
        const said = code.startsWith('password-')
          ? () => page.locator('#password-problem').innerText()
          : () => notices(page);
        await expect
          .poll(async () => (await said()).replace(/\s+Dismiss$/, ''), { interval: 10 })
          .toBe(noticeText(code));
        expect(await button(page, 'Join').isEnabled()).toBe(true);
      }
    },
  );

  inBrowser.it('is a sentence of the page for whatever happens during a call', async () => {
    const page = await site.join('during', { name: 'Anna' });
    expectProblems(page, /status of 404/);
    for (const code of during) {
      await tell(page, 'notice', { code });
      await expect.poll(() => notices(page), { interval: 10 }).toContain(noticeText(code));
      await tell(page, 'settled', { code });
    }
    const refusals = ['recording-limit', 'recording-share', 'recording-busy', 'recording-failed'];
    for (const code of ['recording-off', ...refusals]) {
      await tell(page, 'refused', {
        type: 'refused',
        of: 'record',
        code,
        message: 'What a machine says.',
      });
      await expect.poll(() => notices(page), { interval: 10 }).toContain(noticeText(code));
    }
    await set(page, { isDraining: true });
    await expect.poll(() => notices(page)).toContain(noticeText('call-draining'));
    // The call has moved to another node.
    await set(page, { isDraining: false });
    expect(await notices(page)).not.toContain(noticeText('call-draining'));
    const id = '0123456789abcdef';
    const stopped = {
      id,
      on: false,
      by: 'Ben',
      startedAt: '2026-01-01T10:00:00Z',
      code: 'recording-failed',
      message: 'What a machine says.',
    };
    await set(page, { recording: { ...stopped, on: true } });
    for (const code of refusals) expect(await notices(page)).not.toContain(noticeText(code));
    await set(page, { recording: stopped });
    await expect.poll(() => announced(page)).toBe(noticeText('recording-failed'));
    await button(page, 'Record').click();
    await page.getByRole('complementary').getByText(noticeText('recording-failed')).waitFor();
    // Its node has died, and another one has the room.
    const { session } = await page.evaluate(
      () => /** @type {any} */ (window).aloud.call.store.value,
    );
    await set(page, { recording: { ...stopped, on: true } });
    await set(page, { recording: null, session: session + 1 });
    await expect.poll(() => notices(page)).toContain(noticeText('recording-ended-away'));
    await set(page, { recording: { ...stopped, ready: true } });
    const filesFailed = page.getByRole('complementary').getByText(noticeText('recording-files'));
    await filesFailed.waitFor({ timeout: 10_000 });
    // A change of the people renders the panel again, with the same text.
    const changed = page.evaluate(
      () =>
        new Promise((resolve) =>
          /** @type {any} */ (window).aloud.call.store.observe(
            (/** @type {any} */ now, /** @type {any} */ before) =>
              now.people !== before.people && resolve(true),
          ),
        ),
    );
    await button(page, 'Mute').click();
    await changed;
    expect(await filesFailed.isVisible()).toBe(true);
    // To open the panel again is to ask again.
    await button(page, 'Record').click();
    await page.route('**/api/recordings/**', (route) =>
      route.fulfill({ json: { files: [{ file: 'mix.opus', label: '', person: null, bytes: 9 }] } }),
    );
    await button(page, 'Record').click();
    await page.getByRole('link', { name: 'Everybody together' }).waitFor();
    expect(await page.locator('body').innerText()).not.toContain('machine');
  });

  inBrowser.it('shows a recording’s files once, though one left while they came', async () => {
    const page = await site.join('files', { name: 'Anna' });
    /** @type {(value?: unknown) => void} */
    let answer = () => {};
    const mayAnswer = new Promise((resolve) => (answer = resolve));
    let answers = 0;
    await page.route('**/api/recordings/0123456789abcdef/', async (route) => {
      await mayAnswer;
      const files = [{ file: 'mix.opus', label: '', person: null, bytes: 9 }];
      await route.fulfill({ json: { files } });
      answers += 1;
    });
    const recording = {
      id: '0123456789abcdef',
      on: false,
      ready: true,
      by: 'Ben',
      startedAt: '2026-01-01T10:00:00Z',
    };
    await set(page, { recording });
    await button(page, 'Leave').click();
    await button(page, 'Join').click();
    await button(page, 'Record').click();
    await set(page, { recording });
    answer();
    await expect.poll(() => answers).toBe(2);
    const link = page.getByRole('link', { name: 'Everybody together' });
    await link.first().waitFor();
    await page.waitForTimeout(300);
    expect(await link.count()).toBe(1);
  });

  inBrowser.it('says that the computer has too little time for as long as that is so', async () => {
    const page = await site.join('short-of-time', { name: 'Anna' });
    // Replaces the value in the call's statistics: a busy test machine is short of time itself.
    await page.evaluate(() => {
      const own = /** @type {any} */ (window);
      const { store } = own.aloud.call;
      store.observe((/** @type {any} */ { stats }) => {
        if (!stats || stats.detail.client.isShortOfTime === own.isShort) return;
        const client = { ...stats.detail.client, isShortOfTime: own.isShort };
        store.set({ stats: { ...stats, detail: { ...stats.detail, client } } });
      });
    });
    const notice = page.locator('[data-code=computer-busy] p');
    for (const isShort of [true, false, true, false]) {
      await page.evaluate((value) => Object.assign(window, { isShort: value }), isShort);
      await expect
        .poll(() => notice.allTextContents())
        .toEqual(isShort ? [noticeText('computer-busy')] : []);
    }
  });

  for (const [code, script] of [
    ['no-audio', 'delete window.AudioContext'],
    ['no-audio-worklet', 'delete window.AudioWorkletNode'],
    ['microphone-insecure', 'Object.defineProperty(window, "isSecureContext", { value: false })'],
  ]) {
    inBrowser.it(`says ${code} before one joins`, async () => {
      const page = await without(script);
      await page.getByText(noticeText(code)).waitFor();
      await expect
        .poll(() => page.getByLabel('Microphone', { exact: true }).locator('option').count())
        .toBe(1);
    });
  }

  inBrowser.it('says what the browser lacks, beside the choice that needs it', async () => {
    const page = await without('delete window.WebTransport');
    await page.getByText('Advanced').click();
    await page.getByText(noticeText('no-webtransport')).waitFor();
  });

  for (const [code, script] of [
    [
      'microphone-busy',
      'navigator.mediaDevices.getUserMedia = async () => { throw new DOMException("x", ' +
        '"NotReadableError"); }',
    ],
    [
      'no-worker',
      'window.Worker = class { constructor() { setTimeout(() => this.onerror(new ' +
        'Event("error")), 1); } postMessage() {} terminate() {} }',
    ],
    ['no-sound', 'AudioWorklet.prototype.addModule = async () => { throw new Error("x"); }'],
  ]) {
    inBrowser.it(`says ${code} when one joins`, async () => {
      const page = await without(script);
      await button(page, 'Join').click();
      await page.getByText(noticeText(code)).waitFor();
      // Whatever could not begin leaves nobody behind who is waited for.
      if (code !== 'microphone-busy')
        await expect.poll(() => site.server.rooms.get('failures')).toBe(undefined);
    });
  }

  inBrowser.it(
    'lets one listen, or call it off, while the browser waits for leave to use the microphone',
    async () => {
      const page = await without(`
      const { getUserMedia } = MediaDevices.prototype;
      const allowed = new Promise((resolve) => (window.allow = resolve));
      MediaDevices.prototype.getUserMedia = async function (constraints) {
        await allowed;
        return getUserMedia.call(this, constraints);
      };
    `);
      await button(page, 'Join').click();
      await page.getByText(noticeText('microphone-slow')).waitFor();
      await button(page, 'Cancel').click();
      expect(await notices(page)).toBe('');
      expect(await announced(page)).toBe('');
      await button(page, 'Join').click();
      await button(page, 'Listen for now').click();
      await button(page, 'Unmute').waitFor();
      expect(await notices(page)).toBe('');
      await page.evaluate(() => /** @type {any} */ (window).allow());
      await button(page, 'Mute').waitFor();
      await expect.poll(() => notices(page)).toContain(noticeText('microphone-back'));
    },
  );

  inBrowser.it(
    'says so where the server isn’t there, or doesn’t offer what was chosen',
    async () => {
      const page = await site.room('failures', { name: 'Anna', transport: 'webtransport' });
      await button(page, 'Join').click();
      await page.getByText(noticeText('not-offered')).waitFor();
      const gone = await startServer('--engine', 'none');
      const lost = await openRoom(site.browser, gone.url, 'failures', {
        name: 'Anna',
        problems: CUT_OFF,
      });
      await lost.waitForLoadState('networkidle');
      await lost.evaluate(() => performance.clearResourceTimings());
      await gone.close();
      await button(lost, 'Join').click();
      await expect
        .poll(() => notices(lost))
        .toMatch(
          new RegExp(
            '^(The server could not be reached|A part of this page could not be loaded)\\. ' +
              'Check your network',
          ),
        );
    },
  );

  inBrowser.it(
    'tells people in a call that the server is about to restart, and newcomers why they ' +
      'can’t join',
    async () => {
      const server = await startServer('--engine', 'none', '--away-timeout-ms', '0');
      const page = await joinRoom(site.browser, server.url, 'draining', {
        name: 'Anna',
        problems: CUT_OFF,
      });
      const late = await openRoom(site.browser, server.url, 'draining', { name: 'Ben' });
      const drained = server.drain(60_000);
      await expect.poll(() => notices(page)).toContain(noticeText('call-draining'));
      await button(late, 'Join').click();
      await expect.poll(() => notices(late)).toContain(noticeText('draining'));
      await button(page, 'Leave').click();
      await drained;
      await page.context().close();
      await late.context().close();
      await server.close();
    },
  );

  inBrowser.it('says so in a panel whose parts can’t be had, and lets one try again', async () => {
    let cuts = /vendor\/u|api\/rooms|sound-panel/;
    const cut = (/** @type {Page} */ page) =>
      page.route(/vendor|api|sound-panel/, (route) =>
        cuts.test(route.request().url()) ? route.abort() : route.continue(),
      );
    const page = await site.join('panels', { name: 'Anna', prepare: cut });
    expectProblems(page, CUT_OFF);
    await button(page, 'QR code').click();
    await page.getByText(noticeText('qr-failed')).waitFor();
    await page.evaluate(
      () => (navigator.clipboard.writeText = async () => Promise.reject(new Error('x'))),
    );
    await button(page, 'Copy link').click();
    await page.getByText(noticeText('copy-failed')).waitFor();
    await button(page, 'Sound').click();
    await page.getByText(noticeText('panel-failed')).waitFor();
    cuts = /vendor\/u|api\/rooms/;
    await button(page, 'Sound').click();
    await button(page, 'Sound').click();
    await page.getByText(noticeText('plots-failed')).waitFor();
    await page.getByText('For the operator').click();
    await page.getByLabel('Operator token').fill('token-of-the-operator');
    await button(page, 'Use').click();
    await page.getByText(noticeText('operator-offline')).waitFor();
    cuts = /^$/;
    await button(page, 'QR code').click();
    await page.getByRole('img', { name: 'QR code' }).waitFor();
    await expect.poll(() => page.locator('[data-code=qr-failed]').count()).toBe(0);
  });

  inBrowser.it('says why a backing track can’t be had until there is one', async () => {
    const page = await site.join('tracks', { name: 'Anna' });
    await button(page, 'Sound').click();
    const choose = (/** @type {string} */ name, /** @type {Uint8Array | string} */ bytes) =>
      page
        .locator('#track-file')
        .setInputFiles({ name, mimeType: 'audio/wav', buffer: Buffer.from(bytes) });
    await choose('x.wav', 'no sound');
    const notice = page.getByText(noticeText('track-unreadable'));
    await notice.waitFor();
    const silence = new Float32Array(48_000);
    await choose('Tune.wav', formatWav({ sampleRate: 48_000, channels: [silence, silence] }));
    await button(page, 'Take it out').waitFor();
    await notice.waitFor({ state: 'detached' });
  });

  inBrowser.it('says why one can’t write until one can', async () => {
    const page = await site.join('closed', { name: 'Anna' });
    const allow = (/** @type {string} */ who) =>
      page.evaluate((chat) => {
        const { store } = /** @type {any} */ (window).aloud.call;
        const { access } = store.value;
        store.set({ access: { ...access, role: 'speaker', rules: { ...access.rules, chat } } });
      }, who);
    await button(page, 'Chat').click();
    await allow('moderators');
    await tell(page, 'refused', { type: 'refused', of: 'chat', code: 'not-allowed', message: '' });
    const hint = page.locator('#chat-hint');
    await expect.poll(() => hint.innerText()).toBe(noticeText('not-allowed'));
    await allow('everybody');
    expect(await hint.innerText()).toBe('');
  });

  inBrowser.it('says so where a page has no clipboard, as without HTTPS', async () => {
    const page = await site.join('copying', { name: 'Anna' });
    const offers = (/** @type {boolean} */ isOffered) =>
      page.evaluate((can) => {
        const value = can ? { writeText: async () => {} } : undefined;
        Object.defineProperty(navigator, 'clipboard', { value, configurable: true });
      }, isOffered);
    for (const name of ['Copy link', 'Copy the link for listeners', 'Copy as text']) {
      if (name === 'Copy the link for listeners') await button(page, 'Room').click();
      if (name === 'Copy as text') await button(page, 'Sound').click();
      await offers(false);
      await button(page, name).click();
      const notice = page.getByText(noticeText('copy-failed'));
      await notice.waitFor();
      await offers(true);
      await button(page, name).click();
      await notice.waitFor({ state: 'detached' });
    }
  });

  inBrowser.it('says to a listener, too, why nothing is heard', async () => {
    await site.guest('listened', 'Ann');
    const page = await site.page('/r/listened?listen&transport=websocket');
    await button(page, 'Listen').click();
    await page.getByText('You are listening.').waitFor();
    for (const code of ['e2e-key', 'no-output']) {
      await tell(page, 'notice', { code });
      await page.getByText(noticeText(code)).waitFor();
    }
    const status = page.getByRole('status');
    await tell(page, 'settled', { code: 'no-output' });
    expect(await status.innerText()).toBe('You are listening.');
    // A newer status stays when the fault is over.
    await tell(page, 'notice', { code: 'sound-interrupted' });
    await button(page, 'Raise hand').click();
    await tell(page, 'settled', { code: 'sound-interrupted' });
    expect(await status.innerText()).toBe('Your hand is up. The moderators see it.');
    await button(page, 'Pause').click();
    expect(await page.locator('#listen-speaks, #listen-stage').allInnerTexts()).toEqual(['', '']);
  });

  inBrowser.it('says to a listener what is newer than a sentence that loads', async () => {
    await site.guest('late', 'Ann');
    const page = await site.page('/r/late?listen&transport=websocket');
    /** @type {(value?: unknown) => void} */
    let load = () => {};
    const mayLoad = new Promise((resolve) => (load = resolve));
    await page.route('**/texts/failures.js', async (route) => {
      await mayLoad;
      await route.continue();
    });
    await button(page, 'Listen').click();
    await page.getByText('You are listening.').waitFor();
    await tell(page, 'notice', { code: 'no-output' });
    await button(page, 'Raise hand').click();
    load();
    // As text, since Vitest replaces imports.
    await page.evaluate("import('/public/texts/failures.js').then(() => {})");
    expect(await page.getByRole('status').innerText()).toBe(
      'Your hand is up. The moderators see it.',
    );
  });

  inBrowser.it('says so where a server lets nobody change the delay', async () => {
    const plain = await startServer('--engine', 'none');
    const page = await joinRoom(site.browser, plain.url, 'off', { name: 'Anna' });
    expectProblems(page, /status of 403/);
    await button(page, 'Sound').click();
    await page.getByText('For the operator').click();
    await page.getByLabel('Operator token').fill('token-of-the-operator');
    await button(page, 'Use').click();
    await page.getByText(noticeText('operator-off')).waitFor();
    await page.context().close();
    await plain.close();
  });
});
