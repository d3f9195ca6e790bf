/**
 * Cases shared by tests of the product's congestion controller and of the lab's.
 * @typedef {{ congestionController: string, library?: string | null }} Settings  of both ends
 */

import { createSocket } from 'node:dgram';
import { Endpoint } from '@aloud/native';
import { expect } from 'vitest';
import { closeAfter, closeAll, readAll, record, startServer, until } from './native.js';
import { undisturbed } from './undisturbed.js';

/** Bytes that may be under way in any case. */
export const LIVE_WINDOW = 32 * 1024;

/** A sender's packets, one each 10 ms. */
const PACKET = new Uint8Array(400);
const EVERY_MS = 10;

/**
 * A way to a UDP port of this machine, for one client.
 * @param {number} to
 */
async function openWay(to) {
  const way = {
    delayMs: 0,
    /** One in this number of uplink packets is lost; 0: none. */ lossIn: 0,
    port: 0,
  };
  const [near, far] = [createSocket('udp6'), createSocket('udp6')];
  let client = { port: 0, address: '' };
  let [passed, open] = [0, true];
  /**
   * @param {import('node:dgram').Socket} socket
   * @param {Uint8Array} bytes
   * @param {{ port: number, address: string }} peer
   */
  const pass = (socket, bytes, { port, address }) => {
    setTimeout(() => open && socket.send(bytes, port, address), way.delayMs);
  };
  near.on('message', (bytes, from) => {
    client = from;
    passed += 1;
    if (way.lossIn === 0 || passed % way.lossIn > 0) pass(far, bytes, { port: to, address: '::1' });
  });
  far.on('message', (bytes) => pass(near, bytes, client));
  await new Promise((resolve) => void near.bind(0, '::', () => resolve(undefined)));
  way.port = near.address().port;
  const close = () => {
    open = false;
    near.close();
    far.close();
  };
  return Object.assign(way, { close });
}

/**
 * A session over a way, whose client sends as if it spoke.
 * @param {Settings} options
 */
export async function speaking(options) {
  const server = await startServer({ options, onSession: () => {} });
  const way = closeAfter(await openWay(server.port));
  const client = closeAfter(new Endpoint(options));
  const session = await client.connect(`https://localhost:${way.port}/session`, {
    certificateHashes: [server.certificate.hash],
  });
  const timer = setInterval(() => session.send(PACKET), EVERY_MS);
  closeAfter({ close: () => clearInterval(timer) });
  const stats = () => session.stats() ?? expect.fail('the session has ended');
  return { way, stats };
}

/** Expects that random loss doesn't hold live sound back. @param {Settings} settings */
export const isNotHeld = (settings) =>
  undisturbed(async () => {
    const { way, stats } = await speaking(settings);
    Object.assign(way, { delayMs: 10, lossIn: 5 });
    const before = stats().lostPackets;
    await until(() => stats().lostPackets > before + 15, 15_000);
    expect(stats().cwnd).toBeGreaterThanOrEqual(LIVE_WINDOW);
    expect(stats().droppedBlocked).toBe(0);
  }, closeAll);

/** Expects that the controller's own window counts. @param {Settings} settings */
export async function isLeft(settings) {
  const { way, stats } = await speaking(settings);
  Object.assign(way, { delayMs: 10, lossIn: 5 });
  await until(() => stats().cwnd < LIVE_WINDOW / 4, 15_000);
}

const bytes = (/** @type {string} */ text) => new TextEncoder().encode(text);

/** More than a first window, in pieces that a stream's buffer takes. */
const PIECES = Array.from({ length: 16 }, (_, i) => new Uint8Array(4096).fill(i));

/**
 * @param {import('@aloud/native').NativeSession} from
 * @param {import('@aloud/native').Stream[]} arrived at the other end
 */
async function carriesStream(from, arrived) {
  const stream = from.openStream({ bidi: false }) ?? expect.fail('there is no stream');
  for (const piece of PIECES) await until(() => stream.write(piece));
  stream.finish();
  const received = await readAll(await until(() => arrived[0]));
  expect(received.equals(Buffer.concat(PIECES))).toBe(true);
}

/** Expects datagrams and streams to arrive, both ways. @param {Settings} options */
export async function carriesBothWays(options) {
  const { congestionController } = options;
  const server = await startServer({ options, onSession: () => {} });
  const client = closeAfter(new Endpoint(options));
  const near = await client.connect(server.url, { certificateHashes: [server.certificate.hash] });
  const far = await until(() => server.sessions[0]);
  const seen = [record(near), record(far)];
  near.send(bytes('up'));
  far.send(bytes('down'));
  await until(() => seen.every(({ datagrams }) => datagrams.length === 1));
  expect(seen.map(({ datagrams }) => datagrams[0])).toEqual(['down', 'up']);
  await carriesStream(near, seen[1].streams);
  await carriesStream(far, seen[0].streams);
  for (const session of [near, far]) {
    const {
      congestionController: name,
      cwnd = 0,
      rttMs,
      deliveryBps,
      deliveryIsLimit,
    } = session.stats() ?? {};
    // A moment's packets give no rate, or one limited by the little that was sent.
    expect(deliveryBps === null || Number(deliveryBps) > 0).toBe(true);
    expect(typeof deliveryIsLimit).toBe('boolean');
    expect(name).toBe(congestionController);
    expect(cwnd > 2 ** 32 - 1).toBe(congestionController === 'none');
    expect(cwnd).toBeGreaterThanOrEqual(2400);
    expect(rttMs).toBeGreaterThan(0);
  }
}

/**
 * Sends datagrams of one length in one turn, more than the queue holds, and counts the lost ones.
 * They pass a way of this same thread, so nothing is acknowledged before the last one was given to
 * the engine.
 * @param {Settings} settings
 * @param {number} length
 */
export async function countsPushedOut(settings, length) {
  const options = { ...settings, receiveQueue: 5000 };
  const server = await startServer({ options, onSession: () => {} });
  const client = closeAfter(new Endpoint({ ...settings, sendQueueBytes: 4096 }));
  const way = closeAfter(await openWay(server.port));
  const near = await client.connect(`https://localhost:${way.port}/session`, {
    certificateHashes: [server.certificate.hash],
  });
  const { datagrams } = record(await until(() => server.sessions[0]));
  const COUNT = 2000;
  for (let i = 0; i < COUNT; i++) near.send(bytes(String(i).padEnd(length)));
  await until(() => datagrams.at(-1)?.startsWith(String(COUNT - 1)));
  const { droppedBlocked = 0 } = near.stats() ?? {};
  expect(droppedBlocked).toBeGreaterThan(0);
  expect(Math.abs(COUNT - datagrams.length - droppedBlocked)).toBeLessThanOrEqual(10);
}
