import { expect } from 'vitest';
import { readWav } from '../../testkit/sound/wav.js';
import { BROWSER, inBrowser, openBrowser } from '../../testkit/browsers/browser.js';
import { noticeText } from '../../public/texts/texts.js';
import { announced, button, keepTracks, openRoom } from './support/room-page.js';
import { useSite } from './support/site.js';

/** @typedef {import('playwright-core').Page} Page */

/** Taps everything that a page plays, from its first sound on. */
const tapOutput = (/** @type {Page} */ page) =>
  page.addInitScript(() => {
    const { connect } = AudioNode.prototype;
    const taps = /** @type {AnalyserNode[]} */ ([]);
    /** @type {any} */ (AudioNode.prototype).connect = function (
      /** @type {any} */ to,
      /** @type {any[]} */ ...rest
    ) {
      if (to instanceof AudioDestinationNode) {
        const tap = new AnalyserNode(this.context, { fftSize: 32768 });
        /** @type {any} */ (connect).call(this, tap);
        taps.push(tap);
      }
      return connect.call(this, to, .../** @type {[]} */ (rest));
    };
    /** @type {any} */ (window).playedPeak = () => {
      const samples = new Float32Array(32768);
      let peak = 0;
      for (const tap of taps) {
        tap.getFloatTimeDomainData(samples);
        for (const sample of samples) peak = Math.max(peak, Math.abs(sample));
      }
      return peak;
    };
  });

/** The loudest of the last 0.7 s. */
const playedPeak = (/** @type {Page} */ page) =>
  page.evaluate(() => /** @type {any} */ (window).playedPeak());

inBrowser.describe(`the green room in ${BROWSER}`, () => {
  const site = useSite([], async () => {
    const { channels } = await readWav(
      new URL('../../testkit/speech/speech-low.wav', import.meta.url),
    );
    const [speech] = channels;
    return {
      speech: Float32Array.from({ length: speech.length * 6 }, (_, i) => speech[i % speech.length]),
    };
  });

  const open = (/** @type {string} */ room) =>
    site.room(room, { name: 'Anna', prepare: tapOutput });

  inBrowser.it(
    'shows one’s own level only when asked to, and switches the microphone off again',
    async () => {
      const page = await open('level');
      const level = () =>
        page.getByRole('meter', { name: 'Your level' }).getAttribute('aria-valuenow');
      await page.waitForTimeout(500);
      expect(await level()).toBe('0');
      await button(page, 'Test my level').click();
      await page.getByText('You can be heard.').waitFor();
      await expect.poll(async () => Number(await level())).toBeGreaterThan(20);
      await button(page, 'Stop test').click();
      expect(await level()).toBe('0');
    },
  );

  inBrowser.it('keeps the keyboard’s place while it joins, and joins once', async () => {
    const page = await site.room('keys', {
      name: 'Anna',
      // Nobody answers the browser's question.
      prepare: (blank) =>
        blank.addInitScript(() => {
          navigator.mediaDevices.getUserMedia = () => new Promise(() => {});
        }),
    });
    await button(page, 'Join').focus();
    await page.keyboard.press('Enter');
    await button(page, 'Cancel').waitFor();
    await page.keyboard.press('Enter');
    const focused = () =>
      page.evaluate(() => [document.activeElement?.id, document.activeElement?.textContent]);
    expect(await focused()).toEqual(['join-button', 'Joining…']);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await button(page, 'Join').waitFor();
  });

  inBrowser.it('says that the tested microphone is gone, until another one is tested', async () => {
    const page = await site.room('unplugged', {
      name: 'Anna',
      prepare: (blank) => blank.addInitScript(keepTracks),
    });
    await button(page, 'Test my level').click();
    await page.getByText('You can be heard.').waitFor();
    await page.evaluate(() => {
      for (const track of /** @type {any} */ (window).testTracks) {
        track.stop();
        track.dispatchEvent(new Event('ended'));
      }
    });
    await page.getByText(noticeText('microphone-ended')).waitFor();
    await button(page, 'Test my level').click();
    await page.getByText('You can be heard.').waitFor();
    expect(await page.getByRole('alert').innerText()).toBe('');
  });

  inBrowser.it('plays a test sound that is soft', async () => {
    const page = await open('tone');
    await button(page, 'Play a soft test sound').click();
    await expect.poll(() => playedPeak(page)).toBeGreaterThan(0.02);
    for (let i = 0; i < 5; i++) {
      expect(await playedPeak(page)).toBeLessThan(0.12);
      await page.waitForTimeout(150);
    }
  });

  inBrowser.it(
    'lets one hear oneself through the server, two seconds later, and nobody else',
    async () => {
      const page = await open('mirror');
      await button(page, 'Hear yourself').click();
      await page.getByText('Speak: the server sends your voice back after two seconds').waitFor();
      await expect.poll(() => playedPeak(page)).toBeGreaterThan(0.02);
      expect((await page.request.get(`${site.url}/api/rooms/mirror`)).status()).toBe(404);
      await button(page, 'Stop hearing yourself').click();
      await button(page, 'Hear yourself').waitFor();
      await button(page, 'Join').click();
      await page.getByText('1 person').waitFor();
    },
  );

  inBrowser.it('says what is wrong with a test for as long as that is so', async () => {
    const page = await site.room('busy', {
      name: 'Anna',
      prepare: (blank) =>
        blank.addInitScript(() => {
          const { getUserMedia } = MediaDevices.prototype;
          Object.assign(window, { isBusy: true });
          MediaDevices.prototype.getUserMedia = async function (constraints) {
            if (/** @type {any} */ (window).isBusy) throw new DOMException('x', 'NotReadableError');
            return getUserMedia.call(this, constraints);
          };
        }),
    });
    const busy = page.getByText(noticeText('microphone-busy'));
    const alert = page.getByRole('alert');
    await button(page, 'Hear yourself').click();
    await busy.waitFor();
    await button(page, 'Stop hearing yourself').click();
    expect(await alert.innerText()).toBe('');

    await button(page, 'Test my level').click();
    await busy.waitFor();
    await page.evaluate(() => Object.assign(window, { isBusy: false }));
    await button(page, 'Test my level').click();
    await page.getByText('You can be heard.').waitFor();
    expect(await alert.innerText()).toBe('');
  });

  inBrowser.it('says that there is no speaker until a sound is played', async () => {
    const page = await site.room('silent', {
      name: 'Anna',
      prepare: (blank) =>
        blank.addInitScript(() => {
          Object.assign(window, { isGone: true });
          /** @type {any} */ (AudioContext.prototype).setSinkId = async () => {
            if (/** @type {any} */ (window).isGone) throw new DOMException('x', 'NotFoundError');
          };
        }),
    });
    // The browser names its speakers once it has given its permission.
    await button(page, 'Test my level').click();
    const speaker = page.getByLabel('Speaker', { exact: true });
    await expect.poll(() => speaker.locator('option').count()).toBeGreaterThan(1);
    await speaker.selectOption({ index: 1 });
    const tone = button(page, 'Play a soft test sound');
    await tone.click();
    await page.getByText(noticeText('no-speaker')).waitFor();
    await page.evaluate(() => Object.assign(window, { isGone: false }));
    // Sounds that follow each other at once are one.
    await page.waitForTimeout(700);
    await tone.click();
    await expect.poll(() => page.getByRole('alert').innerText()).toBe('');
  });

  inBrowser.it('ends hearing oneself with the page, and says nothing of it', async () => {
    const page = await open('mirror');
    await button(page, 'Hear yourself').click();
    await button(page, 'Stop hearing yourself').waitFor();
    // The browser may keep the page, and show it again.
    await page.evaluate(() => void window.dispatchEvent(new Event('pagehide')));
    await button(page, 'Hear yourself').waitFor();
    expect(await page.getByRole('alert').innerText()).toBe('');
  });

  inBrowser.it('lets sound fade in: nobody’s first word is a start', async () => {
    const page = await site.room('fade', {
      name: 'Anna',
      prepare: (blank) =>
        blank.addInitScript(() => {
          const Plain = window.GainNode;
          const heard = /** @type {number[]} */ ([]);
          Object.assign(window, {
            heardGains: heard,
            GainNode: class extends Plain {
              /** @param {BaseAudioContext} context @param {GainOptions} [options] */
              constructor(context, options) {
                super(context, options);
                // The call's output is the first; others lead into it.
                if (heard.push(this.gain.value) === 1)
                  setInterval(() => heard.push(this.gain.value), 5);
                else heard.pop();
              }
            },
          });
        }),
    });
    await button(page, 'Join').click();
    const gains = () => page.evaluate(() => /** @type {any} */ (window).heardGains);
    await expect.poll(async () => (await gains()).at(-1)).toBe(1);
    const all = /** @type {number[]} */ (await gains());
    expect(all[0]).toBe(0);
    expect(all.filter((gain) => gain > 0.05 && gain < 0.95).length).toBeGreaterThan(3);
    for (const [i, gain] of all.slice(1).entries()) expect(gain).toBeGreaterThanOrEqual(all[i]);
  });

  inBrowser.it('makes a room of short frames for who is the first and wants it', async () => {
    const page = await site.room('short', { name: 'Anna' });
    await page.getByText('Sound settings').click();
    await page.getByLabel('Length of a frame').selectOption('5');
    await button(page, 'Join').click();
    await button(page, 'Sound').click();
    const filled = page
      .locator('dt', { hasText: 'A frame is filled' })
      .locator('xpath=following-sibling::dd[1]');
    await expect.poll(() => filled.innerText()).toBe('5 ms');
  });

  inBrowser.it('shows who speaks, to the others and to oneself', async () => {
    const anna = await site.join('light', 'Anna');
    const ben = await site.room('light', { name: 'Ben' });
    await ben.getByLabel('Microphone', { exact: true }).selectOption('none');
    await button(ben, 'Join').click();
    const speaking = (/** @type {Page} */ page) =>
      page
        .getByRole('list', { name: 'People in the room' })
        .evaluate((list) =>
          [...list.children]
            .filter((tile) => tile.classList.contains('speaking'))
            .map((tile) => tile.textContent?.slice(0, 4)),
        );
    for (const page of [anna, ben]) await expect.poll(() => speaking(page)).toEqual(['Anna']);
    await button(anna, 'Mute').click();
    for (const page of [anna, ben]) await expect.poll(() => speaking(page)).toEqual([]);
  });

  inBrowser.it(
    'makes a soft sound when somebody comes or goes, unless it is switched off',
    async () => {
      const anna = await site.room('sounds', { name: 'Anna', prepare: tapOutput });
      await anna.getByLabel('Microphone', { exact: true }).selectOption('none');
      await button(anna, 'Join').click();
      await anna.getByText('You are the only one here.').waitFor();
      expect(await playedPeak(anna)).toBeLessThan(0.005);
      let peak = 0;
      const loudest = async () => (peak = Math.max(peak, await playedPeak(anna)));
      // The question may be over before he hears of it.
      const [ben] = await Promise.all([
        site.guest('sounds', 'Ben'),
        expect.poll(loudest, { timeout: 30_000 }).toBeGreaterThan(0.02),
      ]);
      expect(peak).toBeLessThan(0.12);
      await button(anna, 'Settings').click();
      await anna.getByText(/^aloud \d+\.\d+\.\d+$/).waitFor();
      await anna.getByRole('switch', { name: 'Sounds' }).uncheck();
      await anna.waitForTimeout(1500);
      await ben.close();
      await expect.poll(() => announced(anna)).toBe('Ben left.');
      for (let i = 0; i < 5; i++) {
        expect(await playedPeak(anna)).toBeLessThan(0.005);
        await anna.waitForTimeout(150);
      }
    },
  );

  inBrowser.it('remembers the speaker that was chosen', async () => {
    const page = await open('speaker');
    await button(page, 'Test my level').click();
    const speaker = page.getByLabel('Speaker', { exact: true });
    await expect.poll(() => speaker.locator('option').count()).toBeGreaterThan(1);
    await speaker.selectOption({ index: 1 });
    const chosen = await speaker.inputValue();
    expect(chosen).not.toBe('');
    await page.reload();
    await button(page, 'Test my level').click();
    await expect.poll(() => speaker.inputValue()).toBe(chosen);
  });

  inBrowser.it('says where no speaker can be chosen', async () => {
    const page = await site.room('no-sink', {
      name: 'Anna',
      prepare: (blank) =>
        blank.addInitScript(() => delete (/** @type {any} */ (AudioContext.prototype).setSinkId)),
    });
    await page
      .getByText('This browser leaves the choice of the speaker to the system’s settings.')
      .waitFor();
    expect(await page.getByLabel('Speaker').count()).toBe(0);
  });

  inBrowser.it(
    'says what to do when the microphone is refused, and when nothing comes from it',
    async () => {
      const refusing = await openBrowser({ microphone: 'refused' });
      const page = await openRoom(refusing.browser, site.url, 'refused', { name: 'Anna' });
      await button(page, 'Test my level').click();
      await page.getByText('The browser was not allowed to use the microphone. Allow it').waitFor();
      await refusing.close();
      const silent = await openBrowser({ speech: new Float32Array(4800) });
      const quiet = await openRoom(silent.browser, site.url, 'silent', { name: 'Anna' });
      await button(quiet, 'Test my level').click();
      await quiet
        .getByText('Nothing is heard yet. Is this the right microphone')
        .waitFor({ timeout: 10_000 });
      await silent.close();
    },
  );
});
