import { describe, expect } from 'vitest';
import { seededRandom, normal } from '../../../testkit/random.js';
import { levelDb } from '../../../testkit/sound/signal.js';
import { lagsBetween } from '../../../testkit/sound/sound-lag.js';
import { formatWav } from '../../../testkit/sound/wav.js';
import { inBrowser } from '../../../testkit/browsers/browser.js';
import { allowRecorder, recordingBegan, recordWholly } from '../support/recording.js';
import { useSite } from '../support/site.js';
import { undisturbed } from '../../../testkit/undisturbed.js';

const RATE = 48_000;
const SECONDS = 8;

/** The sound is looked for from this much before it is due on, in milliseconds. */
const EARLIER_MS = 50;

/** Noise below some 3 kHz, at -23 dBFS. */
function noise() {
  const random = seededRandom(5);
  const sound = new Float32Array(SECONDS * RATE);
  let low = 0;
  for (let i = 0; i < sound.length; i++) sound[i] = low += (normal(random) * 0.14 - low) / 3;
  return sound;
}

/**
 * Expects that a sound was heard when it was due, in one piece, and as loud.
 * @param {import('../../../testkit/sound/sound-lag.js').Recorded} heard
 * @param {import('../../../testkit/sound/sound-lag.js').Recorded} said
 */
function expectInTime(heard, said) {
  const lags = lagsBetween(heard, said, { mostMs: 100 });
  expect(lags.length).toBeGreaterThanOrEqual(2 * SECONDS - 3);
  for (const { lagMs } of lags) expect(Math.abs(lagMs - EARLIER_MS)).toBeLessThan(8);
  const begin = heard.samples.findIndex((value) => Math.abs(value) > 0.01);
  for (let at = begin + RATE / 10; at < begin + (SECONDS - 0.2) * RATE; at += RATE / 50) {
    expect(
      Math.abs(levelDb(heard.samples.subarray(at, at + RATE / 50)) - levelDb(said.samples)),
    ).toBeLessThan(4);
  }
}

describe('the backing track in Chromium', () => {
  const site = useSite(['--engine', 'none']);
  const sound = noise();
  const file = {
    name: 'Blue in E.wav',
    mimeType: 'audio/wav',
    buffer: Buffer.from(formatWav({ sampleRate: RATE, channels: [sound] })),
  };

  // First: the server, which is in this process, lets nobody in for a while after it stood still
  // for the comparing below.
  inBrowser.it('tells why a file can’t be put in', async () => {
    const ann = await site.join('solo', 'Ann');
    await ann.getByRole('button', { name: 'Sound', exact: true }).click();
    await ann
      .locator('#track-file')
      .setInputFiles({ name: 'x.mp3', mimeType: 'audio/mpeg', buffer: Buffer.from('no sound') });
    await ann.getByText('This browser can’t read that file as sound.').waitFor();
    await ann.getByRole('button', { name: 'Choose a file' }).waitFor();
  });

  inBrowser.it(
    'is heard by everybody at the same moment of the server’s clock, without a gap, and as ' +
      'loud as each likes',
    () =>
      undisturbed(
        async () => {
          const visit = /** @type {const} */ ({ prepare: allowRecorder });
          const ann = await site.join('band', { ...visit, name: 'Ann' });
          const bob = await site.join('band', { ...visit, name: 'Bob' });
          const pages = [ann, bob];
          for (const page of pages)
            await page.getByRole('button', { name: 'Mute', exact: true }).click();
          for (const page of pages)
            await page.getByRole('button', { name: 'Sound', exact: true }).click();
          await ann.locator('#track-file').setInputFiles(file);
          await bob.getByText('“Blue in E”, 0:08, from Ann.').waitFor();
          const heard = await Promise.all(pages.map((page) => recordWholly(page)));
          await bob.getByRole('button', { name: 'Play for everybody' }).click();
          await expect.poll(() => ann.locator('#track-badge').innerText()).toBe('♫ Blue in E');
          const room = site.server.rooms.get('band');
          const from = room?.describe().track?.from;
          if (!room || typeof from !== 'number') throw new Error('no track is played');
          const said = {
            samples: sound,
            startMs: performance.timeOrigin + room.sound.sampleClock.msAt(from) - EARLIER_MS,
            sampleRate: RATE,
          };
          await ann.waitForTimeout(SECONDS * 1000 + 1500);
          await expect.poll(() => ann.locator('#track-badge').isVisible()).toBe(false);
          const first = await Promise.all(
            pages.map(async (page, i) => ({
              samples: await heard[i](),
              startMs: await recordingBegan(page),
              sampleRate: RATE,
            })),
          );
          await bob.getByLabel('How loud I hear it').fill('0');
          await ann.getByRole('button', { name: 'Play for everybody' }).click();
          await ann.waitForTimeout(3000);
          const [annHears, bobHears] = await Promise.all(
            heard.map(async (take) => (await take()).slice(-RATE)),
          );
          await ann.getByRole('button', { name: 'Stop for everybody' }).last().click();
          await bob.waitForTimeout(500);
          await bob.getByRole('button', { name: 'Take it out' }).click();
          await ann.getByText('There is none.').waitFor();
          // Comparing takes seconds, in which the server, which is in this process, would answer
          // nobody.
          for (const recorded of first) expectInTime(recorded, said);
          expect(levelDb(annHears)).toBeGreaterThan(-30);
          expect(levelDb(bobHears)).toBeLessThan(-60);
        },
        () => site.closePages(),
      ),
  );
});
