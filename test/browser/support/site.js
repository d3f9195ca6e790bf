import { afterAll, afterEach, beforeAll } from 'vitest';
import { startServer } from './aloud-server.js';
import { openBrowser } from './chromium.js';
import { joinRoom, openPage, openRoom } from './room-page.js';

/**
 * @import { BrowserContextOptions } from 'playwright-core'
 * @import { BrowserOptions, OpenBrowser } from './chromium.js'
 * @import { Visit } from './room-page.js'
 *
 * @typedef {Awaited<ReturnType<typeof startServer>>} Server
 */

/**
 * A server and a browser that visits it, for the tests of one `describe`: both are there from before its first
 * test until after its last, and the pages of each test are closed after it.
 */
class Site {
  /** @type {Server | undefined} */
  #server;
  /** @type {OpenBrowser | undefined} */
  #opened;
  /** Browsers of one test. @type {OpenBrowser[]} */
  #others = [];

  /** @param {string[]} argv the server's options @param {BrowserOptions} options */
  async open(argv, options) {
    [this.#server, this.#opened] = await Promise.all([startServer(...argv), openBrowser(options)]);
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

  /** Opens a room's page and joins. @param {string} room @param {Visit | string} visit or a name alone */
  join(room, visit) {
    return joinRoom(this.browser, this.url, room, typeof visit === 'string' ? { name: visit } : visit);
  }

  /** Opens a room's page in a browser of its own, whose microphone is silent, and joins. @param {string} room @param {string} name */
  async joinSilently(room, name) {
    const other = await openBrowser();
    this.#others.push(other);
    return joinRoom(other.browser, this.url, room, { name });
  }

  async closePages() {
    const pages = this.#opened?.browser.contexts().map((context) => context.close()) ?? [];
    await Promise.all([...pages, ...this.#others.splice(0).map((other) => other.close())]);
  }

  async close() {
    await this.#opened?.close();
    await this.#server?.close();
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
