import { expect } from 'vitest';
import { violationsOf } from '../../testkit/browsers/axe.js';
import { BROWSER, inBrowser } from '../../testkit/browsers/browser.js';
import { captionTexts } from '../../public/texts/features.js';
import { takePicture } from './support/contrast.js';
import { openPage, shows } from './support/room-page.js';
import { useSite } from './support/site.js';

/** @typedef {import('playwright-core').Page} Page */

/**
 * Runs in the page before its own code. Headless browsers have no speech recognition, which is the
 * browser's own part, and no translator. This stands in for both, and for nothing of the page's:
 * `window.recognise(text, isFinal)` is what the browser would have heard.
 */
function standIn() {
  const page = /** @type {any} */ (window);
  page.recognisers = [];
  page.SpeechRecognition = class {
    static availability = 'available';
    static async available() {
      return this.availability;
    }
    static async install() {
      this.availability = 'available';
      return true;
    }
    start(/** @type {MediaStreamTrack} */ track) {
      this.track = track;
      page.recognisers.push(this);
    }
    abort() {
      page.recognisers.splice(page.recognisers.indexOf(this), 1);
    }
  };
  Object.defineProperty(page.SpeechRecognition.prototype, 'processLocally', {
    value: false,
    writable: true,
  });
  page.recognise = (/** @type {string} */ transcript, /** @type {boolean} */ isFinal) => {
    const result = Object.assign([{ transcript }], { isFinal });
    for (const one of page.recognisers) one.onresult({ results: [result], resultIndex: 0 });
  };
  page.Translator = {
    create: async (/** @type {{ targetLanguage: string }} */ { targetLanguage }) => ({
      translate: async (/** @type {string} */ text) => {
        if (page.translatesNothing) throw new Error('no language');
        return `${targetLanguage}: ${text}`;
      },
    }),
  };
}

const prepare = (/** @type {Page} */ page) => page.addInitScript(standIn);

/** @param {Page} page */
const recognisersOf = (page) =>
  page.evaluate(() =>
    /** @type {any} */ (window).recognisers.map((/** @type {any} */ one) => [
      one.processLocally,
      one.lang,
      one.track.kind,
      one.track.readyState,
    ]),
  );

/** @param {Page} page @param {string} text @param {boolean} isFinal */
const recognise = (page, text, isFinal) =>
  page.evaluate(
    ([transcript, final]) => /** @type {any} */ (window).recognise(transcript, final),
    /** @type {const} */ ([text, isFinal]),
  );

/** @param {Page} page @param {boolean} on */
async function switchCaptions(page, on) {
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('switch', { name: 'Captions' }).setChecked(on);
  await page.getByRole('button', { name: 'Settings' }).click();
}

/** @param {Page} page */
const linesOf = (page) => page.getByRole('log', { name: 'Captions' }).getByRole('listitem');

/** Files of captions that a page has loaded. @param {Page} page */
const loadedBy = (page) =>
  page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name }) => new URL(name).pathname)
      .filter((path) => /captions-view|own-captions|recogniser|texts\/captions/.test(path)),
  );

inBrowser.describe(`captions in ${BROWSER}`, () => {
  const site = useSite();

  inBrowser.it('show one person what another says, as long as they want it', async () => {
    const ann = await site.join('words', { name: 'Ann', prepare });
    const ben = await site.join('words', { name: 'Ben', prepare });
    // Nothing is loaded, and nothing recognises, until somebody asks.
    expect(await recognisersOf(ann)).toEqual([]);
    expect([await loadedBy(ann), await loadedBy(ben)]).toEqual([[], []]);

    await switchCaptions(ben, true);
    const lang = await ann.evaluate(() => navigator.language);
    await expect.poll(() => recognisersOf(ann)).toEqual([[true, lang, 'audio', 'live']]);
    await ann.getByText('This browser writes what you say').waitFor();
    expect((await loadedBy(ann)).some((path) => path.includes('captions-view'))).toBe(false);
    await recognise(ann, 'good mor', false);
    await ben.locator('.caption-open').getByText('good mor').waitFor();
    await recognise(ann, 'Good morning & <b>hello</b>', true);
    await linesOf(ben).getByText('Good morning & <b>hello</b>').waitFor();
    expect(await linesOf(ben).allInnerTexts()).toEqual(['Ann Good morning & <b>hello</b>']);
    expect(await ben.locator('.caption-open').innerText()).toBe('');
    expect(await ann.getByRole('log', { name: 'Captions' }).count()).toBe(0);

    await ben.getByLabel('Translate into').selectOption('de');
    await recognise(ann, `${'word '.repeat(60)}end`, true);
    await linesOf(ben).getByText('de: word').first().waitFor();
    expect(await linesOf(ben).count()).toBe(3);

    for (const width of [390, 1280]) {
      await ben.setViewportSize({ width, height: 800 });
      const box = await linesOf(ben).first().boundingBox();
      expect(box && box.x >= 0 && box.x + box.width <= width).toBe(true);
      expect(await violationsOf(ben)).toEqual([]);
      await takePicture(ben, `captions-${width}`);
    }

    const hint = ben.locator('#captions [role=status]');
    for (const translatesNothing of [true, false]) {
      await ben.evaluate((value) => Object.assign(window, value), { translatesNothing });
      await recognise(ann, translatesNothing ? 'one' : 'two', true);
      await linesOf(ben)
        .getByText(translatesNothing ? 'one' : 'de: two')
        .waitFor();
      // Somebody else's words in one's own language change nothing of that.
      const text = translatesNothing ? 'drei' : 'vier';
      await ben.evaluate((said) => {
        const detail = { person: '9', name: 'Cid', text: said, lang: 'de', final: true };
        const { call } = /** @type {any} */ (window).aloud;
        call.dispatchEvent(new CustomEvent('caption', { detail }));
      }, text);
      await linesOf(ben).getByText(text).waitFor();
      expect(await hint.innerText()).toBe(translatesNothing ? captionTexts.notTranslated : '');
    }

    // A muted person's words are nobody's.
    await ann.getByRole('button', { name: 'Mute' }).click();
    await expect.poll(() => recognisersOf(ann)).toEqual([]);
    await ann.getByRole('button', { name: 'Unmute' }).click();
    await expect.poll(() => recognisersOf(ann)).toHaveLength(1);
    await switchCaptions(ben, false);
    await expect.poll(() => recognisersOf(ann)).toEqual([]);
    expect(await ben.getByRole('log', { name: 'Captions' }).count()).toBe(0);
  });

  inBrowser.it('leave nothing of a speaker who is muted before a caption is whole', async () => {
    const ann = await site.join('half', { name: 'Ann', prepare });
    const ben = await site.join('half', { name: 'Ben', prepare });
    await switchCaptions(ben, true);
    await expect.poll(() => recognisersOf(ann)).toHaveLength(1);
    await recognise(ann, 'good mor', false);
    const unfinished = ben.locator('.caption-open');
    await unfinished.getByText('good mor').waitFor();
    await ann.getByRole('button', { name: 'Mute' }).click();
    await expect.poll(() => unfinished.innerText(), { timeout: 15_000 }).toBe('');
  });

  inBrowser.it('tell their speaker once, however often they unmute', async () => {
    const ann = await site.join('once', { name: 'Ann', prepare });
    const ben = await site.join('once', { name: 'Ben', prepare });
    await switchCaptions(ben, true);
    const notice = ann.getByText('This browser writes what you say');
    const own = ann.locator('[data-code=own-captions]');
    await notice.evaluate((element) => element.setAttribute('data-seen', ''));
    for (const isShown of [true, false]) {
      if (!isShown) await own.getByRole('button', { name: 'Dismiss' }).click();
      await ann.getByRole('button', { name: 'Mute' }).click();
      await expect.poll(() => recognisersOf(ann)).toEqual([]);
      await ann.getByRole('button', { name: 'Unmute' }).click();
      await expect.poll(() => recognisersOf(ann)).toHaveLength(1);
      // An alert that is made again would be announced again.
      expect([await notice.count(), await ann.locator('[data-seen]').count()]).toEqual(
        isShown ? [1, 1] : [0, 0],
      );
    }
    await switchCaptions(ben, false);
    await expect.poll(() => recognisersOf(ann)).toEqual([]);
    await switchCaptions(ben, true);
    await ann.getByRole('button', { name: 'Stop writing' }).click();
    await expect.poll(() => recognisersOf(ann)).toEqual([]);
    expect(await notice.count()).toBe(0);
  });

  inBrowser.it('offer to load a language, until the speaker answers', async () => {
    const ann = await site.join('load', {
      name: 'Ann',
      prepare: async (page) => {
        await prepare(page);
        await page.addInitScript(() => {
          const own = /** @type {any} */ (window);
          own.SpeechRecognition.availability = 'downloadable';
        });
      },
    });
    const ben = await site.join('load', { name: 'Ben', prepare });
    await switchCaptions(ben, true);
    const load = ann.getByRole('button', { name: 'Load it' });
    await load.waitFor();
    await ann.getByRole('button', { name: 'Mute' }).click();
    await ann.getByRole('button', { name: 'Unmute' }).click();
    await shows(ben, /^Ann/, /^Ben/);
    await load.click();
    await expect.poll(() => recognisersOf(ann)).toHaveLength(1);
    await ann.getByText('This browser writes what you say').waitFor();
  });

  inBrowser.it('can be tried again if their code could not be loaded', async () => {
    const ben = await site.join('offline', {
      name: 'Ben',
      problems: /net::ERR_|Failed to load resource/,
      prepare: async (page) => {
        await prepare(page);
        await page.route('**/caption-switch.js', (route) => route.abort());
      },
    });
    const errors = /** @type {string[]} */ ([]);
    ben.on('pageerror', ({ message }) => errors.push(message));
    await switchCaptions(ben, true);
    await ben.getByText('This panel could not be loaded').waitFor();
    await ben.unroute('**/caption-switch.js');
    await switchCaptions(ben, false);
    await switchCaptions(ben, true);
    await ben.getByText('What people say appears here').waitFor();
    await ben.getByText('This panel could not be loaded').waitFor({ state: 'detached' });
    expect(errors).toEqual([]);
  });

  inBrowser.it('of an encrypted room are sealed, and stop when the speaker says so', async () => {
    const key = Buffer.alloc(16, 7).toString('base64url');
    const open = async (/** @type {string} */ name) => {
      const url = `${site.url}/r/sealed?name=${name}&processing=off#e2e=${key}`;
      const page = await openPage(site.browser, url, {}, prepare);
      await page.getByRole('button', { name: 'Join' }).click();
      await page.getByRole('button', { name: 'Leave' }).waitFor();
      return page;
    };
    const [ann, ben] = [await open('Ann'), await open('Ben')];
    await switchCaptions(ben, true);
    await expect.poll(() => recognisersOf(ann)).toHaveLength(1);
    await recognise(ann, 'A secret', true);
    await linesOf(ben).getByText('A secret').waitFor();
    await ann.getByRole('button', { name: 'Stop writing' }).click();
    await expect.poll(() => recognisersOf(ann)).toEqual([]);
  });
});
