import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { readWavHeader, WAV_HEADER_BYTES } from '../../../public/shared/sound/wav.js';
import { BROWSER, inBrowser, openBrowser } from '../../../testkit/browsers/browser.js';
import { align } from '../../../testkit/sound/signal.js';
import { readSpeech } from '../../../testkit/participants/speech.js';
import { readOggOpus } from '../../fakes/ogg-file.js';
import { joinRoom } from '../support/room-page.js';
import { useSite } from '../support/site.js';

const RATE = 48_000;
const once = await readSpeech(RATE);
/** Longer than the test plays it. */
const speech = Float32Array.from({ length: 4 * once.length }, (_, i) => once[i % once.length]);

/** Place of a recorded second, and the largest frame of a room, in samples. */
const FROM = RATE;
const FRAME = 960;

/** @param {Uint8Array} bytes of a WAV file of 24 bits */
const samplesOf = (bytes) =>
  Float32Array.from(
    { length: (bytes.length - WAV_HEADER_BYTES) / 3 },
    (_, i) =>
      Buffer.from(bytes.buffer, bytes.byteOffset).readIntLE(WAV_HEADER_BYTES + 3 * i, 3) / 2 ** 23,
  );

inBrowser.describe(`a recording on one’s own device in ${BROWSER}`, () => {
  const site = useSite();

  inBrowser.it('has the microphone’s sound at its place, and goes to the host', async () => {
    // A second try has a room without the first one's recording.
    const room = `studio${Date.now()}`;
    const opened = await openBrowser({ speech, isMeasured: true });
    try {
      const page = await joinRoom(opened.browser, site.url, room, { name: 'Ann' });
      await page.getByRole('button', { name: 'Record', exact: true }).click();
      await page.getByRole('button', { name: 'Start recording' }).click();
      await page.getByRole('button', { name: 'Sound', exact: true }).click();
      await page.getByRole('button', { name: 'Record my microphone' }).click();
      await page.getByText('Your microphone is being recorded on this device.').waitFor();
      await page.waitForTimeout(4000);
      await page.getByRole('button', { name: 'Stop and keep' }).click();
      await page.getByText('The file is kept in this browser.').waitFor();
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download: studio' }).click();
      const bytes = await readFile(await (await saved).path());
      const wav = readWavHeader(bytes);
      expect(wav).toMatchObject({ sampleRate: RATE, channels: 1 });
      expect(wav?.dataBytes).toBe(bytes.length - WAV_HEADER_BYTES);
      const sound = samplesOf(bytes);
      expect(sound.length).toBeGreaterThan(3 * RATE);
      const second = sound.subarray(FROM, FROM + RATE);
      const spoken = align(second, speech);
      expect(spoken.correlation).toBeGreaterThan(0.99);

      await page.getByRole('button', { name: /^Record(:|$)/ }).click();
      await page.getByRole('button', { name: 'Stop recording' }).click();
      await page.getByText('The recording’s files are ready.').first().waitFor();
      await page.getByRole('button', { name: 'Sound', exact: true }).click();
      await page.getByRole('button', { name: 'Add to the room’s recording' }).click();
      await page.getByText('The file is with the room’s recording now.').waitFor();
      const [recording] = await site.server.recordings.list(1);
      const url = `${site.url}/api/recordings/${recording.id}`;
      const { firstSample } = await (await fetch(url)).json();
      const given = Buffer.from(await (await fetch(`${url}/01-ann.wav`)).arrayBuffer());
      expect(given.equals(bytes)).toBe(true);
      const track = new Uint8Array(await (await fetch(`${url}/01-ann.opus`)).arrayBuffer());
      const { samples } = await readOggOpus(track);
      const expected = FROM + Number(wav?.timeReference) - firstSample;
      // The track went through a codec, and has the place of its bursts. The speech comes again
      // after seven seconds, which a busy machine may have recorded.
      const place = align(second, samples, { from: expected - RATE, to: expected + RATE });
      expect(place.correlation).toBeGreaterThan(0.9);
      expect(Math.abs(place.lag - expected)).toBeLessThan(FRAME);
    } finally {
      await opened.close();
    }
  });
});
