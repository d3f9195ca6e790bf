import { setTimeout as pass } from 'node:timers/promises';
import { isBuilt } from '@aloud/native';
import { describe, expect, it, vi } from 'vitest';
import { Headless } from '../../testkit/participants/headless.js';
import { align, alignPieces, levelDb } from '../../testkit/sound/signal.js';
import { readWav } from '../../testkit/sound/wav.js';
import { makeRoomKey } from '../../public/shared/links.js';
import { loadCodec } from '../../server/codec/codec.js';
import { loadConfig } from '../../server/config/config.js';
import { OPERATOR } from '../../server/state/grant.js';
import { createServer } from '../../server/server.js';
import { stereoTones } from '../fakes/stereo.js';
import { requireOrSkip } from '../../testkit/skip.js';
import { undisturbedTest } from '../../testkit/undisturbed.js';

/** @typedef {{ onTestFinished: (close: () => Promise<void>) => void }} Test */

const quiet = { error() {}, warn() {}, info() {}, debug() {} };
const codec = await loadCodec('libopus-wasm');
const speech = (await readWav(new URL('../../testkit/speech/speech-low.wav', import.meta.url)))
  .channels[0];
/** A second of a tone that goes round without a step. */
const tone = stereoTones(48_000, { leftHz: 440, amplitude: 0.3 }).filter((_, i) => i % 2 === 0);

/** Ways to forward, and the server's option for each. */
const WAYS = Object.freeze([
  ['bundle', 'tick'],
  ['packets', 'packets'],
]);

/** @param {Test} test @param {string[]} argv */
async function startServer(test, ...argv) {
  const config = loadConfig({ argv: ['--port', '0', '--h3-port', '0', ...argv], env: {} });
  const server = await createServer(config, { log: quiet });
  test.onTestFinished(() => server.close());
  return server;
}

/**
 * @param {Test} test
 * @param {{ url: string }} server
 * @param {string} name
 * @param {any} transport
 * @param {Float32Array} [sound]
 * @param {object} [wishes]
 */
async function join(test, server, name, transport, sound, wishes) {
  const headless = new Headless({ codec, speech: sound, recordSeconds: 40 });
  test.onTestFinished(() => headless.close());
  await headless.join({ origin: server.url, room: 'lab', name, transport, ...wishes });
  return headless;
}

/** Compares at a sixth of the rate, because the calls wait for it. @param {Float32Array} sound */
const thinned = (sound) =>
  Float32Array.from(
    { length: Math.floor(sound.length / 6) },
    (_, i) => sound.subarray(6 * i, 6 * i + 6).reduce((sum, value) => sum + value, 0) / 6,
  );

const twice = thinned(
  Float32Array.from({ length: 2 * speech.length }, (_, i) => speech[i % speech.length]),
);

/**
 * Similarity of somebody's last two seconds of sound to the speech: the median of pieces of a
 * quarter of a second.
 * @param {Headless} listener
 */
function likeness({ recording, recorded }) {
  const heard = thinned(recording.subarray(recorded - 96_000, recorded));
  const { lag } = align(heard, twice);
  const pieces = alignPieces(heard, twice, lag, { pieceSamples: 2000, searchSamples: 2000 });
  const correlations = pieces.map(({ correlation }) => correlation).toSorted((x, y) => x - y);
  return correlations[correlations.length >> 1] ?? 0;
}

/** Waits until somebody hears the speech as it was spoken. @param {Headless} listener */
async function hears(listener) {
  await pass(2000);
  await vi.waitFor(() => expect(likeness(listener)).toBeGreaterThan(0.8), {
    timeout: 12_000,
    interval: 1000,
  });
}

/**
 * The softest 10 ms of a steady sound that somebody has heard from a sample on, in dB.
 * @param {Headless} listener
 * @param {number} from
 */
function softestDb({ recording, recorded }, from) {
  let least = Infinity;
  for (let at = from; at + 480 <= recorded; at += 240)
    least = Math.min(least, levelDb(recording.subarray(at, at + 480)));
  return least;
}

const engine = requireOrSkip(isBuilt(), 'the native engine is not built');

describe('a room that forwards', () => {
  for (const transport of /** @type {const} */ (['webtransport', 'websocket'])) {
    const { it: itIf } = transport === 'webtransport' ? engine : { it };
    for (const [way, delivery] of WAYS)
      itIf(
        `carries speech whole, and never one's own, over ${transport}: ${way}`,
        (/** @type {any} */ context) =>
          undisturbedTest(context, async (test) => {
            const server = await startServer(test, '--mode', 'forward', '--delivery', delivery);
            const listener = await join(test, server, 'Listener', transport);
            const speaker = await join(test, server, 'Speaker', transport, speech);
            await hears(listener);
            expect(levelDb(speaker.recording.subarray(0, speaker.recorded))).toBeLessThan(-90);
            expect(listener.stats()?.detail.playout.garbage).toBe(0);
            expect(listener.stats()?.detail.client.dropped).toBe(0);
            expect(server.rooms.get('lab')?.describe().rules.mode).toBe('forward');
          }),
      );
  }

  for (const [way, delivery] of WAYS)
    it(`carries speech only the room key opens, websocket: ${way}`, (/** @type {any} */ context) =>
      undisturbedTest(context, async (test) => {
        const server = await startServer(test, '--engine', 'none', '--delivery', delivery);
        const e2eKey = makeRoomKey();
        const listener = await join(test, server, 'Listener', 'websocket', undefined, { e2eKey });
        const other = await join(test, server, 'Other', 'websocket', undefined, {
          e2eKey: makeRoomKey(),
        });
        await expect(join(test, server, 'Nobody', 'websocket')).rejects.toThrow(/whole link/);
        await join(test, server, 'Speaker', 'websocket', speech, { e2eKey });
        await hears(listener);
        expect(levelDb(other.recording.subarray(0, other.recorded))).toBeLessThan(-90);
        expect(other.notices).toEqual(['e2e-key']);
        expect(listener.notices).toEqual([]);
      }));

  engine.it('changes its mode in a call without a gap', (/** @type {any} */ context) =>
    undisturbedTest(context, async (test) => {
      const server = await startServer(test, '--server-delay-ms', '80');
      const listener = await join(test, server, 'Listener', 'webtransport');
      await join(test, server, 'Player', 'webtransport', tone, { silenceSuppression: false });
      await pass(6000);
      const from = listener.recorded;
      const level = levelDb(listener.recording.subarray(from - 24_000, from));
      expect(level).toBeGreaterThan(-20);
      const room = server.rooms.get('lab');
      for (const mode of /** @type {const} */ (['forward', 'mix', 'forward', 'mix'])) {
        expect(room?.rules.moderation.setMode(mode, OPERATOR)).toBe(null);
        await pass(1500);
      }
      // A cross-fade of two that aren't in phase may cancel for its middle; nothing is silent.
      expect(softestDb(listener, from)).toBeGreaterThan(level - 12);
      expect(listener.stats()?.detail.playout).toMatchObject({ lost: 0, late: 0 });
    }),
  );

  it('refuses HTTP/1 clients; in auto mode, it mixes for them', (/** @type {any} */ context) =>
    undisturbedTest(context, async (test) => {
      const strict = await startServer(test, '--mode', 'forward', '--engine', 'none');
      await expect(join(test, strict, 'Old', 'http1')).rejects.toThrow(/HTTP\/1/);
      const server = await startServer(test, '--mode', 'auto', '--engine', 'none');
      await join(test, server, 'Speaker', 'websocket', speech);
      const modern = await join(test, server, 'Modern', 'websocket');
      await hears(modern);
      const old = await join(test, server, 'Old', 'http1');
      await Promise.all([hears(modern), hears(old)]);
    }));
});
