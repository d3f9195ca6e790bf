import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { Endpoint } from '@aloud/native';
import { afterEach, expect, it } from 'vitest';
import { closeAfter, closeAll, nativeTests, startServer, until } from '../../../testkit/native.js';

/** @import { NativeSession } from '@aloud/native' */

afterEach(closeAll);

/** @returns {Promise<import('node:dgram').Socket>} on a free port of this machine */
async function openSocket() {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return socket;
}

/**
 * A box between a client and a server, which forgets its port as a NAT does.
 * @param {number} port  the server's
 */
async function startBox(port) {
  const inner = await openSocket();
  const sockets = [inner];
  let clientPort = 0;
  const openOuter = async () => {
    const outer = await openSocket();
    sockets.push(outer);
    outer.on('message', (bytes) => {
      if (box.passesBack) inner.send(bytes, clientPort, '127.0.0.1');
    });
    return outer;
  };
  const box = {
    port: inner.address().port,
    passesBack: true,
    forget: async () => void (outer = await openOuter()),
    close() {
      for (const socket of sockets) socket.removeAllListeners('message');
      for (const socket of sockets) socket.close();
    },
  };
  let outer = await openOuter();
  inner.on('message', (bytes, from) => {
    clientPort = from.port;
    outer.send(bytes, port, '127.0.0.1');
  });
  return closeAfter(box);
}

/** @param {NativeSession} session */
const pathOf = (session) => {
  const { mtu, rttMs, cwnd } = session.stats() ?? { mtu: 0, rttMs: 0, cwnd: 0 };
  return { mtu, rttMs, cwnd };
};

/** @param {Awaited<ReturnType<typeof startServer>>} server @param {string} authority */
async function connect(server, authority) {
  const client = closeAfter(new Endpoint());
  const url = `https://${authority}/session`;
  return client.connect(url, { certificateHashes: [server.certificate.hash] });
}

nativeTests.describe('native engine: the path to an IPv4 client of a server on ::', () => {
  it('keeps round trip, window and MTU where a NAT gives the client another port', async () => {
    const server = await startServer();
    const box = await startBox(server.port);
    const session = await connect(server, `127.0.0.1:${box.port}`);
    const other = await until(() => server.sessions[0]);
    let echoes = 0;
    session.onDatagram = () => (echoes += 1);
    await until(() => {
      session.send(new Uint8Array(100));
      return pathOf(other).mtu > 1400;
    });
    const before = pathOf(other);
    const received = other.stats()?.datagramsReceived ?? 0;
    // Nothing is answered, so that what is begun again can't be found again.
    box.passesBack = false;
    await box.forget();
    session.send(new Uint8Array(100));
    await until(() => (other.stats()?.datagramsReceived ?? 0) > received);
    const after = pathOf(other);
    // The search for the greatest one may still go on.
    expect(after.mtu).toBeGreaterThanOrEqual(before.mtu);
    expect(after.cwnd).toBeGreaterThanOrEqual(before.cwnd);
    expect(after.rttMs).toBeLessThan(before.rttMs + 50);
    box.passesBack = true;
    const heard = echoes;
    await until(() => session.send(new Uint8Array(100)) && echoes > heard + 10);
    expect(other.peer).toMatch(/^127\.0\.0\.1:/);
  });

  it('answers from the address that was asked', async () => {
    const server = await startServer();
    const session = await connect(server, `127.0.0.2:${server.port}`);
    let echoes = 0;
    session.onDatagram = () => (echoes += 1);
    await until(() => session.send(new Uint8Array(1000)) && echoes > 5);
  });

  it('is there for an IPv6 client beside it', async () => {
    const server = await startServer();
    const session = await connect(server, `[::1]:${server.port}`);
    let echoes = 0;
    session.onDatagram = () => (echoes += 1);
    await until(() => session.send(new Uint8Array(1000)) && echoes > 5);
  });
});
