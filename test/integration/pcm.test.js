/** PCM of real clients, and in recordings; test/unit/room/pcm.test.js compares the samples. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { isPcm, PcmEncoder } from '../../public/shared/stream/pcm.js';
import { Packet, readPacket, writeAudioHeader } from '../../public/shared/wire/packet.js';
import { loadCodec } from '../../server/codec/codec.js';
import { startServer } from '../../testkit/aloud-server.js';
import { Headless } from '../../testkit/participants/headless.js';
import { levelDb } from '../../testkit/sound/signal.js';
import { undisturbed } from '../../testkit/undisturbed.js';
import { readOggOpus } from '../fakes/ogg-file.js';

const codec = await loadCodec('libopus-wasm');

/** @type {(() => unknown)[]} */
const open = [];
async function closeAll() {
  for (const close of open.splice(0).toReversed()) await close();
}
afterEach(closeAll);

const FRAME_MS = 5;
const FRAME = 240;
/** A tone with noise in its lowest bits. @param {number} i @param {number} bits */
const sampleAt = (i, bits) =>
  (Math.round(0.3 * 2 ** (bits - 1) * Math.sin(i / 17)) ^ ((i * 7919) % 7)) / 2 ** (bits - 1);

/**
 * Somebody over WebSocket who sends and reads packets.
 * @param {string} url
 * @param {string} name
 * @param {object} [wishes]
 */
async function enter(url, name, wishes) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/session`);
  socket.binaryType = 'arraybuffer';
  open.push(() => socket.close());
  /** @type {any[]} */
  const messages = [];
  /** @type {{ frame: number, payload: Uint8Array }[]} */
  const heard = [];
  const packet = new Packet();
  socket.on('message', (/** @type {ArrayBuffer} */ data, isBinary) => {
    const bytes = new Uint8Array(data);
    if (!isBinary) return void messages.push(JSON.parse(new TextDecoder().decode(bytes)));
    if (readPacket(bytes, packet) !== null || packet.payloadBytes[0] === 0) return;
    const start = packet.payloadStart[0];
    heard.push({
      frame: packet.frame,
      payload: bytes.slice(start, start + packet.payloadBytes[0]),
    });
  });
  await new Promise((resolve) => void socket.once('open', resolve));
  const send = (/** @type {object} */ message) => socket.send(JSON.stringify(message));
  send({ type: 'join', version: 1, room: 'lab', name, frameMs: FRAME_MS, ...wishes });
  const welcome = () => messages.find(({ type }) => type === 'welcome');
  await expect.poll(welcome).toBeDefined();
  return { socket, heard, messages, send, welcome: welcome() };
}

/**
 * Sends a second of PCM in time.
 * @param {Awaited<ReturnType<typeof enter>>} who
 * @param {string} url
 * @param {number} bits
 * @param {number} seconds
 */
async function say(who, url, bits, seconds) {
  const { clock } = await (await fetch(`${url}/api/clock?room=lab`)).json();
  const startMs = performance.now();
  const first = Math.ceil(clock / FRAME) + 2;
  const encoder = new PcmEncoder(bits);
  const packet = new Packet();
  const pcm = new Float32Array(FRAME);
  for (let k = 0; k < (seconds * 1000) / FRAME_MS; k++) {
    const wait = startMs + (k + 2) * FRAME_MS - performance.now();
    if (wait > 1) await new Promise((resolve) => void setTimeout(resolve, wait));
    for (let i = 0; i < FRAME; i++) pcm[i] = sampleAt(k * FRAME + i, bits);
    const bytes = new Uint8Array(1149);
    Object.assign(packet, { redundancy: 0, stream: 0, speakers: 0, level: 12, voice: true });
    Object.assign(packet, { sequence: k, frame: first + k });
    const at = writeAudioHeader(bytes, packet);
    who.socket.send(bytes.subarray(0, at + encoder.encode(pcm, bytes, at)));
  }
  return first;
}

it('has clients that send and play PCM', () =>
  undisturbed(async () => {
    const server = await startServer();
    open.push(() => server.close());
    const packet = new Packet();
    const sent = { pcm: 0, opus: 0 };
    class Counting extends WebSocket {
      /** @override @type {WebSocket['send']} */
      send(/** @type {any} */ data, /** @type {any} */ ...more) {
        if (typeof data !== 'string' && readPacket(data, packet) === null && packet.type === 1) {
          const length = packet.payloadBytes[0];
          if (isPcm(data, packet.payloadStart[0], length)) sent.pcm += 1;
          else if (length > 0) sent.opus += 1;
        }
        super.send(data, ...more);
      }
    }
    const tone = Float32Array.from({ length: 48_000 }, (_, i) => 0.25 * Math.sin(i / 17));
    const options = { codec, WebSocket: /** @type {any} */ (Counting) };
    const [ann, ben] = [new Headless({ ...options, speech: tone }), new Headless(options)];
    for (const [guest, name] of /** @type {const} */ ([
      [ann, 'Ann'],
      [ben, 'Ben'],
    ])) {
      open.push(() => guest.close());
      const wishes = { frameMs: FRAME_MS, pcm: 16, silenceSuppression: false };
      await guest.join({
        ...{ origin: server.url, room: 'duo', name, transport: 'websocket' },
        .../** @type {object} */ (wishes),
      });
    }
    const heardDb = () => levelDb(ben.recording.subarray(ben.recorded - 24_000, ben.recorded));
    await expect.poll(heardDb).toBeGreaterThan(levelDb(tone) - 0.5);
    expect(heardDb()).toBeLessThan(levelDb(tone) + 0.5);
    expect(sent.pcm).toBeGreaterThan(50);
    expect(sent.opus).toBe(0);
  }, closeAll));

it('is recorded as Opus', () =>
  undisturbed(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'pcm-'));
    open.push(() => rm(directory, { recursive: true, force: true }));
    const server = await startServer('--recording-dir', directory);
    open.push(() => server.close());
    const ann = await enter(server.url, 'Ann', { pcm: 16 });
    ann.send({ type: 'record', on: true });
    const state = () => ann.messages.findLast(({ type }) => type === 'recording')?.recording;
    await expect.poll(() => state()?.on).toBe(true);
    await say(ann, server.url, 16, 2);
    ann.send({ type: 'record', on: false });
    await expect.poll(() => state()?.ready).toBe(true);
    const [own, mix] = await Promise.all(
      ['01-ann.opus', 'mix.opus'].map(async (name) =>
        readOggOpus(await readFile(join(directory, state().id, name))),
      ),
    );
    const expected = levelDb(Float32Array.from({ length: 48_000 }, (_, i) => sampleAt(i, 16)));
    for (const { samples } of [own, mix]) {
      const loud = samples.findIndex((value) => Math.abs(value) > 0.1);
      const level = levelDb(samples.subarray(loud + 4800, loud + 52_800));
      expect(Math.abs(level - expected)).toBeLessThan(1);
    }
    const [one, other] = [own, mix].map(({ samples }) =>
      samples.findIndex((value) => Math.abs(value) > 0.1),
    );
    expect(Math.abs(one - other)).toBeLessThan(48);
  }, closeAll));
