/**
 * The participants of a scenario in real Chromium, at their end of the link. They are the same code
 * as those without a browser (participants.js), with the browser's own WebTransport, WebSocket and
 * fetch.
 * @import { Browser, BrowserContext, CDPSession, Page, Route } from 'playwright-core'
 * @import { LinkEnd } from '../link/measure.js'
 */

import { chmod, copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { CHROMIUM_ARGUMENTS, launchChromium } from '../../testkit/browsers/chromium.js';
import { encodeSpeech, readSpeech, SPEECH } from '../../testkit/participants/speech.js';

/**
 * Number of pages that talkers share, since a page costs more than a talker. Each page has a
 * profile of its own. A talker over HTTP/1 has a page alone, since a profile has no more than six
 * connections to a server.
 */
const MOST_SHARED_PAGES = 2;

/** The server's name in the browser: pages of *.localhost are secure without HTTPS. */
const HOST = 'aloud.localhost';

/**
 * The page's document. It is the server's own, since Chromium lets a page into a private network
 * only if it came from there. Its headers isolate it as they do every page, so it has shared memory
 * and a clock of 5 µs.
 */
const DOCUMENT = '/api/config';

/**
 * @typedef {object} LabPage
 * @property {Page} page
 * @property {Set<string>} talkers
 * @property {boolean} isShared   true if other talkers may join in
 * @property {string} listener  id of the page's listener, or ''
 */

/** The file in a browser's scratch folder that its microphones say. */
const MICROPHONE = 'microphone.wav';

/** Answers calls as a Child does that runs client-process.js. */
export class BrowserClients {
  #browser;
  #scratch;
  /** @type {LabPage[]} */
  #pages = [];
  #origin = '';
  #session;
  #cpu;

  /**
   * @param {object} options
   * @param {string} options.chromium     its program
   * @param {LinkEnd} options.client      its end of the link
   * @param {LinkEnd} options.server      end with the server's address
   * @param {readonly string[]} [options.more]  further arguments
   * @param {NodeJS.ProcessEnv | null} [options.sound] environment with the sound server whose
   *   devices it has; null: a fake microphone, which says the speech again and again
   * @returns {Promise<BrowserClients>}
   */
  static async start({ chromium: program, client, server, more = [], sound = null }) {
    const scratch = await mkdtemp(join(tmpdir(), 'aloud-chromium-'));
    try {
      await copyFile(SPEECH, join(scratch, MICROPHONE));
      const executablePath = await wrap(program, client.exec, scratch);
      const browser = await launchChromium({
        executablePath,
        // The lab decides itself what a signal means.
        handleSIGINT: false,
        handleSIGTERM: false,
        handleSIGHUP: false,
        args: [
          ...CHROMIUM_ARGUMENTS,
          '--autoplay-policy=no-user-gesture-required',
          '--use-fake-ui-for-media-stream',
          ...(sound ? [] : fakeMicrophone(join(scratch, MICROPHONE))),
          `--host-resolver-rules=MAP ${HOST} ${server.address}`,
          ...more,
        ],
        // Playwright starts a browser without a window so that it plays nothing.
        ...(sound && {
          env: { ...process.env, ...sound },
          ignoreDefaultArgs: ['--mute-audio'],
        }),
      });
      return new BrowserClients(browser, scratch, await browser.newBrowserCDPSession());
    } catch (error) {
      await rm(scratch, { recursive: true, force: true });
      throw new Error(`Chromium did not start: ${firstLine(error)}`, { cause: error });
    }
  }

  /**
   * @param {Browser} browser
   * @param {string} scratch
   * @param {CDPSession} session
   */
  constructor(browser, scratch, session) {
    this.#browser = browser;
    this.#scratch = scratch;
    this.#session = session;
    this.#cpu = new BrowserCpu(session);
  }

  /**
   * @param {string} name of a function of participants.js
   * @param {any} [options]
   * @returns {Promise<any>}
   */
  async call(name, options = {}) {
    switch (name) {
      case 'open':
        return this.#open(options);
      case 'join':
        return this.#join(options);
      case 'leave':
        return this.#leave(options);
      case 'note':
        await Promise.all(this.#talking().map((page) => ask(page, 'note')));
        await this.#cpu.take();
        return undefined;
      case 'take':
        return this.#take();
      case 'listen':
        return this.#listen(options);
      case 'processes':
        return this.#processes();
      default:
        return this.#askListener(name, options);
    }
  }

  /**
   * Sets what microphones say that are opened from now on, again and again. Before the first call
   * it is the speech.
   * @param {URL} file  a WAV file: Chromium reads it again for each microphone
   */
  async say(file) {
    await copyFile(file, join(this.#scratch, MICROPHONE));
  }

  /** @param {{ origin: string }} options */
  async #open({ origin }) {
    await this.#closePages();
    const url = new URL(origin);
    url.hostname = HOST;
    this.#origin = url.origin;
    return (await this.#addPage()).config;
  }

  async #addPage() {
    const context = await this.#browser.newContext({ bypassCSP: true });
    const page = await openPage(context, this.#origin);
    const added = { page, talkers: new Set(), isShared: false, listener: '' };
    this.#pages.push(added);
    return { added, config: await ask(added, 'open', { origin: this.#origin }) };
  }

  /** A page that nobody uses. */
  async #idle() {
    const idle = this.#pages.find(({ talkers, listener }) => talkers.size === 0 && !listener);
    return idle ?? (await this.#addPage()).added;
  }

  #talking() {
    return this.#pages.filter(({ talkers }) => talkers.size > 0);
  }

  /** @param {{ id: string, transport: string }} options */
  async #join(options) {
    const isShared = options.transport !== 'http1';
    const shared = this.#talking()
      .filter((page) => page.isShared)
      .sort((a, b) => a.talkers.size - b.talkers.size);
    const page = isShared && shared.length >= MOST_SHARED_PAGES ? shared[0] : await this.#idle();
    page.isShared = isShared;
    page.talkers.add(options.id);
    return ask(page, 'join', options);
  }

  /** @param {{ id: string }} options */
  async #leave({ id }) {
    const page = this.#pages.find(({ talkers }) => talkers.delete(id));
    if (page) await ask(page, 'leave', { id });
  }

  async #take() {
    const taken = await Promise.all(this.#talking().map((page) => ask(page, 'take')));
    return {
      people: taken.flatMap(({ people }) => people),
      latenessMs: taken.flatMap(({ latenessMs }) => latenessMs),
      cpuPercent: await this.#cpu.take(),
    };
  }

  /** @param {{ id: string }} options */
  async #listen(options) {
    const page = await this.#idle();
    page.listener = options.id;
    return ask(page, 'listen', options);
  }

  /**
   * @returns {Promise<{ browser: number, renderers: number[] }>} ids: a page has a renderer of its
   *   own
   */
  async #processes() {
    const { processInfo } = await this.#session.send('SystemInfo.getProcessInfo');
    const idsOf = (/** @type {string} */ kind) =>
      processInfo.filter(({ type }) => type === kind).map(({ id }) => id);
    return { browser: idsOf('browser')[0], renderers: idsOf('renderer') };
  }

  /** @param {string} name @param {{ id: string }} options */
  async #askListener(name, options) {
    const page = this.#pages.find(({ listener }) => listener === options.id);
    if (!page) throw new Error(`nobody listens as ${options.id}`);
    const answered = await ask(page, name, options);
    if (name === 'stopListening') page.listener = '';
    return answered;
  }

  async #closePages() {
    const pages = this.#pages;
    this.#pages = [];
    await Promise.all(pages.map(({ page }) => page.context().close()));
  }

  /** Ends the browser, and removes its files. Idempotent. */
  async close() {
    await this.#browser.close();
    await rm(this.#scratch, { recursive: true, force: true });
  }
}

/** @param {string} file  that it says again and again */
const fakeMicrophone = (file) => [
  '--use-fake-device-for-media-stream',
  `--use-file-for-fake-audio-capture=${file}`,
];

/**
 * A program that starts Chromium at an end of the link.
 * @param {string} program @param {readonly string[]} exec @param {string} scratch
 */
export async function wrap(program, exec, scratch) {
  if (exec.length === 0) return program;
  const file = join(scratch, basename(program));
  const words = [...exec, program].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  await writeFile(file, `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`);
  await chmod(file, 0o755);
  return file;
}

/**
 * Opens the lab's page under the server's origin, and loads its modules. The lab's own files come
 * from the disk; everything else, the client that is measured among it, from the server.
 * @param {BrowserContext} context one that ignores content security policies, for the recorder
 * @param {string} origin
 */
export async function openPage(context, origin) {
  const page = await context.newPage();
  await page.exposeBinding('aloudEncodedSpeech', async (_source, format, bitrate) =>
    (await encodeSpeech(format, bitrate)).map((payload) => Buffer.from(payload).toString('base64')),
  );
  await page.exposeBinding('aloudSpeech', async () =>
    Buffer.from((await readSpeech(48000)).buffer).toString('base64'),
  );
  const own = (/** @type {URL} */ { pathname }) => /^\/(bench|testkit)\//.test(pathname);
  await page.route(own, serveOwn);
  await page.goto(origin + DOCUMENT);
  await page.evaluate(
    `import('/bench/participants/participants-page.js').then(({ ready }) => ready)`,
  );
  // As long as there is a route, each request of the page, sound over HTTP/1 too, takes a detour.
  await page.unroute(own);
  const startMs = await clockOf(context, page);
  await page.evaluate((aloudClockMs) => void Object.assign(globalThis, { aloudClockMs }), startMs);
  return page;
}

/** @param {Route} route */
async function serveOwn(route) {
  const { pathname } = new URL(route.request().url());
  const body = await readFile(new URL(`../..${pathname}`, import.meta.url), 'utf8');
  await route.fulfill({ contentType: 'text/javascript', body });
}

/**
 * When a page's performance.now() was 0, of the machine's monotonic clock, which is Chromium's too.
 * @param {BrowserContext} context @param {Page} page
 * @returns {Promise<number>} milliseconds
 */
export async function clockOf(context, page) {
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'timeTicks' });
  const { metrics } = await session.send('Performance.getMetrics');
  await session.detach();
  return 1000 * (metrics.find(({ name }) => name === 'NavigationStart')?.value ?? NaN);
}

/**
 * @param {LabPage} page @param {string} name @param {object} [options]
 * @returns {Promise<any>}
 */
async function ask({ page }, name, options = {}) {
  const { value, error } = await page.evaluate(answer, { name, options });
  if (error !== undefined) throw new Error(error);
  return value;
}

/**
 * Runs in the page.
 * @param {{ name: string, options: object }} request
 * @returns {Promise<{ value?: any, error?: string }>}
 */
async function answer({ name, options }) {
  try {
    return { value: await /** @type {any} */ (globalThis).aloudParticipants[name](options) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** @param {unknown} error */
const firstLine = (error) => String(error instanceof Error ? error.message : error).split('\n')[0];

/** The CPU of all of a browser's processes together. */
export class BrowserCpu {
  #session;
  #seconds = 0;
  #atMs = performance.now();

  /** @param {CDPSession} session */
  constructor(session) {
    this.#session = session;
  }

  /** @returns {Promise<number>} percent since the last call */
  async take() {
    const { processInfo } = await this.#session.send('SystemInfo.getProcessInfo');
    const seconds = processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
    const now = performance.now();
    const percent =
      (100_000 * Math.max(0, seconds - this.#seconds)) / Math.max(now - this.#atMs, 1);
    this.#seconds = seconds;
    this.#atMs = now;
    return percent;
  }
}
