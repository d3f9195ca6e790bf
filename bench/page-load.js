/**
 * Measures the cost of serving a room's page: the server's processor time for one load of the files
 * that Chromium asks for. At first a browser has none of them, and asks over six connections. Later
 * it has every file and asks for changes.
 */

import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Command } from 'commander';
import { wholeNumber } from './options.js';
import { WholeServer } from './participants/whole-server.js';
import { againstOption, byTurns, printTurns } from './turns.js';
import { CHROMIUM_ARGUMENTS, findChromium, launchChromium } from '../testkit/browsers/chromium.js';

/** @import { Socket } from 'node:net' */

/** Connections that a browser opens to one host. */
const CONNECTIONS = 6;

/** The time between two loads, in milliseconds: an address gets 1 000 files a second. */
const PAUSE_MS = 120;

/** The time in which a started server comes to rest, in milliseconds. */
const SETTLE_MS = 3000;

const HEADERS = { 'accept-encoding': 'gzip, deflate, br, zstd' };

/** For the time told beforehand: a load, in milliseconds, and all that isn't one, in seconds. */
const LOAD_MS = 40;
const SECONDS_BESIDE = 4;

const PAGE = '/r/tea';

/** Files come over HTTP/1 only: without the engine the server has less to do beside. */
const SERVER_ARGUMENTS = ['--engine', 'none'];

/** @typedef {Map<string, string>} Files the ETag of each by its path */

/**
 * @param {string} origin
 * @returns {Promise<Files>} all files that Chromium asks for
 */
async function filesOf(origin) {
  const browser = await launchChromium({
    executablePath: findChromium(),
    args: [...CHROMIUM_ARGUMENTS],
  });
  try {
    const page = await browser.newPage({ serviceWorkers: 'block' });
    /** @type {Files} */
    const files = new Map();
    page.on('response', (response) => {
      const { etag } = response.headers();
      const { pathname } = new URL(response.url());
      if (etag && response.url().startsWith(origin)) files.set(pathname, etag);
    });
    await page.goto(origin + PAGE, { waitUntil: 'networkidle' });
    return files;
  } finally {
    await browser.close();
  }
}

/**
 * @param {string} url
 * @param {Agent} agent
 * @param {string} [etag] if the browser has it already
 * @returns {Promise<Socket>} the connection over which it came
 * @throws {Error} for another status than 200, or than 304 with an ETag
 */
function request(url, agent, etag) {
  const headers = { ...HEADERS, ...(etag && { 'if-none-match': etag }) };
  return new Promise((resolve, reject) => {
    const asked = get(url, { agent, headers }, async (response) => {
      const { socket, statusCode } = response;
      await response.toArray();
      if (statusCode === (etag ? 304 : 200)) resolve(socket);
      else reject(new Error(`${url} has the status ${statusCode}`));
    });
    asked.on('error', reject);
  });
}

/**
 * @param {string} origin
 * @param {Files} files
 * @param {boolean} isRepeated true if the browser has them already
 * @returns {Promise<number>} bytes that came, with all headers
 */
async function load(origin, files, isRepeated) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const sockets = await Promise.all(
    [...files].map(([path, etag]) => request(origin + path, agent, isRepeated ? etag : undefined)),
  );
  agent.destroy();
  return [...new Set(sockets)].reduce((sum, { bytesRead }) => sum + bytesRead, 0);
}

/** The server's processor time so far, in milliseconds. @param {WholeServer} server */
const timeOf = (server) => Object.values(server.times()).reduce((sum, ms) => sum + ms, 0);

/**
 * Measures one server.
 * @param {string | undefined} folder of its checkout
 * @param {number} times that the page is loaded
 * @returns {Promise<import('./turns.js').Figures>} milliseconds of the processor for one load
 */
async function measure(folder, times) {
  const known = new WholeServer({ folder, argv: SERVER_ARGUMENTS });
  const files = await known
    .origin()
    .then(filesOf)
    .finally(() => known.close());
  const server = new WholeServer({ folder, argv: SERVER_ARGUMENTS });
  try {
    const origin = await server.origin();
    const loads = async (/** @type {number} */ count, /** @type {boolean} */ isRepeated) => {
      const before = timeOf(server);
      for (let i = 0; i < count; i++) {
        await load(origin, files, isRepeated);
        await pause(PAUSE_MS);
      }
      return (timeOf(server) - before) / count;
    };
    // Work that a server does once, after its start, is not of a page.
    await pause(SETTLE_MS);
    const bytes = await load(origin, files, false);
    await loads(times, false);
    const each = await loads(times, false);
    await loads(times, true);
    return {
      files: files.size,
      bytes,
      'ms for a load': each,
      'ms unchanged': await loads(times, true),
    };
  } finally {
    await server.close();
  }
}

async function main() {
  /** @type {{ against?: string, blocks: number, times: number }} */
  const { against, blocks, times } = new Command('page-load')
    .description("The server's processor time for one load of a room's page, as Chromium loads it.")
    .option('--times <n>', 'loads that a figure is the mean of', wholeNumber(1, 1000), 20)
    .option('--blocks <n>', 'servers of each checkout', wholeNumber(1, 100), 5)
    .addOption(againstOption())
    .parse()
    .opts();
  const servers = blocks * (against ? 2 : 1);
  const seconds = servers * (SECONDS_BESIDE + (4 * times * (PAUSE_MS + LOAD_MS)) / 1000);
  console.error(`This takes some ${Math.ceil(seconds / 60)} min.`);
  const measured = (/** @type {string | undefined} */ folder) => measure(folder, times);
  printTurns(await byTurns({ against, blocks, measure: measured }));
}

await main();
