import { createServer } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { withLength } from '../../../../public/shared/wire/stream-packets.js';
import { systemClock } from '../../../../public/shared/clock.js';
import { connect } from '../../../../public/client/connection/choose.js';
import { Connection, readMessage } from '../../../../public/client/connection/connection.js';
import { Http1Connection } from '../../../../public/client/connection/http1.js';
import { join as joinOver } from '../../../../public/client/connection/join.js';
import { WebSocketConnection } from '../../../../public/client/connection/websocket.js';
import { WebTransportConnection } from '../../../../public/client/connection/webtransport.js';
import { readList, writeListEntry } from '../../../../public/shared/wire/packet-list.js';
import { readControl, writeControl } from '../../../../public/shared/wire/control.js';
import { MAX_SENT_BYTES, PacketType, packetType } from '../../../../public/shared/wire/packet.js';
import { FakeClock } from '../../../../testkit/fake-clock.js';
import { FakeWebTransport } from '../../../fakes/web-transport.js';

const scope = {
  WebSocket: /** @type {typeof globalThis.WebSocket} */ (/** @type {unknown} */ (WebSocket)),
};
const now = () => performance.now();
const welcome = { type: 'welcome', version: 1, you: '1', people: [] };
/** An audio packet of a byte that tells it from others. @param {number} mark */
const packet = (mark) => Uint8Array.of(0x11, 0, 127, 0, 0, 0, 0, 0, 0, mark);

/** @type {(() => unknown)[]} */
const closers = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A handler that remembers. */
function remember() {
  return {
    /** @type {number[]} */ marks: [],
    /** @type {any[]} */ messages: [],
    /** @type {any[]} */ ends: [],
    onPacket(/** @type {Uint8Array} */ bytes, /** @type {number} */ arrivalMs) {
      expect(arrivalMs).toBeGreaterThan(0);
      this.marks.push(bytes[bytes.length - 1]);
    },
    onControl(/** @type {any} */ message) {
      this.messages.push(message);
    },
    onClosed(/** @type {string} */ code, /** @type {string} */ reason) {
      this.ends.push({ code, reason });
    },
  };
}

/** @param {import('node:http').Server} server @returns {Promise<number>} */
async function listen(server) {
  await new Promise((resolve) => void server.listen(0, '127.0.0.1', () => resolve(undefined)));
  closers.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => void server.close(resolve));
  });
  return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
}

/** A WebSocket server. @param {(socket: import('ws').WebSocket, message: any) => void} onMessage */
async function webSocketServer(onMessage) {
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  const port = await listen(server);
  closers.push(() => {
    for (const socket of sockets.clients) socket.terminate();
  });
  sockets.on('connection', (socket) => {
    socket.on('message', (data, isBinary) =>
      onMessage(socket, isBinary ? data : JSON.parse(String(data))),
    );
  });
  return { origin: `http://127.0.0.1:${port}`, sockets };
}

/**
 * An HTTP/1 server that speaks the sessions' protocol.
 * @param {{ join?: { status: number, body: object }, delayMs?: number, answer?: (packets:
 *   Uint8Array[]) => Uint8Array[] | number }} [behaviour]
 */
async function http1Server({
  join = { status: 201, body: { token: 't/1', messages: [welcome] } },
  delayMs = 0,
  answer = (p) => p,
} = {}) {
  const log = {
    requests: /** @type {string[]} */ ([]),
    inFlight: 0,
    most: 0,
    types: /** @type {any[]} */ ([]),
  };
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = new Uint8Array(Buffer.concat(chunks));
    log.requests.push(`${request.method} ${request.url}`);
    log.types.push(request.headers['content-type']);
    if (request.url === '/api/sessions') {
      response
        .writeHead(join.status, { 'content-type': 'application/json' })
        .end(JSON.stringify(join.body));
      return;
    }
    if (request.method === 'DELETE') {
      response.writeHead(204).end();
      return;
    }
    log.inFlight += 1;
    log.most = Math.max(log.most, log.inFlight);
    if (delayMs) await new Promise((resolve) => void setTimeout(resolve, delayMs));
    log.inFlight -= 1;
    /** @type {Uint8Array[]} */
    const packets = [];
    readList(body, (entry) => packets.push(entry));
    const answers = answer(packets);
    if (typeof answers === 'number') {
      response.writeHead(answers).end('{}');
      return;
    }
    const list = new Uint8Array(65536);
    const end = answers.reduce((at, entry) => writeListEntry(list, at, entry), 0);
    response.writeHead(200).end(list.subarray(0, end));
  });
  const port = await listen(server);
  return { origin: `http://127.0.0.1:${port}`, url: `http://127.0.0.1:${port}/api/sessions`, log };
}

const until = (/** @type {() => unknown} */ condition) =>
  vi.waitFor(() => expect(condition()).toBeTruthy());

describe('WebSocketConnection', () => {
  it('carries packets and control messages, and tells why the server closed', async () => {
    const { origin } = await webSocketServer((socket, message) => {
      if (message instanceof Buffer) socket.send(message);
      else if (message.type === 'bye') socket.close(4004, '');
      else socket.send(JSON.stringify(message));
    });
    const connection = await WebSocketConnection.open({
      url: origin.replace('http', 'ws'),
      now,
      ...scope,
    });
    const handler = remember();
    connection.handler = handler;
    connection.sendControl({ type: 'hello' });
    const bytes = packet(7);
    expect(connection.send(bytes)).toBe(true);
    bytes.fill(0);
    await until(() => handler.marks.length === 1 && handler.messages.length === 1);
    expect(handler.marks).toEqual([7]);
    expect(handler.messages).toEqual([{ type: 'hello' }]);
    connection.sendControl({ type: 'bye' });
    await until(() => handler.ends.length > 0);
    expect(handler.ends[0].code).toBe('room-full');
    expect(handler.ends[0].reason).toMatch(/full/);
    expect(connection.send(bytes)).toBe(false);
    expect(connection.stats()).toEqual({ sent: 1, droppedOut: 1, received: 1 });
  });

  it('drops packets while too much is unsent', () => {
    const socket = /** @type {any} */ ({
      readyState: 1,
      bufferedAmount: 0,
      sent: 0,
      send: () => (socket.sent += 1),
      close: () => {},
    });
    const connection = new WebSocketConnection(socket, now);
    expect(connection.send(packet(1))).toBe(true);
    socket.bufferedAmount = 100_000;
    expect(connection.send(packet(2))).toBe(false);
    expect(socket.sent).toBe(1);
    connection.close();
    connection.close();
  });

  it('ends when the server sends what is no JSON, and hears nothing after close()', async () => {
    const { origin, sockets } = await webSocketServer(() => {});
    const url = origin.replace('http', 'ws');
    const first = await WebSocketConnection.open({ url, now, ...scope });
    const handler = remember();
    first.handler = handler;
    for (const socket of sockets.clients) socket.send('{');
    await until(() => handler.ends.length > 0);
    expect(handler.ends[0].code).toBe('connection-lost');

    const second = await WebSocketConnection.open({ url, now, ...scope });
    const silent = remember();
    second.handler = silent;
    second.close();
    await until(() => sockets.clients.size === 0);
    expect(silent.ends).toEqual([]);
  });

  it('rejects where nobody listens', async () => {
    await expect(
      WebSocketConnection.open({ url: 'ws://127.0.0.1:1', now, ...scope }),
    ).rejects.toMatchObject({
      name: 'ConnectionError',
      code: 'connection-failed',
      refused: false,
    });
  });
});

describe('Http1Connection', () => {
  /** @param {string} url */
  async function joined(url) {
    const connection = await Http1Connection.open({ url, clock: systemClock });
    closers.push(() => connection.close());
    const handler = remember();
    connection.handler = handler;
    connection.join({ type: 'join' });
    await until(() => handler.messages.length + handler.ends.length > 0);
    return { connection, handler };
  }

  it('joins, carries packets in bodies, and leaves', async () => {
    const { url, log } = await http1Server({
      answer: (packets) => [
        ...packets.filter((bytes) => packetType(bytes) === PacketType.audio),
        writeControl({ type: 'stats' }),
      ],
    });
    const { connection, handler } = await joined(url);
    expect(handler.messages).toEqual([welcome]);
    expect(connection.leaveUrl).toBe(`${url}/t%2F1/leave`);
    connection.send(packet(1));
    connection.send(packet(2));
    await until(() => handler.marks.length === 2);
    expect(handler.marks.sort()).toEqual([1, 2]);
    expect(handler.messages.at(-1)).toEqual({ type: 'stats' });
    expect(log.types).toEqual([
      'application/json',
      'application/octet-stream',
      'application/octet-stream',
    ]);
    connection.close();
    await until(() => log.requests.at(-1)?.startsWith('DELETE'));
    expect(log.requests.at(-1)).toBe('DELETE /api/sessions/t%2F1');
    expect(handler.ends).toEqual([]);
  });

  it('leaves where the server lets it in after it was closed', async () => {
    const { url, log } = await http1Server();
    const connection = await Http1Connection.open({ url, clock: systemClock });
    const handler = remember();
    connection.handler = handler;
    connection.join({ type: 'join' });
    connection.close();
    await until(() => log.requests.at(-1)?.startsWith('DELETE'));
    expect(handler.messages).toEqual([]);
  });

  it('has some requests under way, and drops the oldest packets beyond its bound', async () => {
    const { url, log } = await http1Server({ delayMs: 150 });
    const { connection, handler } = await joined(url);
    for (let i = 0; i < 60; i++) connection.send(packet(i));
    const { sent, droppedOut } = connection.stats();
    expect(sent + droppedOut).toBe(60);
    expect(droppedOut).toBe(60 - 5 - 24);
    await until(() => handler.marks.length === sent);
    expect(log.most).toBe(5);
    expect(handler.marks.sort((a, b) => a - b).slice(5)).toEqual(
      Array.from({ length: 24 }, (_, i) => 36 + i),
    );
  });

  it('sends control messages along, also while all requests are under way', async () => {
    /** @type {any[]} */
    const controls = [];
    const { url } = await http1Server({
      delayMs: 30,
      answer: (packets) => {
        for (const bytes of packets)
          if (packetType(bytes) === PacketType.control) controls.push(readControl(bytes));
        return [];
      },
    });
    const { connection } = await joined(url);
    for (let i = 0; i < 8; i++) connection.send(packet(i));
    connection.sendControl({ type: 'mute', muted: true });
    connection.sendControl({ type: 'mute', muted: false });
    await until(() => controls.length === 2);
    expect(controls.map(({ muted }) => muted)).toEqual([true, false]);
  });

  it('keeps control messages in order despite slow requests, and resends failed ones', async () => {
    /** @type {number[]} */
    const told = [];
    const fetchSlowly = async (/** @type {any} */ to, /** @type {any} */ init) => {
      const list = init.body instanceof Uint8Array ? init.body : new Uint8Array(0);
      const numbers = /** @type {number[]} */ ([]);
      readList(list, (bytes) => {
        if (packetType(bytes) === PacketType.control)
          numbers.push(/** @type {any} */ (readControl(bytes)).number);
      });
      if (numbers.length > 0)
        await new Promise((resolve) => void setTimeout(resolve, numbers[0] === 0 ? 60 : 5));
      if (numbers.includes(3) && !failed) {
        failed = true;
        throw new TypeError('no network');
      }
      const response = await fetch(to, init);
      told.push(...numbers);
      return response;
    };
    let failed = false;
    const { url } = await http1Server();
    const connection = await Http1Connection.open({ url, clock: systemClock, fetch: fetchSlowly });
    closers.push(() => connection.close());
    connection.handler = remember();
    connection.join({ type: 'join' });
    await until(() => connection.leaveUrl);
    for (let number = 0; number < 6; number++) connection.sendControl({ type: 'chat', number });
    await until(() => failed);
    connection.send(packet(1));
    await until(() => told.length === 6);
    expect(told).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('tells of a refusal, of a session that is unknown, and of a server that is gone', async () => {
    const refusing = await http1Server({
      join: { status: 503, body: { code: 'room-full', message: 'Full.' } },
    });
    const refused = await joined(refusing.url);
    expect(refused.handler.messages).toEqual([
      { type: 'refused', code: 'room-full', message: 'Full.' },
    ]);

    const forgetful = await http1Server({ answer: () => 404 });
    const forgotten = await joined(forgetful.url);
    forgotten.connection.send(packet(1));
    await until(() => forgotten.handler.ends.length > 0);
    expect(forgotten.handler.ends[0].code).toBe('session-unknown');

    const gone = await joined('http://127.0.0.1:1/api/sessions');
    expect(gone.handler.ends[0].code).toBe('connection-failed');
  });

  it.each([null, { token: 't/1', messages: 5 }])(
    'ends at an answer to its join of %o',
    async (body) => {
      const { url } = await http1Server({ join: { status: 201, body: /** @type {any} */ (body) } });
      const { handler } = await joined(url);
      expect(handler.ends).toEqual([{ code: 'connection-failed', reason: expect.any(String) }]);
    },
  );

  it('ends with it a request whose answer stays half', async () => {
    let isOpen = false;
    const server = createServer((request, response) => {
      if (request.url === '/api/sessions')
        return void response
          .writeHead(201)
          .end(JSON.stringify({ token: 't', messages: [welcome] }));
      if (request.method === 'DELETE') return void response.writeHead(204).end();
      response.writeHead(200).write('half');
      isOpen = true;
      response.on('close', () => (isOpen = false));
    });
    const { connection } = await joined(`http://127.0.0.1:${await listen(server)}/api/sessions`);
    connection.send(packet(1));
    await until(() => isOpen);
    await new Promise((resolve) => void setTimeout(resolve, 50));
    connection.close();
    await until(() => !isOpen);
  });

  it('lives through a server’s mistakes', async () => {
    let count = 0;
    const { url } = await http1Server({
      answer: (packets) =>
        count++ % 2 === 0 ? 500 : [new Uint8Array(0), Uint8Array.of(0x14, 1, 2), ...packets],
    });
    const { connection, handler } = await joined(url);
    for (let i = 0; i < 4; i++) {
      connection.send(packet(i));
      await until(() => count === i + 1);
    }
    await until(() => handler.marks.length >= 2);
    expect(handler.ends).toEqual([]);
  });
});

describe('WebTransportConnection', () => {
  /** @param {object} [behaviour] */
  async function open(behaviour) {
    const WebTransport = FakeWebTransport.behaving(behaviour);
    const options = {
      url: 'https://localhost:4433/session',
      certificateHashes: ['AQID'],
      now,
      WebTransport,
    };
    const connection = await WebTransportConnection.open(/** @type {any} */ (options));
    const handler = remember();
    connection.handler = handler;
    return { connection, handler, session: WebTransport.sessions[0] };
  }

  it('carries datagrams and lines of control messages, however they are cut', async () => {
    const { connection, handler, session } = await open();
    expect(session.options.serverCertificateHashes).toEqual([
      { algorithm: 'sha-256', value: Uint8Array.of(1, 2, 3) },
    ]);
    const bytes = packet(9);
    expect(connection.send(bytes)).toBe(true);
    bytes.fill(0);
    connection.sendControl({ type: 'join', name: 'Zoë' });
    await until(() => session.sentDatagrams.length === 1 && session.sentControl.length > 0);
    expect(session.sentDatagrams[0].at(-1)).toBe(9);
    expect(session.sentControl).toBe('{"type":"join","name":"Zoë"}\n');

    session.receiveDatagram(packet(5));
    const text = new TextEncoder().encode('{"type":"a","name":"Zoë"}\n{"type":"b"}\n');
    for (const byte of text) session.receiveControl(Uint8Array.of(byte));
    session.receiveControl(text);
    await until(() => handler.messages.length === 4 && handler.marks.length === 1);
    expect(handler.messages[0]).toEqual({ type: 'a', name: 'Zoë' });
    expect(handler.marks).toEqual([5]);
  });

  it('takes packets from streams of the server too, and stops one at its end', async () => {
    const { handler, session } = await open();
    let isStopped = false;
    /** @param {Uint8Array[]} chunks */
    const streamOf = (...chunks) =>
      new ReadableStream({
        start: (controller) => chunks.forEach((chunk) => controller.enqueue(chunk)),
        cancel: () => void (isStopped = true),
      });
    const two = [...withLength(packet(6)), ...withLength(packet(7))];
    session.receiveStream(
      streamOf(Uint8Array.from(two.slice(0, 5)), Uint8Array.from(two.slice(5))),
    );
    await until(() => handler.marks.length === 2);
    expect([handler.marks, isStopped]).toEqual([[6, 7], false]);
    session.receiveStream(
      streamOf(withLength(packet(8)), new Uint8Array(2), withLength(packet(9))),
    );
    await until(() => isStopped);
    session.receiveDatagram(packet(10));
    await until(() => handler.marks.length === 4);
    expect(handler.marks).toEqual([6, 7, 8, 10]);
  });

  it('drops datagrams when the way is blocked, and sends again when it is free', async () => {
    const { connection, session } = await open({ blocked: true });
    const results = Array.from({ length: 20 }, (_, i) => connection.send(packet(i)));
    expect(results.filter(Boolean).length).toBe(16);
    session.unblock();
    await until(() => session.sentDatagrams.length === 16);
    expect(connection.send(packet(99))).toBe(true);
    expect(connection.stats()).toMatchObject({ sent: 17, droppedOut: 4 });
  });

  it('tells how the session ended', async () => {
    const closed = await open();
    closed.session.closeFromServer(11, 'idle');
    await until(() => closed.handler.ends.length > 0);
    expect(closed.handler.ends).toEqual([{ code: 'idle-timeout', reason: 'idle' }]);

    const lost = await open();
    lost.session.fail('network gone');
    await until(() => lost.handler.ends.length > 0);
    expect(lost.handler.ends[0].code).toBe('connection-lost');

    const left = await open();
    left.connection.close();
    left.connection.close();
    expect(left.session.closedWith).toEqual({ closeCode: 0, reason: '' });
    await new Promise((resolve) => void setTimeout(resolve, 5));
    expect(left.handler.ends).toEqual([]);
  });

  it('ends with its own fault where its handler throws, and says so in the log', async () => {
    for (const how of /** @type {const} */ (['onPacket', 'onControl'])) {
      const { connection, handler, session } = await open();
      const log = vi.spyOn(console, 'error').mockImplementation(() => {});
      handler[how] = () => {
        throw new Error('no such decoder');
      };
      session.receiveDatagram(packet(5));
      session.receiveControl(new TextEncoder().encode('{"type":"a"}\n'));
      await until(() => handler.ends.length > 0);
      expect(handler.ends).toMatchObject([
        { code: 'internal', reason: expect.stringContaining('no such decoder') },
      ]);
      expect(connection.closed).toBe(true);
      expect(log).toHaveBeenCalledOnce();
      log.mockRestore();
    }
  });

  it('asks for packets the browser accepts now, and counts longer ones as dropped', async () => {
    const behaviour = { maxDatagramSize: 1024 };
    const { connection, session } = await open(behaviour);
    expect(connection.limit).toBe(1024);
    const sent = [1025, 1024].map((length) => connection.send(new Uint8Array(length)));
    expect(sent).toEqual([false, true]);
    behaviour.maxDatagramSize = 1215;
    expect(connection.limit).toBe(MAX_SENT_BYTES);
    expect(connection.send(new Uint8Array(MAX_SENT_BYTES))).toBe(true);
    await until(() => session.sentDatagrams.length === 2);
    expect(session.sentDatagrams.map(({ length }) => length)).toEqual([1024, MAX_SENT_BYTES]);
    expect(connection.stats()).toMatchObject({ sent: 2, droppedOut: 1 });
  });

  it('writes datagrams where the browser only creates writers', async () => {
    const { connection, session } = await open({ createsWriters: true });
    expect(connection.send(new Uint8Array(80))).toBe(true);
    await until(() => session.sentDatagrams.length === 1);
  });

  it('has datagrams wait to be read, by whichever name the browser knows', async () => {
    const { session } = await open();
    const marks = { incomingHighWaterMark: 256, incomingMaxBufferedDatagrams: 256 };
    expect(session.datagrams).toMatchObject(marks);
  });

  it('ends when the control stream is no control messages', async () => {
    const { handler, session } = await open();
    session.receiveControl(new TextEncoder().encode('not json\n'));
    await until(() => handler.ends.length > 0);
    expect(handler.ends[0].code).toBe('connection-lost');
  });

  it('rejects where there is no WebTransport, or no answer', async () => {
    const url = 'https://localhost:4433/session';
    await expect(WebTransportConnection.open({ url, now })).rejects.toMatchObject({
      code: 'no-webtransport',
    });
    const WebTransport = /** @type {any} */ (FakeWebTransport.behaving({ failsToOpen: true }));
    await expect(WebTransportConnection.open({ url, now, WebTransport })).rejects.toMatchObject({
      code: 'connection-failed',
    });
  });
});

describe('readMessage', () => {
  /** @type {import('../../../../public/client/connection/connection.js').MessageReaders<string>} */
  const readers = { stage: ({ key }) => `the key is ${key}` };

  it('passes a message to the reader of its type', () => {
    expect(readMessage({ type: 'stage', key: 'k' }, readers)).toBe('the key is k');
  });

  it.each([
    [null],
    [7],
    ['stage'],
    [[]],
    [{}],
    [{ type: 'chat' }],
    [{ type: 'toString' }],
    [{ type: ['stage'], key: 'k' }],
  ])('finds no reader for %j', (message) => {
    expect(readMessage(message, readers)).toBeUndefined();
  });
});

describe('join', () => {
  it('fails at once where its welcome makes the handler throw, also behind a lobby', async () => {
    vi.spyOn(console, 'error').mockReturnValueOnce();
    const clock = new FakeClock();
    const line = Object.assign(new Connection('websocket'), { sendControl: () => {} });
    const onControl = (/** @type {any} */ { type }) => {
      if (type === 'welcome') throw new Error('no room');
    };
    const joining = joinOver(line, { type: 'join' }, { ...remember(), onControl }, clock);
    line.control({ type: 'lobby' });
    line.control({ type: 'welcome' });
    await expect(joining).rejects.toMatchObject({ code: 'internal' });
    expect(clock.waiting).toBe(0);
  });
});

describe('connect', () => {
  const message = { type: 'join', version: 1, room: 'tea', name: 'Ada' };

  /**
   * @param {Partial<import('../../../../public/client/connection/choose.js').ConnectOptions> & {
   *   origin: string }} given
   */
  const options = (given) => ({
    transport: /** @type {const} */ ('auto'),
    config: {
      transports: {
        webtransport: null,
        websocket: { path: '/session' },
        http1: { path: '/api/sessions' },
      },
    },
    message,
    handler: remember(),
    prove: async () => {},
    clock: systemClock,
    scope,
    ...given,
  });

  const answering = (/** @type {object} */ answer) =>
    webSocketServer((socket, { type }) => type === 'join' && socket.send(JSON.stringify(answer)));

  it('takes WebTransport first', async () => {
    const WebTransport = FakeWebTransport.behaving({ answers: { join: welcome } });
    const handler = remember();
    const config = {
      transports: { webtransport: { port: 4433, url: '/session' }, websocket: null, http1: null },
    };
    const { connection, took, tried } = await connect(
      options({
        origin: 'http://example.org:8080',
        config,
        handler,
        scope: { WebTransport: /** @type {any} */ (WebTransport) },
      }),
    );
    closers.push(() => connection.close());
    expect(took).toBe('webtransport');
    expect(tried).toEqual([]);
    expect(handler.messages).toEqual([welcome]);
    expect(WebTransport.sessions[0].url).toBe('https://example.org:4433/session?room=tea');
    expect(JSON.parse(WebTransport.sessions[0].sentControl)).toEqual(message);
  });

  it('falls back to WebSocket, and says why', async () => {
    const { origin } = await answering(welcome);
    const { connection, took, tried } = await connect(options({ origin }));
    closers.push(() => connection.close());
    expect(took).toBe('websocket');
    expect(tried).toEqual([
      { transport: 'webtransport', code: 'not-offered', reason: 'The server does not offer it.' },
    ]);
  });

  it('falls back to HTTP/1 when there is no WebSocket either', async () => {
    const { origin } = await http1Server();
    const handler = remember();
    const { connection, took, tried } = await connect(options({ origin, handler }));
    closers.push(() => connection.close());
    expect(took).toBe('http1');
    expect(tried.map(({ transport }) => transport)).toEqual(['webtransport', 'websocket']);
    expect(tried.every(({ reason }) => /\.$/.test(reason))).toBe(true);
    expect(handler.messages).toEqual([welcome]);
  });

  it('does not wait long for a WebTransport that gives no answer, and ends it', async () => {
    const { origin } = await answering(welcome);
    const WebTransport = FakeWebTransport.behaving({ neverOpens: true });
    const config = { transports: { webtransport: { port: 1 }, websocket: { path: '/session' } } };
    const { connection, took, tried } = await connect(
      options({
        origin,
        config,
        scope: { ...scope, WebTransport: /** @type {any} */ (WebTransport) },
      }),
    );
    closers.push(() => connection.close());
    expect(took).toBe('websocket');
    // One that was waited for to its end would have the code no-answer.
    expect(tried[0]).toMatchObject({
      code: 'slower',
      reason: expect.stringMatching(/had not answered/),
    });
    await until(() => WebTransport.sessions[0].closedWith);
  });

  it('ends the attempt when the server refuses', async () => {
    const { origin, sockets } = await answering({
      type: 'refused',
      code: 'room-full',
      message: 'x',
    });
    await expect(connect(options({ origin }))).rejects.toMatchObject({
      code: 'room-full',
      refused: true,
    });
    await until(() => sockets.clients.size === 0);
  });

  it('takes the next when packets do not pass', async () => {
    const ws = await answering(welcome);
    const { origin } = await http1Server();
    const config = {
      transports: {
        websocket: { path: ws.origin.replace('http', 'ws') },
        http1: { path: '/api/sessions' },
      },
    };
    const prove = vi
      .fn()
      .mockRejectedValueOnce(new Error('Nothing came through.'))
      .mockResolvedValue(undefined);
    const { connection, took, tried } = await connect(options({ origin, config, prove }));
    closers.push(() => connection.close());
    expect(took).toBe('http1');
    expect(tried.at(-1)).toMatchObject({ transport: 'websocket', reason: 'Nothing came through.' });
  });

  it('tries only what was asked for', async () => {
    const { origin } = await answering(welcome);
    const config = {
      transports: { webtransport: { port: 4433 }, websocket: { path: '/session' } },
    };
    await expect(
      connect(options({ origin, config, transport: 'webtransport' })),
    ).rejects.toMatchObject({
      code: 'no-webtransport',
    });
    await expect(
      connect(options({ origin, transport: 'http1', config: { transports: {} } })),
    ).rejects.toMatchObject({
      code: 'not-offered',
    });
  });
});
