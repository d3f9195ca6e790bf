import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { connect as connectTcp } from 'node:net';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { errors } from '../../../public/shared/errors.js';
import { MAX_PACKET_BYTES, readPacket, Packet } from '../../../public/shared/wire/packet.js';
import {
  MAX_CONTROL_BYTES,
  MAX_QUEUED_BYTES,
  prepareControl,
} from '../../../server/session/session.js';
import { createWebSocketTransport } from '../../../server/transport/websocket.js';
import {
  closeAfter,
  IDLE_TIMEOUT_MS,
  packetOf,
  pause,
  script,
  sharedCases,
  until,
} from '../../../testkit/transport-cases.js';

/**
 * @import { AddressInfo, Socket } from 'node:net'
 * @import { Options, Peer } from '../../../testkit/transport-cases.js'
 */

/** @param {Options} [options] */
async function start(options) {
  const { heard, clock, errors: logged, options: given } = script(options);
  const server = createServer((_request, response) => void response.writeHead(404).end());
  let connections = 0;
  server.on('connection', (socket) => {
    connections += 1;
    socket.on('close', () => (connections -= 1));
  });
  await new Promise((/** @type {(done: void) => void} */ done) =>
    server.listen(0, '127.0.0.1', done),
  );
  const { port } = /** @type {AddressInfo} */ (server.address());
  const transport = createWebSocketTransport({ ...given, server, path: '/session' });
  /** @type {WebSocket[]} */
  const sockets = [];
  const dial = (path = '/session', headers = {}, more = {}) => {
    const ws = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers, ...more });
    ws.on('error', () => {});
    sockets.push(ws);
    return ws;
  };
  const connect = async () => {
    const ws = dial();
    const peer = peerOf(ws);
    await once(ws, 'open');
    return peer;
  };
  const close = async () => {
    await transport.close();
    for (const ws of sockets) ws.terminate();
    await new Promise((done) => server.close(done));
  };
  return {
    transport,
    heard,
    clock,
    errors: logged,
    connect,
    dial,
    port,
    close,
    openConnections: () => connections,
  };
}

/** @param {WebSocket} ws @returns {Peer & { ws: WebSocket }} */
function peerOf(ws) {
  const packets = /** @type {Uint8Array[]} */ ([]);
  const messages = /** @type {any[]} */ ([]);
  ws.on('message', (/** @type {Buffer} */ data, isBinary) => {
    if (isBinary) packets.push(Uint8Array.from(data));
    else messages.push(JSON.parse(data.toString()));
  });
  const ended = new Promise((/** @type {(code: number) => void} */ resolve) => {
    ws.on('close', (code) => resolve(code === 1000 ? 0 : code - 4000));
  });
  return {
    ws,
    packets,
    messages,
    ended,
    send: (...list) => list.forEach((packet) => ws.send(packet)),
    sendControl: (message) => ws.send(JSON.stringify(message)),
    close: (code) => ws.close(code === 0 ? 1000 : 4000 + code),
    vanish: () => ws.terminate(),
  };
}

/** @param {Options} [options] */
async function connected(options) {
  const setup = closeAfter(await start(options));
  const ws = setup.dial();
  const peer = peerOf(ws);
  await once(ws, 'open');
  await until(() => setup.heard.length > 0);
  return {
    ...setup,
    ws,
    peer,
    one: setup.heard[0],
    tcp: /** @type {Socket} */ (/** @type {any} */ (ws)._socket),
  };
}

describe('WebSocket', () => {
  sharedCases(start);

  it('sends one packet to many sessions', async () => {
    const { transport, heard, connect } = closeAfter(await start());
    const peers = await Promise.all([connect(), connect(), connect()]);
    await until(() => heard.length === 3);
    const bytes = packetOf(300);
    transport.sendMany(
      heard.slice(0, 2).map(({ session }) => session),
      bytes,
    );
    const sent = bytes.slice();
    bytes.fill(0);
    await until(() => peers.filter(({ packets }) => packets.length === 1).length === 2);
    for (const { packets } of peers) if (packets.length > 0) expect(packets).toEqual([sent]);
    transport.sendMany([heard[0].session], packetOf(MAX_PACKET_BYTES + 1));
    expect(heard[0].session.stats().droppedOut).toBe(1);
  });

  it('passes an oversized packet on, for the room to count', async () => {
    const { peer, one } = await connected();
    for (const length of [MAX_PACKET_BYTES + 1, MAX_CONTROL_BYTES]) peer.send(packetOf(length));
    await until(() => one.packets.length === 2);
    for (const packet of one.packets) expect(readPacket(packet, new Packet())).toBe('oversized');
    expect(one.closed).toEqual([]);
  });

  it.each([
    [
      'a binary message that is far too long',
      (/** @type {WebSocket} */ ws) => ws.send(packetOf(MAX_CONTROL_BYTES + 1)),
    ],
    [
      'a text that is too long',
      (/** @type {WebSocket} */ ws) => ws.send('"x"'.padEnd(MAX_CONTROL_BYTES + 1)),
    ],
    ['a text that is not JSON', (/** @type {WebSocket} */ ws) => ws.send('{"type":')],
    ['an empty text', (/** @type {WebSocket} */ ws) => ws.send('')],
  ])('closes with bad-request for %s', async (_what, send) => {
    const { ws, peer, one } = await connected();
    send(ws);
    expect(await peer.ended).toBe(errors['bad-request'].close);
    expect(one.closed).toEqual([
      { code: errors['bad-request'].close, reason: errors['bad-request'].message },
    ]);
    expect(one.messages).toEqual([]);
  });

  it.each([
    [
      'a message that no session may send',
      (/** @type {WebSocket} */ ws) => ws.send(new Uint8Array(200_000)),
    ],
    [
      'a frame that is not WebSocket',
      (/** @type {WebSocket} */ ws) => /** @type {any} */ (ws)._socket.write('\xff\xff'),
    ],
  ])('tells the handler bad-request for %s', async (_what, send) => {
    const { ws, one } = await connected();
    send(ws);
    await until(() => one.closed.length > 0);
    expect(one.closed[0].code).toBe(errors['bad-request'].close);
  });

  it("takes the peer's close code as the session's", async () => {
    const { ws, one } = await connected();
    ws.close(4003, 'why not');
    await until(() => one.closed.length > 0);
    expect(one.closed).toEqual([{ code: 3, reason: 'why not' }]);
  });

  it('hears that a peer vanished', async () => {
    const { peer, one } = await connected();
    peer.vanish();
    await until(() => one.closed.length > 0);
    expect(one.closed).toMatchObject([{ code: errors['session-lost'].close }]);
  });

  it('cuts a reason that does not fit a close frame', async () => {
    const { ws, one } = await connected();
    one.session.close(1, 'ä'.repeat(100));
    const [, reason] = await once(ws, 'close');
    expect(reason.toString()).toBe('ä'.repeat(61));
  });

  it('keeps a peer that says nothing but answers pings, and knows how far it is', async () => {
    const { ws, one, clock } = await connected();
    let pings = 0;
    ws.on('ping', () => pings++);
    for (let i = 1; i <= 12; i++) {
      clock.advance(IDLE_TIMEOUT_MS / 5);
      await until(() => pings >= i);
      ws.ping();
      await once(ws, 'pong');
    }
    expect(one.closed).toEqual([]);
    expect(one.session.stats().rttMs).toBe(0);
  });

  it('drops and counts packets to a peer that does not read; control messages end it', async () => {
    const { one, tcp, openConnections } = await connected();
    tcp.pause();
    const bytes = packetOf(MAX_PACKET_BYTES);
    let sent = 0;
    await until(() => {
      for (let i = 0; i < 500; i++) if (one.session.send(bytes)) sent += 1;
      return one.session.stats().droppedOut > 20_000;
    });
    const before = process.memoryUsage().arrayBuffers;
    for (let i = 0; i < 5000; i++) one.session.send(bytes);
    await pause(20);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * MAX_QUEUED_BYTES);
    expect(sent).toBeGreaterThan(10);
    expect(one.closed).toEqual([]);
    for (let i = 0; i < 100 && one.closed.length === 0; i++)
      one.session.sendControl(prepareControl({ text: 'x'.repeat(8000) }));
    expect(one.closed[0].code).toBe(errors['idle-timeout'].close);
    await until(() => openConnections() === 0);
  });

  it('does not answer the pings of a peer that does not read', async () => {
    const { one, tcp, ws } = await connected();
    tcp.pause();
    const bytes = packetOf(MAX_PACKET_BYTES);
    await until(() => {
      for (let i = 0; i < 500; i++) one.session.send(bytes);
      return one.session.stats().droppedOut > 5000;
    });
    let pongs = 0;
    ws.on('pong', () => pongs++);
    for (let i = 0; i < 200; i++) ws.ping('p'.repeat(125));
    ws.send(packetOf(9));
    await until(() => one.packets.length === 1);
    tcp.resume();
    await until(() => one.session.send(packetOf(1)));
    ws.ping();
    await once(ws, 'pong');
    expect(pongs).toBe(1);
    expect(one.closed).toEqual([]);
  });

  it('answers few pings of one who sends many, and counts the rest', async () => {
    const { one, ws, peer, clock } = await connected();
    let pongs = 0;
    ws.on('pong', () => pongs++);
    const ping = async (/** @type {number} */ count) => {
      const before = peer.packets.length;
      for (let i = 0; i < count; i++) ws.ping();
      ws.send(packetOf(9));
      // The echo comes behind the answers to pings.
      await until(() => peer.packets.length > before);
    };
    await ping(200);
    expect(pongs).toBe(10);
    expect(one.session.stats().droppedIn).toBe(190);
    clock.advance(1000);
    await ping(200);
    expect(pongs).toBe(15);
    expect(one.session.stats().droppedIn).toBe(385);
    expect(one.closed).toEqual([]);
  });

  it.each(['ping', 'pong'])(
    'does not read one who floods it with a %s after another, for a while',
    async (kind) => {
      const { one, ws, clock } = await connected();
      const [send, data] = [/** @type {'ping' | 'pong'} */ (kind), 'p'.repeat(125)];
      for (let i = 0; i < 20_000; i++) ws[send](data);
      ws.send(packetOf(9));
      await pause(300);
      expect(one.packets).toEqual([]);
      await until(() => {
        clock.advance(200);
        return one.packets.length === 1;
      });
      expect(one.closed).toEqual([]);
    },
  );

  it.each([
    ['another path', 404, '/elsewhere', {}],
    ['a page of another host', 403, '/session', { origin: 'http://evil.example' }],
    ['a page of no host', 403, '/session', { origin: 'null' }],
    ['a page of another port', 403, '/session', { origin: 'http://127.0.0.1:1' }],
  ])('refuses an upgrade from %s with %i', async (_what, status, path, headers) => {
    const { dial, heard } = closeAfter(await start());
    const ws = dial(path, headers);
    const [, response] = await once(ws, 'unexpected-response');
    response.resume();
    expect(response.statusCode).toBe(status);
    expect(heard).toEqual([]);
  });

  it('takes a page of its own host, and a query', async () => {
    const { dial, port, heard } = closeAfter(await start());
    dial('/session?room=a', { origin: `http://127.0.0.1:${port}` });
    await until(() => heard.length === 1);
    dial('/session', { origin: 'https://aloud.example', host: 'aloud.example:443' });
    await until(() => heard.length === 2);
  });

  it('survives upgrades that are no WebSocket, and broken ones', async () => {
    const { port, connect, heard } = closeAfter(await start());
    for (const head of ['GET /session', 'GET //', 'GET /session?%zz', 'POST /session']) {
      const socket = connectTcp(port, '127.0.0.1');
      socket.write(`${head} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n`);
      const [answer] = await once(socket, 'data');
      expect(String(answer)).toMatch(/^HTTP\/1\.1 4\d\d /);
      socket.destroy();
    }
    await connect();
    expect(heard).toHaveLength(1);
  });

  it('stops taking upgrades when it is closed, and leaves the server alone', async () => {
    const { transport, port } = closeAfter(await start());
    await transport.close();
    const plain = request({ port, path: '/session', host: '127.0.0.1' }).end();
    const [response] = await once(plain, 'response');
    response.resume();
    expect(response.statusCode).toBe(404);
  });
});
