/** A room's link in all readers: how soon it is heard, and how far behind the room it stays. */

import { createServer as createHttpServer, request as ask } from 'node:http';
import { readWav } from '../stats/wav.js';
import { join } from '../../programs/client.js';
import { loadConfig } from '../../server/config/config.js';
import { createServer } from '../../server/server.js';
import { BROWSERS, listenTo } from './page.js';
import { isThere, markdown, PROGRAMS, RATE, startProgram, stopProgram } from './programs.js';

const SPEECH = new URL('../../test/fixtures/speech-low.wav', import.meta.url);
const quiet = { error() {}, warn() {}, info() {}, debug() {} };

/** How long each reader listens, and how long it may take to ask again after the end, in seconds. */
const SECONDS = 14;
const AGAIN_SECONDS = 4;

/** Stands between a reader and the server, counts bytes and questions, and ends the file. */
class Counter {
  bytes = 0;
  asked = 0;
  #server;
  #isOver = false;
  url = '';

  /** @param {string} url  the server's */
  constructor(url) {
    this.#server = createHttpServer((request, response) => {
      if (request.url === '/') return void response.setHeader('Content-Type', 'text/html').end('<!doctype html>');
      if (request.url === '/favicon.ico') return void response.writeHead(404).end();
      this.asked += 1;
      if (this.#isOver) return void response.writeHead(404).end();
      const { host: _, ...headers } = request.headers;
      const asking = ask(`${url}${request.url}`, { headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.on('data', (piece) => (this.bytes += piece.length));
        answer.pipe(response);
      });
      asking.on('error', () => response.destroy());
      response.on('close', () => asking.destroy());
      this.#over.push(() => response.end());
      asking.end();
    });
  }

  /** @type {(() => void)[]} */
  #over = [];

  async open() {
    await new Promise((resolve) => void this.#server.listen(0, '127.0.0.1', () => resolve(undefined)));
    this.url = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (this.#server.address()).port}`;
    return this;
  }

  /** Ends the file. @returns {number} how often it was asked for until now */
  end() {
    this.#isOver = true;
    for (const over of this.#over) over();
    return this.asked;
  }

  close() {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

const pass = (/** @type {number} */ seconds) => new Promise((resolve) => void setTimeout(resolve, 1000 * seconds));

/** @typedef {import('./programs.js').Program} Program */

/** @typedef {{ beganMs: number | null, lateMs: number | null, bytes: number, again: boolean }} Found */

/** @param {Program} program @param {string} url @param {string} path @returns {Promise<Found>} */
async function byProgram(program, url, path) {
  const counter = await new Counter(url).open();
  const start = performance.now();
  const child = startProgram(program, `${counter.url}${path}`);
  let [beganMs, bytes, given] = [/** @type {number | null} */ (null), 0, 0];
  child.stdout?.on('data', (piece) => {
    given += piece.length;
    if (beganMs !== null || given < 100) return;
    beganMs = performance.now() - start;
    bytes = counter.bytes;
  });
  await pass(SECONDS);
  const lateMs = beganMs === null ? null : performance.now() - start - (given * 1000) / (2 * RATE);
  const before = counter.end();
  await pass(AGAIN_SECONDS);
  stopProgram(child);
  counter.close();
  return { beganMs, lateMs, bytes, again: counter.asked > before };
}

/** @param {import('playwright-core').Browser} browser @param {string} url @param {string} path @returns {Promise<Found>} */
async function byBrowser(browser, url, path) {
  const counter = await new Counter(url).open();
  const page = await browser.newPage();
  await page.goto(counter.url);
  const looking = page.evaluate(listenTo, /** @type {[string, number]} */ ([path, SECONDS]));
  const { beganMs, lateMs } = await looking;
  const { bytes } = counter;
  const before = counter.end();
  await pass(AGAIN_SECONDS);
  await page.close();
  counter.close();
  // What a page hears begins with silence before the room's sound.
  return { beganMs, lateMs: lateMs === null ? null : lateMs + 1800, bytes: beganMs === null ? 0 : bytes, again: counter.asked > before };
}

/** Pages one after another: several at once take each other's time. @param {typeof BROWSERS[number]} reader @param {string} url @param {string[]} paths */
async function inBrowser(reader, url, paths) {
  const { browser, close } = await reader.open();
  const found = [];
  for (const path of paths) found.push(await byBrowser(browser, url, path));
  await close();
  return found;
}

/** @param {Found} found */
const told = ({ beganMs, lateMs, bytes }, isBrowser = false) =>
  beganMs === null ? 'no' : `${(beganMs / 1000).toFixed(1)} s${isBrowser ? '' : `, ${bytes < 10_000 ? (bytes / 1000).toFixed(1) : Math.round(bytes / 1000)} kB`}; stays ${((lateMs ?? 0) / 1000).toFixed(1)} s behind`;

/** Prints the table. */
export async function measureListening() {
  const server = await createServer(loadConfig({ argv: ['--port', '0', '--h3-port', '0'], env: {} }), { log: quiet });
  const { channels: [speech] } = await readWav(SPEECH);
  const [talker, silent] = await Promise.all(['speech', 'silence'].map((room) => join({ url: server.url, room, hear: false })));
  const talking = (async () => {
    while (talker.state !== 'ended') await talker.say(speech);
  })();
  const rows = [];
  for (const reader of [...PROGRAMS.filter((each) => isThere(each) && each.kinds === undefined), ...BROWSERS.filter((each) => each.isThere())]) {
    const isBrowser = 'open' in reader;
    const paths = ['ogg', 'webm'].flatMap((kind) => ['silence', 'speech'].map((room) => `/listen/${room}.${kind}`));
    const found = isBrowser ? await inBrowser(reader, server.url, paths) : await Promise.all(paths.map((path) => byProgram(reader, server.url, path)));
    rows.push([reader.name, ...found.map((each) => told(each, isBrowser)), found.some(({ again }) => again) ? 'yes' : 'no']);
  }
  console.log(markdown(['reader', 'Ogg, silence', 'Ogg, speech', 'WebM, silence', 'WebM, speech', 'asks again at the end'], rows));
  await Promise.all([talker.leave(), silent.leave()]);
  await talking;
  await server.close();
}
