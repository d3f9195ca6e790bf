import { afterEach, expect } from 'vitest';
import { sidesOf, stereoTones } from '../../fakes/stereo.js';
import { BROWSER, inBrowser, openBrowser } from '../../../testkit/browsers/browser.js';
import { record } from '../support/recording.js';
import { joinInStereo, openRoom } from '../support/room-page.js';
import { useSite } from '../support/site.js';
import { undisturbed } from '../../../testkit/undisturbed.js';

/** Silence for as long as joining takes, then tones with pauses between them, which are no hum. */
const LEAD_SECONDS = 4;
const SECONDS = 5;

function instruments() {
  const tones = stereoTones(SECONDS * 48_000);
  const [left, right] = [0, 1].map((side) => {
    const sound = new Float32Array((LEAD_SECONDS + SECONDS) * 48_000);
    sound.set(
      tones.filter((_, i) => i % 2 === side).map((sample, i) => (i % 36_000 < 27_000 ? sample : 0)),
      LEAD_SECONDS * 48_000,
    );
    return sound;
  });
  return [left, right];
}

inBrowser.describe(`stereo in ${BROWSER}`, () => {
  const site = useSite();
  /** @type {import('../../../testkit/browsers/browser.js').OpenBrowser | undefined} */
  let player;
  const closePlayer = async () => {
    await player?.close();
    player = undefined;
  };
  afterEach(closePlayer);

  inBrowser.it(
    'comes from the microphone to the others with left on the left and right on the right',
    () =>
      undisturbed(
        async () => {
          player = await openBrowser({ speech: instruments() });
          await joinInStereo(await openRoom(player.browser, site.url, 'hall', { name: 'Violins' }));
          const listener = await site.join('hall', 'Lis');
          const heard = await record(listener, 2);
          await listener.waitForTimeout((LEAD_SECONDS + SECONDS) * 1000);
          const sound = await heard();
          const { leftDb, rightDb, crossTalkDb } = sidesOf(sound);
          expect(Math.min(leftDb, rightDb)).toBeGreaterThan(-30);
          expect(Math.abs(leftDb - rightDb)).toBeLessThan(1);
          expect(crossTalkDb).toBeLessThan(-20);
          await listener.getByRole('button', { name: 'Options for Violins' }).click();
          await listener.getByLabel('Place of Violins').press('Home');
          await listener.waitForTimeout(1000);
          await heard();
          await listener.waitForTimeout(6000);
          const moved = await heard();
          const loudest = (/** @type {number} */ side) =>
            moved.reduce((most, x, i) => (i % 2 === side ? Math.max(most, Math.abs(x)) : most), 0);
          expect(loudest(0)).toBeGreaterThan(0.02);
          expect(loudest(1)).toBeLessThan(0.001);
        },
        async () => {
          await closePlayer();
          await site.closePages();
        },
      ),
  );
});
