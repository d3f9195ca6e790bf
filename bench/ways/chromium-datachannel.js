/**
 * WebRTC's data channel from Chromium to Chromium, unordered and without retransmission. A page at
 * each end gets this process's packets over a WebSocket on the machine's own loopback,
 * which is in the packets' ages, twice.
 * @import { AddressInfo } from 'node:net'
 * @import { Browser } from 'playwright-core'
 * @import { WebSocket } from 'ws'
 * @import { OnPacket, Way } from './way.js'
 */

import { EventEmitter, once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';
import {
  CHROMIUM_ARGUMENTS,
  findChromium,
  launchChromium,
} from '../../testkit/browsers/chromium.js';

const SCRIPT = new URL('chromium-page.js', import.meta.url);
const DOCUMENT =
  '<!doctype html><meta charset="utf-8"><title>A data channel</title><script type="module" ' +
  'src="/page.js"></script>';

/**
 * This process's browser, which stays for one run after the other, and ends with it.
 * @type {Browser | null}
 */
let browser = null;

/** @type {Way} */
export const chromiumDatachannel = {
  missing: async () => (findChromium() ? null : 'There is no Chromium.'),

  async prepare() {
    browser ??= await launch();
  },

  async receive({ onPacket }) {
    const page = await openPage(onPacket);
    return { answer: (offer) => page.ask(JSON.parse(offer), 'answer'), close: () => page.close() };
  },

  async connect({ signal }) {
    const page = await openPage(() => {});
    const opened = page.told('opened');
    const answer = await signal(await page.ask({ type: 'open' }, 'offer'));
    page.tell(JSON.parse(answer));
    await opened;
    return { send: (bytes) => page.send(bytes), close: () => page.close() };
  },
};

const launch = () =>
  launchChromium({
    executablePath: findChromium(),
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    args: [
      ...CHROMIUM_ARGUMENTS,
      '--use-fake-ui-for-media-stream',
      '--use-fake-device-for-media-stream',
      '--allow-loopback-in-peer-connection',
    ],
  });

/** @param {OnPacket} onPacket  told of what comes over the page's data channel */
async function openPage(onPacket) {
  if (!browser) throw new Error('no browser was started');
  const [context, { sockets, port, close }] = await Promise.all([browser.newContext(), serve()]);
  const messages = new EventEmitter();
  const told = (/** @type {string} */ type) =>
    once(messages, type).then(([text]) => /** @type {string} */ (text));
  // A page may be ready before its load event arrives.
  const isReady = told('ready');
  const connected = once(sockets, 'connection');
  sockets.once('connection', (/** @type {WebSocket} */ connection) => {
    connection.on('message', (/** @type {Buffer} */ data, /** @type {boolean} */ isBinary) => {
      if (isBinary) onPacket(data);
      else messages.emit(JSON.parse(String(data)).type, String(data));
    });
  });
  await (await context.newPage()).goto(`http://127.0.0.1:${port}`);
  const [socket] = /** @type {[WebSocket]} */ (await connected);
  await isReady;
  const tell = (/** @type {object} */ message) => socket.send(JSON.stringify(message));
  return {
    told,
    tell,
    /** @param {object} message @param {string} type  of its answer */
    ask: (message, type) => {
      const answer = told(type);
      tell(message);
      return answer;
    },
    /** @param {Uint8Array} bytes */
    send: (bytes) => socket.send(bytes),
    close: () => context.close().then(close),
  };
}

/** Gives a page out, and takes its WebSocket. */
async function serve() {
  const script = await readFile(SCRIPT);
  const server = createServer(({ url }, response) => {
    const isScript = url === '/page.js';
    response
      .setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
      .end(isScript ? script : DOCUMENT);
  });
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    sockets,
    port: /** @type {AddressInfo} */ (server.address()).port,
    close: () => void server.close(),
  };
}
