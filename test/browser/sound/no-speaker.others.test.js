import { afterAll, beforeAll, expect } from 'vitest';
import { noticeText } from '../../../public/texts/texts.js';
import { startServer } from '../../../testkit/aloud-server.js';
import { BROWSER, inBrowser } from '../../../testkit/browsers/browser.js';
import { openFirefox } from '../../../testkit/browsers/firefox.js';
import { joinRoom, openPage } from '../support/room-page.js';

// Chromium plays to nowhere where there is no speaker. Firefox starts no sound then, and its
// microphones are silent.
inBrowser.describe(`a computer without a speaker, in ${BROWSER}`, () => {
  /** @type {Awaited<ReturnType<typeof startServer>>} */
  let server;
  /** @type {import('../../../testkit/browsers/browser.js').OpenBrowser} */
  let opened;

  beforeAll(async () => {
    server = await startServer();
    opened = await openFirefox({
      microphone: 'speech',
      speech: new Float32Array(4800),
      speaker: false,
    });
  });
  afterAll(async () => {
    await opened?.close();
    await server?.close();
  });

  inBrowser.it('has a microphone that gives silence, though there is a tone at it', async () => {
    const page = await openPage(opened.browser, server.url);
    const { state, samples, peak } = await page.evaluate(async () => {
      const stream = await navigator.mediaDevices.getUserMedia({
        audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false },
      });
      const recorder = new MediaRecorder(stream);
      /** @type {Blob[]} */
      const pieces = [];
      recorder.ondataavailable = ({ data }) => void pieces.push(data);
      recorder.start();
      await new Promise((resolve) => void setTimeout(resolve, 3000));
      const ended = new Promise((resolve) => void (recorder.onstop = resolve));
      recorder.stop();
      await ended;
      const bytes = await new Blob(pieces).arrayBuffer();
      const sound = (
        await new OfflineAudioContext(1, 48_000, 48_000).decodeAudioData(bytes)
      ).getChannelData(0);
      return {
        state: stream.getTracks()[0].readyState,
        samples: sound.length,
        peak: sound.reduce((most, x) => Math.max(most, Math.abs(x)), 0),
      };
    });
    expect([state, peak]).toEqual(['live', expect.closeTo(0, 3)]);
    // Two seconds of silence at least: the recorder did run.
    expect(samples).toBeGreaterThan(96_000);
  });

  inBrowser.it('is told of, with what to do, and one is in the call all the same', async () => {
    const page = await joinRoom(opened.browser, server.url, 'deaf', { name: 'Anna' });
    await page.getByText(noticeText('no-output')).waitFor();
    expect(await page.getByRole('button', { name: 'Turn sound on' }).count()).toBe(0);
    expect(server.rooms.get('deaf')?.size).toBe(1);
  });
});
