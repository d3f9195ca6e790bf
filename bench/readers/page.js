/* global Audio, AudioContext */
/** Browsers as readers: what runs in their pages. */

import { chromium } from 'playwright-core';
import { CHROMIUM_ARGUMENTS, findChromium } from '../browsers/chromium.js';
import { findFirefox, openFirefox } from '../browsers/firefox.js';

/** The browsers that there are. @type {readonly { name: string, isThere: () => boolean, open: () => Promise<import('../browsers/firefox.js').OpenBrowser | { browser: import('playwright-core').Browser, close: () => Promise<void> }> }[]} */
export const BROWSERS = [
  {
    name: 'Chromium',
    isThere: () => findChromium() !== undefined,
    open: async () => {
      const browser = await chromium.launch({ executablePath: findChromium(), args: [...CHROMIUM_ARGUMENTS, '--autoplay-policy=no-user-gesture-required'] });
      return { browser, close: () => browser.close() };
    },
  },
  {
    name: 'Firefox',
    isThere: () => findFirefox() !== undefined,
    open: () => openFirefox({ microphone: 'missing', speech: new Float32Array(4800), preferences: { 'media.autoplay.default': 0 } }),
  },
];

/**
 * Runs in a page: plays a file from a place on. @param {[url: string, seek: number, seconds: number]} options
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
      for (const value of inputBuffer.getChannelData(0)) if (samples.length > 0 || value !== 0) samples.push(Math.round(value * 32_768));
      if (samples.length > seconds * 48_000) resolve();
    };
  });
  await new Promise((resolve) => void audio.addEventListener('canplaythrough', resolve, { once: true }));
  if (seek > 0) {
    const sought = new Promise((resolve) => void audio.addEventListener('seeked', resolve, { once: true }));
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
 * Runs in a page: plays an endless file. @param {[url: string, seconds: number]} options
 * @returns {Promise<{ beganMs: number | null, lateMs: number | null }>} lateMs: by how much the page is behind its opening at the end
 */
export async function listenTo([url, seconds]) {
  const audio = new Audio(url);
  const start = performance.now();
  let beganMs = null;
  audio.play().catch(() => {});
  for (let now = start; now - start < seconds * 1000; now = performance.now()) {
    if (beganMs === null && audio.currentTime > 0) beganMs = now - start;
    await new Promise((resolve) => void setTimeout(resolve, 20));
  }
  const lateMs = beganMs === null ? null : performance.now() - start - audio.currentTime * 1000;
  return { beganMs, lateMs };
}
