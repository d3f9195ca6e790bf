/**
 * Limits of requests and connections are each client's own behind a trusted proxy: a real one,
 * between real sockets. Clients differ by their addresses in 127.0.0.0/8, all of which are this
 * machine's on Linux.
 *
 * @import { AddressInfo } from 'node:net'
 * @import { IncomingMessage, ServerResponse } from 'node:http'
 */

import { once } from 'node:events';
import { Agent, createServer as createHttpServer, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, vi } from 'vitest';
import { errors } from '../../../public/shared/errors.js';
import { allowHosts } from '../../../server/allowed-hosts.js';
import { loadConfig } from '../../../server/config/config.js';
import { counted } from '../../../server/counts.js';
import { Gate } from '../../../server/http/gate.js';
import { createHttpCounts } from '../../../server/http/gate.js';
import { BACKLOG } from '../../../server/tcp-listening.js';
import { MAX_CONNECTIONS, RATES } from '../../../server/http/visitors.js';
import { createServer } from '../../../server/server.js';
import { clientAddress, trustedPeer } from '../../../server/transport/client-address.js';
import { FakeClock } from '../../../testkit/fake-clock.js';
import { requireOrSkip } from '../../../testkit/skip.js';

const { it } = requireOrSkip(
  process.platform === 'linux',
  'one address of loopback here',
  () => false,
);

/** The proxy's own address, which the server trusts, and people's. */
const PROXY = '127.0.0.9';
const [ANN, BOB, EVE] = ['127.0.0.21', '127.0.0.22', '127.0.0.23'];

const trusting = loadConfig({
  argv: ['--port', '0', '--engine', 'none', '--host', '127.0.0.1', '--trust-proxy', PROXY],
  env: {},
});
const log = { error: vi.fn(), warn: vi.fn(), info() {}, debug() {} };

/** Requests that have been refused so far since there were too many. */
const refused = () =>
  counted().refusals.find(({ of, code }) => of === 'http' && code === 'too-many-requests')?.count ??
  0;

/** @type {(() => unknown)[]} */
const open = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
  expect(log.error).not.toHaveBeenCalled();
});

async function startServer() {
  const server = await createServer(trusting, { log });
  open.push(() => server.close());
  return server;
}

/**
 * A gate alone, whose answers the test gives.
 * @param {(request: IncomingMessage, response: ServerResponse) => void} answer
 */
async function startGate(answer) {
  const [clock, counts] = [new FakeClock(), createHttpCounts()];
  const isAllowedHost = allowHosts({ allowed: [], certificate: () => null });
  const gate = new Gate({
    clock,
    isAllowedHost,
    counts,
    clientOf: clientAddress(trusting),
    isProxy: trustedPeer(trusting),
  });
  const server = createHttpServer();
  gate.attach(server, answer, () => false);
  server.on('upgrade', (request, socket) => {
    const refusal = gate.refuseUpgrade(request);
    const upgraded = '101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket';
    socket.end(`HTTP/1.1 ${refusal === null ? upgraded : errors[refusal].status}\r\n\r\n`);
  });
  open.push(() => gate.close());
  return { clock, counts, port: await listening(server) };
}

/** @param {import('node:http').Server} server */
async function listening(server) {
  server.listen({ port: 0, host: '127.0.0.1', backlog: BACKLOG });
  await once(server, 'listening');
  open.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return /** @type {AddressInfo} */ (server.address()).port;
}

/**
 * A proxy that keeps its connections, and names each client.
 * @param {number} upstream  the server's port
 */
async function startProxy(upstream) {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 2 * MAX_CONNECTIONS });
  open.push(() => agent.destroy());
  const counts = { connections: 0, failures: 0 };
  const proxy = createHttpServer((request, response) => {
    const said = request.headers['x-forwarded-for'];
    const from = request.socket.remoteAddress ?? '';
    const headers = {
      ...request.headers,
      connection: 'keep-alive',
      'x-forwarded-for': said ? `${said}, ${from}` : from,
    };
    const options = {
      agent,
      host: '127.0.0.1',
      port: upstream,
      localAddress: PROXY,
      path: request.url,
      method: request.method,
      headers,
    };
    const asked = httpRequest(options, (answer) => {
      response.writeHead(answer.statusCode ?? 500, {
        'retry-after': answer.headers['retry-after'] ?? '',
      });
      answer.pipe(response);
    });
    asked.on('socket', (socket) => {
      if (socket.connecting) counts.connections += 1;
    });
    asked.on('error', () => {
      counts.failures += 1;
      response.writeHead(502).end();
    });
    response.on('close', () => asked.destroy());
    request.pipe(asked);
  });
  const port = await listening(proxy);
  return {
    counts,
    port,
    /** Connections that wait for a request. */
    get free() {
      return Object.values(agent.freeSockets).flat().length;
    },
  };
}

/**
 * @param {number} port
 * @param {string} from
 * @param {{ path?: string, headers?: Record<string, string>, agent?: Agent | false }} [options]
 * @returns {Promise<number | undefined>} the status
 */
function ask(port, from, { path = '/api/clock', headers = {}, agent = false } = {}) {
  return new Promise((resolve, reject) => {
    const options = {
      port,
      host: '127.0.0.1',
      localAddress: from,
      path,
      agent,
      headers: { host: 'localhost', ...headers },
    };
    const request = httpRequest(
      options,
      (response) => void response.resume().once('end', () => resolve(response.statusCode)),
    );
    request.once('upgrade', ({ statusCode }, socket) => {
      socket.destroy();
      resolve(statusCode);
    });
    request.once('error', reject).end();
  });
}

/** @param {(number | undefined)[]} statuses @param {number} status */
const countOf = (statuses, status) => statuses.filter((each) => each === status).length;

describe('behind a trusted proxy', () => {
  it('many people at once get answers on more connections than one address may have', async () => {
    const server = await startServer();
    const proxy = await startProxy(server.port);
    const people = Array.from({ length: 60 }, (_, i) => `127.0.1.${i + 1}`);
    const statuses = await Promise.all(
      people.flatMap((from) => Array.from({ length: 10 }, () => ask(proxy.port, from))),
    );
    expect(countOf(statuses, 200)).toBe(600);
    expect(proxy.counts.failures).toBe(0);
    expect(server.httpCounts).toEqual(createHttpCounts());
  });

  it('a flooder is refused whatever address it claims; others and connections go on', async () => {
    const gate = await startGate((_request, response) => void response.end());
    const proxy = await startProxy(gate.port);
    const agent = new Agent({ keepAlive: true, maxSockets: 20 });
    open.push(() => agent.destroy());
    const { atOnce } = RATES.api.address;
    const before = refused();
    const claims = Array.from({ length: atOnce + 50 }, (_, i) => ({
      'x-forwarded-for': `192.0.2.${i % 250}`,
    }));
    const statuses = await Promise.all(
      claims.map((headers) => ask(proxy.port, EVE, { agent, headers })),
    );
    expect([countOf(statuses, 200), countOf(statuses, 429)]).toEqual([atOnce, 50]);
    expect([await ask(proxy.port, ANN), await ask(proxy.port, BOB)]).toEqual([200, 200]);
    // A refusal ends none of the proxy's connections: as many were made as there were requests at
    // once.
    expect(proxy.counts.failures).toBe(0);
    expect(proxy.counts.connections).toBeLessThanOrEqual(22);
    expect(gate.counts).toEqual(createHttpCounts());
    expect(refused() - before).toBe(50);
  });

  it('one with the most unanswered requests allowed gets no more; others are served', async () => {
    const before = refused();
    /** @type {ServerResponse[]} */
    const waiting = [];
    const gate = await startGate(
      (request, response) =>
        void (request.url === '/wait' ? waiting.push(response) : response.end()),
    );
    const proxy = await startProxy(gate.port);
    const unanswered = Promise.all(
      Array.from({ length: MAX_CONNECTIONS }, () => ask(proxy.port, EVE, { path: '/wait' })),
    );
    await vi.waitFor(() => expect(waiting.length).toBe(MAX_CONNECTIONS), 20_000);
    expect([await ask(proxy.port, EVE), await ask(proxy.port, ANN)]).toEqual([429, 200]);
    for (const response of waiting) response.end();
    expect(countOf(await unanswered, 200)).toBe(MAX_CONNECTIONS);
    // The proxy's connections wait for the next client, and count for nobody.
    expect(proxy.free).toBeGreaterThanOrEqual(MAX_CONNECTIONS);
    expect(await ask(proxy.port, EVE)).toBe(200);
    expect(await ask(proxy.port, EVE)).toBe(200);
    expect([refused() - before, gate.counts.pipelined, proxy.counts.failures]).toEqual([1, 0, 0]);
  });

  it('a client that breaks off its requests has nothing under way any more', async () => {
    let begun = 0;
    const gate = await startGate(
      (request, response) => void (request.url === '/wait' ? (begun += 1) : response.end()),
    );
    const proxy = await startProxy(gate.port);
    const breaking = Array.from({ length: MAX_CONNECTIONS }, () => {
      const options = {
        port: proxy.port,
        host: '127.0.0.1',
        localAddress: EVE,
        path: '/wait',
        agent: false,
        headers: { host: 'localhost' },
      };
      return httpRequest(options)
        .on('error', () => {})
        .end();
    });
    await vi.waitFor(() => expect(begun).toBe(MAX_CONNECTIONS), 20_000);
    expect(await ask(proxy.port, EVE)).toBe(429);
    for (const each of breaking) each.destroy();
    await vi.waitFor(async () => expect(await ask(proxy.port, EVE)).toBe(200));
  });

  it('a WebSocket counts for the one who opens it', async () => {
    const { port } = await startGate((_request, response) => void response.end());
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    open.push(() => agent.destroy());
    const named = (/** @type {string} */ name) => ({ 'x-forwarded-for': name });
    for (let i = 0; i < RATES.api.address.atOnce; i++)
      expect(await ask(port, PROXY, { agent, headers: named(EVE) })).toBe(200);
    const opening = { connection: 'Upgrade', upgrade: 'websocket' };
    const opened = (/** @type {string} */ name) =>
      ask(port, PROXY, { headers: { ...opening, ...named(name) } });
    expect([await opened(EVE), await opened(ANN)]).toEqual([429, 101]);
  });
});

describe('an untrusted proxy', () => {
  it('has the limits of its own address, whatever it says of another', async () => {
    const before = refused();
    const { port } = await startGate((_request, response) => void response.end());
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    open.push(() => agent.destroy());
    for (let i = 0; i < RATES.api.connection.atOnce; i++) {
      expect(await ask(port, EVE, { agent, headers: { 'x-forwarded-for': `192.0.2.${i}` } })).toBe(
        200,
      );
    }
    const broken = ask(port, EVE, { agent, headers: { 'x-forwarded-for': '192.0.2.251' } });
    await vi.waitFor(() => expect(refused() - before).toBe(1));
    agent.destroy();
    await expect(broken).rejects.toThrow();
  });

  it('has as many connections as one address may have; a proxy has more', async () => {
    const { port, counts } = await startGate((_request, response) => void response.end());
    const dial = async (/** @type {string} */ localAddress) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress })
        .on('error', () => {})
        .resume();
      open.push(() => void socket.destroy());
      await once(socket, 'connect');
      return socket;
    };
    /** @type {import('node:net').Socket[][]} */
    const [eves, proxys] = [[], []];
    // A hundred at once: the kernel makes more of them wait for a second.
    for (let i = 0; i < MAX_CONNECTIONS + 8; i += 104) {
      eves.push(...(await Promise.all(Array.from({ length: 104 }, () => dial(EVE)))));
      proxys.push(...(await Promise.all(Array.from({ length: 104 }, () => dial(PROXY)))));
    }
    expect(eves.length).toBe(MAX_CONNECTIONS + 8);
    await vi.waitFor(() => expect(eves.filter(({ destroyed }) => destroyed).length).toBe(8));
    expect(proxys.filter(({ destroyed }) => destroyed).length).toBe(0);
    expect(counts.connections).toBe(0);
  });
});
