import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { keepRecording, makeSurvey, readKey } from '../../survey/survey.js';
import { violationsOf } from '../../../testkit/browsers/axe.js';
import { inBrowser, openBrowser } from '../../../testkit/browsers/browser.js';
import { MAIN } from '../lab-command.js';

/** @typedef {import('playwright-core').Page} Page */

const NAMES = ['datagrams', 'rtp', 'stream'];

/** Marks of a person who hears the difference. @type {Record<string, string>} */
const MARKS = { datagrams: '5', rtp: '4', stream: '2' };

/** A survey of three short tones, in a run's folder. */
async function survey() {
  const run = await mkdtemp(join(tmpdir(), 'aloud-survey-'));
  onTestFinished(() => rm(run, { recursive: true }));
  for (const [i, name] of NAMES.entries()) {
    await keepRecording(run, name, {
      sampleRate: 48_000,
      channels: [Float32Array.from({ length: 9600 }, (_, t) => 0.2 * Math.sin((t * (i + 1)) / 40))],
    });
  }
  const folder = await makeSurvey(run);
  return { run, key: await readKey(run), url: pathToFileURL(join(folder, 'index.html')).href };
}

/**
 * Plays what is on the page.
 * @param {Page} page
 * @returns {Promise<string[]>} the recordings' names for people
 */
async function playAll(page) {
  const names = [];
  for (const audio of await page.locator('audio').all()) {
    await audio.evaluate((/** @type {HTMLAudioElement} */ player) => player.play());
    names.push(/sounds\/(\w+)\.wav/.exec(String(await audio.getAttribute('src')))?.[1] ?? '');
  }
  return names;
}

/**
 * Answers a question by the keyboard.
 * @param {Page} page
 * @param {string} name
 * @param {string} value
 */
async function choose(page, name, value) {
  await page.locator(`input[name=${name}][value="${value}"]`).focus();
  await page.keyboard.press('Space');
}

/**
 * Takes the survey to its end.
 * @param {Page} page
 * @param {Record<string, string>} recordings the key's
 */
async function take(page, recordings) {
  const faults = [await violationsOf(page)];
  const begin = page.getByRole('button', { name: 'Begin' });
  await begin.press('Enter');
  await page.getByText('Please say first that you agree.').waitFor();
  await page.keyboard.press('Space');
  await begin.press('Enter');
  for (let at = 1; at <= 6; at++) {
    await page.getByText(`${at} of 6`).waitFor();
    if (at === 1 || at === 4) faults.push(await violationsOf(page));
    const marks = (await playAll(page)).map((name) => MARKS[recordings[name]]);
    if (marks.length === 1)
      for (const scale of ['clear', 'smooth', 'overall']) await choose(page, scale, marks[0]);
    else await choose(page, 'better', marks[0] > marks[1] ? 'first' : 'second');
    await page.getByRole('button', { name: 'Next' }).press('Enter');
  }
  await page.getByRole('heading', { name: 'In your own words' }).waitFor();
  faults.push(await violationsOf(page));
  await page.getByRole('textbox').fill('The third one hummed.');
  await page.getByRole('button', { name: 'Next' }).press('Enter');
  await page.getByRole('heading', { name: 'Thank you' }).waitFor();
  faults.push(await violationsOf(page));
  return faults.flat();
}

inBrowser.it('A survey is taken from the disk by keyboard, saved, and added up', async () => {
  const { run, key, url } = await survey();
  const { browser, close } = await openBrowser();
  onTestFinished(close);
  const files = [];
  for (const width of [1200, 390]) {
    const page = await browser.newPage({
      viewport: { width, height: 800 },
      reducedMotion: 'reduce',
    });
    const errors = /** @type {string[]} */ ([]);
    page.on('pageerror', ({ message }) => void errors.push(message));
    await page.goto(url);
    expect(await take(page, key.recordings)).toEqual([]);
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth),
    ).toBe(true);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Save the answers' }).click(),
    ]);
    const file = join(run, download.suggestedFilename());
    await download.saveAs(file);
    files.push(file);
    expect(await page.getByRole('textbox').inputValue()).toBe(await readFile(file, 'utf8'));
    expect(errors).toEqual([]);
    await page.close();
  }
  const { stdout } = await promisify(execFile)(process.execPath, [
    MAIN,
    'survey',
    run,
    '--answers',
    ...files,
  ]);
  const [table, words] = stdout.trim().split('\n\n');
  const [title, , , ...rows] = table.split('\n');
  expect(title).toBe('What people said: 2 people');
  expect(words.match(/The third one hummed\./g)).toHaveLength(2);
  expect(rows.map((row) => row.replaceAll(/\s+/g, ' '))).toEqual([
    // Two people are too few for intervals.
    'WebTransport datagrams 5.00 5.00 5.00 100 4',
    'WebRTC audio 4.00 4.00 4.00 50 4',
    'WebTransport on one stream 2.00 2.00 2.00 0 4',
  ]);
});

inBrowser.it('A survey goes on only when all was played and answered', async () => {
  const { url } = await survey();
  const { browser, close } = await openBrowser();
  onTestFinished(close);
  const page = await browser.newPage();
  await page.goto(url);
  await page.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Begin' }).click();
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('A recording');
  for (const scale of ['clear', 'smooth', 'overall']) await choose(page, scale, '3');
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('Please play the recording first.').waitFor();
  await playAll(page);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('2 of 6').waitFor();
  await playAll(page);
  await page.getByRole('button', { name: 'Next' }).click();
  expect(
    await page
      .locator('fieldset')
      .first()
      .locator('input')
      .first()
      .evaluate((/** @type {HTMLInputElement} */ { validity }) => validity.valueMissing),
  ).toBe(true);
  expect(await page.getByText('2 of 6').isVisible()).toBe(true);
});

inBrowser.it("Another survey's answers are refused by a sentence", async () => {
  const [mine, other] = [await survey(), await survey()];
  const file = join(mine.run, 'bob.json');
  await writeFile(
    file,
    JSON.stringify({ version: 1, survey: other.key.survey, seed: 1, ratings: [], pairs: [] }),
  );
  const { stderr, code } = await promisify(execFile)(process.execPath, [
    MAIN,
    'survey',
    mine.run,
    '--answers',
    file,
  ]).catch((error) => error);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^bench: .*bob\.json has answers to another survey: \w+, and this one is \w+$/m,
  );
});
