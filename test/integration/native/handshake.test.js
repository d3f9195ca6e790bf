/** Packets of the server before a handshake is over. */

import { createSocket } from 'node:dgram';
import { Endpoint, load } from '@aloud/native';
import { afterEach, expect, it } from 'vitest';
import { Handshake } from '../../hostile/support/quic-initial.js';
import { closeAfter, closeAll, nativeTests, startServer, until } from '../../../testkit/native.js';

/** The place of src/faults.rs where quinn's lock on a connection is held. */
const UNDER_LOCK = 3;

/**
 * Time without a datagram after which the server's first flight is over, in milliseconds; it
 * repeats it after a second.
 */
const QUIET_MS = 200;

/** The largest datagram of a handshake. quinn sends a whole one where a byte may still be sent. */
const DATAGRAM_BYTES = 1200;

const HOST = '127.0.0.1';

const options = { handshakeTimeoutMs: 2000 };

afterEach(async () => {
  delete process.env.ALOUD_NATIVE_PANICS;
  await closeAll();
});

/** @returns {Promise<import('node:dgram').Socket>} a socket that is bound */
async function openSocket() {
  const socket = closeAfter(createSocket('udp4'));
  await new Promise((resolve) => void socket.bind(0, HOST, () => resolve(undefined)));
  return socket;
}

/** Sends a client's first datagram, and nothing more. @param {number} port */
async function greet(port) {
  const socket = await openSocket();
  const first = new Handshake().first();
  const greeted = { sent: first.length, received: 0, atMs: Infinity };
  socket.on('message', (datagram) => {
    greeted.received += datagram.length;
    greeted.atMs = performance.now();
  });
  socket.send(first, port, HOST);
  return greeted;
}

/**
 * A way to the server on which the client gets the server's first flight, and from then on nothing.
 * What the client sends after its first datagram waits for that.
 * @param {number} port the server's
 * @returns {Promise<number>} the way's port
 */
async function openFirstFlight(port) {
  const [near, far] = [await openSocket(), await openSocket()];
  let client = 0;
  let isOver = false;
  /** @type {Buffer[] | null} */
  let waiting = null;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  near.on('message', (datagram, from) => {
    client = from.port;
    if (waiting && !isOver) waiting.push(datagram);
    else far.send(datagram, port, HOST);
    waiting ??= [];
  });
  far.on('message', (datagram) => {
    if (isOver) return;
    near.send(datagram, client, HOST);
    clearTimeout(timer);
    timer = setTimeout(() => {
      isOver = true;
      for (const held of waiting ?? []) far.send(held, port, HOST);
    }, QUIET_MS);
  });
  return near.address().port;
}

nativeTests.describe('native engine: before a handshake is over', () => {
  it('a client has all that it needs to ask for a session', async () => {
    const asked = /** @type {string[]} */ ([]);
    const onRequest = (/** @type {import('@aloud/native').SessionRequest} */ request) =>
      asked.push(request.path);
    const { port, certificate } = await startServer({ options, onRequest });
    const client = closeAfter(new Endpoint(options));
    const url = `https://${HOST}:${await openFirstFlight(port)}/session`;
    const connecting = expect(
      client.connect(url, { certificateHashes: [certificate.hash] }),
    ).rejects.toThrow();
    await until(() => asked.length > 0);
    expect(asked).toEqual(['/session']);
    await connecting;
  });

  it('an unvalidated address gets less than three times its bytes plus one datagram', async () => {
    const { endpoint, port } = await startServer({ options });
    const greeted = await greet(port);
    await until(() => greeted.received > 0);
    await until(() => endpoint.admissions().pending === 0);
    expect(greeted.received).toBeLessThan(3 * greeted.sent + DATAGRAM_BYTES);
  });

  it("a panic under quinn's lock leaves the port open", async () => {
    process.env.ALOUD_NATIVE_PANICS = '1';
    const { endpoint, certificate, port, url } = await startServer({ options });
    const faults = /** @type {string[]} */ ([]);
    endpoint.onFault = (message) => faults.push(message);
    const greeted = await greet(port);
    // The control stream is open then, and meets the poisoned lock too.
    await until(() => performance.now() > greeted.atMs + QUIET_MS);
    load().panicForTest(UNDER_LOCK);
    await until(() => faults.length > 0);
    await until(() => endpoint.admissions().pending === 0);
    expect(faults[0]).toBe('a test asked for it');
    const client = closeAfter(new Endpoint());
    expect((await client.connect(url, { certificateHashes: [certificate.hash] })).open).toBe(true);
  });
});
