/**
 * The bounds of a server before anybody has joined: connections, slow requests, long headers. Over
 * real sockets.
 */

import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { loadConfig } from '../../../server/config/config.js';
import { HTTP1_SERVER_OPTIONS } from '../../../server/http/server.js';
import { createServer } from '../../../server/server.js';
import { dial } from '../../support/paths.js';

/**
 * @import { AddressInfo } from 'node:net'
 */

const quiet = { error: vi.fn(), warn() {}, info() {}, debug() {} };

/** @type {(() => unknown)[]} */
const open = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
  expect(quiet.error).not.toHaveBeenCalled();
});

/** @param {string[]} argv */
async function startServer(...argv) {
  const config = loadConfig({
    argv: ['--port', '0', '--engine', 'none', '--host', '127.0.0.1', ...argv],
    env: {},
  });
  const server = await createServer(config, { log: quiet });
  open.push(() => server.close());
  return server;
}

/**
 * @param {number} port
 * @param {string} path
 * @param {string} [header]
 * @returns {Promise<string>} the answer, or nothing where there was none
 */
async function get(port, path, header = 'X-Short: x') {
  const socket = dial(port, open);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${header}\r\nConnection: close\r\n\r\n`);
  await once(socket, 'close');
  return socket.got;
}

const HEADERS =
  'POST /api/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: ' +
  'application/json\r\nContent-Length: 50\r\n';

describe('a connection that only holds', () => {
  // The limits themselves are in seconds: here each is a fiftieth.
  const scale = (/** @type {number} */ ms) => ms / 50;

  it.each([
    ['says nothing', '', HTTP1_SERVER_OPTIONS.headersTimeout],
    ['says half a line', 'GET /api/con', HTTP1_SERVER_OPTIONS.headersTimeout],
    ['never ends its headers', HEADERS, HTTP1_SERVER_OPTIONS.headersTimeout],
    ['never ends its body', `${HEADERS}\r\n{"type"`, HTTP1_SERVER_OPTIONS.requestTimeout],
  ])('and %s is ended', async (_what, text, limitMs) => {
    const {
      headersTimeout,
      requestTimeout,
      connectionsCheckingInterval: interval,
    } = HTTP1_SERVER_OPTIONS;
    const server = createHttpServer({
      ...HTTP1_SERVER_OPTIONS,
      headersTimeout: scale(headersTimeout),
      requestTimeout: scale(requestTimeout),
      connectionsCheckingInterval: scale(interval),
    });
    server.on('request', (request) => void request.resume());
    await new Promise((/** @type {(done: void) => void} */ done) =>
      server.listen(0, '127.0.0.1', done),
    );
    open.push(() => void server.close());
    const socket = dial(/** @type {AddressInfo} */ (server.address()).port, open);
    const started = performance.now();
    socket.write(text);
    await once(socket, 'close');
    expect(performance.now() - started).toBeGreaterThan(scale(limitMs) - 20);
    expect(socket.got).toMatch(/^HTTP\/1\.1 408 /);
    expect(limitMs).toBeLessThanOrEqual(30_000);
  });
});

describe('a server', () => {
  it('accepts a limited number of connections, and others once these have gone', async () => {
    const { port } = await startServer('--max-sessions', '1');
    const all = Array.from({ length: 270 }, () => dial(port, open));
    let ended = 0;
    for (const socket of all) socket.once('close', () => (ended += 1));
    await vi.waitFor(() => expect(ended).toBe(12));
    for (const socket of all) socket.destroy();
    await vi.waitFor(async () =>
      expect(await get(port, '/api/config')).toMatch(/^HTTP\/1\.1 200 /),
    );
  });

  it('reads no headers of more than 16 KiB', async () => {
    const { port } = await startServer();
    expect(await get(port, '/api/config', `X-Long: ${'x'.repeat(15_000)}`)).toMatch(
      /^HTTP\/1\.1 200 /,
    );
    expect(await get(port, '/api/config', `X-Long: ${'x'.repeat(17_000)}`)).toMatch(
      /^HTTP\/1\.1 431 /,
    );
  });
});

it.each([
  ['a stream that was refused', 'PUT /listen/tea HTTP/1.1\r\nHost: localhost\r\n\r\n', 401],
  [
    'a request to go on in h2c',
    'GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n',
    200,
  ],
])('the connection of %s ends, though its client doesn’t', async (_what, text, status) => {
  const { port } = await startServer();
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  open.push(() => void socket.destroy());
  let got = '';
  socket.on('data', (bytes) => (got += bytes));
  const failed = new Promise((resolve) => void socket.once('error', resolve));
  socket.write(text);
  await once(socket, 'end');
  expect(got).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  // Only a closed connection refuses what is sent to it.
  const sending = setInterval(() => socket.write('x'), 100);
  open.push(() => clearInterval(sending));
  await failed;
});
