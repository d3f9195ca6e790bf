import { expect, it as test, describe } from 'vitest';
import { inBrowser } from '../../../testkit/browsers/browser.js';
import { allowRecorder, recordingBegan, recordWholly } from '../support/recording.js';
import { announced } from '../support/room-page.js';
import { useSite } from '../support/site.js';
import { undisturbed } from '../../../testkit/undisturbed.js';

const RATE = 48_000;
const BPM = 150;

/** Clicks begin with the first sample above this; nobody speaks. */
const LOUD = 0.02;

/**
 * When the clicks of a recording began, in samples.
 * @param {Float32Array} sound
 */
function onsets(sound) {
  const found = [];
  for (let i = 0; i < sound.length; i++) {
    if (Math.abs(sound[i]) < LOUD) continue;
    found.push(i);
    i += RATE / 10;
  }
  return found;
}

test('the search finds the beginning of each click', () => {
  const sound = new Float32Array(RATE);
  for (const at of [1000, 20_000])
    for (let i = 0; i < 1440; i++)
      sound[at + i] = 0.35 * (1 - i / 1440) ** 3 * Math.sin((2 * Math.PI * 1000 * i) / RATE);
  expect(onsets(sound)).toEqual([1001, 20_001]);
});

describe('the metronome in Chromium', () => {
  const site = useSite(['--engine', 'none']);

  /**
   * Compares each click with its beat on the server's clock.
   * @param {Float32Array} sound
   * @param {number} beganMs when it began, in milliseconds since 1970
   * @returns {number[]} delay of each beginning, in milliseconds
   */
  function lateness(sound, beganMs) {
    const room = site.server.rooms.get('band');
    const beat = room?.describe().metronome;
    if (!room || !beat) throw new Error('there is no metronome');
    const apartMs = 60_000 / BPM;
    const firstMs = performance.timeOrigin + room.sound.sampleClock.msAt(beat.from);
    return onsets(sound)
      .map((at) => (beganMs + (1000 * at) / RATE - firstMs) / apartMs)
      .map((beats) => (beats - Math.round(beats)) * apartMs);
  }

  inBrowser.it('is heard by everybody on the beat of the server’s clock, and stops', () =>
    undisturbed(
      async () => {
        const visit = /** @type {const} */ ({ prepare: allowRecorder });
        const ann = await site.join('band', { ...visit, name: 'Ann' });
        const bob = await site.join('band', { ...visit, name: 'Bob' });
        const pages = [ann, bob];
        for (const page of pages)
          await page.getByRole('button', { name: 'Mute', exact: true }).click();
        await ann.getByRole('button', { name: 'Sound', exact: true }).click();
        const tap = ann.getByRole('button', { name: 'Tap the tempo' });
        for (let i = 0; i < 3; i++) {
          await tap.press('Enter');
          await ann.waitForTimeout(500);
        }
        const tapped = Number(await ann.getByLabel('Beats a minute').inputValue());
        expect(tapped).toBeGreaterThan(80);
        expect(tapped).toBeLessThanOrEqual(120);
        await ann.getByLabel('Beats a minute').fill(String(BPM));
        await ann.getByRole('button', { name: 'Start for everybody' }).click();
        await expect.poll(() => bob.locator('#metronome-badge').innerText()).toBe(`♩ = ${BPM}`);
        await expect
          .poll(() => announced(bob))
          .toBe(`Ann started the metronome: ${BPM} beats a minute.`);
        await ann.waitForTimeout(3000);
        const heard = await Promise.all(pages.map((page) => recordWholly(page)));
        await ann.waitForTimeout(5000);
        for (const [i, page] of pages.entries()) {
          const late = lateness(await heard[i](), await recordingBegan(page));
          expect(late.length).toBeGreaterThanOrEqual(11);
          for (const ms of late) expect(Math.abs(ms)).toBeLessThan(8);
          expect(Math.max(...late) - Math.min(...late)).toBeLessThan(2);
        }
        await ann.getByRole('button', { name: 'Stop for everybody' }).click();
        await expect.poll(() => bob.locator('#metronome-badge').isVisible()).toBe(false);
        await bob.waitForTimeout(500);
        await heard[1]();
        await bob.waitForTimeout(1500);
        expect(onsets(await heard[1]())).toEqual([]);
      },
      () => site.closePages(),
    ),
  );
});
