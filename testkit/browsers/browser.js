import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { CHROMIUM_ARGUMENTS, findChromium } from './chromium.js';
import { findFirefox, openFirefox } from './firefox.js';
import { formatWav } from '../sound/wav.js';
import { requireOrSkip } from '../skip.js';

/**
 * @import { Browser } from 'playwright-core'
 *
 * @typedef {import('./firefox.js').BrowserOptions & { isMeasured?: boolean }} BrowserOptions
 *   `isMeasured`: sound is measured, though other tests of the project measure none
 * @typedef {import('./firefox.js').MicrophoneKind} MicrophoneKind
 * @typedef {import('./firefox.js').OpenBrowser} OpenBrowser
 */

/** CHROMIUM_PATH, or the first that is where browsers are. */
export const chromiumPath = findChromium();

/** True when the tests drive Firefox instead of Chromium: `npm run test:browsers`. */
export const isFirefox = process.env.ALOUD_TEST_BROWSER === 'firefox';

/** The name of the browser that the tests drive. */
export const BROWSER = isFirefox ? 'Firefox' : 'Chromium';

/** Time limit for a browser's start on a busy machine, in milliseconds. */
const START_MS = 90_000;

/** `describe` and `it` for tests in a browser; skipped by name where there is none. */
export const inBrowser = isFirefox
  ? requireOrSkip(findFirefox(), 'Firefox and PulseAudio are not both installed: set FIREFOX_PATH')
  : requireOrSkip(chromiumPath, 'Chromium is not installed: set CHROMIUM_PATH');

/**
 * Arguments for tests that don't measure a page's sound. The codec runs as first compiled, without
 * optimising, which takes processor time that several pages don't have. vitest.config.js sets the
 * variable.
 */
const QUICK_START = process.env.ALOUD_TEST_QUICK_START ? ['--js-flags=--liftoff-only'] : [];

/**
 * Starts a browser of its own, so that its microphone is its own and it can be killed alone.
 * @param {BrowserOptions} [options]
 * @returns {Promise<OpenBrowser>}
 */
export async function openBrowser({
  microphone = 'speech',
  speech = new Float32Array(4800),
  isMeasured = false,
} = {}) {
  if (isFirefox) return openFirefox({ microphone, speech });
  const scratch = await mkdtemp(join(tmpdir(), 'aloud-browser-'));
  const file = join(scratch, 'speech.wav');
  await writeFile(file, formatWav({ sampleRate: 48000, channels: [speech].flat() }));
  const browser = await chromium.launch({
    executablePath: chromiumPath,
    timeout: START_MS,
    args: [
      ...CHROMIUM_ARGUMENTS,
      ...(isMeasured ? [] : QUICK_START),
      ...microphoneArguments(microphone, file),
    ],
  });
  const cleaned = (/** @type {() => Promise<void>} */ end) => async () => {
    await end();
    await rm(scratch, { recursive: true, force: true });
  };
  const kill = async () => {
    const gone = new Promise((resolve) => void browser.once('disconnected', resolve));
    for (const id of await processesOf(browser, 'browser')) process.kill(id, 'SIGKILL');
    await gone;
  };
  return {
    browser,
    close: cleaned(() => browser.close()),
    kill: cleaned(kill),
    tabs: () => processesOf(browser, 'renderer'),
  };
}

/**
 * @param {Browser} browser
 * @param {'browser' | 'renderer'} kind
 */
async function processesOf(browser, kind) {
  const devtools = await browser.newBrowserCDPSession();
  const { processInfo } = await devtools.send('SystemInfo.getProcessInfo');
  return processInfo.filter(({ type }) => type === kind).map(({ id }) => id);
}

/**
 * @param {MicrophoneKind} microphone
 * @param {string} file
 */
function microphoneArguments(microphone, file) {
  if (microphone === 'missing') return ['--use-fake-ui-for-media-stream'];
  const device = [
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-audio-capture=${file}%noloop`,
  ];
  return [...device, `--use-fake-ui-for-media-stream${microphone === 'refused' ? '=deny' : ''}`];
}
