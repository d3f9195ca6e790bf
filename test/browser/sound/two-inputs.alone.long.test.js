import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { readWavHeader, WAV_HEADER_BYTES } from '../../../public/shared/sound/wav.js';
import { loadCodec } from '../../../server/codec/codec.js';
import { BROWSER, inBrowser, openBrowser } from '../../../testkit/browsers/browser.js';
import { violationsOf } from '../../../testkit/browsers/axe.js';
import { Headless } from '../../../testkit/participants/headless.js';
import { readSpeech } from '../../../testkit/participants/speech.js';
import { align, levelDb } from '../../../testkit/sound/signal.js';
import { formatWav } from '../../../testkit/sound/wav.js';
import { joinRoom } from '../support/room-page.js';
import { useSite } from '../support/site.js';

/** @typedef {import('playwright-core').Page} Page */

const RATE = 48_000;
const once = await readSpeech(RATE);

/** Repeated for longer than a test takes. @param {Float32Array} sound */
const repeated = (sound) =>
  Float32Array.from({ length: 12 * sound.length }, (_, i) => sound[i % sound.length]);

/** Two sounds that have nothing in common, for the left input and the right one. */
const left = repeated(once);
const right = repeated(once.toReversed());

/**
 * The part of a repeated sound in which a piece has each possible start once. A longer part finds
 * the same start, and takes twice as long to compare.
 * @param {Float32Array} sound
 * @param {Float32Array} piece
 */
const onceFor = (sound, piece) => sound.subarray(0, once.length + piece.length);

/** Largest distance between the two inputs at a listener, in samples: 2 ms. */
const MOST_APART = 96;

/** Length of a piece in which likeness is measured, in samples: playout stretches longer ones. */
const PIECE = 28_800;

/** Likeness of a sound that is heard alone, below another one, and of one that isn't heard. */
const ALONE = 0.8;
const THERE = 0.4;
const NOT_THERE = 0.25;

/** Distance of two places in repeated sound. @param {number} a @param {number} b */
function distance(a, b) {
  const apart = (((a - b) % once.length) + once.length) % once.length;
  return Math.min(apart, once.length - apart);
}

/**
 * Finds both inputs in what somebody heard, in the piece with the most of both.
 * @param {Float32Array} sound
 */
function found(sound) {
  const pieces = piecesOf(sound).map((piece) => ({
    left: align(piece, onceFor(left, piece)),
    right: align(piece, onceFor(right, piece)),
  }));
  const sum = (/** @type {typeof pieces[0]} */ one) => one.left.correlation + one.right.correlation;
  return pieces.reduce((one, other) => (sum(other) > sum(one) ? other : one));
}

/**
 * Likeness of what somebody heard to one input, and to the other one at the same place.
 * @param {Float32Array} sound
 * @param {Float32Array} one
 * @param {Float32Array} other
 */
function likenessOf(sound, one, other) {
  const aligned = piecesOf(sound).map((piece) => ({
    piece,
    ...align(piece, onceFor(one.subarray(MOST_APART), piece)),
  }));
  const { piece, lag, correlation } = aligned.reduce((best, next) =>
    next.correlation > best.correlation ? next : best,
  );
  const near = align(piece, other, { from: lag, to: lag + 2 * MOST_APART });
  return { there: correlation, other: near.correlation };
}

/** @param {Float32Array} sound */
const piecesOf = (sound) =>
  Array.from({ length: Math.floor(sound.length / PIECE) }, (_, i) =>
    sound.subarray(i * PIECE, (i + 1) * PIECE),
  );

/** @param {Page} page */
const openSound = (page) => page.getByRole('button', { name: 'Sound', exact: true }).click();
/** @param {Page} page */
const useTwo = (page) => page.getByRole('button', { name: 'Use two inputs' }).click();

inBrowser.describe(`two inputs in ${BROWSER}`, () => {
  const site = useSite();

  /**
   * A room with a musician's page and a guest.
   * @param {string} room
   * @param {Float32Array | Float32Array[]} speech
   */
  async function begin(room, speech) {
    const opened = await openBrowser({ speech, isMeasured: true });
    const guest = new Headless({ codec: await loadCodec('libopus-wasm'), recordSeconds: 240 });
    const page = await joinRoom(opened.browser, site.url, room, { name: 'Ann' });
    await guest.join({ origin: site.url, room, name: 'Ben', transport: 'websocket' });
    return {
      page,
      guest,
      names: () => guest.people.map(({ name }) => name),
      idOf: (/** @type {string} */ name) => guest.people.find((one) => one.name === name)?.id,
      /** The last seconds that the guest has heard. @param {number} seconds */
      heard: (seconds) => guest.recording.slice(guest.recorded - seconds * RATE, guest.recorded),
      close: async () => {
        await guest.close();
        await opened.close();
      },
    };
  }

  inBrowser.it('are heard apart, each of its own member, and together in time', async () => {
    const { page, guest, names, idOf, heard, close } = await begin(`duo${Date.now()}`, [
      left,
      right,
    ]);
    try {
      await openSound(page);
      await page.getByLabel('Name of the right input').fill('Guitar');
      await useTwo(page);
      await page.getByText('Everybody hears the right one as “Guitar”.').waitFor();
      await expect.poll(names).toEqual(['Ann', 'Ben', 'Guitar']);
      const people = page.getByRole('list', { name: 'People in the room' });
      expect(await people.innerText()).toMatch(/Ann[^]*Guitar\s+shared by Ann/);
      expect(await violationsOf(page)).toEqual([]);

      // Comparing would keep the guest, who is in this process, from hearing.
      await page.waitForTimeout(6000);
      const both = heard(3);
      const volume = (/** @type {string} */ name, /** @type {number} */ gain) =>
        guest.sendControl({ type: 'volume', person: idOf(name), gain });
      volume('Ann', 0);
      await page.waitForTimeout(4000);
      const guitar = heard(3);
      volume('Ann', 1);
      volume('Guitar', 0);
      await page.waitForTimeout(4000);
      const voice = heard(3);
      volume('Guitar', 1);

      await page.getByRole('button', { name: 'Record my microphone' }).click();
      await page.waitForTimeout(4000);
      await page.getByRole('button', { name: 'Stop and keep' }).click();
      await page.getByText('The file is kept in this browser.').waitFor();
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download: duo' }).click();
      const bytes = await readFile(await (await saved).path());
      expect(readWavHeader(bytes)).toMatchObject({ sampleRate: RATE, channels: 2 });
      const recorded = [0, 1].map((side) =>
        Float32Array.from(
          { length: 2 * RATE },
          (_, i) => bytes.readIntLE(WAV_HEADER_BYTES + 6 * (i + RATE) + 3 * side, 3) / 2 ** 23,
        ),
      );

      await page.getByRole('button', { name: 'Mute', exact: true }).click();
      await expect.poll(() => levelDb(heard(0.5))).toBeLessThan(-90);
      await page.getByRole('button', { name: 'Unmute', exact: true }).click();
      await expect.poll(() => levelDb(heard(2))).toBeGreaterThan(-40);

      await page.getByRole('button', { name: 'Use one input' }).click();
      await page.getByText('Your microphone is one input.').waitFor();
      await expect.poll(names).toEqual(['Ann', 'Ben']);
      await page.waitForTimeout(5000);
      const whole = found(heard(3));
      expect(whole.left.correlation).toBeGreaterThan(THERE);
      expect(whole.right.correlation).toBeGreaterThan(THERE);

      const together = found(both);
      expect(together.left.correlation).toBeGreaterThan(THERE);
      expect(together.right.correlation).toBeGreaterThan(THERE);
      const apart = distance(together.left.lag, together.right.lag);
      console.info(`two inputs: ${apart} samples apart at a listener`);
      expect(apart).toBeLessThan(MOST_APART);
      const withoutVoice = likenessOf(guitar, right, left);
      const withoutGuitar = likenessOf(voice, left, right);
      console.info('heard alone:', withoutVoice, withoutGuitar);
      for (const alone of [withoutVoice, withoutGuitar]) {
        expect(alone.there).toBeGreaterThan(ALONE);
        expect(alone.other).toBeLessThan(NOT_THERE);
      }
      const [inLeft, inRight] = [left, right].map((side, i) =>
        align(recorded[i], onceFor(side, recorded[i])),
      );
      expect(inLeft.correlation).toBeGreaterThan(0.99);
      expect(inRight.correlation).toBeGreaterThan(0.99);
      expect(distance(inLeft.lag, inRight.lag)).toBe(0);
    } finally {
      await close();
    }
  });

  inBrowser.it('are one again where there is one channel, or another sound is shared', async () => {
    const mono = await begin(`mono${Date.now()}`, left);
    try {
      await openSound(mono.page);
      await useTwo(mono.page);
      await mono.page
        .getByText('This microphone has one channel, so it stays one input.')
        .waitFor();
      await expect.poll(mono.names).toEqual(['Ann', 'Ben']);
      await mono.page.waitForTimeout(4000);
      expect(found(mono.heard(3)).left.correlation).toBeGreaterThan(ALONE);
    } finally {
      await mono.close();
    }
    const { page, guest, names, idOf, close } = await begin(`share${Date.now()}`, [left, right]);
    try {
      await openSound(page);
      await useTwo(page);
      await expect.poll(names).toEqual(['Ann', 'Ben', 'Second input']);
      const shareTune = () =>
        page.locator('#share-file').setInputFiles({
          name: 'Tune.wav',
          mimeType: 'audio/wav',
          buffer: Buffer.from(formatWav({ sampleRate: RATE, channels: [left] })),
        });
      await shareTune();
      await page.getByText('You share another sound instead').waitFor();
      await expect.poll(names).toEqual(['Ann', 'Ben', 'Tune']);
      await useTwo(page);
      await page.getByText('It is over: nobody hears it any more.').waitFor();
      await expect.poll(names).toEqual(['Ann', 'Ben', 'Second input']);

      // The guest came second, so the page's person moderates, and remains the first.
      expect(idOf('Ann')).toBeDefined();
      await page.getByRole('button', { name: 'Leave', exact: true }).click();
      await expect.poll(names).toEqual(['Ben']);
      expect(guest.ended).toBeNull();
    } finally {
      await close();
    }
  });
});
