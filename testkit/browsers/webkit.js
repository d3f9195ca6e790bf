/**
 * WebKitGTK's MiniBrowser for benchmarks and tests, by WebDriver (W3C WebDriver 2) and on a screen
 * that nobody sees. It stands for WebKit's code, not for Safari, which isn't to be had outside of
 * its makers' machines.
 */

import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../deploy/cluster-processes.js';
import { startSoundServer } from './sound-server.js';

const BROWSERS = [
  '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser',
  '/usr/lib/aarch64-linux-gnu/webkit2gtk-4.1/MiniBrowser',
];
const SCREEN = '1280x900x24';

/** Time limit for the start of the driver and the screen, in milliseconds. */
const START_MS = 15_000;

/** The browser's microphone is made up, and its question for it answered. */
const ARGUMENTS = Object.freeze([
  '--automation',
  '--enable-mock-capture-devices=true',
  '--features=-MockCaptureDevicesPrompt,-GetUserMediaRequiresFocus',
]);

const has = (/** @type {string} */ program) => spawnSync('which', [program]).status === 0;

/**
 * @returns {string | undefined} undefined where it, its driver, a screen or a sound server is
 *   missing
 */
export const findWebKit = () =>
  has('WebKitWebDriver') && has('Xvfb') && has('pulseaudio')
    ? BROWSERS.find((file) => existsSync(file))
    : undefined;

/** A tab of WebKitGTK. */
class WebKitPage {
  #session;
  #close;

  /**
   * @param {string} session  its URL at the driver
   * @param {() => Promise<void>} close
   */
  constructor(session, close) {
    this.#session = session;
    this.#close = close;
  }

  /** @param {string} url */
  async goto(url) {
    await command(`${this.#session}/url`, { url });
  }

  /**
   * Runs a function in the page. WebDriver's own click waits for a frame that is painted, which
   * none is without a compositor.
   * @template T
   * @param {(...args: any[]) => T} run
   * @param {unknown[]} args
   * @returns {Promise<Awaited<T>>}
   */
  evaluate(run, ...args) {
    const script =
      'const done = arguments[arguments.length - 1]; ' +
      `Promise.resolve((${run})(...[...arguments].slice(0, -1))).then(done, (e) => ` +
      'done(String(e)));';
    return command(`${this.#session}/execute/async`, { script, args });
  }

  /** Returns the visible text. */
  text() {
    return this.evaluate(() => document.body.innerText);
  }

  async close() {
    await this.#close();
  }
}

/** @param {string} url @param {object} [body] @param {string} [method] */
async function command(url, body, method = 'POST') {
  const response = await fetch(url, {
    method,
    body: body && JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  const { value } = /** @type {{ value: any }} */ (await response.json());
  if (!response.ok) throw new Error(`WebDriver: ${value.error}: ${value.message}`);
  return value;
}

/**
 * @param {object} [options]
 * @param {boolean} [options.sharedMemory] true if an isolated page has shared memory, as in
 *   Safari
 * @param {boolean} [options.autoplay]  true if a page plays sound unasked
 */
export async function openWebKit({ sharedMemory = true, autoplay = false } = {}) {
  const sound = await startSoundServer({ microphone: null, speaker: true });
  const [port, display] = [await freePort(), `:${90 + (process.pid % 900)}`];
  const screen = spawn('Xvfb', [display, '-screen', '0', SCREEN, '-nolisten', 'tcp'], {
    stdio: 'ignore',
  });
  const env = {
    ...process.env,
    ...sound.environment,
    DISPLAY: display,
    JSC_useSharedArrayBuffer: sharedMemory ? '1' : '0',
  };
  const driver = spawn('WebKitWebDriver', [`--port=${port}`], { env, stdio: 'ignore' });
  const children = [driver, screen];
  const url = `http://127.0.0.1:${port}`;
  const close = async () => {
    await Promise.all(
      children.map(
        (child) => new Promise((resolve) => void (child.once('exit', resolve), child.kill())),
      ),
    );
    await sound.close();
  };
  try {
    for (const end = Date.now() + START_MS; ; await pause(100)) {
      if (
        await command(`${url}/status`, undefined, 'GET').then(
          () => true,
          () => false,
        )
      )
        break;
      if (Date.now() > end) throw new Error('WebKitWebDriver has not begun');
    }
    const args = [...ARGUMENTS, ...(autoplay ? ['--autoplay-policy=allow'] : [])];
    const capabilities = {
      alwaysMatch: { 'webkitgtk:browserOptions': { binary: findWebKit(), args } },
    };
    const { sessionId, capabilities: given } = await command(`${url}/session`, { capabilities });
    const session = `${url}/session/${sessionId}`;
    const end = async () => {
      await command(session, undefined, 'DELETE').catch(() => {});
      await close();
    };
    return { page: new WebKitPage(session, end), version: `WebKitGTK ${given.browserVersion}` };
  } catch (error) {
    await close();
    throw error;
  }
}
