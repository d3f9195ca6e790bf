/** The gate before everything over TCP: connections, requests, hosts. Over real sockets. */

import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, createServer as createHttpServer } from 'node:http';
import { Agent as SecureAgent, get as getSecure } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectSecurely } from 'node:tls';
import { WebSocket } from 'ws';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../public/shared/clock.js';
import { errors } from '../../../public/shared/errors.js';
import { generateCertificate } from '../../../server/certificate/generate.js';
import { loadConfig } from '../../../server/config/config.js';
import { allowHosts } from '../../../server/allowed-hosts.js';
import { counted } from '../../../server/counts.js';
import { Gate } from '../../../server/http/gate.js';
import { createHttpCounts } from '../../../server/http/gate.js';
import { STALL_MS } from '../../../server/http/server.js';
import { createServer } from '../../../server/server.js';
import { FakeClock } from '../../../testkit/fake-clock.js';
import { dial } from '../../support/paths.js';

/**
 * @import { AddressInfo } from 'node:net'
 */

const log = { error: vi.fn(), warn: vi.fn(), info() {}, debug() {} };

/** @type {(() => unknown)[]} */
const open = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
  expect(log.error).not.toHaveBeenCalled();
  log.warn.mockClear();
});

/** @param {string[]} argv */
async function startServer(...argv) {
  const config = loadConfig({
    argv: ['--port', '0', '--engine', 'none', '--host', '127.0.0.1', ...argv],
    env: {},
  });
  const server = await createServer(config, { log });
  open.push(() => server.close());
  return server;
}

/**
 * A server whose clock stands still.
 * @param {import('../../../public/shared/clock.js').Clock} clock
 */
async function serverWithoutTime(clock) {
  const config = loadConfig({
    argv: ['--port', '0', '--engine', 'none', '--host', '127.0.0.1'],
    env: {},
  });
  const server = await createServer(config, { log, clock });
  open.push(() => server.close());
  return server;
}

/**
 * Options for a further host name, and a directory of its own. The certificate there has the name,
 * so a later server with the same directory could be addressed by it too.
 * @param {string} name
 */
async function hostArguments(name) {
  const directory = await mkdtemp(join(tmpdir(), 'aloud-certificate-'));
  open.push(() => rm(directory, { recursive: true }));
  return ['--hostname', name, '--cert-dir', directory];
}

/** @returns {Promise<string[]>} options for HTTPS by the name call.example.org */
async function certificateArguments() {
  const directory = await mkdtemp(join(tmpdir(), 'aloud-certificate-'));
  open.push(() => rm(directory, { recursive: true }));
  const made = await generateCertificate({
    hosts: ['call.example.org', 'localhost'],
    now: new Date(),
  });
  const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  await writeFile(cert, made.certPem);
  await writeFile(key, made.keyPem);
  return ['--cert', cert, '--key', key];
}

/**
 * @param {number} port
 * @param {string} text
 * @returns {Promise<string>} bytes until the server ended the connection
 */
async function say(port, text) {
  const socket = dial(port, open);
  socket.write(text);
  await new Promise((resolve) => void socket.once('close', resolve));
  return socket.got;
}

/** @param {string} got */
const statuses = (got) =>
  [...got.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status));

/** Number of refusals of this process. @param {string} of @param {string} code */
const refusals = (of, code) =>
  counted().refusals.find((refusal) => refusal.of === of && refusal.code === code)?.count ?? 0;

const GET = 'GET /api/clock HTTP/1.1\r\nHost: localhost\r\n\r\n';
const LAST = 'GET /api/clock HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

describe('a request ahead of the answer to the last', () => {
  it.each([
    ['for the API', GET + GET],
    ['for a file', 'GET /public/app.js HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(3)],
    ['without a host', 'GET / HTTP/1.1\r\n\r\n'.repeat(3)],
    [
      'that expects what nobody does',
      'GET / HTTP/1.1\r\nHost: localhost\r\nExpect: x\r\n\r\n'.repeat(3),
    ],
    ['that is no HTTP', `${GET}nonsense\r\n\r\n`],
    [
      'for a WebSocket',
      `${GET}GET /session HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: ` +
        `websocket\r\n\r\n`,
    ],
  ])('%s ends the connection', async (_what, text) => {
    const { port, httpCounts } = await startServer();
    expect(statuses(await say(port, text)).length).toBeLessThanOrEqual(1);
    expect(httpCounts.pipelined + httpCounts.malformed).toBe(1);
  });

  it.each(['http', 'https'])(
    'is none where a client waits for each answer, thousands of times over %s',
    async (scheme) => {
      const { port, httpCounts } = await startServer(
        ...(scheme === 'https' ? await certificateArguments() : []),
      );
      const agent =
        scheme === 'https'
          ? new SecureAgent({ keepAlive: true, maxSockets: 6, rejectUnauthorized: false })
          : new Agent({ keepAlive: true, maxSockets: 6 });
      open.push(() => agent.destroy());
      const { get } = scheme === 'https' ? { get: getSecure } : await import('node:http');
      const paths = ['/', '/public/app.js', '/public/style.css', '/nothing', '/api/clock'];
      const ask = (/** @type {number} */ i) =>
        new Promise((resolve, reject) => {
          const options = {
            agent,
            port,
            host: '127.0.0.1',
            path: paths[i % 5],
            headers: { 'accept-encoding': 'br' },
          };
          get(options, (response) => void response.resume().once('end', resolve)).once(
            'error',
            reject,
          );
        });
      for (let round = 0; round < 10; round++)
        await Promise.all(Array.from({ length: 100 }, (_, i) => ask(i)));
      expect(httpCounts).toEqual(createHttpCounts());
    },
  );
});

describe('too many requests', () => {
  it('are refused with a code and a retry time, while a session’s audio goes on', async () => {
    // On a clock that stands still a slow machine asks too often too.
    const { port, url } = await serverWithoutTime({ ...systemClock, now: () => 1000 });
    const before = refusals('http', 'too-many-requests');
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ type: 'join', version: 1, room: 'lab', name: 'Eve' });
    const { token } = await (
      await fetch(`${url}/api/sessions`, { method: 'POST', headers, body })
    ).json();
    const socket = dial(port, open);
    const ask = async () => {
      socket.got = '';
      socket.write(GET);
      await once(socket, 'data');
      return socket.got;
    };
    let answer = await ask();
    for (let i = 0; i < 150 && answer.startsWith('HTTP/1.1 200 '); i++) answer = await ask();
    expect(answer).toMatch(/^HTTP\/1\.1 429 /);
    expect(answer).toMatch(/Retry-After: 1\r\n/i);
    expect(answer).toMatch(/"code":"too-many-requests"/);
    expect(refusals('http', 'too-many-requests') - before).toBe(1);
    const octets = { 'content-type': 'application/octet-stream' };
    for (let i = 0; i < 200; i++) {
      const { status } = await fetch(`${url}/api/sessions/${token}/packets`, {
        method: 'POST',
        headers: octets,
        body: new Uint8Array(0),
      });
      expect(status).toBe(200);
    }
  });

  it('of one session are refused too, and end nothing', async () => {
    const clock = new FakeClock();
    const { url } = await serverWithoutTime(clock);
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ type: 'join', version: 1, room: 'lab', name: 'Eve' });
    const { token } = await (
      await fetch(`${url}/api/sessions`, { method: 'POST', headers, body })
    ).json();
    const octets = { 'content-type': 'application/octet-stream' };
    const post = async () =>
      (
        await fetch(`${url}/api/sessions/${token}/packets`, {
          method: 'POST',
          headers: octets,
          body: new Uint8Array(0),
        })
      ).status;
    const seen = new Set();
    for (let round = 0; round < 40 && !seen.has(429); round++)
      for (const status of await Promise.all(Array.from({ length: 50 }, post))) seen.add(status);
    expect([...seen].sort()).toEqual([200, 429]);
    clock.advance(50);
    expect(await post()).toBe(200);
  });
});

describe('a page by another name (DNS rebinding)', () => {
  const asked = (/** @type {string} */ what, /** @type {string} */ host, more = '') =>
    `${what} HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\n${more}Connection: ` +
    `close\r\n\r\n`;
  const JOIN = '{"type":"join","version":1,"room":"lab","name":"Eve"}';
  const json = `Content-Type: application/json\r\nContent-Length: ${JOIN.length}\r\n`;
  const upgrade =
    'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ' +
    'dGhlIHNhbXBsZSBub25jZQ==\r\n';

  it.each([
    ['the page', (/** @type {string} */ host) => asked('GET /r/lab', host)],
    ['a file', (/** @type {string} */ host) => asked('GET /public/app.js', host)],
    ['the API', (/** @type {string} */ host) => asked('GET /api/config', host)],
    [
      'the HTTP/1 transport',
      (/** @type {string} */ host) => asked('POST /api/sessions', host, json) + JOIN,
    ],
    [
      'WebSocket',
      (/** @type {string} */ host) =>
        asked('GET /session', host, upgrade).replace('Connection: close', 'Connection: Upgrade'),
    ],
  ])('gets nothing of %s', async (what, text) => {
    const { port, rooms } = await startServer(...(await hostArguments('good.example')));
    const of = what === 'WebSocket' ? 'upgrade' : 'http';
    const before = refusals(of, 'host-not-allowed');
    expect(statuses(await say(port, text(`evil.example:${port}`)))).toEqual([421]);
    expect([refusals(of, 'host-not-allowed') - before, rooms.get('lab')]).toEqual([1, undefined]);
    const socket = dial(port, open);
    socket.write(text('good.example'));
    await once(socket, 'data');
    expect(socket.got).toMatch(/^HTTP\/1\.1 (200|201|101) /);
  });

  it('gets the option that allows it, and so does the log', async () => {
    const { port } = await startServer();
    expect(await say(port, asked('GET /', 'call.example.org'))).toMatch(/--hostname NAME/);
    expect(
      JSON.parse(
        (await say(port, asked('GET /api/config', 'call.example.org'))).split('\r\n\r\n')[1],
      ),
    ).toMatchObject({
      code: 'host-not-allowed',
      message: expect.stringContaining('--hostname'),
    });
    expect(log.warn).toHaveBeenCalledWith(
      { event: 'host-refused', host: expect.stringContaining('call.example.org') },
      expect.stringContaining('--hostname'),
    );
  });

  it("is the server's own where its certificate names it", async () => {
    const { port } = await startServer(...(await certificateArguments()));
    const statusFor = (/** @type {string} */ host) =>
      new Promise((resolve, reject) => {
        const options = {
          port,
          host: '127.0.0.1',
          path: '/api/config',
          headers: { host },
          rejectUnauthorized: false,
          agent: false,
        };
        getSecure(options, (response) => resolve(response.resume().statusCode)).once(
          'error',
          reject,
        );
      });
    expect([await statusFor('call.example.org'), await statusFor('other.example.org')]).toEqual([
      200, 421,
    ]);
  });
});

describe('a request', () => {
  it('without a host is refused, but of HTTP/1.0', async () => {
    const { port } = await startServer();
    const refusal = await say(port, 'GET / HTTP/1.1\r\n\r\n');
    expect(statuses(refusal)).toEqual([400]);
    expect(refusal).toMatch(/\r\nConnection: close\r\n/i);
    expect(statuses(await say(port, 'GET / HTTP/1.0\r\n\r\n'))).toEqual([200]);
  });

  it('to go on in h2c is answered in HTTP/1.1, as curl asks for', async () => {
    const { port } = await startServer();
    const h2c =
      'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n';
    const page = await say(port, `GET / HTTP/1.1\r\nHost: localhost\r\n${h2c}\r\n`);
    expect(page).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*<!doctype html>/i);
    expect(
      statuses(await say(port, `GET /nothing HTTP/1.1\r\nHost: localhost\r\n${h2c}\r\n`)),
    ).toEqual([404]);
    expect(
      statuses(await say(port, `GET /session HTTP/1.1\r\nHost: localhost\r\n${h2c}\r\n`)),
    ).toEqual([404]);
  });

  it('that is broken gets a status and is counted, not logged, even after a good one', async () => {
    const { port, httpCounts } = await startServer();
    expect(statuses(await say(port, 'nonsense\r\n\r\n'))).toEqual([400]);
    expect(statuses(await say(port, `GET / HTTP/1.1\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`))).toEqual(
      [431],
    );
    for (const path of ['/public/app.js', '/', '/api/config', '/nothing']) {
      await say(port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\nnonsense\r\n\r\n`);
    }
    await say(
      port,
      'POST /api/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: ' +
        'application/json\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n',
    );
    expect(httpCounts.malformed).toBe(7);
  });

  it('that comes as soon as the port is open is answered', async () => {
    const spare = createHttpServer();
    await new Promise((/** @type {(done: void) => void} */ done) =>
      spare.listen(0, '127.0.0.1', done),
    );
    const { port } = /** @type {AddressInfo} */ (spare.address());
    await new Promise((done) => spare.close(done));
    let isUp = false;
    const first = (async () => {
      for (;;) {
        const wasUp = isUp;
        const got = await say(port, LAST);
        if (got || wasUp) return got;
      }
    })();
    await startServer('--port', String(port));
    isUp = true;
    expect(await first).toMatch(/^HTTP\/1\.1 200 /);
  });
});

/** The last answer's status and body. @param {string} got */
function lastAnswer(got) {
  const text = got.slice(got.lastIndexOf('HTTP/1.1 '));
  return { status: statuses(text)[0], body: text.slice(text.indexOf('\r\n\r\n') + 4) };
}

describe('bytes that aren’t a request', () => {
  const CHUNKED =
    'POST /api/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: ' +
    'application/json\r\nTransfer-Encoding: chunked\r\n\r\n';

  it.each([
    ['no HTTP', 400, 'bad-request', 'nonsense\r\n\r\n'],
    ['no HTTP behind a request that was answered', 400, 'bad-request', null],
    ['long headers', 431, 'bad-request', `GET / HTTP/1.1\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`],
    ['a body that is no chunk', 400, 'bad-request', `${CHUNKED}nonsense\r\n`],
    ['chunks with long extensions', 413, 'body-too-large', `${CHUNKED}1;${'x'.repeat(17_000)}\r\n`],
    [
      'an expectation that there is not',
      417,
      'bad-request',
      'GET / HTTP/1.1\r\nHost: localhost\r\nExpect: x\r\nConnection: close\r\n\r\n',
    ],
  ])(
    'such as %s has the status %i, and a code that is counted once: %s',
    async (_what, status, code, text) => {
      const { port } = await startServer();
      const before = refusals('http', code);
      const socket = dial(port, open);
      if (text === null) {
        socket.write(GET);
        await once(socket, 'data');
      }
      socket.write(text ?? 'nonsense\r\n\r\n');
      await new Promise((resolve) => void socket.once('close', resolve));
      const answer = lastAnswer(socket.got);
      expect([answer.status, JSON.parse(answer.body)]).toEqual([
        status,
        { code, message: errors[/** @type {'bad-request'} */ (code)].message },
      ]);
      expect(socket.got).toMatch(/Content-Type: application\/json/);
      expect(refusals('http', code) - before).toBe(1);
    },
  );

  it.each([
    ['half a request', 'GET /api/con', 1],
    [
      'half a body',
      'POST /api/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: ' +
        'application/json\r\nContent-Length: 50\r\n\r\n{',
      1,
    ],
    ['nothing, as where browsers connect beforehand', '', 0],
  ])('after a time has the status 408: %s', async (_what, text, count) => {
    const gate = new Gate({
      clock: new FakeClock(),
      isAllowedHost: () => true,
      counts: createHttpCounts(),
    });
    const server = createHttpServer({
      headersTimeout: 200,
      requestTimeout: 200,
      connectionsCheckingInterval: 50,
    });
    gate.attach(
      server,
      (request) => void request.resume(),
      () => false,
    );
    await new Promise((/** @type {(done: void) => void} */ done) =>
      server.listen(0, '127.0.0.1', done),
    );
    open.push(() => (gate.close(), server.close()));
    const before = refusals('http', 'bad-request');
    const { status, body } = lastAnswer(
      await say(/** @type {AddressInfo} */ (server.address()).port, text),
    );
    expect([status, JSON.parse(body).code, refusals('http', 'bad-request') - before]).toEqual([
      408,
      'bad-request',
      count,
    ]);
  });
});

describe('a request that is for nobody', () => {
  it.each([
    ['names two hosts', 'GET / HTTP/1.1\r\nHost: localhost\r\nHOST: evil.example\r\n\r\n'],
    [
      'names one host twice',
      'GET /api/config HTTP/1.0\r\nHost: localhost\r\nHost: localhost\r\n\r\n',
    ],
    ['is for a tunnel', 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n'],
    [
      'is for a tunnel, with the host of the server',
      'CONNECT localhost:443 HTTP/1.1\r\nHost: localhost\r\n\r\nmore',
    ],
  ])('since it %s is a bad one', async (_what, text) => {
    const { port } = await startServer();
    const before = refusals('http', 'bad-request');
    const got = await say(port, text);
    expect(statuses(got)).toEqual([400]);
    expect(got).toMatch(/does not understand this request/);
    expect(refusals('http', 'bad-request') - before).toBe(1);
    expect(log.warn).not.toHaveBeenCalled();
  });

  it('since it names two hosts opens no WebSocket', async () => {
    const { port } = await startServer();
    const upgrade =
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: ' +
      '13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
    expect(
      statuses(
        await say(
          port,
          `GET /session HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n${upgrade}\r\n`,
        ),
      ),
    ).toEqual([400]);
  });

  it('ends with its answer also over HTTPS', async () => {
    const { port } = await startServer(...(await certificateArguments()));
    const socket = connectSecurely({ port, host: '127.0.0.1', rejectUnauthorized: false });
    open.push(() => socket.destroy());
    let got = '';
    socket.on('data', (bytes) => void (got += bytes)).on('error', () => {});
    socket.write('CONNECT localhost:443 HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(socket, 'close');
    expect(statuses(got)).toEqual([400]);
  });
});

describe('HTTPS', () => {
  it('has browsers use nothing else for this name, but for localhost and addresses', async () => {
    const { port } = await startServer(...(await certificateArguments()));
    const headerFor = (/** @type {string} */ host, path = '/') =>
      new Promise((resolve, reject) => {
        const options = {
          port,
          host: '127.0.0.1',
          path,
          headers: { host },
          rejectUnauthorized: false,
          agent: false,
        };
        getSecure(options, (response) =>
          resolve(response.resume().headers['strict-transport-security']),
        ).once('error', reject);
      });
    expect(await headerFor('call.example.org')).toBe('max-age=31536000');
    expect(await headerFor('call.example.org:8080', '/public/app.js')).toBe('max-age=31536000');
    expect(await headerFor('call.example.org', '/api/config')).toBe('max-age=31536000');
    for (const host of ['localhost', 'localhost:8080', '127.0.0.1', '[::1]:8080'])
      expect(await headerFor(host)).toBeUndefined();
    const plain = await startServer(...(await hostArguments('call.example.org')));
    expect(await say(plain.port, 'GET / HTTP/1.0\r\nHost: call.example.org\r\n\r\n')).not.toMatch(
      /strict-transport/i,
    );
  });
});

describe('an answer that is not read', () => {
  /** @param {(response: import('node:http').ServerResponse) => void} answer */
  async function startGate(answer) {
    const [clock, counts] = [new FakeClock(), createHttpCounts()];
    const gate = new Gate({
      clock,
      isAllowedHost: allowHosts({ allowed: [], certificate: () => null }),
      counts,
    });
    const server = createHttpServer();
    gate.attach(
      server,
      (_request, response) => answer(response),
      () => false,
    );
    await new Promise((/** @type {(done: void) => void} */ done) =>
      server.listen(0, '127.0.0.1', done),
    );
    open.push(() => {
      gate.close();
      server.closeAllConnections();
      server.close();
    });
    return { clock, counts, server, port: /** @type {AddressInfo} */ (server.address()).port };
  }

  it('is broken off after half a minute, and later where it is long and moves', async () => {
    const { clock, counts, port } = await startGate((response) => void response.write('begun'));
    const socket = dial(port, open);
    socket.write(GET);
    await once(socket, 'data');
    clock.advance(30_000);
    expect([counts.slow, socket.destroyed]).toEqual([0, false]);
    clock.advance(4000);
    await new Promise((resolve) => void socket.once('close', resolve));
    expect(counts.slow).toBe(1);
    const long = await startGate((response) => void response.write(Buffer.alloc(400_000)));
    const reader = dial(long.port, open);
    reader.write(GET);
    await vi.waitFor(() => expect(reader.got.length).toBeGreaterThan(400_000));
    long.clock.advance(120_000);
    expect(long.counts.slow).toBe(0);
    long.clock.advance(20_000);
    expect(long.counts.slow).toBe(1);
  });

  it('is broken off where nothing of it moves', async () => {
    const { server, port } = await startGate((response) => void response.end(Buffer.alloc(64e6)));
    // A fiftieth of the real time.
    server.timeout = STALL_MS / 50;
    const ended = new Promise(
      (resolve) => void server.once('connection', (socket) => socket.once('close', resolve)),
    );
    const socket = dial(port, open);
    socket.pause();
    socket.write(GET);
    await ended;
  });
});

it('a WebSocket that is open counts for no connection of its address', async () => {
  const { url, port } = await startServer();
  const ws = new WebSocket(`${url.replace('http', 'ws')}/session`);
  open.push(() => ws.terminate());
  await once(ws, 'open');
  const sockets = Array.from({ length: 520 }, () => dial(port, open));
  await vi.waitFor(() => expect(sockets.filter(({ destroyed }) => destroyed).length).toBe(8));
  expect(ws.readyState).toBe(WebSocket.OPEN);
  for (const socket of sockets) socket.destroy();
});
