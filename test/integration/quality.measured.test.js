/**
 * One client's wrongs cost nobody else anything: two people talk and hear each other over real
 * sockets while somebody attacks. The delay is fixed and long, so that a busy machine isn't taken
 * for an attack.
 */

import { setTimeout as wait } from 'node:timers/promises';
import { Endpoint, isBuilt } from '@aloud/native';
import { WebSocket } from 'ws';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Headless } from '../../testkit/participants/headless.js';
import { webTransportOn } from '../../programs/scope.js';
import { connect } from '../../public/client/connection/choose.js';
import { systemClock } from '../../public/shared/clock.js';
import { Packet, writeAudioHeader } from '../../public/shared/wire/packet.js';
import { loadCodec } from '../../server/codec/codec.js';
import { loadConfig } from '../../server/config/config.js';
import { createServer } from '../../server/server.js';
import { random } from '../fakes/random.js';
import { canBuildNative, requireOrSkip } from '../../testkit/skip.js';
import { roomOf, statsOf, WITH_OPERATOR } from '../support/operator.js';
import { undisturbed } from '../../testkit/undisturbed.js';

/** @typedef {(bytes: Uint8Array) => void} Send */

const codec = await loadCodec('libopus-wasm');
const quiet = { error: vi.fn(), warn() {}, info() {}, debug() {} };
const FRAME_SAMPLES = 960;
const DELAY_MS = 300;

/** @type {(() => unknown)[]} */
const open = [];
async function closeAll() {
  for (const close of open.splice(0).toReversed()) await close();
}
afterEach(async () => {
  await closeAll();
  expect(quiet.error).not.toHaveBeenCalled();
});

async function startServer() {
  const argv = [
    ...WITH_OPERATOR,
    '--port',
    '0',
    '--h3-port',
    '0',
    '--server-delay-ms',
    String(DELAY_MS),
    '--max-participants',
    '50',
  ];
  const server = await createServer(loadConfig({ argv, env: {} }), { log: quiet });
  open.push(() => server.close());
  return server;
}

/** A tone that is never silent. */
const tone = Float32Array.from(
  { length: 48_000 },
  (_, i) => 0.2 * Math.sin((2 * Math.PI * 300 * i) / 48_000),
);

/** @param {string} origin @param {string} name */
async function talk(origin, name) {
  const person = new Headless({ codec, speech: tone, recordSeconds: 10 });
  open.push(() => person.close());
  await person.join({ origin, room: 'lab', name, transport: 'websocket' });
  return person;
}

/**
 * @param {string} origin
 * @param {any} transport
 * @returns {Promise<{ send: Send, frameNow: () => number, ended: () => string }>}
 */
async function attack(origin, transport) {
  const endpoint = transport === 'webtransport' ? new Endpoint({ ioThreads: 1 }) : null;
  if (endpoint) open.push(() => endpoint.close());
  let ended = '';
  const asked = performance.now();
  const { clock } = await (await fetch(`${origin}/api/clock`)).json();
  const originMs = (asked + performance.now()) / 2 - clock / 48;
  const { connection } = await connect({
    transport,
    origin,
    config: await (await fetch(`${origin}/api/config`)).json(),
    message: { type: 'join', version: 1, room: 'lab', name: 'Eve' },
    handler: { onPacket: () => {}, onControl: () => {}, onClosed: (code) => void (ended = code) },
    prove: async () => {},
    clock: systemClock,
    scope: {
      WebSocket: /** @type {any} */ (WebSocket),
      WebTransport: endpoint ? webTransportOn(endpoint) : undefined,
    },
  });
  open.push(() => connection.close());
  const frameNow = () => Math.floor(((performance.now() - originMs) * 48) / FRAME_SAMPLES);
  return { send: (bytes) => void connection.send(bytes), frameNow, ended: () => ended };
}

const packet = new Packet();

/** @param {number} frame @param {number} sequence @param {number} [payloadBytes] */
function audio(frame, sequence, payloadBytes = 0) {
  const out = new Uint8Array(9 + payloadBytes).fill(0x78);
  packet.frame = frame;
  packet.sequence = sequence & 0xffff;
  packet.level = 0;
  packet.voice = true;
  writeAudioHeader(out, packet);
  return out;
}

/**
 * Two talk for two seconds undisturbed and for two while somebody attacks.
 * @param {any} transport
 * @param {(eve: { send: Send, frameNow: () => number, stats: () => Promise<any> }, untilMs: number)
 *   => Promise<void>} deeds
 */
async function whileAttacked(transport, deeds) {
  const { url } = await startServer();
  const ann = await talk(url, 'Ann');
  await talk(url, 'Bob');
  await wait(1500);
  const before = await Promise.all(['Ann', 'Bob'].map((name) => statsOf(url, name)));
  const eve = await attack(url, transport);
  await deeds({ ...eve, stats: () => statsOf(url, 'Eve') }, performance.now() + 2000);
  const after = await Promise.all(['Ann', 'Bob'].map((name) => statsOf(url, name)));
  for (const [i, stats] of after.entries()) {
    const came = stats.received - before[i].received;
    const missed = stats.late + stats.lost - before[i].late - before[i].lost;
    expect(came).toBeGreaterThan(80);
    expect(missed).toBeLessThanOrEqual(came / 100);
  }
  expect(ann.ended).toBeNull();
  return { stats: await statsOf(url, 'Eve'), ended: eve.ended() };
}

const engine = requireOrSkip(isBuilt(), 'the native engine is not built', canBuildNative);

describe.each(['webtransport', 'websocket', 'http1'])('over %s', (transport) => {
  const test = transport === 'webtransport' ? engine.it : it;

  test('a flood is dropped unread and counted', () =>
    undisturbed(async () => {
      const { stats, ended } = await whileAttacked(
        transport,
        async ({ send, frameNow, stats: look }, untilMs) => {
          // Requests take as long as the machine takes: a flood is what comes.
          const isOver = async () =>
            performance.now() > untilMs + 10_000 || (await look()).dropped.flood > 500;
          for (let sequence = 0; performance.now() < untilMs || !(await isOver());) {
            const bytes = audio(frameNow(), sequence, 80);
            for (let i = 0; i < 500; i++) send(audio(frameNow(), sequence++, 80));
            send(bytes);
            await wait(2);
          }
        },
      );
      expect(stats.dropped.flood).toBeGreaterThan(500);
      expect(ended).toBe('');
    }, closeAll));

  test('a clock that is ahead, behind, or jumps disturbs nobody', () =>
    undisturbed(async () => {
      const chance = random(17);
      const { stats, ended } = await whileAttacked(
        transport,
        async ({ send, frameNow }, untilMs) => {
          const clocks = [0, 20, 24, 26, 1000, -40, -64, -200, -5000, 2 ** 31, -(2 ** 31)];
          for (let sequence = 0; performance.now() < untilMs; sequence++) {
            const off =
              chance() < 0.5
                ? clocks[Math.floor(chance() * clocks.length)]
                : Math.floor(chance() * 2 ** 32);
            send(audio((frameNow() + off) >>> 0, Math.floor(chance() * 65536), 60));
            await wait(8);
          }
        },
      );
      expect(stats.dropped.early).toBeGreaterThan(5);
      expect(stats.dropped.past).toBeGreaterThan(5);
      expect(ended).toBe('');
    }, closeAll));
});

describe('a room where everybody talks', () => {
  it('has everybody received', () =>
    undisturbed(async () => {
      const { url } = await startServer();
      const eves = [];
      for (let i = 0; i < 30; i++) eves.push(await attack(url, 'websocket'));
      const ann = await talk(url, 'Ann');
      const end = performance.now() + 3000;
      let last = eves[0].frameNow();
      for (let sequence = 0; performance.now() < end;) {
        const now = eves[0].frameNow();
        for (; last < now; last++, sequence++)
          for (const { send } of eves) send(audio(last, sequence, 80));
        await wait(5);
      }
      const { people } = await roomOf(url);
      for (const { name, stats } of people) {
        if (name !== 'Ann') expect(stats.received).toBeGreaterThan(120);
        expect(stats.late + stats.lost).toBeLessThanOrEqual(stats.received / 50);
      }
      expect(ann.ended).toBeNull();
    }, closeAll));
});
