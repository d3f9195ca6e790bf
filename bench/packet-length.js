/**
 * Measures the savings of lower encoder complexity and of two frames to a packet, which a page uses
 * on a slow computer. It reports the processor time of the page's worker (network and codec) and of
 * all of Chromium, in a call of two who talk.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { chromium } from 'playwright-core';
import { BrowserCpu } from './participants/browser-clients.js';
import { Child } from '../testkit/participants/child.js';
import { CLIENT, SERVER } from './participants/whole-server.js';
import { CHROMIUM_ARGUMENTS, findChromium } from '../testkit/browsers/chromium.js';
import { numbers, wholeNumber } from './options.js';
import { threadsMs } from './participants/processor-time.js';
import { defaultEncoderSettings } from '../public/shared/stream/codec.js';

/** @import { Browser, BrowserContext } from 'playwright-core' */

const FRAMES_MS = [2.5, 5, 10, 20];

/** The encoder's complexity, and the frames to a packet. */
const EFFORTS = [
  { complexity: defaultEncoderSettings.complexity, perPacket: 1 },
  { complexity: 0, perPacket: 1 },
  { complexity: 0, perPacket: 2 },
];

/** The time in which a call comes to rest, in milliseconds. */
const SETTLE_MS = 6000;

const SPEECH = fileURLToPath(new URL('../testkit/speech/speech-low.wav', import.meta.url));

const options = new Command('packet-length')
  .description(
    "The processor time of a page's worker by the length of its frames, the frames to a " +
      'packet, and the complexity of its encoder.',
  )
  .option('--seconds <n>', 'of each', wholeNumber(1, 600), 10)
  .option('--frames <ms>', 'lengths of frames, separated by commas', numbers, FRAMES_MS)
  .parse()
  .opts();

/**
 * The time for which the workers of Chromium's pages have run, in milliseconds.
 * @param {Browser} browser
 */
async function workersMs(browser) {
  const { processInfo } = await (
    await browser.newBrowserCDPSession()
  ).send('SystemInfo.getProcessInfo');
  let sum = 0;
  for (const { id } of processInfo.filter(({ type }) => type === 'renderer')) {
    // The kernel's names of threads have 15 letters.
    sum += threadsMs(id, 'DedicatedWorker');
  }
  return sum;
}

/**
 * Has pages encode with another complexity, and pack other numbers of frames.
 * @param {BrowserContext} context @param {typeof EFFORTS[number]} effort
 * @returns {Promise<() => boolean>} true if they have been told
 */
async function workWith(context, { complexity, perPacket }) {
  const changed = new Set();
  const change = (
    /** @type {string} */ file,
    /** @type {RegExp} */ from,
    /** @type {string} */ to,
  ) =>
    context.route(`**/${file}*`, async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace(from, () => changed.add(file) && to);
      await route.fulfill({ response, body });
    });
  await change('shared/stream/codec.js', /complexity: \d+/, `complexity: ${complexity}`);
  await change('call/processor-time.js', /isShort \? 2 : 1/, `isShort ? 2 : ${perPacket}`);
  return () => changed.size === 2;
}

/** @param {Browser} browser @param {number} frameMs @param {typeof EFFORTS[number]} effort */
async function measure(browser, frameMs, effort) {
  const server = new Child(SERVER, []);
  const clients = new Child(CLIENT, []);
  const context = await browser.newContext();
  try {
    const { port } = await server.call('start', { argv: ['--frame-ms', String(frameMs)] });
    const origin = `http://localhost:${port}`;
    await clients.call('open', { origin });
    await clients.call('join', {
      id: 'talker',
      transport: 'webtransport',
      room: 'tea',
      speaks: true,
      startFrame: 0,
    });
    const isTold = await workWith(context, effort);
    const page = await context.newPage();
    await page.goto(`${origin}/r/tea?name=Ann`);
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('button', { name: 'Leave' }).waitFor();
    if (!isTold())
      throw new Error(
        "the page's files are others than this expects: complexity and frames to a packet " +
          'are as ever',
      );
    const cpu = new BrowserCpu(await browser.newBrowserCDPSession());
    await pause(SETTLE_MS);
    await cpu.take();
    const [fromMs, beforeMs] = [performance.now(), await workersMs(browser)];
    await pause(options.seconds * 1000);
    const [toMs, afterMs] = [performance.now(), await workersMs(browser)];
    return { worker: (100 * (afterMs - beforeMs)) / (toMs - fromMs), all: await cpu.take() };
  } finally {
    await context.close();
    await clients.close();
    await server.close();
  }
}

async function main() {
  const executablePath = findChromium();
  if (!executablePath) {
    console.error('This needs Chromium: CHROMIUM_PATH names its program.');
    return 1;
  }
  const browser = await chromium.launch({
    executablePath,
    args: [
      ...CHROMIUM_ARGUMENTS,
      '--autoplay-policy=no-user-gesture-required',
      '--use-fake-ui-for-media-stream',
      '--use-fake-device-for-media-stream',
      `--use-file-for-fake-audio-capture=${SPEECH}`,
    ],
  });
  try {
    /** @type {Record<string, Record<string, number>>} */
    const rows = {};
    for (const frameMs of options.frames) {
      for (const effort of EFFORTS) {
        const { worker, all } = await measure(browser, frameMs, effort);
        rows[`${frameMs} ms, complexity ${effort.complexity}, ${effort.perPacket} to a packet`] = {
          "the page's worker": Number(worker.toFixed(1)),
          'all of Chromium': Number(all.toFixed(1)),
        };
      }
    }
    console.log(
      'Processor time of one page in a call of two who talk, in percent of a core, over ' +
        `${options.seconds} s.`,
    );
    console.table(rows);
    return 0;
  } finally {
    await browser.close();
  }
}

process.exitCode = await main();
