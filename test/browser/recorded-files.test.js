import { afterAll, beforeAll, expect, it } from 'vitest';
import { readWav } from '../../testkit/sound/wav.js';
import { createAudioFormat } from '../../public/shared/sound/audio-format.js';
import { loadCodec } from '../../server/codec/codec.js';
import { OggOpus } from '../../server/recording/ogg-opus.js';
import { Track } from '../../server/recording/track.js';
import { readOggOpus } from '../fakes/ogg-file.js';
import { inBrowser, openBrowser } from '../../testkit/browsers/browser.js';
import { samplesOf } from './support/recording.js';

const FRAMES = 250;
const codec = await loadCodec('libopus-wasm');
const { channels } = await readWav(new URL('../../testkit/speech/speech-low.wav', import.meta.url));

/**
 * A file as the server writes one, of speech.
 * @param {{ preSkip: number, isThere: (frame: number) => boolean, sampleRate?: number }} options
 */
async function fileOf({ preSkip, isThere, sampleRate = 48000 }) {
  const format = createAudioFormat({ sampleRate });
  const step = 48000 / sampleRate;
  const encoder = await codec.createEncoder({ sampleRate, frameSamples: format.frameSamples });
  const pages = /** @type {Uint8Array[]} */ ([]);
  const tags = { TITLE: 'Ada, tea' };
  const track = new Track(
    new OggOpus({ serial: 7, preSkip, sampleRate, tags, write: (page) => void pages.push(page) }),
    format,
  );
  track.fill(50);
  const out = new Uint8Array(1275);
  for (let frame = 50; frame < FRAMES; frame++) {
    const from = frame * 960;
    const pcm = Float32Array.from(
      { length: format.frameSamples },
      (_, i) => channels[0][(from + i * step) % channels[0].length],
    );
    const bytes = encoder.encode(pcm, out, 0);
    if (isThere(frame)) track.put(out, 0, bytes);
    else track.putMissing();
  }
  track.end();
  encoder.close();
  return new Uint8Array(Buffer.concat(pages));
}

/**
 * Runs in the page.
 * @param {string} file in base64
 * @returns {Promise<string>} its samples, as a data URL
 */
async function decode(file) {
  const context = new OfflineAudioContext(1, 48000, 48000);
  const bytes = Uint8Array.from(atob(file), (character) => character.charCodeAt(0));
  const buffer = await context.decodeAudioData(bytes.buffer);
  const reader = new FileReader();
  reader.readAsDataURL(new Blob([buffer.getChannelData(0)]));
  await new Promise((resolve) => void reader.addEventListener('load', resolve));
  return String(reader.result);
}

inBrowser.describe('a recorded file in a browser', () => {
  /** @type {Awaited<ReturnType<typeof openBrowser>>} */
  let opened;
  /** @type {import('playwright-core').Page} */
  let page;
  beforeAll(async () => {
    opened = await openBrowser();
    page = await opened.browser.newPage();
  });
  afterAll(() => opened?.close());

  it.each([
    ['every frame', { preSkip: 3840, isThere: () => true }],
    ['a pre-skip that is no whole packets', { preSkip: 3840 + 120, isThere: () => true }],
    [
      'gaps of lost frames and of silence',
      { preSkip: 3840, isThere: (/** @type {number} */ f) => f % 23 !== 7 && (f < 120 || f > 170) },
    ],
    ['sound of 16 kHz', { preSkip: 3840, isThere: () => true, sampleRate: 16000 }],
  ])('is decoded whole, to the sample, with %s', async (_, options) => {
    const file = await fileOf(options);
    const decoded = samplesOf(await page.evaluate(decode, Buffer.from(file).toString('base64')));
    const { samples } = await readOggOpus(file);
    expect(decoded.length).toBe(FRAMES * 960 - options.preSkip);
    let [sum, own, other] = [0, 0, 0];
    for (let i = 0; i < samples.length; i++) {
      sum += samples[i] * decoded[i];
      own += samples[i] ** 2;
      other += decoded[i] ** 2;
    }
    // Each decoder makes up a gap in its own way.
    expect(sum / Math.sqrt(own * other)).toBeGreaterThan(options.isThere(53) ? 0.999 : 0.98);
  });
});
