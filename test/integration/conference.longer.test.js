import { setTimeout as pass } from 'node:timers/promises';
import { isBuilt } from '@aloud/native';
import { WebSocket } from 'ws';
import { describe, expect, it, vi } from 'vitest';
import { Headless } from '../../testkit/participants/headless.js';
import { align, alignPieces, levelDb } from '../../testkit/sound/signal.js';
import { readWav } from '../../testkit/sound/wav.js';
import { loadCodec } from '../../server/codec/codec.js';
import { PLACE_AFTER_MS } from '../../server/room/room-config.js';
import { startServer } from '../../testkit/aloud-server.js';
import { canBuildNative, requireOrSkip } from '../../testkit/skip.js';
import { isLong } from '../support/long.js';
import { undisturbedTest } from '../../testkit/undisturbed.js';

const codec = await loadCodec('libopus-wasm');
const { channels } = await readWav(new URL('../../testkit/speech/speech-low.wav', import.meta.url));

/**
 * Each sample the mean of several.
 * @param {Float32Array} sound
 * @param {number} step samples of each mean
 */
function thinned(sound, step) {
  return Float32Array.from({ length: Math.floor(sound.length / step) }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < step; j++) sum += sound[i * step + j];
    return sum / step;
  });
}

/** The fixture at another rate. @param {number} sampleRate */
const speechAt = (sampleRate) => thinned(channels[0], 48000 / sampleRate);

/**
 * Calls wait more than they work, so several tests run at once, and each closes what it opened.
 * @typedef {{ onTestFinished: (close: () => Promise<void>) => void }} Test
 */

/** @param {Test} test @param {string[]} argv */
async function openServer(test, ...argv) {
  const server = await startServer(...argv);
  test.onTestFinished(() => server.close());
  return server;
}

/**
 * @param {Test} test
 * @param {{ url: string }} server
 * @param {string} name
 * @param {any} transport
 * @param {Float32Array} [speech]
 */
async function join(test, server, name, transport, speech) {
  const headless = new Headless({ codec, speech, recordSeconds: 60 });
  test.onTestFinished(() => headless.close());
  await headless.join({ origin: server.url, room: 'lab', name, transport });
  return headless;
}

/** A busy machine may take so long to find a delay at which nothing is missing. */
const SETTLING_MS = 12_000;

/**
 * Similarity of the last two seconds of a recording to the speech: the median correlation of
 * quarter seconds with a voice. The comparison runs at 8 kHz, because other calls wait for it.
 * @param {Headless} listener
 */
function likeness({ recording, recorded, format }) {
  const rate = 8000;
  const heard = thinned(recording.subarray(0, recorded), (format?.sampleRate ?? 0) / rate).subarray(
    -2 * rate,
  );
  const speech = speechAt(rate);
  const twice = new Float32Array(2 * speech.length);
  twice.set(speech);
  twice.set(speech, speech.length);
  const { lag } = align(heard, twice);
  const pieces = alignPieces(heard, twice, lag, {
    pieceSamples: rate / 4,
    searchSamples: rate / 4,
  });
  const correlations = pieces.map(({ correlation }) => correlation).toSorted((a, b) => a - b);
  return correlations[correlations.length >> 1] ?? 0;
}

/**
 * Waits until somebody has heard two seconds of speech as it was spoken.
 * @param {Headless} listener
 */
async function hears(listener) {
  await pass(3000);
  const isLike = () => expect(likeness(listener)).toBeGreaterThan(0.8);
  await vi.waitFor(isLike, { timeout: SETTLING_MS, interval: 1000 });
}

const transports = /** @type {const} */ (['webtransport', 'websocket', 'http1']);
const all = ['webtransport', 'websocket', 'http1'];
/**
 * Each format is carried by one transport at least; `npm run test:long` has it on the others.
 * @type {[format: string, argv: string[], transports: string[]][]}
 */
const formats = [
  ['48 kHz, 20 ms', [], all],
  ['48 kHz, 10 ms', ['--frame-ms', '10'], ['webtransport']],
  ['48 kHz, 40 ms', ['--frame-ms', '40'], ['websocket']],
  ['48 kHz, 60 ms', ['--frame-ms', '60'], ['http1']],
  [
    "the thesis's 8 kHz, 80 ms of 8 Opus frames",
    ['--sample-rate', '8000', '--frame-ms', '8x10'],
    ['websocket', 'http1'],
  ],
];

const engine = requireOrSkip(isBuilt(), 'the native engine is not built', canBuildNative);

// A call in frames of 10 ms takes a third of a processor: beside the lab, in `npm run test:long`,
// one runs at a time.
(isLong ? describe : describe.concurrent)('a call', () => {
  for (const transport of transports) {
    const { describe: describeIf } = transport === 'webtransport' ? engine : { describe };
    describeIf(`over ${transport}`, () => {
      // The longest case, so it begins first.
      if (!isLong)
        it('forgets a vanished person after the idle timeout and the away timeout', (context) =>
          undisturbedTest(context, async (test) => {
            const server = await openServer(
              test,
              '--idle-timeout-ms',
              '3000',
              '--away-timeout-ms',
              '1000',
            );
            const ann = await join(test, server, 'Ann', transport, channels[0]);
            const bob = await join(test, server, 'Bob', transport, channels[0]);
            await vi.waitFor(() => expect(ann.people.length).toBe(2), 15_000);
            // A person who came and left has no place to return to.
            await pass(PLACE_AFTER_MS + 500);
            bob.vanish();
            await vi.waitFor(() => expect(ann.people[1]?.away).toBe(true), 15_000);
            await vi.waitFor(() => expect(ann.people.length).toBe(1), 15_000);
            expect(ann.ended).toBe(null);
          }));

      const tried = formats.filter(([, , over]) => over.includes(transport) !== isLong);
      it.for(tried)("carries speech whole, and never one's own: %s", ([, argv], context) =>
        undisturbedTest(context, async (test) => {
          const server = await openServer(test, ...argv, '--server-delay-ms', '150');
          const speech = speechAt(argv.includes('8000') ? 8000 : 48000);
          const listener = await join(test, server, 'Listener', transport);
          const speaker = await join(test, server, 'Speaker', transport, speech);
          expect([listener.transport, speaker.transport]).toEqual([transport, transport]);
          await hears(listener);
          expect(levelDb(speaker.recording.subarray(0, speaker.recorded))).toBeLessThan(-90);
          expect(
            server.rooms
              .get('lab')
              ?.describe()
              .people.map(({ stats }) => stats.garbage),
          ).toEqual([0, 0]);
        }),
      );

      if (!isLong)
        it('tells who is there, who is muted and who left; mute is silence', (context) =>
          undisturbedTest(context, async (test) => {
            const server = await openServer(test);
            const ann = await join(test, server, 'Ann', transport);
            const bob = await join(test, server, 'Bob', transport, channels[0]);
            await vi.waitFor(
              () => expect(ann.people.map(({ name }) => name)).toEqual(['Ann', 'Bob']),
              15_000,
            );
            await vi.waitFor(
              () => expect(levelDb(ann.recording.subarray(0, ann.recorded))).toBeGreaterThan(-50),
              15_000,
            );
            bob.mute(true);
            await vi.waitFor(() => expect(ann.people[1]?.muted).toBe(true), 15_000);
            await pass(500);
            const from = ann.recorded;
            await pass(500);
            expect(levelDb(ann.recording.subarray(from, ann.recorded))).toBeLessThan(-90);
            await bob.close();
            await vi.waitFor(
              () => expect(ann.people.map(({ name }) => name)).toEqual(['Ann']),
              15_000,
            );
          }));
    });
  }

  if (!isLong)
    engine.describe('over all transports at once', () => {
      it('lets each hear the others', (context) =>
        undisturbedTest(context, async (test) => {
          const server = await openServer(test);
          const listeners = [];
          for (const transport of transports)
            listeners.push(await join(test, server, transport, transport));
          await join(test, server, 'Speaker', 'webtransport', channels[0]);
          await Promise.all(listeners.map(hears));
        }));
    });
});

if (!isLong)
  describe('a call with the codec opusscript on the server', () => {
    it('carries speech, and has room for more than a hundred', (context) =>
      undisturbedTest(context, async (test) => {
        const server = await openServer(
          test,
          '--codec',
          'opusscript',
          '--engine',
          'none',
          '--max-participants',
          '120',
        );
        const listener = await join(test, server, 'Listener', 'websocket');
        await join(test, server, 'Speaker', 'websocket', channels[0]);
        for (let i = 0; i < 110; i++) await crowd(test, server.url, `P${i}`);
        await hears(listener);
        expect(server.rooms.get('lab')?.size).toBe(112);
      }));
  });

/**
 * Somebody more in the room, who says nothing at all.
 * @param {Test} test
 * @param {string} origin
 * @param {string} name
 */
async function crowd(test, origin, name) {
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/session`);
  test.onTestFinished(async () => socket.terminate());
  await new Promise((resolve, reject) => void socket.once('open', resolve).once('error', reject));
  socket.send(JSON.stringify({ type: 'join', version: 1, room: 'lab', name }));
  await new Promise((resolve) => void socket.once('message', resolve));
}
