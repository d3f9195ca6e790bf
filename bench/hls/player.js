/**
 * A listener of Low-Latency HLS: hls.js in Chromium, at the listener's end of a link.
 * @import { Browser, Page, Route } from 'playwright-core'
 * @import { LinkEnd } from '../link/measure.js'
 * @import { Recorded } from '../../testkit/sound/sound-lag.js'
 * @import { Look } from './page.js'
 */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CHROMIUM_ARGUMENTS,
  findChromium,
  launchChromium,
} from '../../testkit/browsers/chromium.js';
import { BrowserCpu, clockOf, wrap } from '../participants/browser-clients.js';

const HOST = 'aloud.localhost';

/** The folder whose files the page takes from the disk, and not over the link. */
const ROOT = new URL('../../', import.meta.url);

/** @returns {string | null} missing requirement of playing Low-Latency HLS here, or null */
export function missingForHls() {
  if (!findChromium()) return 'there is no Chromium';
  const { status, stdout } = spawnSync('ffmpeg', ['-hide_banner', '-encoders'], {
    encoding: 'utf8',
  });
  if (status !== 0) return 'there is no ffmpeg';
  return /libopus/.test(stdout) ? null : 'this ffmpeg has no libopus';
}

/** hls.js in its own browser. */
export class HlsPlayer {
  #browser;
  #scratch;
  #page;
  #cpu;
  #clockMs;
  #own;

  /**
   * Starts a browser, and loads the page.
   * @param {{ client: LinkEnd, server: LinkEnd, port: number }} options at which ends of the link
   *   it and the server are
   */
  static async start({ client, server, port }) {
    const scratch = await mkdtemp(join(tmpdir(), 'aloud-hls-'));
    const browser = await launchChromium({
      executablePath: await wrap(String(findChromium()), client.exec, scratch),
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      args: [
        ...CHROMIUM_ARGUMENTS,
        '--autoplay-policy=no-user-gesture-required',
        `--host-resolver-rules=MAP ${HOST} ${server.address}`,
      ],
    });
    try {
      const context = await browser.newContext({ ignoreHTTPSErrors: true });
      const page = await context.newPage();
      const origin = `https://${HOST}:${port}`;
      await page.goto(origin);
      const own = `${origin}/lab/**`;
      await page.route(own, serveOwn);
      await page.addScriptTag({ type: 'module', url: '/lab/bench/hls/page.js' });
      await page.waitForFunction(() => 'aloudHls' in globalThis);
      return new HlsPlayer({
        browser,
        scratch,
        page,
        cpu: new BrowserCpu(await browser.newBrowserCDPSession()),
        clockMs: await clockOf(context, page),
        own,
      });
    } catch (error) {
      await browser.close();
      await rm(scratch, { recursive: true, force: true });
      throw error;
    }
  }

  /**
   * @param {{ browser: Browser, scratch: string, page: Page, cpu: BrowserCpu, clockMs: number, own:
   *   string }} parts
   */
  constructor({ browser, scratch, page, cpu, clockMs, own }) {
    this.#browser = browser;
    this.#scratch = scratch;
    this.#page = page;
    this.#cpu = cpu;
    this.#clockMs = clockMs;
    this.#own = own;
  }

  /**
   * Plays, and waits for the first sound.
   * @param {{ dateMs: number, recordSeconds: number }} options
   * @returns {Promise<{ codec: string, levels: number[] }>} as hls.js found them
   */
  async play(options) {
    const found = await this.#page.evaluate(
      (wish) => /** @type {any} */ (globalThis).aloudHls.play(wish),
      { ...options, url: '/index.m3u8' },
    );
    // As long as there is a route, each request takes a detour.
    await this.#page.unroute(this.#own);
    return found;
  }

  /** Counts played sound from now on. */
  async begin() {
    await this.#page.evaluate(() => /** @type {any} */ (globalThis).aloudHls.begin());
    await this.#cpu.take();
  }

  /**
   * @returns {Promise<{ looks: Look[], errors: Record<string, number>, recording: Recorded,
   *   cpuPercent: number }>} times by the clock that all processes share
   */
  async take() {
    const cpuPercent = await this.#cpu.take();
    const { looks, errors, recording } = await this.#page.evaluate(() => {
      const {
        recording: { samples, ...rest },
        ...taken
      } = /** @type {any} */ (globalThis).aloudHls.take();
      const bytes = new Uint8Array(
        Int16Array.from(samples, (/** @type {number} */ value) =>
          Math.round(Math.max(-1, Math.min(1, value)) * 32767),
        ).buffer,
      );
      let text = '';
      for (let at = 0; at < bytes.length; at += 0x8000)
        text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
      return { ...taken, recording: { ...rest, base64: btoa(text) } };
    });
    const pcm = Buffer.from(recording.base64, 'base64');
    const samples = Float32Array.from(
      { length: pcm.length / 2 },
      (_, i) => pcm.readInt16LE(2 * i) / 32767,
    );
    return {
      looks: looks.map((/** @type {Look} */ look) => ({
        ...look,
        atMs: look.atMs + this.#clockMs,
      })),
      errors,
      cpuPercent,
      recording: {
        samples,
        startMs: recording.startMs + this.#clockMs,
        sampleRate: recording.sampleRate,
      },
    };
  }

  /** Idempotent. */
  async close() {
    await this.#browser.close();
    await rm(this.#scratch, { recursive: true, force: true });
  }
}

/** @param {Route} route */
async function serveOwn(route) {
  const path = new URL(route.request().url()).pathname.replace('/lab/', '');
  await route.fulfill({
    contentType: 'text/javascript',
    body: await readFile(new URL(path, ROOT), 'utf8'),
  });
}
