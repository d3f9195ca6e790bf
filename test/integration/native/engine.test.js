import { createSocket } from 'node:dgram';
import { setTimeout as wait } from 'node:timers/promises';
import { ConnectError, Endpoint, PathField, PATH_FIELDS } from '@aloud/native';
import { afterEach, expect, it } from 'vitest';
import {
  blockThread,
  closeAfter,
  closeAll,
  collectThrown,
  echo,
  nativeTests,
  newCertificate,
  record,
  startServer,
  until,
} from '../../../testkit/native.js';

afterEach(closeAll);

const bytes = (/** @type {string} */ text) => new TextEncoder().encode(text);

/**
 * A server, and one session to it from a client of its own.
 * @param {Parameters<typeof startServer>[0]} [setup]
 * @param {ConstructorParameters<typeof Endpoint>[0]} [clientOptions]
 */
async function connected(setup, clientOptions = {}) {
  const server = await startServer(setup);
  const client = closeAfter(new Endpoint(clientOptions));
  const certificateHashes = [server.certificate.hash];
  const session = await client.connect(server.url, { certificateHashes });
  const [other] = await until(() => server.sessions.length > 0 && server.sessions);
  return { server, client, session, other, certificateHashes };
}

nativeTests.describe('native engine: datagrams', () => {
  it('carries them there and back, with arrival times on the performance.now clock', async () => {
    const before = performance.now();
    const { session, other } = await connected();
    const seen = record(session);
    const atServer = record(other);
    other.onDatagram = (datagram, arrivalMs) => {
      atServer.arrivals.push(arrivalMs);
      other.send(datagram);
    };
    expect(session.send(bytes('one'))).toBe(true);
    expect(session.send(bytes(''))).toBe(true);
    await until(() => seen.datagrams.length === 2);
    expect(seen.datagrams).toEqual(['one', '']);
    for (const at of [...seen.arrivals, ...atServer.arrivals]) {
      expect(at).toBeGreaterThan(before);
      expect(at).toBeLessThanOrEqual(performance.now());
    }
  });

  it('tells a client when the QUIC handshake was over, before the session opened', async () => {
    const before = performance.now();
    const { session, other } = await connected();
    expect(session.connectedMs).toBeGreaterThan(before);
    expect(session.connectedMs).toBeLessThan(performance.now());
    expect(other.connectedMs).toBeNaN();
  });

  it('hands over what came in the meantime in order, many in one turn', async () => {
    const { session, other } = await connected(
      { options: { receiveQueue: 1000 } },
      { sendQueueBytes: 64 * 1024 },
    );
    const seen = record(other);
    let turns = 0;
    const count = (/** @type {Uint8Array} */ datagram) => {
      if (seen.datagrams.length === 0) setImmediate(() => (turns = seen.datagrams.length));
      seen.datagrams.push(Buffer.from(datagram).toString());
    };
    other.onDatagram = count;
    const sent = Array.from({ length: 200 }, (_, i) => `datagram ${i}`);
    for (const text of sent) session.send(bytes(text));
    blockThread(200);
    await until(() => seen.datagrams.length === 200);
    expect(seen.datagrams).toEqual(sent);
    expect(turns).toBe(200);
  });

  it('hands over at once, when it is asked, what has come', async () => {
    const { server, session, other } = await connected();
    const seen = record(other);
    for (let i = 0; i < 3; i++) session.send(bytes(`datagram ${i}`));
    blockThread(100);
    expect(seen.datagrams).toEqual([]);
    server.endpoint.poll();
    expect(seen.datagrams).toEqual(['datagram 0', 'datagram 1', 'datagram 2']);
    // From within, nothing is handed over twice or out of order.
    other.onDatagram = (datagram) => {
      server.endpoint.poll();
      seen.datagrams.push(Buffer.from(datagram).toString());
    };
    for (let i = 3; i < 9; i++) session.send(bytes(`datagram ${i}`));
    await until(() => seen.datagrams.length === 9);
    expect(seen.datagrams).toEqual(Array.from({ length: 9 }, (_, i) => `datagram ${i}`));
  });

  it('delays datagrams by first byte until 50 ms pass, a poll occurs, or others come', async () => {
    const { server, session, other } = await connected();
    const seen = record(other);
    other.letWait('a'.charCodeAt(0));
    session.send(bytes('a 1'));
    await until(() => seen.datagrams.length === 1);
    expect(performance.now() - seen.arrivals[0]).toBeGreaterThan(45);
    session.send(bytes('a 2'));
    await until(() => {
      server.endpoint.poll();
      return seen.datagrams.length === 2;
    });
    session.send(bytes('a 3'));
    session.send(bytes('b 1'));
    await until(() => seen.datagrams.length === 4);
    expect(seen.datagrams).toEqual(['a 1', 'a 2', 'a 3', 'b 1']);
  });

  it.runIf(process.platform === 'linux')('reads what waits at the time that was set', async () => {
    const { server, session, other } = await connected();
    let readMs = NaN;
    /** Time that each datagram waited, in milliseconds. @type {number[]} */
    const waits = [];
    other.onDatagram = (_, arrivalMs) => {
      readMs = performance.now();
      waits.push(readMs - arrivalMs);
    };
    other.letWait('a'.charCodeAt(0));
    // A busy machine may be late once; unless it is woken, each waits for 50 ms and more.
    for (let tries = 1; tries <= 5 && !waits.some((ms) => ms < 50); tries++) {
      const atMs = performance.now() + 25.5;
      session.send(bytes('a'));
      server.endpoint.wakeAt(atMs + 60_000);
      server.endpoint.wakeAt(atMs);
      await until(() => waits.length === tries);
      expect(readMs).toBeGreaterThanOrEqual(atMs);
    }
    expect(Math.min(...waits)).toBeLessThan(50);
  });

  it('keeps datagrams while it is corked, and sends them in order', async () => {
    const { server, session, other } = await connected({ options: { sendQueueBytes: 64 * 1024 } });
    const seen = record(session);
    const sent = Array.from({ length: 100 }, (_, i) => `datagram ${i}`);
    server.endpoint.cork();
    for (const text of sent.slice(0, 9)) expect(other.send(bytes(text))).toBe(true);
    await wait(100);
    expect(seen.datagrams).toEqual([]);
    // Sending begins before the port is uncorked when there are many.
    for (const text of sent.slice(9, 50)) expect(other.send(bytes(text))).toBe(true);
    await until(() => seen.datagrams.length > 0);
    for (const text of sent.slice(50))
      expect(server.endpoint.sendMany([other], bytes(text))).toBe(1);
    server.endpoint.uncork();
    await until(() => seen.datagrams.length === sent.length);
    expect(seen.datagrams).toEqual(sent);
    other.send(bytes('last'));
    await until(() => seen.datagrams.at(-1) === 'last');
    server.endpoint.cork();
    other.close();
    expect(other.send(bytes('late'))).toBe(false);
  });

  it('delivers the rest when a callback throws, and raises each error in the process', async () => {
    const { session, other } = await connected();
    const met = collectThrown();
    const seen = record(other);
    other.onDatagram = (datagram) => {
      seen.datagrams.push(Buffer.from(datagram).toString());
      if (seen.datagrams.length % 2 === 0) throw new Error(`not ${seen.datagrams.length}`);
    };
    const sent = Array.from({ length: 5 }, (_, i) => `datagram ${i}`);
    for (const text of sent) session.send(bytes(text));
    blockThread(100);
    await until(() => seen.datagrams.length === 5);
    expect(seen.datagrams).toEqual(sent);
    expect(met).toEqual(['not 2', 'not 4']);
  });

  it('drops the oldest of a flooding session, counts them, and leaves others alone', async () => {
    const { server, client, session, other, certificateHashes } = await connected({
      options: { receiveQueue: 8 },
    });
    const quiet = await client.connect(server.url, { certificateHashes });
    const quietOther = await until(() => server.sessions[1]);
    const flood = record(other);
    const calm = record(quietOther);
    for (let i = 0; i < 5; i++) quiet.send(bytes(`calm ${i}`));
    for (let i = 0; i < 100; i++) session.send(bytes(`flood ${i}`));
    blockThread(300);
    await until(() => calm.datagrams.length === 5 && flood.datagrams.length >= 8);
    expect(calm.datagrams).toEqual([0, 1, 2, 3, 4].map((i) => `calm ${i}`));
    expect(flood.datagrams).toEqual([92, 93, 94, 95, 96, 97, 98, 99].map((i) => `flood ${i}`));
    expect(other.stats()).toMatchObject({ datagramsReceived: 100, droppedIn: 92 });
    expect(quietOther.stats()).toMatchObject({ datagramsReceived: 5, droppedIn: 0 });
  });

  it('sends one payload to many sessions at once', async () => {
    const { server, client, session, certificateHashes } = await connected();
    const more = [1, 2, 3, 4].map(() => client.connect(server.url, { certificateHashes }));
    const seen = [session, ...(await Promise.all(more))].map(record);
    await until(() => server.sessions.length === 5);
    const payload = bytes('to all');
    expect(server.endpoint.sendMany([...server.sessions, { id: 999_999 }], payload)).toBe(5);
    payload.fill(0);
    await until(() => seen.every(({ datagrams }) => datagrams.length === 1));
    expect(seen.map(({ datagrams }) => datagrams[0])).toEqual(Array(5).fill('to all'));
  });

  it('sends to a group in order, even if some of it have ended', async () => {
    const { server, client, session, certificateHashes } = await connected({
      options: { sendQueueBytes: 64 * 1024 },
    });
    const more = [1, 2, 3, 4].map(() => client.connect(server.url, { certificateHashes }));
    const clients = [session, ...(await Promise.all(more))];
    const seen = clients.map(record);
    await until(() => server.sessions.length === 5);
    const group = server.endpoint.createGroup();
    expect(group.set([...server.sessions, { id: 999_999 }])).toBe(true);
    const texts = Array.from({ length: 10 }, (_, i) => `to all ${i}`);
    for (const text of texts) {
      const payload = bytes(text);
      expect(group.send(payload)).toBe(5);
      payload.fill(0);
    }
    await until(() => seen.every(({ datagrams }) => datagrams.length === 10));
    for (const { datagrams } of seen) expect(datagrams).toEqual(texts);
    clients[2].close();
    await until(() => server.endpoint.sessionCount === 4);
    group.send(bytes('to those who stayed'));
    await until(() => seen.filter(({ datagrams }) => datagrams.length === 11).length === 4);
    expect(seen[2].datagrams).toHaveLength(10);
  });

  it('sends nothing to a group that was closed, and to those only who are in it', async () => {
    const { server, client, session, certificateHashes } = await connected();
    const second = await client.connect(server.url, { certificateHashes });
    await until(() => server.sessions.length === 2);
    const [one, two] = [record(session), record(second)];
    const [first, other] = [server.endpoint.createGroup(), server.endpoint.createGroup()];
    first.set(server.sessions);
    first.set([server.sessions[1]]);
    other.set([server.sessions[0]]);
    first.send(bytes('to the second'));
    other.send(bytes('to the first'));
    await until(() => one.datagrams.length + two.datagrams.length === 2);
    expect([one.datagrams, two.datagrams]).toEqual([['to the first'], ['to the second']]);
    first.close();
    first.close();
    expect(first.send(bytes('to nobody'))).toBe(0);
  });

  it('refuses and counts what is larger than the path takes', async () => {
    const { session } = await connected();
    const seen = record(session);
    expect(session.send(new Uint8Array(20_000))).toBe(false);
    const largest = session.stats()?.maxDatagramSize ?? 0;
    expect(largest).toBeGreaterThan(1100);
    expect(session.send(new Uint8Array(1100))).toBe(true);
    await until(() => seen.datagrams.length === 1);
    expect(session.stats()).toMatchObject({
      droppedTooBig: 1,
      datagramsSent: 1,
      datagramsReceived: 1,
    });
  });

  it('pushes the oldest out of a send queue that is full, and counts', async () => {
    const client = closeAfter(new Endpoint({ sendQueueBytes: 4096 }));
    const server = await startServer({ options: { receiveQueue: 5000 } });
    const session = await client.connect(server.url, {
      certificateHashes: [server.certificate.hash],
    });
    const other = await until(() => server.sessions[0]);
    const seen = record(other);
    for (let i = 0; i < 2000; i++) session.send(bytes(String(i).padEnd(1000)));
    await until(() => seen.datagrams.at(-1)?.startsWith('1999'));
    const { droppedBlocked = 0 } = session.stats() ?? {};
    expect(droppedBlocked).toBeGreaterThan(0);
    expect(seen.datagrams.length).toBeLessThanOrEqual(2000 - 1);
  });
});

nativeTests.describe('native engine: sessions', () => {
  it('reports the request and its client to the server', async () => {
    const { client, server, certificateHashes } = await connected();
    const url = `https://127.0.0.1:${server.port}/session?room=a%20b&x=1`;
    await client.connect(url, {
      certificateHashes,
      headers: { 'x-custom': 'yes', origin: 'https://page.example' },
    });
    const { peer, request } = await until(() => server.sessions[1]);
    expect(peer).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(request).toMatchObject({
      peer,
      path: '/session',
      query: 'room=a%20b&x=1',
      authority: `127.0.0.1:${server.port}`,
      origin: 'https://page.example',
    });
    expect(request?.headers).toEqual(expect.arrayContaining(['x-custom', 'yes']));
  });

  it.each([404, 403, 503])('answers with the status %i', async (status) => {
    const server = await startServer({ onRequest: (request) => request.reject(status) });
    const client = closeAfter(new Endpoint());
    const connecting = client.connect(server.url, { certificateHashes: [server.certificate.hash] });
    await expect(connecting).rejects.toMatchObject({ code: 'ERR_WEBTRANSPORT_CONNECT', status });
  });

  it('waits for a late decision, and refuses when there is none', async () => {
    const late = await startServer({
      onRequest: (request) => void setTimeout(request.accept, 100),
    });
    const client = closeAfter(new Endpoint());
    const session = await client.connect(late.url, { certificateHashes: [late.certificate.hash] });
    expect(session.open).toBe(true);
    const never = await startServer({ options: { handshakeTimeoutMs: 1000 }, onRequest: () => {} });
    const connecting = client.connect(never.url, { certificateHashes: [never.certificate.hash] });
    await expect(connecting).rejects.toMatchObject({ status: 503 });
  });

  it('outlives the time that there is for opening it', async () => {
    const { session } = await connected({ options: { handshakeTimeoutMs: 1000 } });
    await new Promise((resolve) => void setTimeout(resolve, 2500));
    expect(session.open).toBe(true);
  });

  it.each(['the client', 'the server'])('closes with code and reason when %s does', async (who) => {
    const { session, other } = await connected();
    const [near, far] = who === 'the client' ? [session, other] : [other, session];
    const ends = [record(near), record(far)];
    near.close(4_000_000_000, 'genug für heute');
    near.close(1, 'too late');
    expect(near.open).toBe(false);
    expect(near.send(bytes('x'))).toBe(false);
    await until(() => ends.every(({ closed }) => closed));
    expect(ends[0].closed).toEqual([4_000_000_000, 'genug für heute', 'local']);
    expect(ends[1].closed).toEqual([4_000_000_000, 'genug für heute', 'peer']);
    expect(far.openStream()).toBe(null);
    expect(far.stats()?.rttMs).toBeGreaterThan(0);
  });

  it('cuts a reason off at 1024 bytes, between characters', async () => {
    const { session, other } = await connected();
    const seen = record(other);
    session.close(1, `x${'ü'.repeat(600)}`);
    await until(() => seen.closed);
    expect(seen.closed?.[1]).toBe(`x${'ü'.repeat(511)}`);
  });

  it('has as many connections as it may, and room again when one ends', async () => {
    const { server, client, session, other, certificateHashes } = await connected({
      options: { maxConnections: 1 },
    });
    const ended = record(other);
    await expect(client.connect(server.url, { certificateHashes })).rejects.toBeInstanceOf(
      ConnectError,
    );
    session.close();
    await until(() => ended.closed);
    const end = performance.now() + 10_000;
    let again = null;
    while (!again && performance.now() < end) {
      again = await client.connect(server.url, { certificateHashes }).catch(() => null);
    }
    expect(again?.open).toBe(true);
  });

  it('knows round-trip time, congestion window and losses', async () => {
    const beganMs = performance.now();
    const { session } = await connected();
    const seen = record(session);
    for (let i = 0; i < 20; i++) session.send(bytes(`${i}`));
    await until(() => seen.datagrams.length === 20);
    const stats = session.stats();
    expect(stats).toMatchObject({
      lostPackets: 0,
      datagramsSent: 20,
      datagramsReceived: 20,
      malformed: 0,
    });
    expect(stats?.rttMs).toBeGreaterThan(0);
    // However slow the machine: what went there and back did so since the beginning.
    expect(stats?.rttMs).toBeLessThan(performance.now() - beganMs);
    expect(stats?.cwnd).toBeGreaterThan(1200);
    expect(stats?.sentPackets).toBeGreaterThan(0);
  });

  it('knows since when a packet is in flight, and writes what rules poll to an array', async () => {
    const { session, other } = await connected();
    const seen = record(session);
    for (let i = 0; i < 20; i++) other.send(bytes(`${i}`.padEnd(100)));
    await until(() => seen.datagrams.length === 20);
    await until(() => other.stats()?.underWayMs === 0);
    const path = new Float64Array(PATH_FIELDS);
    expect(other.path(path)).toBe(true);
    const { rttMs, sentPackets, lostPackets, deliveryBps, deliveryIsLimit } = /** @type {any} */ (
      other.stats()
    );
    expect([...path]).toEqual([
      rttMs,
      sentPackets,
      lostPackets,
      0,
      deliveryBps ?? NaN,
      Number(deliveryIsLimit),
      0,
    ]);
    expect(PATH_FIELDS).toBe(Object.keys(PathField).length);
    expect(other.path(new Float64Array(PATH_FIELDS - 1))).toBe(false);
  });
});

nativeTests.describe('native engine: certificates', () => {
  it('believes only the hash that it is given', async () => {
    const { client, server } = await connected();
    const wrong = await newCertificate();
    for (const certificateHashes of [[wrong.hash], [new Uint8Array(32)], [new Uint8Array(0)], []]) {
      await expect(client.connect(server.url, { certificateHashes })).rejects.toBeInstanceOf(
        ConnectError,
      );
    }
    const certificateHashes = [wrong.hash, Buffer.from(server.certificate.hash, 'base64')];
    expect((await client.connect(server.url, { certificateHashes })).open).toBe(true);
  });

  it('takes up a new one, while the sessions that there are go on', async () => {
    const { client, server, session, certificateHashes } = await connected();
    const seen = record(session);
    const fresh = await newCertificate();
    server.endpoint.setCertificate(fresh.certPem, fresh.keyPem);
    session.send(bytes('still here'));
    await until(() => seen.datagrams.length === 1);
    await expect(client.connect(server.url, { certificateHashes })).rejects.toBeInstanceOf(
      ConnectError,
    );
    expect((await client.connect(server.url, { certificateHashes: [fresh.hash] })).open).toBe(true);
  });

  it('keeps the old one when the new one is no good', async () => {
    const { client, server, certificateHashes } = await connected();
    const [one, two] = [await newCertificate(), await newCertificate()];
    for (const [certPem, keyPem] of [
      ['junk', 'junk'],
      ['', ''],
      [one.certPem, 'junk'],
      [one.certPem, two.keyPem],
    ]) {
      expect(() => server.endpoint.setCertificate(certPem, keyPem)).toThrow(/certificate|key/);
    }
    expect((await client.connect(server.url, { certificateHashes })).open).toBe(true);
  });
});

nativeTests.describe('native engine: what goes wrong', () => {
  it('bears garbage on its port', async () => {
    const { server, session } = await connected();
    const seen = record(session);
    const socket = createSocket('udp4');
    let seed = 1;
    for (let i = 0; i < 500; i++) {
      const packet = Buffer.alloc(1 + ((i * 37) % 1400));
      for (let at = 0; at < packet.length; at++)
        packet[at] = seed = (seed * 48_271) % 2_147_483_647;
      // Every other one looks like the beginning of a QUIC handshake (RFC 9000, section 17.2.2).
      if (i % 2 === 0) packet.set([0xc3, 0, 0, 0, 1, 8].slice(0, packet.length));
      socket.send(packet, server.port, '127.0.0.1');
    }
    session.send(bytes('hello'));
    await until(() => seen.datagrams.length === 1);
    socket.close();
  });

  it('listens at several addresses, with one port and one certificate', async () => {
    const [first, renewed] = await Promise.all([newCertificate(), newCertificate()]);
    const server = closeAfter(new Endpoint());
    const accepting = {
      onRequest: (/** @type {any} */ request) => void request.accept(),
      onSession: () => {},
    };
    const { port } = await server.listen({
      host: ['127.0.0.1', '127.0.0.2'],
      ...first,
      ...accepting,
    });
    const client = closeAfter(new Endpoint());
    const openAll = (/** @type {string} */ hash) =>
      Promise.all(
        ['127.0.0.1', '127.0.0.2'].map((host) =>
          client.connect(`https://${host}:${port}/session`, { certificateHashes: [hash] }),
        ),
      );
    expect((await openAll(first.hash)).length).toBe(2);
    server.setCertificate(renewed.certPem, renewed.keyPem);
    expect((await openAll(renewed.hash)).length).toBe(2);
  });

  it('says why it can not listen', async () => {
    const { server } = await connected();
    const { certPem, keyPem } = server.certificate;
    const rest = { certPem, keyPem, onRequest: () => {}, onSession: echo };
    const second = closeAfter(new Endpoint());
    await expect(second.listen({ ...rest, port: server.port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
    await expect(second.listen({ ...rest, host: '192.0.2.1' })).rejects.toMatchObject({
      code: 'EADDRNOTAVAIL',
    });
    await expect(second.listen({ ...rest, certPem: 'junk' })).rejects.toThrow(/certificate/);
    await expect(second.listen({ ...rest, keyPem: 'junk' })).rejects.toThrow(/key/);
  });

  it('says why it can not connect', async () => {
    const client = closeAfter(new Endpoint({ handshakeTimeoutMs: 300 }));
    await expect(client.connect('http://localhost:1/')).rejects.toBeInstanceOf(TypeError);
    await expect(client.connect('nonsense')).rejects.toBeInstanceOf(TypeError);
    await expect(client.connect('https://localhost:9/')).rejects.toBeInstanceOf(ConnectError);
    await expect(client.connect('https://name.invalid/')).rejects.toBeInstanceOf(ConnectError);
    await client.close();
    await expect(client.connect('https://localhost:9/')).rejects.toBeInstanceOf(ConnectError);
  });

  it('refuses options that make no sense', () => {
    const wrong = [
      { receiveQueue: 0 },
      { idleTimeoutMs: -1 },
      { ioThreads: 1.5 },
      { maxStreams: NaN },
    ];
    for (const options of wrong) expect(() => new Endpoint(options)).toThrow(RangeError);
  });

  it('closes with all its sessions, and can be closed again', async () => {
    const { server, session, other } = await connected();
    const ends = [record(session), record(other)];
    await server.endpoint.close(12, 'closing');
    await server.endpoint.close();
    await until(() => ends.every(({ closed }) => closed));
    expect(ends.map(({ closed }) => closed)).toEqual([
      [12, 'closing', 'peer'],
      [12, 'closing', 'local'],
    ]);
    expect(server.endpoint.sessionCount).toBe(0);
  });
});
