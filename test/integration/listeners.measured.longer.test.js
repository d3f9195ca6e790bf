import { setTimeout as pass } from 'node:timers/promises';
import { isBuilt } from '@aloud/native';
import { describe, expect, it, vi } from 'vitest';
import { Headless } from '../../testkit/participants/headless.js';
import { readWav } from '../../testkit/sound/wav.js';
import { moderate } from '../../public/client/call/moderate.js';
import { loadCodec } from '../../server/codec/codec.js';
import { loadConfig } from '../../server/config/config.js';
import { createServer } from '../../server/server.js';
import { byLength, isLong } from '../support/long.js';
import { undisturbedTest } from '../../testkit/undisturbed.js';

const quiet = { error() {}, warn() {}, info() {}, debug() {} };
const codec = await loadCodec('libopus-wasm');
const {
  channels: [voice],
} = await readWav(new URL('../../testkit/speech/speech-low.wav', import.meta.url));

/** @typedef {{ onTestFinished: (close: () => Promise<void>) => void }} Test */

/** @param {Test} test @param {string[]} argv */
async function startServer(test, ...argv) {
  const server = await createServer(
    loadConfig({ argv: ['--port', '0', '--h3-port', '0', ...argv], env: {} }),
    { log: quiet },
  );
  test.onTestFinished(() => server.close());
  return server;
}

/**
 * @param {Test} test
 * @param {{ url: string }} server
 * @param {any} transport
 * @param {string} name
 * @param {{ listen?: boolean, nearness?: 'steady', speech?: Float32Array }} [options]
 */
async function join(test, server, transport, name, { speech, ...options } = {}) {
  const headless = new Headless({ codec, speech, recordSeconds: 30 });
  test.onTestFinished(() => headless.close());
  const { you } = await headless.join(
    /** @type {any} */ ({ origin: server.url, room: 'hall', name, transport, ...options }),
  );
  return Object.assign(headless, { you });
}

/**
 * The power of a part of what was heard.
 * @param {Headless} heard
 * @param {number} fromMs before now
 * @param {number} toMs
 */
function powerOf({ recording, recorded, format }, fromMs, toMs = 0) {
  const rate = /** @type {any} */ (format).sampleRate / 1000;
  const part = recording.subarray(recorded - fromMs * rate, recorded - toMs * rate);
  return part.reduce((sum, value) => sum + value * value, 0) / part.length;
}

describe.concurrent.each([...(isBuilt() ? ['webtransport'] : []), 'websocket'])(
  'a listener, over %s',
  (transport) => {
    for (const stride of byLength({ short: [3], long: [1, 2] })) {
      it(`hears all at stride ${stride}, sends almost nothing and is in nobody's list`, (context) =>
        undisturbedTest(context, async (test) => {
          const server = await startServer(test, '--listener-bitrate', `auto/${stride}`);
          const ann = await join(test, server, transport, 'Ann', { speech: voice });
          const lea = await join(test, server, transport, 'Lea', { listen: true });
          await pass(4000);
          const before = /** @type {any} */ (lea.stats());
          await pass(4000);
          const after = /** @type {any} */ (lea.stats());
          const played = (/** @type {string} */ name) =>
            after.detail.playout[name] - before.detail.playout[name];
          expect(played('played')).toBeGreaterThan(150);
          expect(played('lost')).toBe(0);
          // A machine that stands still conceals some of these 200 frames; a wrong stride conceals
          // one in two.
          expect(played('concealed') + played('underruns')).toBeLessThan(20);
          expect(played('received')).toBeLessThan(230 / stride);
          expect(after.detail.playout.wantedMs).toBeGreaterThan(20 * (stride - 1));
          expect(after.receivedPercent).toBeGreaterThan(99);
          expect(powerOf(lea, 3000)).toBeGreaterThan(powerOf(ann, 3000));
          expect(after.bytes.up).toBe(0);
          expect(lea.people.map(({ name }) => name)).toEqual(['Ann', 'Lea']);
          expect(ann.people.map(({ name }) => name)).toEqual(['Ann']);
          await vi.waitFor(() =>
            expect(server.rooms.get('hall')?.publicView).toEqual({
              room: 'hall',
              present: 2,
              listeners: 1,
              liveSeconds: null,
            }),
          );
        }));
    }

    if (!isLong)
      it('is made a speaker and a listener again without missing anything', (context) =>
        undisturbedTest(context, async (test) => {
          const server = await startServer(test);
          const ann = await join(test, server, transport, 'Ann', { speech: voice });
          const lea = await join(test, server, transport, 'Lea', { listen: true, speech: voice });
          await pass(3000);
          const lost = () => {
            const {
              concealed,
              skipped,
              lost: missing,
            } = /** @type {any} */ (lea.stats()).detail.playout;
            return [concealed, skipped, missing];
          };
          let before = lost();
          ann.sendControl(moderate.setRole(lea.you, 'speaker'));
          await vi.waitFor(() =>
            expect(ann.people.map(({ name }) => name)).toEqual(['Ann', 'Lea']),
          );
          lea.mute(false);
          await vi.waitFor(() => expect(powerOf(ann, 500)).toBeGreaterThan(0.0001), {
            interval: 200,
          });
          lea.mute(true);
          await pass(1000);
          // A late packet has some frames made up, and the first one of three frames comes two
          // frames later. A wrong stride makes up two of three.
          const missesNothing = () => {
            const [made, ...others] = lost();
            expect(others).toEqual(before.slice(1));
            expect(made - before[0]).toBeLessThan(12);
            before = [made, ...others];
          };
          missesNothing();
          ann.sendControl(moderate.setRole(lea.you, 'listener'));
          await vi.waitFor(() => expect(ann.people.map(({ name }) => name)).toEqual(['Ann']));
          await pass(1500);
          missesNothing();
          expect(powerOf(lea, 1000)).toBeGreaterThan(0.0001);
        }));

    if (!isLong)
      it('is steady from the first second on, and near once they ask for it', (context) =>
        undisturbedTest(context, async (test) => {
          const server = await startServer(test);
          await join(test, server, transport, 'Ann', { speech: voice });
          await join(test, server, transport, 'Lea', { listen: true });
          await pass(2500);
          const max = await join(test, server, transport, 'Max', {
            listen: true,
            nearness: 'steady',
          });
          const startMs = performance.now();
          await vi.waitFor(() => expect(powerOf(max, 100)).toBeGreaterThan(0.0001), {
            timeout: 2000,
            interval: 20,
          });
          expect(performance.now() - startMs).toBeLessThan(1200);
          await pass(1500);
          const stats = () => /** @type {any} */ (max.stats());
          expect(stats()).toMatchObject({
            nearness: 'steady',
            detail: { playout: { lost: 0, late: 0, strange: 0, wantedMs: 1500 } },
          });
          expect(stats().behindMs).toBeGreaterThan(1500);
          expect(stats().behindMs).toBeLessThan(1700);
          expect(Math.abs(stats().behindMs - stats().delayMs)).toBeLessThan(60);
          max.setNearness('near');
          await vi.waitFor(() => expect(stats().behindMs).toBeLessThan(260), {
            timeout: 10_000,
            interval: 100,
          });
          expect(stats().behindMs).toBeGreaterThan(100);
          const { received, duplicate, lost } = stats().detail.playout;
          await pass(1500);
          const after = stats().detail.playout;
          expect([after.lost, powerOf(max, 1000) > 0.0001]).toEqual([lost, true]);
          expect(after.received - received).toBeLessThan(40);
          // Over a transport that loses nothing each packet comes once.
          if (transport === 'websocket') expect(after.duplicate).toBe(duplicate);
          else expect(after.duplicate - duplicate).toBeGreaterThan(after.received - received);
        }));
  },
);
