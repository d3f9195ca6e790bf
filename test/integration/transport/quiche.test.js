import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import { describe, expect, it, vi } from 'vitest';
import { generateCertificate } from '../../../server/certificate/generate.js';
import { errors } from '../../../public/shared/errors.js';
import { MAX_PACKET_BYTES } from '../../../public/shared/wire/packet.js';
import { MAX_CONTROL_BYTES, prepareControl } from '../../../server/session/session.js';
import {
  createQuicheTransport,
  quicheError,
} from '../../../server/transport/webtransport-quiche.js';
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
 * The package's own session objects on real sockets, over its HTTP/2 server, which needs no engine.
 * For what only an engine does, they are on one that is made here.
 *
 * @import { Options, Peer } from '../../../testkit/transport-cases.js'
 */

const { Http2Server, HttpServer, WebTransport } = await importQuietly();

/** The package says on the console that the engine isn't installed. */
async function importQuietly() {
  const silent = [vi.spyOn(console, 'error'), vi.spyOn(console, 'log')].map((spy) =>
    spy.mockImplementation(() => {}),
  );
  const webtransport = await import('@fails-components/webtransport');
  await webtransport.quicheLoaded;
  await pause(0);
  for (const spy of silent) spy.mockRestore();
  return webtransport;
}

const newCertificate = () =>
  generateCertificate({ hosts: ['localhost', '127.0.0.1'], now: new Date() });
const certificate = await newCertificate();
const utf8 = new TextEncoder();

/** @param {Options} [options] */
async function start(options) {
  const { heard, clock, errors: logged, options: given } = script(options);
  const transport = await createQuicheTransport({
    ...given,
    host: '127.0.0.1',
    port: 0,
    certificate,
    Http3Server: /** @type {any} */ (Http2Server),
  });
  /** @type {any[]} */
  const clients = [];
  const dial = (path = '/session', { hash } = certificate) => {
    const client = /** @type {any} */ (
      new WebTransport(`https://127.0.0.1:${transport.address().port}${path}`, {
        ...{ forceReliable: true },
        serverCertificateHashes: [{ algorithm: 'sha-256', value: Buffer.from(hash, 'base64') }],
      })
    );
    client.ready.catch(() => {});
    client.closed.catch(() => {});
    clients.push(client);
    return client;
  };
  const connect = () => connectPeer(dial());
  const close = async () => {
    for (const client of clients) hangUp(client);
    // Its time is the test's.
    const ticking = setInterval(() => clock.advance(100), 5);
    await transport.close();
    clearInterval(ticking);
  };
  return { transport, heard, clock, errors: logged, connect, dial, close };
}

/** @param {any} client */
function hangUp(client) {
  const http2 = client.sessionint.parentobj.transportInt?.clientInt;
  // Its own pings fail when it is destroyed without having been closed.
  http2?.close();
  http2?.destroy();
}

/**
 * @param {any} client
 * @returns {Promise<Peer & { client: any, write: (bytes: Uint8Array) => Promise<void> }>}
 */
async function connectPeer(client) {
  const packets = /** @type {Uint8Array[]} */ ([]);
  const messages = /** @type {any[]} */ ([]);
  const ended = client.closed.then((/** @type {any} */ { closeCode }) => closeCode);
  ended.catch(() => {});
  await client.ready;
  const datagrams = client.datagrams.createWritable().getWriter();
  void collect(client.datagrams.readable, (bytes) => packets.push(bytes));
  /** @type {any} */
  let writer = { write: () => Promise.resolve() };
  try {
    const stream = await client.createBidirectionalStream();
    writer = stream.writable.getWriter();
    let text = '';
    void collect(stream.readable, (bytes) => {
      const lines = (text + Buffer.from(bytes)).split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) messages.push(JSON.parse(line));
    });
  } catch {
    // The session was closed at once.
  }
  const write = (/** @type {Uint8Array} */ bytes) => writer.write(bytes).catch(() => {});
  return {
    client,
    write,
    packets,
    messages,
    ended,
    send: (...list) => list.forEach((packet) => datagrams.write(packet).catch(() => {})),
    sendControl: (message) => write(utf8.encode(`${JSON.stringify(message)}\n`)),
    close: (code) => client.close({ closeCode: code, reason: 'bye' }),
    vanish: () => hangUp(client),
  };
}

/**
 * @param {ReadableStream<Uint8Array>} stream
 * @param {(bytes: Uint8Array) => void} onBytes
 */
async function collect(stream, onBytes) {
  try {
    for await (const bytes of /** @type {any} */ (stream)) onBytes(bytes);
  } catch {
    // The session ended.
  }
}

/** @param {Options} [options] */
async function connected(options) {
  const setup = closeAfter(await start(options));
  const peer = await connectPeer(setup.dial());
  await until(() => setup.heard.length > 0);
  return { ...setup, peer, one: setup.heard[0] };
}

describe('WebTransport on the quiche engine', () => {
  sharedCases(start);

  it('is what it says', async () => {
    const { transport, one } = await connected();
    expect([transport.name, transport.engine, transport.replyOnly]).toEqual([
      'webtransport',
      'quiche',
      false,
    ]);
    expect(one.session.transport).toBe(transport);
    expect(one.session.peer).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(transport.address().port).toBeGreaterThan(0);
    expect(transport.certificateHash()).toBe(certificate.hash);
  });

  it('takes its path with any query, and no other path', async () => {
    const { dial, heard } = closeAfter(await start());
    await dial('/session?room=a/b?c').ready;
    await until(() => heard.length === 1);
    for (const path of ['/', '/session/', '/sessions', '/elsewhere?/session']) {
      await expect(dial(path).ready).rejects.toThrow();
    }
    expect(heard).toHaveLength(1);
  });

  it('sends one packet to many sessions, whose bytes may be used again', async () => {
    const { transport, heard, connect } = closeAfter(await start());
    const peers = await Promise.all([connect(), connect(), connect()]);
    await until(() => heard.length === 3);
    const bytes = packetOf(700);
    transport.sendMany(
      heard.map(({ session }) => session),
      bytes,
    );
    const sent = bytes.slice();
    bytes.fill(0);
    await until(() => peers.every(({ packets }) => packets.length === 1));
    for (const { packets } of peers) expect(packets).toEqual([sent]);
  });

  it('reads control messages however they are cut', async () => {
    const { peer, one } = await connected();
    const sent = [{ type: 'a', text: 'grün' }, { type: 'b' }, { type: 'c' }];
    const bytes = utf8.encode(sent.map((message) => `${JSON.stringify(message)}\n`).join(''));
    for (const byte of bytes) await peer.write(Uint8Array.of(byte));
    await until(() => one.messages.length === 3);
    expect(one.messages).toEqual(sent);
    await peer.write(bytes);
    await until(() => one.messages.length === 6);
  });

  it('keeps what it has to say until the client opens its stream', async () => {
    const { connect } = closeAfter(
      await start({
        onAccept: (session) => [1, 2].forEach((n) => session.sendControl(prepareControl({ n }))),
      }),
    );
    const peer = await connect();
    peer.sendControl({ type: 'x' });
    await until(() => peer.messages.length === 3);
    expect(peer.messages).toEqual([{ n: 1 }, { n: 2 }, { type: 'echo', of: { type: 'x' } }]);
  });

  it.each([
    ['is not JSON', '{"type"\n'],
    ['is not UTF-8', Uint8Array.of(0x22, 0xff, 0x22, 0x0a)],
    ['is too long', 'x'.repeat(MAX_CONTROL_BYTES + 1)],
  ])('closes with bad-request when a control message %s', async (_what, text) => {
    const { peer, one } = await connected();
    await peer.write(typeof text === 'string' ? utf8.encode(text) : text);
    expect(await peer.ended).toBe(errors['bad-request'].close);
    expect(one.closed.map(({ code }) => code)).toEqual([errors['bad-request'].close]);
    expect(one.messages).toEqual([]);
  });

  it('gives control messages out before it closes', async () => {
    const { peer, one } = await connected();
    peer.sendControl({ type: 'x' });
    await until(() => peer.messages.length === 1);
    one.session.sendControl(prepareControl({ type: 'refused' }));
    one.session.close(errors['room-full'].close, 'ü'.repeat(2000));
    expect(await peer.ended).toBe(errors['room-full'].close);
    expect(peer.messages.at(-1)).toEqual({ type: 'refused' });
  });

  it('has no use for further streams, and goes on', async () => {
    const { peer, one } = await connected();
    peer.sendControl({ type: 'x' });
    await until(() => one.messages.length === 1);
    const second = await peer.client.createBidirectionalStream();
    second.writable
      .getWriter()
      .write(utf8.encode('{"type":"second"}\n'))
      .catch(() => {});
    const oneWay = await peer.client.createUnidirectionalStream();
    oneWay
      .getWriter()
      .write(utf8.encode('{"type":"third"}\n'))
      .catch(() => {});
    peer.sendControl({ type: 'y' });
    await until(() => one.messages.length === 2);
    expect(one.messages).toEqual([{ type: 'x' }, { type: 'y' }]);
    expect(one.closed).toEqual([]);
  });

  it("takes the peer's close code", async () => {
    const { peer, one } = await connected();
    peer.close(3);
    await until(() => one.closed.length > 0);
    expect(one.closed).toEqual([{ code: 3, reason: 'bye' }]);
  });

  it('hears that a connection was lost', async () => {
    const { peer, one } = await connected();
    peer.vanish();
    await until(() => one.closed.length > 0);
    expect(one.closed).toHaveLength(1);
  });

  it('keeps a session of which packets are heard', async () => {
    const { peer, one, clock } = await connected();
    for (let i = 1; i <= 20; i++) {
      clock.advance(IDLE_TIMEOUT_MS / 4);
      peer.send(packetOf(3));
      await until(() => one.packets.length === i);
    }
    expect(one.closed).toEqual([]);
  });

  it('serves a new certificate as soon as its last session has ended', async () => {
    const { transport, peer, one, clock, dial, heard } = await connected();
    const { port } = transport.address();
    const renewed = await newCertificate();
    transport.updateCertificate(renewed);
    peer.send(packetOf(5));
    await until(() => one.packets.length === 1);
    expect(transport.certificateHash()).toBe(certificate.hash);
    expect(await servedHash(port)).toBe(certificate.hash);
    peer.close(0);
    peer.vanish();
    await until(() => {
      clock.advance(50);
      return transport.certificateHash() === renewed.hash;
    });
    await until(() => transport.address().port === port);
    expect(await servedHash(port)).toBe(renewed.hash);
    await dial('/session', renewed).ready;
    await until(() => heard.length === 2);
  });
});

/**
 * The SHA-256 of what is served, in base64; tried until there is something.
 * @param {number} port
 */
async function servedHash(port) {
  for (let tries = 0; tries < 200; tries++) {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
    try {
      await once(socket, 'secureConnect');
      return Buffer.from(
        socket.getPeerCertificate().fingerprint256.replaceAll(':', ''),
        'hex',
      ).toString('base64');
    } catch {
      await pause(10);
    } finally {
      socket.destroy();
    }
  }
  throw new Error('nobody listens');
}

/** An engine of which every word and every mistake is the test's. */
class FakeEngine {
  datagrams = /** @type {Uint8Array[]} */ ([]);
  code = 'success';
  maxDatagramSize = 1100;
  closedWith = /** @type {any[]} */ ([]);
  /** @type {any} */
  jsobj = null;
  getMaxDatagramSize = () => this.maxDatagramSize;
  /** @param {Uint8Array} bytes */
  writeDatagram = (bytes) => {
    if (this.code === 'throws') throw new Error('no');
    if (this.code === 'success') this.datagrams.push(bytes);
    return { code: this.code };
  };
  /** @param {any} info */
  close = (info) => {
    this.closedWith.push(info);
  };
}

/**
 * @param {Options & { starts?: (server: any) => void, isAllowedHost?: (host: string | undefined) =>
 *   boolean }} [options]
 */
function startFake({
  starts = (server) => server.onServerListening({ host: '::', port: 4433 }),
  ...options
} = {}) {
  const { heard, clock, errors: logged, options: given } = script(options);
  /** @type {any[]} */
  const servers = [];
  /** @type {any[]} */
  const answers = [];
  class FakeServer extends HttpServer {
    /** @param {any} args */
    constructor(args) {
      super(args);
      servers.push(this);
    }
    /** @override */
    async createTransportInt() {
      this.transportInt = {
        startServer: () => starts(this),
        stopServer: () => this.onServerClose(),
        addPath: () => {},
        setJSRequestHandler: () => {},
        finishSessionRequest: (/** @type {any} */ answer) => answers.push(answer),
      };
    }
  }
  const opening = createQuicheTransport({
    ...given,
    port: 4433,
    certificate,
    Http3Server: /** @type {any} */ (FakeServer),
  });
  opening.catch(() => {});
  const visit = (ready = true) => {
    const engine = new FakeEngine();
    servers.at(-1).onHttpWTSessionVisitor({
      session: engine,
      header: {},
      path: '/session',
      peerAddress: '192.0.2.1:7',
    });
    if (ready) engine.jsobj.onReady({});
    return engine;
  };
  return { opening, heard, clock, logged, servers, answers, visit };
}

/** @param {Options} [options] */
async function fakeConnected(options) {
  const setup = startFake(options);
  const transport = await setup.opening;
  const engine = setup.visit();
  await until(() => setup.heard.length === 1);
  return { ...setup, transport, engine, one: setup.heard[0] };
}

describe('the quiche engine', () => {
  it('is given up when it does not say that it started', async () => {
    const { opening, clock } = startFake({ starts: () => {} });
    await pause(5);
    clock.advance(4999);
    await pause(5);
    clock.advance(1);
    await pause(5);
    clock.advance(1000);
    await expect(opening).rejects.toThrow(/did not start within 5 s: its certificate or key/);
    expect(clock.waiting).toBe(0);
  });

  it('tells why it did not start when it knows', async () => {
    const starts = (/** @type {any} */ server) =>
      server.onServerError(Object.assign(new Error('in use'), { code: 'EADDRINUSE' }));
    const { opening, clock } = startFake({ starts });
    await expect(opening).rejects.toMatchObject({ code: 'EADDRINUSE' });
    expect(clock.waiting).toBe(0);
  });

  it('is answered at once, whatever it asks', async () => {
    const { opening, servers, answers } = startFake();
    const transport = await opening;
    const paths = ['/session', '/session?a=b', '/other', '', undefined, '/session%00', '?/session'];
    for (const path of paths)
      servers[0].onSessionRequest({ promise: {}, header: { ':path': path } });
    servers[0].onSessionRequest({ promise: {}, header: {} });
    await Promise.resolve();
    await Promise.resolve();
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 404, 404, 404, 404, 404]);
    expect(answers.every(({ path, header }) => path === '/session' && header)).toBe(true);
    await transport.close();
  });

  it('refuses hosts that are not its own', async () => {
    const isAllowedHost = (/** @type {string | undefined} */ host) => host === '192.0.2.1:4433';
    const { opening, servers, answers } = startFake({ isAllowedHost });
    const transport = await opening;
    for (const authority of ['192.0.2.1:4433', 'evil.example:4433', undefined]) {
      servers[0].onSessionRequest({
        promise: {},
        header: { ':path': '/session', ':authority': authority },
      });
    }
    await Promise.resolve();
    await Promise.resolve();
    expect(answers.map(({ status }) => status)).toEqual([200, 421, 421]);
    await transport.close();
  });

  it('refuses pages of other hosts', async () => {
    const { opening, servers, answers } = startFake();
    const transport = await opening;
    const origins = [
      undefined,
      'http://192.0.2.1:8080',
      'http://[192.0.2.1]',
      'http://evil.example',
      'null',
      '',
    ];
    for (const origin of origins) {
      const header = {
        ':path': '/session',
        ':authority': '192.0.2.1:4433',
        ...(origin !== undefined && { origin }),
      };
      servers[0].onSessionRequest({ promise: {}, header });
    }
    await Promise.resolve();
    await Promise.resolve();
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 403, 403, 403, 200]);
    await transport.close();
  });

  it('has its blocked, refused and failed datagrams counted', async () => {
    const { one, engine, transport } = await fakeConnected();
    expect(one.session.send(packetOf(1100))).toBe(true);
    expect(one.session.send(packetOf(1101))).toBe(false);
    engine.maxDatagramSize = 65535;
    expect(one.session.send(packetOf(MAX_PACKET_BYTES + 1))).toBe(false);
    for (const code of ['blocked', 'tooBig', 'internalError', 'throws']) {
      engine.code = code;
      expect([code, one.session.send(packetOf(10))]).toEqual([code, false]);
    }
    expect(one.session.stats()).toEqual({
      rttMs: null,
      lostPackets: 0,
      droppedOut: 6,
      droppedIn: 0,
    });
    expect(engine.datagrams).toEqual([packetOf(1100)]);
    engine.jsobj.onClose({ errorcode: 5, error: 'x' });
    expect(one.session.send(packetOf(1))).toBe(false);
    await until(() => one.closed.length === 1);
    expect(one.closed).toEqual([{ code: 5, reason: 'x' }]);
    await transport.close();
  });

  it('has its datagrams read as they come, in whatever number', async () => {
    const { one, engine, transport } = await fakeConnected();
    const stream = engine.jsobj.datagrams.readable;
    const controller = engine.jsobj.incomDatagramController_;
    for (let round = 0; round < 5; round++) {
      for (let i = 0; i < 5000; i++)
        engine.jsobj.onDatagramReceived({ datagram: packetOf(4, i % 9) });
      await until(() => one.packets.length === (round + 1) * 5000);
      expect(controller.desiredSize).toBeGreaterThanOrEqual(0);
    }
    // Also of one that is over for us: the engine fails when it can't deliver.
    one.session.close(0, '');
    expect(stream.locked).toBe(true);
    for (let i = 0; i < 50; i++) engine.jsobj.onDatagramReceived({ datagram: packetOf(4) });
    await until(() => controller.desiredSize >= 0);
    expect(one.packets).toHaveLength(25_000);
    engine.jsobj.onClose({ errorcode: 0, error: '' });
    await transport.close();
  });

  it('has a session swept that is never ready, and one that fails', async () => {
    const { opening, clock, heard, visit } = startFake({ maxSessions: 1 });
    const transport = await opening;
    const silent = visit(false);
    const failing = visit(false);
    failing.jsobj.onClose({ errorcode: 1, error: 'no' });
    await pause(5);
    clock.advance(IDLE_TIMEOUT_MS);
    expect(silent.closedWith).toEqual([
      { code: errors['idle-timeout'].close, reason: errors['idle-timeout'].message },
    ]);
    visit();
    await until(() => heard.length === 1);
    const closing = transport.close();
    await pause(5);
    clock.advance(1000);
    await closing;
  });

  it('is not waited for when it does not end its sessions', async () => {
    const { transport, clock, engine } = await fakeConnected();
    const closing = transport.close();
    await pause(5);
    expect(engine.closedWith).toEqual([
      { code: errors['server-closing'].close, reason: errors['server-closing'].message },
    ]);
    clock.advance(1000);
    await closing;
    expect(clock.waiting).toBe(0);
  });

  it('ends a session that leaves its control messages unread', async () => {
    const { one, transport, clock } = await fakeConnected();
    for (let i = 0; i < 100 && one.closed.length === 0; i++)
      one.session.sendControl(prepareControl({ text: 'x'.repeat(8000) }));
    expect(one.closed.map(({ code }) => code)).toEqual([errors['idle-timeout'].close]);
    const closing = transport.close();
    await pause(5);
    clock.advance(1000);
    await closing;
  });

  it('is tried again when it does not take a new certificate', async () => {
    let works = true;
    const { opening, clock, logged, servers } = startFake({
      starts: (server) =>
        works
          ? server.onServerListening({ host: '::', port: 4433 })
          : server.onServerError(new Error('not now')),
    });
    const transport = await opening;
    const renewed = await newCertificate();
    works = false;
    transport.updateCertificate(renewed);
    await until(() => logged.some((line) => line.includes('not now')));
    await pause(5);
    works = true;
    await until(() => {
      clock.advance(1000);
      return transport.certificateHash() === renewed.hash && servers.length > 2;
    });
    expect(servers.at(-1).args.cert).toBe(renewed.certPem);
    await transport.close();
    expect(clock.waiting).toBe(0);
  });

  it('is missing, broken or there, in a sentence', async () => {
    const missing = Object.assign(new Error('Cannot find package'), {
      code: 'ERR_MODULE_NOT_FOUND',
    });
    expect(await quicheError(() => Promise.reject(missing))).toMatch(
      /^the optional package \S+ is not installed$/,
    );
    const broken = await quicheError(() =>
      Promise.reject(new Error('GLIBC_2.38 not found\nmore\nlines')),
    );
    expect(broken).toMatch(
      /^the package \S+ is installed, but can't be used: GLIBC_2.38 not found$/,
    );
    expect(await quicheError(() => Promise.resolve({}))).toBeNull();
  });
});
