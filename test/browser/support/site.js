import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { Headless } from '../../../testkit/participants/headless.js';
import { loadCodec } from '../../../server/codec/codec.js';
import { startServer } from '../../../testkit/aloud-server.js';
import { openBrowser } from '../../../testkit/browsers/browser.js';
import { joinRoom, openPage, openRoom } from './room-page.js';

/**
 * @import { BrowserContextOptions } from 'playwright-core'
 * @import { BrowserOptions, OpenBrowser } from '../../../testkit/browsers/browser.js'
 * @import { Visit } from './room-page.js'
 *
 * @typedef {Awaited<ReturnType<typeof startServer>>} Server
 */

/**
 * A server and a browser for the tests of one file. Both live from before its first test until
 * after its last; each test's pages are closed after it.
 */
class Site {
  /** @type {Server | undefined} */
  #server;
  /** @type {OpenBrowser | undefined} */
  #opened;
  /** Participants without a page, of one test. @type {Headless[]} */
  #guests = [];
  /** Folder of its own for recordings. */
  #directory = '';

  /** @param {string[]} argv the server's options @param {BrowserOptions} options */
  async open(argv, options) {
    this.#directory = await mkdtemp(join(tmpdir(), 'aloud-site-'));
    const all = ['--recording-dir', this.#directory, ...argv];
    [this.#server, this.#opened] = await Promise.all([startServer(...all), openBrowser(options)]);
  }

  get server() {
    if (!this.#server) throw new Error('the server is there once the tests run');
    return this.#server;
  }

  get browser() {
    if (!this.#opened) throw new Error('the browser is there once the tests run');
    return this.#opened.browser;
  }

  get url() {
    return this.server.url;
  }

  /** Opens a page of the server's. @param {string} path @param {BrowserContextOptions} [options] */
  page(path, options) {
    return openPage(this.browser, new URL(path, this.url).href, options);
  }

  /** Opens a room's page. @param {string} room @param {Visit} [visit] */
  room(room, visit) {
    return openRoom(this.browser, this.url, room, visit);
  }

  /**
   * Opens a room's page and joins.
   * @param {string} room
   * @param {Visit | string} visit or a name alone
   */
  join(room, visit) {
    return joinRoom(
      this.browser,
      this.url,
      room,
      typeof visit === 'string' ? { name: visit } : visit,
    );
  }

  /**
   * Somebody silent in a room whose page nobody looks at: without one, since a page takes seconds
   * of a processor.
   * @param {string} room
   * @param {string} name
   * @param {{ WebSocket?: typeof globalThis.WebSocket, speech?: Float32Array }} [options] speech:
   *   of one who isn't silent
   */
  async guest(room, name, options) {
    const guest = new Headless({
      codec: await loadCodec('libopus-wasm'),
      speech: new Float32Array(480),
      recordSeconds: 0,
      periodMs: 20,
      ...options,
    });
    this.#guests.push(guest);
    await guest.join({ origin: this.url, room, name, transport: 'websocket' });
    return guest;
  }

  async closePages() {
    const pages = this.#opened?.browser.contexts() ?? [];
    await Promise.all([...pages, ...this.#guests.splice(0)].map((one) => one.close()));
  }

  async close() {
    await this.#opened?.close();
    await this.#server?.close();
    await rm(this.#directory, { recursive: true, force: true });
  }
}

/**
 * Called within a `describe`.
 * @param {string[]} [argv] the server's options
 * @param {BrowserOptions | (() => Promise<BrowserOptions>)} [options] the browser's
 */
export function useSite(argv = [], options = {}) {
  const site = new Site();
  beforeAll(async () => site.open(argv, typeof options === 'function' ? await options() : options));
  afterEach(() => site.closePages());
  afterAll(() => site.close());
  return site;
}
