import { expect, it, onTestFinished } from 'vitest';
import { align, levelDb } from '../../testkit/sound/signal.js';
import { listenTo } from '../../testkit/players/page.js';
import { readWav } from '../../testkit/sound/wav.js';
import { join } from '../../programs/client.js';
import { loadConfig } from '../../server/config/config.js';
import { createServer } from '../../server/server.js';
import { inBrowser, openBrowser } from '../../testkit/browsers/browser.js';
import { undisturbed } from '../../testkit/undisturbed.js';
import { samplesOf } from './support/recording.js';

const quiet = { error() {}, warn() {}, info() {}, debug() {} };
const {
  channels: [speech],
} = await readWav(new URL('../../testkit/speech/speech-low.wav', import.meta.url));

/** The samples that the page hears at a time. */
const PIECE = 4096;

/**
 * Runs in the page: what an audio element plays in a few seconds.
 * @param {[url: string, samples: number]} options
 * @returns {Promise<string>} samples, as a data URL
 */
async function hear([url, samples]) {
  const context = new AudioContext({ sampleRate: 48_000 });
  const audio = new Audio(url);
  const processor = context.createScriptProcessor(samples, 1, 1);
  context.createMediaElementSource(audio).connect(processor);
  processor.connect(context.destination);
  /** @type {Float32Array[]} */
  const parts = [];
  const heard = new Promise((/** @type {(value: void) => void} */ resolve) => {
    processor.onaudioprocess = ({ inputBuffer }) => {
      // A file for a page begins with silence.
      if (audio.currentTime > 2.2) parts.push(inputBuffer.getChannelData(0).slice());
      if (parts.length === 36) resolve();
    };
  });
  await audio.play();
  await heard;
  audio.pause();
  audio.removeAttribute('src');
  audio.load();
  await context.close();
  const reader = new FileReader();
  reader.readAsDataURL(new Blob(/** @type {any} */ (parts)));
  await new Promise((resolve) => void reader.addEventListener('load', resolve));
  return String(reader.result);
}

/**
 * The middle one of how like the pieces are to what was said, where that was loud: a busy browser
 * leaves out some between them.
 * @param {Float32Array} heard
 * @param {Float32Array} said
 */
function likeness(heard, said) {
  const correlations = [];
  for (let at = 12 * PIECE; at < heard.length; at += 4 * PIECE) {
    const piece = heard.subarray(at, at + PIECE);
    if (levelDb(piece) > -40) correlations.push(align(piece, said).correlation);
  }
  expect(correlations.length).toBeGreaterThan(1);
  return correlations.toSorted((a, b) => a - b)[correlations.length >> 1];
}

inBrowser.describe('the link of a room as a file', () => {
  it('plays as Ogg and WebM in an audio element, which leaves the room when removed', async () => {
    const server = await createServer(
      loadConfig({ argv: ['--port', '0', '--h3-port', '0'], env: {} }),
      { log: quiet },
    );
    onTestFinished(() => server.close());
    const player = await join({ url: server.url, room: 'hall', name: 'Ann', hear: false });
    onTestFinished(() => player.leave());
    const opened = await openBrowser();
    onTestFinished(() => opened.close());
    const page = await opened.browser.newPage();
    await page.goto(server.url);
    const talking = (async () => {
      while (player.state !== 'ended') await player.say(speech);
    })();
    const [ogg, webm] = await Promise.all(
      ['ogg', 'webm'].map((kind) =>
        page.evaluate(hear, /** @type {[string, number]} */ ([`/listen/hall.${kind}`, PIECE])),
      ),
    );
    await expect.poll(() => server.rooms.get('hall')?.publicView).toMatchObject({ listeners: 0 });
    await player.leave();
    await talking;
    for (const url of [ogg, webm]) {
      const heard = samplesOf(url);
      expect(levelDb(heard)).toBeGreaterThan(-40);
      expect(likeness(heard, speech)).toBeGreaterThan(0.9);
    }
  });

  it('begins at once where nobody speaks, and stays near', async () => {
    const server = await createServer(
      loadConfig({ argv: ['--port', '0', '--h3-port', '0'], env: {} }),
      { log: quiet },
    );
    onTestFinished(() => server.close());
    const silent = await join({ url: server.url, room: 'hall', name: 'Ann', hear: false });
    onTestFinished(() => silent.leave());
    const opened = await openBrowser();
    onTestFinished(() => opened.close());
    const page = await opened.browser.newPage();
    await page.goto(server.url);
    for (const kind of ['ogg', 'webm'])
      await undisturbed(async () => {
        const { beganMs, lateMs } = await page.evaluate(
          listenTo,
          /** @type {[string, number]} */ ([`/listen/hall.${kind}`, 6]),
        );
        expect(beganMs).toBeLessThan(2000);
        // Besides the 1.8 s of silence at the beginning.
        expect(lateMs).toBeLessThan(1500);
      });
  });
});
