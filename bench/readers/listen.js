/** A room's link in all readers: how soon it is heard, and how far behind the room it stays. */

import { createServer as createHttpServer, request as ask } from 'node:http';
import { readWav } from '../../testkit/sound/wav.js';
import { join } from '../../programs/client.js';
import { loadConfig } from '../../server/config/config.js';
import { createServer } from '../../server/server.js';
import { AHEAD_MS } from '../../server/listen/live-file.js';
import { openIcecast } from './icecast.js';
import { BROWSERS, listenTo } from '../../testkit/players/page.js';
import {
  isThere,
  markdown,
  PROGRAMS,
  RATE,
  startProgram,
  stopProgram,
  tellMissing,
  titleOf,
} from '../../testkit/players/programs.js';

const SPEECH = new URL('../../testkit/speech/speech-low.wav', import.meta.url);
const quiet = { error() {}, warn() {}, info() {}, debug() {} };

/**
 * Time for each reader to listen, and to ask again after the end, in seconds.
 */
const SECONDS = 14;
const AGAIN_SECONDS = 4;

const PATHS = ['ogg', 'webm'].flatMap((kind) =>
  ['silence', 'speech'].map((room) => `/listen/${room}.${kind}`),
);

/** Icecast as it takes a room's link, which its listeners hear through ffmpeg. */
const ICECAST = Object.freeze({ name: 'Icecast', command: 'icecast2' });
const HOWS = /** @type {const} */ ({
  relay: '`<relay>`',
  source: 'with `ffmpeg -c copy` as its source',
});

/** Stands between a reader and the server, counts bytes and questions, and ends the file. */
class Counter {
  bytes = 0;
  /** Bytes sent before a page has told that it plays. */
  bytesToBegin = 0;
  asked = 0;
  #server;
  #isOver = false;
  url = '';

  /** @param {string} url  the server's */
  constructor(url) {
    this.#server = createHttpServer((request, response) => {
      if (request.url === '/')
        return void response.setHeader('Content-Type', 'text/html').end('<!doctype html>');
      if (request.url === '/favicon.ico') return void response.writeHead(404).end();
      if (request.url === '/began') {
        this.bytesToBegin = this.bytes;
        return void response.writeHead(204).end();
      }
      this.asked += 1;
      if (this.#isOver) return void response.writeHead(404).end();
      const { host: _, ...headers } = request.headers;
      const asking = ask(`${url}${request.url}`, { headers }, (answer) => {
        // Icecast asks by HTTP/1.0, which has no chunks.
        const { 'transfer-encoding': _chunks, ...kept } = answer.headers;
        response.writeHead(answer.statusCode ?? 500, kept);
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
    await new Promise(
      (resolve) => void this.#server.listen(0, '127.0.0.1', () => resolve(undefined)),
    );
    const { port } = /** @type {import('node:net').AddressInfo} */ (this.#server.address());
    this.url = `http://127.0.0.1:${port}`;
    return this;
  }

  /** Ends the file. @returns {number} requests for it until now */
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

const pass = (/** @type {number} */ seconds) =>
  new Promise((resolve) => void setTimeout(resolve, 1000 * seconds));

/** @typedef {import('../../testkit/players/programs.js').Program} Program */

/**
 * @typedef {{ beganMs: number | null, lateMs: number | null, bytes: number, again: boolean }} Found
 */

/**
 * Hears an address by a program.
 * @param {Program} program
 * @param {Counter} counter  between it and the server
 * @param {string} url
 * @returns {Promise<Found>}
 */
async function heardBy(program, counter, url) {
  const first = counter.bytes;
  const start = performance.now();
  const child = startProgram(program, url);
  try {
    let [beganMs, bytes, given] = [/** @type {number | null} */ (null), 0, 0];
    child.stdout?.on('data', (piece) => {
      given += piece.length;
      if (beganMs !== null || given < 100) return;
      beganMs = performance.now() - start;
      bytes = counter.bytes - first;
    });
    await unlessFailed(child, pass(SECONDS));
    const aheadMs = program.isPadded ? AHEAD_MS : 0;
    const lateMs =
      beganMs === null ? null : performance.now() - start - (given * 1000) / (2 * RATE) + aheadMs;
    const before = counter.end();
    await pass(AGAIN_SECONDS);
    return { beganMs, lateMs, bytes, again: counter.asked > before };
  } finally {
    stopProgram(child);
    counter.close();
  }
}

/**
 * Waits, unless a program can't be started.
 * @param {import('node:child_process').ChildProcess} child
 * @param {Promise<unknown>} waiting
 */
const unlessFailed = (child, waiting) =>
  Promise.race([waiting, new Promise((_, reject) => void child.once('error', reject))]);

/**
 * @param {Program} program
 * @param {string} url
 * @param {string} path
 * @returns {Promise<Found | null>}
 */
async function byProgram(program, url, path) {
  if (program.kinds?.every((kind) => !path.endsWith(kind))) return null;
  const counter = await new Counter(url).open();
  return heardBy(program, counter, counter.url + path);
}

/**
 * Hears a room through Icecast, as one who comes late to it.
 * @param {keyof typeof HOWS} how
 * @param {string} url
 */
async function byIcecast(how, url) {
  const counters = await Promise.all(PATHS.map(() => new Counter(url).open()));
  try {
    const { urls, close } = await openIcecast(
      how,
      PATHS.map((path, i) => counters[i].url + path),
    );
    try {
      const found = await allOf(urls.map((each, i) => heardBy(PROGRAMS[0], counters[i], each)));
      // Icecast's own delay isn't visible here.
      return found.map((each) => ({ ...each, lateMs: null }));
    } finally {
      await close();
    }
  } finally {
    for (const counter of counters) counter.close();
  }
}

/**
 * Awaits all, and throws the first failure only then: nothing goes on after it.
 * @template T
 * @param {Promise<T>[]} promises
 * @returns {Promise<T[]>}
 */
async function allOf(promises) {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/**
 * @param {import('../../testkit/players/page.js').Opened} browser
 * @param {string} url
 * @param {string} path
 * @returns {Promise<Found>}
 */
async function byBrowser({ newPage }, url, path) {
  const counter = await new Counter(url).open();
  try {
    const page = await newPage();
    await page.goto(counter.url);
    const { beganMs, lateMs } = await page.evaluate(
      listenTo,
      /** @type {[string, number, string]} */ ([path, SECONDS, '/began']),
    );
    const before = counter.end();
    await pass(AGAIN_SECONDS);
    await page.close();
    return {
      beganMs,
      lateMs: lateMs === null ? null : lateMs + AHEAD_MS,
      bytes: counter.bytesToBegin,
      again: counter.asked > before,
    };
  } finally {
    counter.close();
  }
}

/**
 * Pages one after another: several at once take each other's time.
 * @param {import('../../testkit/players/page.js').Opened} browser
 * @param {string} url
 */
async function inBrowser(browser, url) {
  const found = [];
  try {
    for (const path of PATHS) found.push(await byBrowser(browser, url, path));
  } finally {
    await browser.close();
  }
  return found;
}

/**
 * The readers that are measured: by default all that are installed.
 * @typedef {object} Readers
 * @property {readonly Program[]} programs
 * @property {readonly (keyof typeof HOWS)[]} icecast  its ways to the links
 * @property {readonly Pick<typeof BROWSERS[number], 'open'>[]} browsers
 */

/** @returns {Readers} */
const installed = () => ({
  programs: PROGRAMS.filter(isThere),
  icecast:
    isThere(ICECAST) && isThere(PROGRAMS[0])
      ? /** @type {(keyof typeof HOWS)[]} */ (Object.keys(HOWS))
      : [],
  browsers: BROWSERS.filter((each) => each.isThere()),
});

/**
 * Measures each reader.
 * @param {string} url
 * @param {Readers} readers
 * @returns {AsyncGenerator<[title: string, found: (Found | null)[]]>}
 */
async function* measured(url, { programs, icecast, browsers }) {
  for (const program of programs) {
    yield [titleOf(program), await allOf(PATHS.map((path) => byProgram(program, url, path)))];
  }
  for (const how of icecast) yield [`${titleOf(ICECAST)}, ${HOWS[how]}`, await byIcecast(how, url)];
  for (const reader of browsers) {
    const browser = await reader.open();
    yield [browser.title, await inBrowser(browser, url)];
  }
}

/** @param {Found | null} found */
function told(found) {
  if (found === null) return '–';
  const { beganMs, lateMs, bytes } = found;
  if (beganMs === null) return `not within ${SECONDS} s`;
  const began =
    `${(beganMs / 1000).toFixed(1)} s, ` +
    `${bytes < 10_000 ? (bytes / 1000).toFixed(1) : Math.round(bytes / 1000)} kB`;
  return lateMs === null ? began : `${began}; stays ${(lateMs / 1000).toFixed(1)} s behind`;
}

/**
 * Prints the table: of a measurement that breaks off, the rows that there are.
 * @param {Readers} [readers]
 */
export async function measureListening(readers = installed()) {
  const {
    channels: [speech],
  } = await readWav(SPEECH);
  const server = await createServer(
    loadConfig({ argv: ['--port', '0', '--h3-port', '0'], env: {} }),
    { log: quiet },
  );
  /** @type {string[][]} */
  const rows = [];
  try {
    await withRooms(server.url, speech, async () => {
      for await (const [title, found] of measured(server.url, readers))
        rows.push([title, ...found.map(told), found.some((each) => each?.again) ? 'yes' : 'no']);
    });
  } finally {
    await server.close();
    if (rows.length > 0) print(rows);
  }
}

/**
 * Somebody says the speech in one room, over and over, and nobody says anything in another.
 * @param {string} url  the server's
 * @param {Float32Array} speech
 * @param {() => Promise<void>} measure  in the meantime
 */
async function withRooms(url, speech, measure) {
  const joining = ['speech', 'silence'].map((room) => join({ url, room, hear: false }));
  let talking;
  try {
    const [talker] = await Promise.all(joining);
    talking = (async () => {
      while (talker.state !== 'ended') await talker.say(speech);
    })();
    await measure();
  } finally {
    const joined = await Promise.allSettled(joining);
    for (const each of joined) if (each.status === 'fulfilled') await each.value.leave();
    await talking;
  }
}

/** @param {string[][]} rows */
function print(rows) {
  console.log(
    markdown(
      [
        'reader',
        'Ogg, silence',
        'Ogg, speech',
        'WebM, silence',
        'WebM, speech',
        'asks again at the end',
      ],
      rows,
    ),
  );
  tellMissing([
    ...[...PROGRAMS, ICECAST].filter((program) => !isThere(program)),
    ...BROWSERS.filter((browser) => !browser.isThere()),
  ]);
}
