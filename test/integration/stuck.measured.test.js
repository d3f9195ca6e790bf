/**
 * Somebody reads nothing any more. Their packets are dropped and counted, no queue grows without
 * limit, and the others hear each other as before. The delay is fixed and long, so that a busy
 * machine doesn't count as one.
 *
 * @import { Socket } from 'node:net'
 */

import { isBuilt } from '@aloud/native';
import { spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Headless } from '../../testkit/participants/headless.js';
import { writeListEntry } from '../../public/shared/wire/packet-list.js';
import { MAX_PACKET_BYTES, writeClockRequest } from '../../public/shared/wire/packet.js';
import { loadCodec } from '../../server/codec/codec.js';
import { loadConfig } from '../../server/config/config.js';
import { createServer } from '../../server/server.js';
import { seededRandom } from '../../testkit/random.js';
import { canBuildNative, requireOrSkip } from '../../testkit/skip.js';
import { statsOf, WITH_OPERATOR } from '../support/operator.js';
import { undisturbed } from '../../testkit/undisturbed.js';

const JOIN = { type: 'join', version: 1, room: 'lab', name: 'Eve' };
/** Time over which the others' sound is checked, in milliseconds. */
const LOOK_MS = 3000;

const codec = await loadCodec('libopus-wasm');
const quiet = { error: vi.fn(), warn() {}, info() {}, debug() {} };
/**
 * A second of noise, another for each seed. The same tone from everybody could cancel itself in the
 * mix of two, and Eve would be sent silence.
 */
function noise(/** @type {number} */ seed) {
  const random = seededRandom(seed);
  return Float32Array.from({ length: 48_000 }, () => 0.4 * random() - 0.2);
}

/** @type {(() => unknown)[]} */
const open = [];
async function closeAll() {
  for (const close of open.splice(0).toReversed()) await close();
  expect(quiet.error).not.toHaveBeenCalled();
}
afterEach(closeAll);

/**
 * A test that starts over after a disturbance: by then Eve may have been refused.
 * @param {() => Promise<void>} test
 */
const retried = (test) => () => undisturbed(test, closeAll);

/** A room in which Ann and Bob talk, loud and in many bytes. */
async function talking() {
  const argv = [
    ...WITH_OPERATOR,
    '--port',
    '0',
    '--h3-port',
    '0',
    '--server-delay-ms',
    '300',
    '--bitrate',
    '256000',
  ];
  const server = await createServer(loadConfig({ argv, env: {} }), { log: quiet });
  open.push(() => server.close());
  const people = [];
  for (const [seed, name] of ['Ann', 'Bob'].entries()) {
    const person = new Headless({ codec, speech: noise(seed + 1), recordSeconds: 1 });
    open.push(() => person.close());
    await person.join(
      /** @type {any} */ ({
        origin: server.url,
        room: 'lab',
        name,
        transport: 'websocket',
        silenceSuppression: false,
      }),
    );
    people.push(person);
  }
  await pause(1500);
  return { url: server.url, people };
}

/** @param {string} url @returns {Promise<number>} number of packets to Eve that were dropped */
const droppedOf = async (url) => (await statsOf(url, 'Eve')).droppedOut;

/** Packets that came to somebody, and what was missing. @param {Headless} person */
function heardBy(person) {
  const { received, late, lost, concealed } = /** @type {any} */ (person.stats()).detail.playout;
  return { received, missed: late + lost + concealed };
}

/**
 * Looks at what the people hear while somebody takes nothing.
 * @param {{ url: string, people: Headless[] }} room
 * @returns {Promise<number>} number of packets to Eve that were dropped in that time
 */
async function othersHear({ url, people }) {
  const [before, dropped] = [people.map(heardBy), await droppedOf(url)];
  const { arrayBuffers, external } = process.memoryUsage();
  await pause(LOOK_MS);
  for (const [i, { received, missed }] of people.map(heardBy).entries()) {
    expect(received - before[i].received).toBeGreaterThan(LOOK_MS / 20 - 20);
    expect(missed - before[i].missed).toBeLessThanOrEqual(1);
  }
  const now = process.memoryUsage();
  expect(now.arrayBuffers + now.external - arrayBuffers - external).toBeLessThan(8e6);
  return (await droppedOf(url)) - dropped;
}

/** The server's ends of the connections that are made from now on. @returns {Socket[]} */
function serverSockets() {
  const sockets = /** @type {Socket[]} */ ([]);
  const heed = (/** @type {unknown} */ message) =>
    void sockets.push(/** @type {{ socket: Socket }} */ (message).socket);
  subscribe('net.server.socket', heed);
  open.push(() => unsubscribe('net.server.socket', heed));
  return sockets;
}

/**
 * Writes pongs, which nobody heeds, until the sockets of both ends hold no more: some megabytes,
 * for which the sound alone would take minutes.
 * @param {Socket} socket
 */
async function fill(socket) {
  const pong = Buffer.concat([Buffer.of(0x8a, 125), Buffer.alloc(125)]);
  const many = Buffer.alloc(512 * pong.length, pong);
  for (let waits = 0; waits < 20; waits += 1) {
    expect(socket.destroyed).toBe(false);
    if (socket.writableLength === 0) waits = 0;
    while (socket.writableLength === 0) socket.write(many);
    await pause(10);
  }
}

const engine = requireOrSkip(isBuilt(), 'the native engine is not built', canBuildNative);

describe('a participant who reads nothing', () => {
  engine.it(
    'over QUIC, and acknowledges nothing',
    retried(async () => {
      const room = await talking();
      const script = fileURLToPath(new URL('../fixtures/listener.js', import.meta.url));
      const child = spawn(process.execPath, [script, room.url, 'lab'], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      open.push(() => child.kill('SIGKILL'));
      const [said] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
      expect(String(said)).toMatch(/^joined/);
      child.kill('SIGSTOP');
      // Until QUIC has sent what may go unacknowledged, and its queue is full.
      await pause(2500);
      expect(await othersHear(room)).toBeGreaterThan(LOOK_MS / 20 / 2);
    }),
  );

  it(
    'over WebSocket',
    retried(async () => {
      const room = await talking();
      const sockets = serverSockets();
      const ws = new WebSocket(`${room.url.replace('http', 'ws')}/session`);
      open.push(() => ws.terminate());
      await once(ws, 'open');
      ws.send(JSON.stringify(JOIN));
      await once(ws, 'message');
      /** @type {any} */ (ws)._socket.pause();
      const { localPort } = /** @type {any} */ (ws)._socket;
      await fill(
        /** @type {Socket} */ (sockets.find(({ remotePort }) => remotePort === localPort)),
      );
      await vi.waitFor(async () => expect(await droppedOf(room.url)).toBeGreaterThan(0), {
        timeout: 15_000,
        interval: 100,
      });
      expect(await othersHear(room)).toBeGreaterThan(LOOK_MS / 20 - 10);
    }),
  );

  it(
    'over HTTP/1, and asks again and again',
    retried(async () => {
      const room = await talking();
      const headers = { 'content-type': 'application/json' };
      const opened = await fetch(`${room.url}/api/sessions`, {
        method: 'POST',
        headers,
        body: JSON.stringify(JOIN),
      });
      expect(opened.status).toBe(201);
      const { token } = await opened.json();
      const { port, hostname } = new URL(room.url);
      const socket = connect(Number(port), hostname);
      open.push(() => socket.destroy());
      await once(socket, 'connect');
      socket.pause();
      const bytes = new Uint8Array(MAX_PACKET_BYTES);
      const request = writeClockRequest(bytes, 1);
      const list = new Uint8Array(MAX_PACKET_BYTES);
      const body = Buffer.from(
        list.subarray(0, writeListEntry(list, 0, bytes.subarray(0, request))),
      );
      const head = `POST /api/sessions/${token}/packets HTTP/1.1\r\nhost: ${hostname}\r\n`;
      const type =
        `content-type: application/octet-stream\r\ncontent-length: ` + `${body.length}\r\n\r\n`;
      const many = Buffer.concat(
        Array.from({ length: 500 }, () => Buffer.concat([Buffer.from(head + type), body])),
      );
      socket.on('error', () => {});
      const ended = new Promise((resolve) => void socket.once('close', resolve));
      socket.write(many);
      // Requests ahead of their answers end the connection; the session has others.
      socket.resume();
      await ended;
      await othersHear(room);
    }),
  );
});
