import { isBuilt } from '@aloud/native';
import { WebSocket } from 'ws';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Headless } from '../../bench/headless.js';
import { align, alignPieces, levelDb } from '../../bench/signal.js';
import { readWav } from '../../bench/wav.js';
import { loadCodec } from '../../server/audio/codec.js';
import { loadConfig } from '../../server/config.js';
import { createServer } from '../../server/server.js';
import { requireOrSkip } from '../skip.js';

const quiet = { error() {}, warn() {}, info() {}, debug() {} };
const codec = await loadCodec('libopus-wasm');
const { channels } = await readWav(new URL('../fixtures/speech-low.wav', import.meta.url));

/** The fixture at another rate: every nth sample of a mean over n. @param {number} sampleRate */
function speechAt(sampleRate) {
  const step = 48000 / sampleRate;
  return Float32Array.from({ length: Math.floor(channels[0].length / step) }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < step; j++) sum += channels[0][i * step + j];
    return sum / step;
  });
}

/** @type {{ close: () => Promise<void> }[]} */
const open = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close();
});

/** @param {string[]} argv */
async function startServer(...argv) {
  const config = loadConfig({ argv: ['--port', '0', '--h3-port', '0', ...argv], env: {} });
  const server = await createServer(config, { log: quiet });
  open.push(server);
  return server;
}

/** @param {{ url: string }} server @param {string} name @param {any} transport @param {Float32Array} [speech] */
async function join(server, name, transport, speech) {
  const headless = new Headless({ codec, speech, recordSeconds: 20 });
  open.push(headless);
  await headless.join({ origin: server.url, room: 'lab', name, transport });
  return headless;
}

/** The playout buffers' delays have found their place by then. */
const SETTLING_MS = 2500;

/**
 * How like the speech the last two seconds of a recording are: the median correlation of the pieces
 * of a quarter of a second in which somebody speaks.
 * @param {Headless} listener
 * @param {Float32Array} speech
 */
function likeness({ recording, recorded, format }, speech) {
  const rate = format?.sampleRate ?? 0;
  const heard = recording.subarray(recorded - 2 * rate, recorded);
  const twice = new Float32Array(2 * speech.length);
  twice.set(speech);
  twice.set(speech, speech.length);
  const { lag } = align(heard, twice);
  const pieces = alignPieces(heard, twice, lag, { pieceSamples: rate / 4, searchSamples: rate / 4 });
  const correlations = pieces.map(({ correlation }) => correlation).toSorted((a, b) => a - b);
  return correlations[correlations.length >> 1];
}

/** @param {number} ms */
const pass = (ms) => new Promise((resolve) => void setTimeout(resolve, ms));

const transports = /** @type {const} */ (['webtransport', 'websocket', 'http1']);
/** @type {Record<string, string[]>} */
/** @type {Record<string, string[]>} */
const formats = {
  '48 kHz, 20 ms': [],
  '48 kHz, 10 ms': ['--frame-ms', '10'],
  '48 kHz, 40 ms': ['--frame-ms', '40'],
  '48 kHz, 60 ms': ['--frame-ms', '60'],
  "the thesis's 8 kHz, 80 ms of 8 Opus frames": ['--sample-rate', '8000', '--frame-ms', '80', '--opus-frames', '8'],
};

const engine = requireOrSkip(isBuilt(), 'the native engine is not built');

for (const transport of transports) {
  const { describe: describeIf } = transport === 'webtransport' ? engine : { describe };
  describeIf(`a call over ${transport}`, () => {
    it.each(Object.entries(formats))('carries speech whole, and never one\'s own: %s', async (name, argv) => {
      const server = await startServer(...argv, '--server-delay-ms', '80');
      const speech = speechAt(argv.includes('8000') ? 8000 : 48000);
      const listener = await join(server, 'Listener', transport);
      const speaker = await join(server, 'Speaker', transport, speech);
      expect([listener.transport, speaker.transport]).toEqual([transport, transport]);
      await pass(SETTLING_MS + 2000);
      expect(likeness(listener, speech)).toBeGreaterThan(0.8);
      expect(levelDb(speaker.recording.subarray(0, speaker.recorded))).toBeLessThan(-90);
      expect(server.rooms.get('lab')?.describe().people.map(({ stats }) => stats.garbage)).toEqual([0, 0]);
    });

    it('tells who is there, who is muted and who left; mute is silence', async () => {
      const server = await startServer();
      const ann = await join(server, 'Ann', transport);
      const bob = await join(server, 'Bob', transport, channels[0]);
      await vi.waitFor(() => expect(ann.people.map(({ name }) => name)).toEqual(['Ann', 'Bob']), 3000);
      await pass(1000);
      expect(levelDb(ann.recording.subarray(0, ann.recorded))).toBeGreaterThan(-50);
      bob.mute(true);
      await vi.waitFor(() => expect(ann.people[1].muted).toBe(true), 3000);
      await pass(500);
      const from = ann.recorded;
      await pass(500);
      expect(levelDb(ann.recording.subarray(from, ann.recorded))).toBeLessThan(-90);
      await bob.close();
      await vi.waitFor(() => expect(ann.people.map(({ name }) => name)).toEqual(['Ann']), 3000);
    });

    it('forgets somebody who vanishes, after the idle timeout and the away timeout', async () => {
      const server = await startServer('--idle-timeout-ms', '1500', '--away-timeout-ms', '1000');
      const ann = await join(server, 'Ann', transport, channels[0]);
      const bob = await join(server, 'Bob', transport, channels[0]);
      await vi.waitFor(() => expect(ann.people.length).toBe(2), 3000);
      bob.vanish();
      await vi.waitFor(() => expect(ann.people[1].away).toBe(true), 4500);
      await vi.waitFor(() => expect(ann.people.length).toBe(1), 1500);
      expect(ann.ended).toBe(null);
    });
  });
}

engine.describe('a call over all transports at once', () => {
  it('lets each hear the others', async () => {
    const server = await startServer();
    const listeners = [];
    for (const transport of transports) listeners.push(await join(server, transport, transport));
    await join(server, 'Speaker', 'webtransport', channels[0]);
    await pass(SETTLING_MS + 2000);
    for (const listener of listeners) expect(likeness(listener, channels[0])).toBeGreaterThan(0.8);
  });
});

describe('a call with the codec opusscript on the server', () => {
  it('carries speech, and has room for more than a hundred', async () => {
    const server = await startServer('--codec', 'opusscript', '--engine', 'none', '--max-participants', '120');
    const listener = await join(server, 'Listener', 'websocket');
    await join(server, 'Speaker', 'websocket', channels[0]);
    for (let i = 0; i < 110; i++) await crowd(server.url, `P${i}`);
    await pass(SETTLING_MS + 2000);
    expect(likeness(listener, channels[0])).toBeGreaterThan(0.8);
    expect(server.rooms.get('lab')?.size).toBe(112);
  });
});

/** Somebody more in the room, who says nothing at all. @param {string} origin @param {string} name */
async function crowd(origin, name) {
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/session`);
  open.push({ close: async () => socket.terminate() });
  await new Promise((resolve, reject) => void socket.once('open', resolve).once('error', reject));
  socket.send(JSON.stringify({ type: 'join', version: 1, room: 'lab', name }));
  await new Promise((resolve) => void socket.once('message', resolve));
}
