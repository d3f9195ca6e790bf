/**
 * A server takes what clients send wrong, over real sockets: dropped, counted by reason in that
 * participant's stats, and heard by nobody.
 */

import { Endpoint, isBuilt } from '@aloud/native';
import { WebSocket } from 'ws';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Headless } from '../../testkit/participants/headless.js';
import { levelDb } from '../../testkit/sound/signal.js';
import { webTransportOn } from '../../programs/scope.js';
import { connect } from '../../public/client/connection/choose.js';
import { systemClock } from '../../public/shared/clock.js';
import { Packet, writeAudioHeader, writeClockRequest } from '../../public/shared/wire/packet.js';
import { writeListEntry } from '../../public/shared/wire/packet-list.js';
import { loadCodec } from '../../server/codec/codec.js';
import { loadConfig } from '../../server/config/config.js';
import { createServer } from '../../server/server.js';
import { random } from '../fakes/random.js';
import { canBuildNative, requireOrSkip } from '../../testkit/skip.js';
import { statsOf, WITH_OPERATOR } from '../support/operator.js';

const codec = await loadCodec('libopus-wasm');
const quiet = { error: vi.fn(), warn() {}, info() {}, debug() {} };
const FRAME_MS = 20;

/** @type {(() => unknown)[]} */
const open = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
  expect(quiet.error).not.toHaveBeenCalled();
});

/** @param {string[]} argv */
async function startServer(...argv) {
  const config = loadConfig({
    argv: [...WITH_OPERATOR, '--port', '0', '--h3-port', '0', ...argv],
    env: {},
  });
  const server = await createServer(config, { log: quiet });
  open.push(() => server.close());
  return server;
}

/**
 * Joins without a microphone's or a speaker's rules.
 * @param {string} origin
 * @param {any} transport
 */
async function attack(origin, transport) {
  const endpoint = transport === 'webtransport' ? new Endpoint({ ioThreads: 1 }) : null;
  if (endpoint) open.push(() => endpoint.close());
  /** @type {any[]} */
  const messages = [];
  const seen = { packets: 0, ended: '' };
  const { connection } = await connect({
    transport,
    origin,
    config: await (await fetch(`${origin}/api/config`)).json(),
    message: { type: 'join', version: 1, room: 'lab', name: 'Eve' },
    handler: {
      onPacket: () => void (seen.packets += 1),
      onControl: (message) => messages.push(message),
      onClosed: (code) => void (seen.ended = code),
    },
    prove: async () => {},
    clock: systemClock,
    scope: {
      WebSocket: /** @type {any} */ (WebSocket),
      WebTransport: endpoint ? webTransportOn(endpoint) : undefined,
    },
  });
  open.push(() => connection.close());
  return { connection, messages, seen };
}

/** The frame of the grid that the server's clock is in. @param {string} origin */
async function currentFrame(origin) {
  const { clock, sampleRate } = await (await fetch(`${origin}/api/clock`)).json();
  return Math.floor((clock * 1000) / sampleRate / FRAME_MS);
}

const packet = new Packet();

/** @param {number} frame @param {number[]} [payload] @param {number} [sequence] */
function audio(frame, payload = [], sequence = 0) {
  const out = new Uint8Array(9 + payload.length);
  packet.frame = frame;
  packet.sequence = sequence;
  out.set(payload, writeAudioHeader(out, packet));
  return out;
}

/**
 * Each reason's packets.
 * @param {number} frame the current one
 * @returns {[string, Uint8Array[]][]}
 */
function wrongPackets(frame) {
  const clockRequest = new Uint8Array(4);
  writeClockRequest(clockRequest, 1);
  const flags = (/** @type {number} */ bits) => audio(frame).fill(bits, 1, 2);
  return [
    [
      'version',
      [Uint8Array.of(0x21, 0, 0, 0, 0, 0, 0, 0, 0), Uint8Array.of(0x01), Uint8Array.of(0xff)],
    ],
    ['type', [Uint8Array.of(0x10), Uint8Array.of(0x1f, 1, 2, 3)]],
    [
      'truncated',
      [
        Uint8Array.of(0x11),
        audio(frame).subarray(0, 8),
        clockRequest.subarray(0, 3),
        flags(1),
        flags(2),
      ],
    ],
    [
      'malformed',
      [
        flags(3),
        flags(16),
        flags(0x80),
        Uint8Array.of(0x12, 1, 0, 0),
        Uint8Array.of(0x12, 0, 0, 0, 0),
      ],
    ],
    ['early', [audio(frame + 1000), audio(frame + 2 ** 31 - 100)]],
    ['past', [audio(frame - 1000), audio(frame + 2 ** 31 + 100)]],
  ];
}

const engine = requireOrSkip(isBuilt(), 'the native engine is not built', canBuildNative);

describe.each(['webtransport', 'websocket', 'http1'])('over %s', (transport) => {
  const test = transport === 'webtransport' ? engine.it : it;

  test('wrong packets are counted by reason, and the call goes on', async () => {
    const { url } = await startServer();
    const { connection, seen } = await attack(url, transport);
    for (const [i, [reason]] of wrongPackets(0).entries()) {
      // A second later the counts have changed, because the earlier frames have left the window.
      const [, packets] = wrongPackets(await currentFrame(url))[i];
      for (const each of packets) {
        connection.send(each);
        await new Promise((resolve) => void setTimeout(resolve, 2));
      }
      const count = async () =>
        expect((await statsOf(url, 'Eve')).dropped[reason]).toBe(packets.length);
      await vi.waitFor(count);
    }
    const now = await currentFrame(url);
    for (let i = 0; i < 3; i++) connection.send(audio(now));
    await vi.waitFor(async () => expect((await statsOf(url, 'Eve')).duplicate).toBe(2));
    const { received, late, lost, garbage } = await statsOf(url, 'Eve');
    // In time or not is up to the machine.
    expect({ used: received + late, lost, garbage }).toEqual({ used: 1, lost: 0, garbage: 0 });
    expect(seen.ended).toBe('');
  });

  test('wrong control messages, and too many requests for the clock, are counted', async () => {
    const { url } = await startServer();
    const { connection, seen } = await attack(url, transport);
    const wrong = [
      {},
      { type: 'join', version: 1, room: 'x', name: 'y' },
      { type: 'mute', muted: 'yes' },
      { type: 'no' },
      [],
    ];
    for (const message of wrong) connection.sendControl(message);
    await vi.waitFor(async () =>
      expect((await statsOf(url, 'Eve')).dropped.control).toBe(wrong.length),
    );
    const request = new Uint8Array(4);
    for (let i = 0; i < 120; i++) {
      writeClockRequest(request, i);
      connection.send(request);
      if (i % 10 === 0) await new Promise((resolve) => void setTimeout(resolve, 5));
    }
    await vi.waitFor(async () =>
      expect((await statsOf(url, 'Eve')).dropped.flood).toBeGreaterThan(10),
    );
    expect(seen.ended).toBe('');
  });

  test('garbage instead of Opus is counted but never heard, nor are random packets', async () => {
    const { url } = await startServer();
    const bob = new Headless({ codec, recordSeconds: 10 });
    open.push(() => bob.close());
    await bob.join({ origin: url, room: 'lab', name: 'Bob', transport: 'websocket' });
    const { connection, seen } = await attack(url, transport);
    const next = random(transport.length);
    for (let i = 0, last = 0; i < 60; i++) {
      const frame = await currentFrame(url);
      if (frame === last) await new Promise((resolve) => void setTimeout(resolve, 5));
      last = frame;
      // No TOC byte of a 20 ms frame; then nothing that is a packet at all.
      connection.send(
        audio(frame, [0x03, 0xff, ...Array.from({ length: 40 }, () => next() * 256)], i),
      );
      connection.send(
        Uint8Array.from({ length: 1 + next() * 60 }, () => next() * 256).fill(0x15, 0, 1),
      );
    }
    await vi.waitFor(async () => expect((await statsOf(url, 'Eve')).garbage).toBeGreaterThan(5));
    expect(levelDb(bob.recording.subarray(0, bob.recorded))).toBeLessThan(-90);
    expect([seen.ended, bob.ended]).toEqual(['', null]);
  });
});

describe('packets that only some transports can carry', () => {
  it('over WebSocket: of no bytes, and longer than any may be', async () => {
    const { url } = await startServer();
    const socket = new WebSocket(`${url.replace('http', 'ws')}/session`);
    open.push(() => socket.terminate());
    await new Promise((resolve) => void socket.once('open', resolve));
    socket.send(JSON.stringify({ type: 'join', version: 1, room: 'lab', name: 'Eve' }));
    await new Promise((resolve) => void socket.once('message', resolve));
    socket.send(new Uint8Array(0));
    socket.send(new Uint8Array(1201).fill(0x11));
    await vi.waitFor(async () =>
      expect((await statsOf(url, 'Eve')).dropped).toMatchObject({ empty: 1, oversized: 1 }),
    );
  });

  it('over HTTP/1: those, and a list that ends within a packet', async () => {
    const { url } = await startServer();
    const join = JSON.stringify({ type: 'join', version: 1, room: 'lab', name: 'Eve' });
    const headers = { 'content-type': 'application/json' };
    const { token } = await (
      await fetch(`${url}/api/sessions`, { method: 'POST', headers, body: join })
    ).json();
    const list = new Uint8Array(4000);
    let end = writeListEntry(list, 0, new Uint8Array(0));
    end = writeListEntry(list, end, new Uint8Array(1201).fill(0x11));
    end = writeListEntry(list, end, Uint8Array.of(0x14, 0x7b));
    const body = list.slice(0, end + 3).fill(9, end);
    const octets = { 'content-type': 'application/octet-stream' };
    const answer = await fetch(`${url}/api/sessions/${token}/packets`, {
      method: 'POST',
      headers: octets,
      body,
    });
    expect(answer.status).toBe(200);
    const { dropped } = await statsOf(url, 'Eve');
    expect(dropped).toMatchObject({ empty: 1, oversized: 1, truncated: 1, control: 1 });
  });
});
