/* global CSSStyleSheet, document, window */
/**
 * Measures the drawing of a room's page: Chromium's processor time while nine people talk. It
 * alternates between normal drawing, smooth motion, once a second as on a slow computer, and no
 * news of speakers.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { Command } from 'commander';
import { chromium } from 'playwright-core';
import { BrowserCpu } from './participants/browser-clients.js';
import { Child } from '../testkit/participants/child.js';
import { CLIENT, SERVER } from './participants/whole-server.js';
import { CHROMIUM_ARGUMENTS, findChromium } from '../testkit/browsers/chromium.js';
import { wholeNumber } from './options.js';
import { mean } from '../testkit/statistics.js';

/** @import { Browser, Page } from 'playwright-core' */

const TALKERS = 9;

/** Interval between reports of the speakers to a page that saves time, in milliseconds. */
const SPARING_MS = 1000;

/** The time in which a page comes to rest in a state, in milliseconds. */
const SETTLE_MS = 3000;

/**
 * Shortest interval between reports of the speakers, and an added style, by name. Infinity: no
 * reports.
 */
const STATES = Object.freeze({
  'as it draws': { everyMs: 0, style: '' },
  'with smooth motion': {
    everyMs: 0,
    style: '.avatar::after { transition: transform 100ms linear, opacity 100ms linear }',
  },
  'once a second': { everyMs: SPARING_MS, style: '' },
  'not who speaks': { everyMs: Infinity, style: '' },
});

const options = new Command('drawing')
  .description(
    "The processor time that a room's page in Chromium takes, and how much of it is drawing.",
  )
  .option('--seconds <n>', 'of each state, each time', wholeNumber(1, 600), 10)
  .option('--turns <n>', 'through the states', wholeNumber(1, 100), 3)
  .parse()
  .opts();

/**
 * Has the page told less often who speaks, and drawn by another style.
 * @param {Page} page
 * @param {typeof STATES[keyof typeof STATES]} state
 */
const become = (page, { everyMs, style }) =>
  page.evaluate(
    ([ms, text]) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      document.adoptedStyleSheets = [sheet];
      const { call } = /** @type {any} */ (window).aloud;
      call.tell ??= call.dispatchEvent.bind(call);
      let announcedMs = -Infinity;
      call.dispatchEvent = (/** @type {CustomEvent} */ event) => {
        if (event.type === 'speakers' && performance.now() - announcedMs < ms) return true;
        if (event.type === 'speakers') announcedMs = performance.now();
        return call.tell(event);
      };
    },
    /** @type {const} */ ([Math.min(everyMs, Number.MAX_VALUE), style]),
  );

/**
 * @param {Page} page
 * @param {BrowserCpu} cpu
 * @returns {Promise<Map<string, number[]>>} percent of a core in each turn, by the state's name
 */
async function measure(page, cpu) {
  const shares = new Map(Object.keys(STATES).map((name) => [name, /** @type {number[]} */ ([])]));
  for (let turn = 0; turn < options.turns; turn++) {
    for (const [name, state] of Object.entries(STATES)) {
      process.stderr.write(`\r${turn + 1} of ${options.turns}: ${name} \x1b[K`);
      await become(page, state);
      await pause(SETTLE_MS);
      await cpu.take();
      await pause(options.seconds * 1000);
      shares.get(name)?.push(await cpu.take());
    }
  }
  return shares;
}

async function main() {
  const executablePath = findChromium();
  if (!executablePath) {
    console.error('This needs Chromium: CHROMIUM_PATH names its program.');
    return 1;
  }
  const server = new Child(SERVER, []);
  const clients = new Child(CLIENT, []);
  /** @type {Browser | undefined} */
  let browser;
  try {
    browser = await chromium.launch({
      executablePath,
      args: [
        ...CHROMIUM_ARGUMENTS,
        '--autoplay-policy=no-user-gesture-required',
        '--use-fake-ui-for-media-stream',
        '--use-fake-device-for-media-stream',
      ],
    });
    const { port } = await server.call('start', { argv: [] });
    const origin = `http://localhost:${port}`;
    await clients.call('open', { origin });
    for (let i = 0; i < TALKERS; i++)
      await clients.call('join', {
        id: `talker ${i + 1}`,
        transport: 'webtransport',
        room: 'tea',
        speaks: true,
        startFrame: 100 * i,
      });
    const cpu = new BrowserCpu(await browser.newBrowserCDPSession());
    const page = await browser.newPage();
    await page.goto(`${origin}/r/tea?name=Ann`);
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('button', { name: 'Leave' }).waitFor();
    const shares = await measure(page, cpu);
    process.stderr.write('\r\x1b[K');
    console.log(
      `Chromium's processor time with ${TALKERS} people who talk, in percent of a core: the ` +
        `mean of ${options.turns} turns, and each.`,
    );
    console.table(
      Object.fromEntries(
        [...shares].map(([name, all]) => [
          name,
          {
            mean: Number(mean(all).toFixed(1)),
            each: all.map((share) => share.toFixed(1)).join(' '),
          },
        ]),
      ),
    );
    return 0;
  } finally {
    await browser?.close();
    await clients.close();
    await server.close();
  }
}

process.exitCode = await main();
