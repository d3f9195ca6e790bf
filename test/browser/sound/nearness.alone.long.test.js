import { setTimeout as sleep } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { Headless } from '../../../testkit/participants/headless.js';
import { align } from '../../../testkit/sound/signal.js';
import { readWav } from '../../../testkit/sound/wav.js';
import { loadCodec } from '../../../server/codec/codec.js';
import { undisturbed } from '../../../testkit/undisturbed.js';
import { BROWSER, inBrowser } from '../../../testkit/browsers/browser.js';
import { openPage } from '../support/room-page.js';
import { allowRecorder, recordingBegan, recordWholly } from '../support/recording.js';
import { useSite } from '../support/site.js';

const PER_MS = 48;
/**
 * Length of a piece of the heard sound that can be found in the speech, and number of pieces to
 * search: some are pauses.
 */
const PIECE = 600 * PER_MS;
const PIECES = 3;

const {
  channels: [speech],
} = await readWav(new URL('../../../testkit/speech/speech-low.wav', import.meta.url));
/** The repeated speech, of which a piece has each possible start once. */
const looped = new Float32Array(speech.length + PIECE);
looped.set(speech);
looped.set(speech.subarray(0, PIECE), speech.length);

/** The largest step from one sample to the next. @param {Float32Array} sound */
const steepest = (sound) =>
  sound.reduce(
    (most, value, i) => (i === 0 ? 0 : Math.max(most, Math.abs(value - sound[i - 1]))),
    0,
  );

/** The longest silence, in milliseconds. @param {Float32Array} sound */
function longestSilence(sound) {
  let [longest, run] = [0, 0];
  for (const value of sound)
    longest = Math.max(longest, (run = Math.abs(value) < 0.001 ? run + 1 : 0));
  return longest / PER_MS;
}

/**
 * Code that joins in a page, as text: Vite would change an import inside a function.
 * @param {string} room
 */
const joinSteady = (room) => `(async () => {
  const { Call } = await import('/public/call.js');
  const call = new Call({
    join: { room: '${room}', name: 'Lea', listen: true, nearness: 'steady' },
    microphoneId: null,
    transport: 'webtransport',
  });
  Object.defineProperty(window.aloud, 'call', { get: () => call, configurable: true });
  call.store.subscribe(['stats'], ({ stats }) =>
    Object.assign(window, { told: stats ?? undefined }));
  await call.join();
})()`;

inBrowser.describe(`how near a listener is, in ${BROWSER}`, () => {
  const site = useSite();

  /** @param {string} room @param {Float32Array} [said] */
  async function headless(room, said) {
    // The server shares this process, where sound that was compared a moment ago has taken its
    // time.
    return vi.waitFor(
      async () => {
        const one = new Headless({
          codec: await loadCodec('libopus-wasm'),
          speech: said,
          recordSeconds: 0,
          periodMs: said ? 5 : 20,
        });
        await one.join({
          origin: site.url,
          room,
          name: 'Ann',
          transport: 'websocket',
          listen: said === undefined,
        });
        return one;
      },
      { timeout: 20_000, interval: 1000 },
    );
  }

  inBrowser.it(
    'a steady one hears from the first second on what was said up to two seconds before, ' +
      'and comes nearer unheard',
    () =>
      undisturbed(async () => {
        const room = 'nearness';
        const speaker = await headless(room, speech);
        const other = await headless(room);
        try {
          const page = await openPage(site.browser, `${site.url}/r/${room}`, {}, allowRecorder);
          await sleep(1600);
          await page.evaluate(joinSteady(room));
          const heard = await recordWholly(page);
          await sleep(3500);
          const beganMs = await recordingBegan(page);
          const steady = await heard();
          await page.evaluate(() => /** @type {any} */ (window).aloud.call.setNearness('near'));
          await page.waitForFunction(
            () =>
              /** @type {any} */ (window).told?.behindMs < 260 &&
              /** @type {any} */ (window).told.behindMs > 0,
            undefined,
            { timeout: 12_000 },
          );
          await sleep(1500);
          const later = await heard();
          // The comparison takes seconds in the server's process, which sends nothing in that time:
          // the page falls behind.
          const { behindMs } = await page.evaluate(() => /** @type {any} */ (window).told);
          /**
           * Time between the speech of a sound's end and its playing.
           * @param {Float32Array} sound
           * @param {number} endMs of the recording
           */
          const behind = (sound, endMs) => {
            const found = Array.from({ length: PIECES }, (_, i) => {
              const back = (i + 1) * PIECE;
              return {
                back,
                ...align(sound.subarray(sound.length - back, sound.length - back + PIECE), looped),
              };
            });
            const [best] = found.sort((a, b) => b.correlation - a.correlation);
            expect(best.correlation).toBeGreaterThan(0.8);
            const saidMs = speaker.startMs + performance.timeOrigin + best.lag / PER_MS;
            const loopMs = speech.length / PER_MS;
            return (((beganMs + endMs - best.back / PER_MS - saidMs) % loopMs) + loopMs) % loopMs;
          };
          const steadyMs = behind(steady, steady.length / PER_MS);
          const nearMs = behind(later, (steady.length + later.length) / PER_MS);
          expect(longestSilence(steady)).toBeLessThan(longestSilence(speech) + 700);
          expect(longestSilence(later)).toBeLessThan(longestSilence(speech) + 60);
          expect(steepest(later)).toBeLessThan(1.5 * steepest(speech));
          expect(steadyMs).toBeGreaterThan(1000);
          expect(steadyMs).toBeLessThan(2000);
          expect(nearMs).toBeLessThan(300);
          expect(Math.abs(nearMs - behindMs)).toBeLessThan(80);
        } finally {
          await speaker.close();
          await other.close();
        }
      }),
  );
});
