import { setTimeout as pass } from 'node:timers/promises';
import { isBuilt } from '@aloud/native';
import { describe, expect, it } from 'vitest';
import { Headless } from '../../testkit/participants/headless.js';
import { readWav } from '../../testkit/sound/wav.js';
import { loadCodec } from '../../server/codec/codec.js';
import { BasicRule, RATE_RULES } from '../../server/broadcast/rate-rule.js';
import { loadConfig } from '../../server/config/config.js';
import { createServer } from '../../server/server.js';
import { undisturbedTest } from '../../testkit/undisturbed.js';

const quiet = { error() {}, warn() {}, info() {}, debug() {} };
const codec = await loadCodec('libopus-wasm');
const {
  channels: [voice],
} = await readWav(new URL('../../testkit/speech/speech-low.wav', import.meta.url));

RATE_RULES.set('basic', BasicRule);
/** Listeners get the rate that they ask for. */
const byRequest = { room: () => ({ listenerRule: 'basic' }) };

/**
 * Rate of a listener's packets over a time, in kilobits a second, with the numbers of played and
 * missing frames, each counted once.
 * @param {Headless} listener
 * @param {number} ms
 */
async function during(listener, ms) {
  const read = () => /** @type {any} */ (listener.stats());
  const before = read();
  await pass(ms);
  const after = read();
  const count = (/** @type {string} */ name) =>
    after.detail.playout[name] - before.detail.playout[name];
  const missing = ['concealed', 'skipped', 'garbage'].reduce((sum, name) => sum + count(name), 0);
  return {
    kbps: (8 * (after.bytes.down - before.bytes.down)) / ms,
    played: count('played'),
    missing,
  };
}

/**
 * A live room, and a function that lets people join it.
 * @param {{ onTestFinished: (close: () => Promise<void>) => void }} test
 * @param {string} transport
 * @param {string[]} options of the server
 * @param {import('../../server/plugin.js').Plugin} [plugin]
 */
async function openHall(test, transport, options, plugin) {
  const server = await createServer(
    loadConfig({
      argv: [
        '--port',
        '0',
        '--h3-port',
        '0',
        '--broadcast',
        '--listener-bitrate',
        '128000',
        '--no-silence-suppression',
        ...options,
      ],
      env: {},
    }),
    { log: quiet, plugin },
  );
  test.onTestFinished(() => server.close());
  /** @param {string} name @param {{ listen?: boolean, speech?: Float32Array }} wishes */
  const join = async (name, { speech, ...wishes }) => {
    const headless = new Headless({ codec, speech, recordSeconds: 20 });
    test.onTestFinished(() => headless.close());
    await headless.join(
      /** @type {any} */ ({ origin: server.url, room: 'hall', name, transport, ...wishes }),
    );
    return headless;
  };
  return { server, join };
}

describe.concurrent.each([...(isBuilt() ? ['webtransport'] : []), 'websocket'])(
  'a broadcast over %s',
  (transport) => {
    it('is heard without a gap at each rate a listener asks for, and as it changes', (context) =>
      undisturbedTest(context, async (test) => {
        const { server, join } = await openHall(test, transport, ['--redundancy', '0'], byRequest);
        await join('Ann', { speech: voice });
        const lea = await join('Lea', { listen: true });
        await pass(1500);
        const high = await during(lea, 1000);
        lea.sendControl({ type: 'rate', bitsPerSecond: 16_000 });
        const down = await during(lea, 1500);
        const low = await during(lea, 1000);
        lea.sendControl({ type: 'rate', bitsPerSecond: 'auto' });
        const up = await during(lea, 1500);
        for (const { played } of [down, up]) expect(played).toBeGreaterThan(50);
        // A machine that stands still for a moment has a few of some 140 frames made up; a change
        // that isn't right all behind it.
        expect(down.missing + up.missing).toBeLessThan(8);
        expect(low.kbps).toBeLessThan(0.5 * high.kbps);
        expect(server.rooms.figures().listenersByRate).toMatchObject({ 16000: 0, 128000: 1 });
      }));

    it('goes up by probes that no listener takes for loss', (context) =>
      undisturbedTest(context, async (test) => {
        const { join } = await openHall(test, transport, []);
        await join('Ann', { speech: voice });
        const lea = await join('Lea', { listen: true });
        await pass(6000);
        const { kbps } = await during(lea, 1000);
        expect(/** @type {any} */ (lea.stats()).detail.playout.lost).toBe(0);
        expect(kbps).toBeGreaterThan(80);
      }));
  },
);
