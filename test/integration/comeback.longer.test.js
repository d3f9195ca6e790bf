/** Calls that are cut off, over real sockets: each reconnects and is heard again. */

import { setTimeout as pass } from 'node:timers/promises';
import { isBuilt } from '@aloud/native';
import { describe, expect, it, vi } from 'vitest';
import { Headless } from '../../testkit/participants/headless.js';
import { levelDb } from '../../testkit/sound/signal.js';
import { readWav } from '../../testkit/sound/wav.js';
import { loadCodec } from '../../server/codec/codec.js';
import { loadConfig } from '../../server/config/config.js';
import { PLACE_AFTER_MS } from '../../server/room/room-config.js';
import { createServer } from '../../server/server.js';
import { canBuildNative, requireOrSkip } from '../../testkit/skip.js';
import { byLength, isLong } from '../support/long.js';
import { openLink } from '../support/fragile-link.js';
import { undisturbedTest } from '../../testkit/undisturbed.js';

const quiet = { error() {}, warn() {}, info() {}, debug() {} };
const codec = await loadCodec('libopus-wasm');
const [speech] = (await readWav(new URL('../../testkit/speech/speech-low.wav', import.meta.url)))
  .channels;
/**
 * Calls that are cut off wait more than they work, so several tests run at once, and each closes
 * what it opened.
 * @typedef {{ onTestFinished: (close: () => Promise<void>) => void }} Test
 */

/** @param {Test} test @param {{ port?: number, h3Port?: number | null }} [at] */
async function startServer(test, { port = 0, h3Port = 0 } = {}) {
  const argv = ['--port', String(port), '--h3-port', String(h3Port ?? 0), '--workers', '0'];
  const server = await createServer(loadConfig({ argv, env: {} }), { log: quiet });
  test.onTestFinished(() => server.close());
  return server;
}

/**
 * @param {Test} test @param {string} origin @param {string} name
 * @param {Partial<ConstructorParameters<typeof Headless>[0]> & { transport?: any }} [options]
 */
async function join(test, origin, name, { transport = 'auto', ...options } = {}) {
  const headless = new Headless({ codec, recordSeconds: 90, lasting: true, ...options });
  test.onTestFinished(() => headless.close());
  await headless.join({ origin, room: 'lab', name, transport });
  return headless;
}

/** True when the last half second is sound. @param {Headless} listener */
const hears = ({ recording, recorded }) =>
  levelDb(recording.subarray(Math.max(0, recorded - 24_000), recorded)) > -50;

/**
 * @param {Headless} listener
 * @param {number} [ms] within which it hears somebody, from a while on
 */
async function heard(listener, ms = 5000) {
  await pass(600);
  await vi.waitFor(() => expect(hears(listener)).toBe(true), { timeout: ms, interval: 100 });
}

/** @param {Headless} call @param {number} ms within which it is in the room again */
const isBack = (call, ms) =>
  vi.waitFor(() => expect(call.states.at(-1)).toBe('joined'), { timeout: ms, interval: 50 });

/** @param {Headless} call */
const isCutOff = (call) =>
  vi.waitFor(() => expect(call.states.at(-1)).toBe('away'), {
    timeout: 15_000,
    interval: 50,
  });

/**
 * The people in the room, in whatever order they came back.
 * @param {Awaited<ReturnType<typeof startServer>>} server
 */
const who = (server) => {
  const people = server.rooms.get('lab')?.describe().people ?? [];
  return people.map(({ id, name, away }) => `${id} ${name}${away ? ', away' : ''}`).toSorted();
};

const engine = requireOrSkip(isBuilt(), 'the native engine is not built', canBuildNative);

if (!isLong)
  for (const transport of /** @type {const} */ (['webtransport', 'websocket', 'http1'])) {
    const { describe: describeIf } = transport === 'webtransport' ? engine : { describe };
    describeIf(`a server that is restarted on its ports, over ${transport}`, () => {
      it('has everybody back by their names, and they hear each other', (context) =>
        undisturbedTest(context, async (test) => {
          const server = await startServer(test);
          const listener = await join(test, server.url, 'Lis', { transport });
          const speaker = await join(test, server.url, 'Spe', { transport, speech });
          await heard(listener);
          await server.close();
          await isCutOff(listener);
          await pass(1000);
          const again = await startServer(test, server);
          await Promise.all([isBack(listener, 12_000), isBack(speaker, 12_000)]);
          await heard(listener);
          expect(
            again.rooms
              .get('lab')
              ?.describe()
              .people.map(({ name }) => name)
              .toSorted(),
          ).toEqual(['Lis', 'Spe']);
          expect([listener.transport, listener.ended, speaker.ended]).toEqual([
            transport,
            null,
            null,
          ]);
        }));
    });
  }

engine.describe('a link', () => {
  const seconds = byLength({ short: 5, long: 20 });
  it.concurrent(
    `on which nothing passes for ${seconds} s gives the place back, with its id, over WebTransport`,
    (context) =>
      undisturbedTest(context, async (test) => {
        const server = await startServer(test);
        const link = await openLink(server);
        test.onTestFinished(() => link.close());
        const listener = await join(test, link.url, 'Lis', {
          transport: 'webtransport',
          fetch: link.fetch,
        });
        const speaker = await join(test, link.url, 'Spe', {
          transport: 'webtransport',
          fetch: link.fetch,
          speech,
        });
        await heard(listener);
        // Within the idle timeout the server hasn't noticed; after it, a place is kept for who was
        // heard from for a while.
        if (seconds > 5) await pass(PLACE_AFTER_MS);
        const before = who(server);
        link.cut({ tcp: true, udp: true });
        await isCutOff(listener);
        await pass(seconds * 1000 - 2200);
        expect(hears(listener)).toBe(false);
        link.cut({});
        await Promise.all([isBack(listener, 10_000), isBack(speaker, 10_000)]);
        await heard(listener);
        expect(who(server)).toEqual(before);
      }),
  );

  if (!isLong)
    it.concurrent(
      'that lets UDP through no longer is left for a WebSocket, with the same place',
      (context) =>
        undisturbedTest(context, async (test) => {
          const server = await startServer(test);
          const link = await openLink(server);
          test.onTestFinished(() => link.close());
          const listener = await join(test, link.url, 'Lis', { fetch: link.fetch });
          await join(test, server.url, 'Spe', { speech });
          await heard(listener);
          expect(listener.transport).toBe('webtransport');
          const before = who(server);
          link.cut({ udp: true });
          await isCutOff(listener);
          await isBack(listener, 6000);
          await heard(listener);
          expect(listener.transport).toBe('websocket');
          expect(who(server)).toEqual(before);

          // A new connection tries WebTransport first again.
          link.cut({ tcp: true });
          await isCutOff(listener);
          link.cut({});
          await isBack(listener, 10_000);
          await heard(listener);
          expect(listener.transport).toBe('webtransport');
          expect(who(server)).toEqual(before);
        }),
    );
});
