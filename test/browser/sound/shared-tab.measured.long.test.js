import { chromium } from 'playwright-core';
import { expect } from 'vitest';
import { loadCodec } from '../../../server/codec/codec.js';
import { startServer } from '../../../testkit/aloud-server.js';
import { chromiumPath, inBrowser } from '../../../testkit/browsers/browser.js';
import { CHROMIUM_ARGUMENTS, findChromium } from '../../../testkit/browsers/chromium.js';
import { canServeSound, startSoundServer } from '../../../testkit/browsers/sound-server.js';
import { Headless } from '../../../testkit/participants/headless.js';
import { requireOrSkip } from '../../../testkit/skip.js';
import { levelDb } from '../../../testkit/sound/signal.js';
import { formatWav } from '../../../testkit/sound/wav.js';

const RATE = 48_000;

const tests = chromiumPath
  ? requireOrSkip(canServeSound(), 'PulseAudio, with pactl and paplay, is not installed')
  : inBrowser;

/** Runs in the tab that is shared: plays a tone of -17 dBFS. */
async function playTone() {
  document.title = 'Tuner';
  const context = new AudioContext();
  const gain = new GainNode(context, { gain: 0.2 });
  const tone = new OscillatorNode(context, { frequency: 440 });
  tone.connect(gain).connect(context.destination);
  tone.start();
  await context.resume();
}

tests.describe('a shared sound of a tab in Chromium', () => {
  tests.it('is heard by others as it is, until the tab is closed', async () => {
    const silence = formatWav({ sampleRate: RATE, channels: [new Float32Array(RATE / 10)] });
    const sound = await startSoundServer({ microphone: silence, speaker: true });
    const server = await startServer();
    const browser = await chromium.launch({
      executablePath: findChromium(),
      ignoreDefaultArgs: ['--mute-audio'],
      args: [...CHROMIUM_ARGUMENTS, '--auto-select-tab-capture-source-by-title=Tuner'],
      env: { ...process.env, ...sound.environment },
    });
    const guest = new Headless({ codec: await loadCodec('libopus-wasm'), recordSeconds: 60 });
    try {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(`${server.url}/r/tab?name=Ann`);
      await page.getByLabel('Microphone', { exact: true }).selectOption('none');
      await page.getByRole('button', { name: 'Join' }).click();
      await page.getByRole('button', { name: 'Sound', exact: true }).click();
      await guest.join({ origin: server.url, room: 'tab', name: 'Ben', transport: 'websocket' });
      const tuner = await context.newPage();
      await tuner.goto(`${server.url}/lab`);
      await tuner.evaluate(playTone);
      await page.bringToFront();
      await page.getByRole('button', { name: 'Share a tab’s sound' }).click();
      await page.getByText('Everybody hears “Sound of a tab”').waitFor();
      const heardDb = () =>
        levelDb(guest.recording.subarray(guest.recorded - RATE / 2, guest.recorded));
      await expect.poll(heardDb).toBeGreaterThan(-18);
      expect(heardDb()).toBeLessThan(-16);
      await tuner.close();
      await page.getByText('It is over: nobody hears it any more.').waitFor();
      await expect.poll(() => guest.people.map(({ name }) => name)).toEqual(['Ann', 'Ben']);
    } finally {
      await guest.close();
      await browser.close();
      await server.close();
      await sound.close();
    }
  });
});
