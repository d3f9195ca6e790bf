/**
 * WebKitGTK has no WebTransport, and gives a page shared memory only by an environment variable.
 */

import { afterEach, expect } from 'vitest';
import { Headless } from '../../testkit/participants/headless.js';
import { loadCodec } from '../../server/codec/codec.js';
import { requireOrSkip } from '../../testkit/skip.js';
import { startServer } from '../../testkit/aloud-server.js';
import { findWebKit, openWebKit } from '../../testkit/browsers/webkit.js';

const RATE = 48_000;

/** The least peak that is sound: words are ten times as loud. */
const HEARD = 0.02;

/** Words, half a second each. */
const words = Float32Array.from({ length: RATE }, (_, i) =>
  i % 24_000 < 12_000 ? 0.3 * Math.sin((2 * Math.PI * 440 * i) / RATE) : 0,
);

const loudest = (/** @type {Float32Array} */ samples) =>
  samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);

/** Runs in the page: the loudest of a second that its call plays. */
async function playedPeak() {
  const { output } = /** @type {any} */ (window).aloud.call;
  const tap = new AnalyserNode(output.context, { fftSize: 32768 });
  output.connect(tap);
  tap.connect(output.context.destination);
  await new Promise((resolve) => void setTimeout(resolve, 1000));
  const samples = new Float32Array(32768);
  tap.getFloatTimeDomainData(samples);
  output.disconnect(tap);
  return samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
}

const inWebKit = requireOrSkip(
  findWebKit(),
  'WebKitGTK’s MiniBrowser, WebKitWebDriver, Xvfb and PulseAudio are not all installed',
);

inWebKit.describe('a call in WebKitGTK', () => {
  /** @type {(() => Promise<unknown>)[]} */
  const open = [];
  afterEach(async () => {
    for (const close of open.splice(0).toReversed()) await close();
  });

  for (const sharedMemory of [true, false]) {
    inWebKit.it(
      `goes over a WebSocket, and is heard both ways, ${sharedMemory ? 'with' : 'without'} ` +
        'shared memory',
      async ({ task }) => {
        const server = await startServer();
        open.push(() => server.close());
        const other = new Headless({
          codec: await loadCodec('libopus-wasm'),
          speech: words,
          recordSeconds: 120,
        });
        open.push(() => other.close());
        await other.join({ origin: server.url, room: 'kit', name: 'Ann', transport: 'websocket' });
        const { page, version } = await openWebKit({ sharedMemory });
        open.push(() => page.close());
        Object.assign(task.meta, { browser: version });

        await page.goto(`${server.url}/r/kit?name=Wes&processing=off`);
        await expect.poll(() => page.text()).toContain('Join');
        expect(await page.evaluate(() => typeof SharedArrayBuffer)).toBe(
          sharedMemory ? 'function' : 'undefined',
        );
        await page.evaluate(() =>
          document
            .querySelector('#join-button')
            ?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true })),
        );
        await expect
          .poll(() => page.text(), { timeout: 20_000 })
          .toMatch(
            /Connected over WebSocket[^]*Tried WebTransport first\. This browser has none\./,
          );
        await expect
          .poll(() => page.evaluate(playedPeak), { timeout: 20_000 })
          .toBeGreaterThan(HEARD);
        await expect
          .poll(
            () =>
              loudest(other.recording.subarray(Math.max(0, other.recorded - RATE), other.recorded)),
            { timeout: 20_000 },
          )
          .toBeGreaterThan(HEARD);
      },
    );
  }
});
