/** Browsers as readers: what runs in their pages. */

import { CHROMIUM_ARGUMENTS, findChromium, launchChromium } from '../browsers/chromium.js';
import { findFirefox, openFirefox } from '../browsers/firefox.js';
import { findWebKit, openWebKit } from '../browsers/webkit.js';

/**
 * @typedef {object} Page
 * @property {(url: string) => Promise<unknown>} goto
 * @property {<Result, Argument>(run: (argument: Argument) => Result, argument: Argument) =>
 *   Promise<Awaited<Result>>} evaluate
 * @property {() => Promise<unknown>} close
 *
 * @typedef {{ title: string, newPage: () => Promise<Page>, close: () => Promise<unknown> }} Opened
 */

/**
 * @param {import('playwright-core').Browser} browser
 * @param {string} name
 * @param {() => Promise<unknown>} close
 * @returns {Opened}
 */
const opened = (browser, name, close) => ({
  title: `${name} ${browser.version()}`,
  newPage: () => /** @type {Promise<any>} */ (browser.newPage()),
  close,
});

/**
 * The browsers that there are. isExact: false where a page gets what an element plays from a place
 * that differs each time.
 * @type {readonly { name: string, isExact: boolean, isThere: () => boolean, open: () =>
 *   Promise<Opened> }[]}
 */
export const BROWSERS = [
  {
    name: 'Chromium',
    isExact: true,
    isThere: () => findChromium() !== undefined,
    open: async () => {
      const browser = await launchChromium({
        executablePath: findChromium(),
        args: [...CHROMIUM_ARGUMENTS, '--autoplay-policy=no-user-gesture-required'],
      });
      return opened(browser, 'Chromium', () => browser.close());
    },
  },
  {
    name: 'Firefox',
    isExact: true,
    isThere: () => findFirefox() !== undefined,
    open: async () => {
      const { browser, close } = await openFirefox({
        microphone: 'missing',
        speech: new Float32Array(4800),
        preferences: { 'media.autoplay.default': 0 },
      });
      return opened(browser, 'Firefox', close);
    },
  },
  {
    name: 'WebKitGTK',
    isExact: false,
    isThere: () => findWebKit() !== undefined,
    open: async () => {
      const { page, version } = await openWebKit({ autoplay: true });
      // WebKit's only tab goes elsewhere.
      const tab = {
        goto: page.goto.bind(page),
        evaluate: page.evaluate.bind(page),
        close: () => page.goto('about:blank'),
      };
      return { title: version, newPage: () => Promise.resolve(tab), close: () => page.close() };
    },
  },
];

/**
 * Runs in a page: plays a file from a place on.
 * @param {[url: string, seek: number, seconds: number]} options
 * @returns {Promise<number[]>} the samples from the first that isn't silent, of 16 bits
 */
export async function playFrom([url, seek, seconds]) {
  const context = new AudioContext({ sampleRate: 48_000 });
  const audio = new Audio(url);
  const processor = context.createScriptProcessor(4096, 1, 1);
  /** @type {number[]} */
  const samples = [];
  const done = new Promise((/** @type {(value: void) => void} */ resolve) => {
    processor.onaudioprocess = ({ inputBuffer }) => {
      for (const value of inputBuffer.getChannelData(0))
        if (samples.length > 0 || value !== 0) samples.push(Math.round(value * 32_768));
      if (samples.length > seconds * 48_000) resolve();
    };
  });
  await new Promise(
    (resolve) => void audio.addEventListener('canplaythrough', resolve, { once: true }),
  );
  if (seek > 0) {
    const sought = new Promise(
      (resolve) => void audio.addEventListener('seeked', resolve, { once: true }),
    );
    audio.currentTime = seek;
    await sought;
  }
  context.createMediaElementSource(audio).connect(processor);
  processor.connect(context.destination);
  await audio.play();
  await done;
  audio.pause();
  await context.close();
  return samples;
}

/**
 * Runs in a page: plays an endless file.
 * @param {[url: string, seconds: number, began?: string]} options began: to be asked for then
 * @returns {Promise<{ beganMs: number | null, lateMs: number | null }>} lateMs: by how much the
 *   page is behind its opening at the end
 */
export async function listenTo([url, seconds, began]) {
  const audio = new Audio(url);
  const start = performance.now();
  let beganMs = null;
  audio.play().catch(() => {});
  for (let now = start; now - start < seconds * 1000; now = performance.now()) {
    if (beganMs === null && audio.currentTime > 0) {
      beganMs = now - start;
      if (began !== undefined) fetch(began).catch(() => {});
    }
    await new Promise((resolve) => void setTimeout(resolve, 20));
  }
  const lateMs = beganMs === null ? null : performance.now() - start - audio.currentTime * 1000;
  return { beganMs, lateMs };
}
