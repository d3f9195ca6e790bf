/**
 * Clients behind a reverse proxy are known by the address that it names, on the transports that
 * pass one.
 */

import { createServer } from 'node:http';
import { WebSocket } from 'ws';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../public/shared/clock.js';
import { loadConfig } from '../../../server/config/config.js';
import { createLog } from '../../../server/log.js';
import { clientAddress } from '../../../server/transport/client-address.js';
import { createHttp1Transport } from '../../../server/transport/http1.js';
import { createWebSocketTransport } from '../../../server/transport/websocket.js';
import { prepareControl } from '../../../server/session/session.js';

/** @type {(() => unknown)[]} */
const open = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

/** The peers of the sessions that came. @param {string[]} argv */
async function startTransports(argv) {
  /** @type {string[]} */
  const peers = [];
  const server = createServer();
  /** @param {import('../../../server/session/session.js').Session} session */
  const accept = (session) => {
    peers.push(session.peer);
    session.handler = {
      packet: () => {},
      control: () => session.sendControl(prepareControl({ type: 'welcome' })),
      closed: () => {},
    };
  };
  const shared = {
    accept,
    clock: systemClock,
    log: createLog({ level: 'error' }),
    maxSessions: 10,
    idleTimeoutMs: 10_000,
  };
  const clientOf = clientAddress(loadConfig({ argv, env: {} }));
  const http1 = createHttp1Transport({ ...shared, clientOf });
  const webSocket = createWebSocketTransport({ ...shared, clientOf, server, path: '/session' });
  server.on('request', (request, response) =>
    http1.handle(request, response, () => response.writeHead(404).end()),
  );
  await new Promise((resolve) => void server.listen(0, '127.0.0.1', () => resolve(undefined)));
  open.push(
    () => server.closeAllConnections(),
    () => server.close(),
    () => http1.close(),
    () => webSocket.close(),
  );
  return {
    peers,
    host: `127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`,
  };
}

const join = JSON.stringify({ type: 'join', version: 1, room: 'lab', name: 'Ann' });

/** @param {string} host @param {Record<string, string>} headers */
async function visitOverHttp1(host, headers) {
  const options = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: join,
  };
  expect((await fetch(`http://${host}/api/sessions`, options)).status).toBe(201);
}

/** @param {string} host @param {Record<string, string>} headers */
async function visitOverWebSocket(host, headers) {
  const socket = new WebSocket(`ws://${host}/session`, { headers });
  open.push(() => socket.terminate());
  await new Promise((resolve, reject) => void socket.once('open', resolve).once('error', reject));
}

describe.each([
  ['http1', visitOverHttp1],
  ['websocket', visitOverWebSocket],
])('over %s', (_name, visit) => {
  const headers = { 'X-Forwarded-For': '198.51.100.9, 192.0.2.7', Forwarded: 'for=203.0.113.5' };

  it.each([
    [['--trust-proxy', '127.0.0.1'], /^192\.0\.2\.7:0$/],
    [['--trust-proxy', '2'], /^198\.51\.100\.9:0$/],
    [['--trust-proxy', '1,forwarded'], /^203\.0\.113\.5:0$/],
    [['--trust-proxy', '10.0.0.0/8'], /^127\.0\.0\.1:\d+$/],
    [[], /^127\.0\.0\.1:\d+$/],
  ])('with %j the client is %s', async (argv, peer) => {
    const { peers, host } = await startTransports(argv);
    await visit(host, headers);
    expect(peers).toEqual([expect.stringMatching(peer)]);
  });
});
