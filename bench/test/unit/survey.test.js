import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { seededRandom } from '../../../testkit/random.js';
import { parseWav } from '../../../testkit/sound/wav.js';
import { addUp, checkAnswers, wordsTable } from '../../survey/answers.js';
import { keepRecording, makeSurvey, readKey } from '../../survey/survey.js';

const NAMES = ['datagrams', 'rtp', 'stream'];

/** A recording whose samples are all the same. @param {number} value */
const sound = (value) => ({ sampleRate: 48_000, channels: [new Float32Array(480).fill(value)] });

/** A run's folder with recordings of some names. @param {string[]} names */
async function runWith(names) {
  const run = await mkdtemp(join(tmpdir(), 'aloud-survey-'));
  onTestFinished(() => rm(run, { recursive: true }));
  for (const [i, name] of names.entries()) await keepRecording(run, name, sound((i + 1) / 8));
  return run;
}

/** @type {import('../../survey/survey.js').Key} */
const key = { version: 1, survey: 's1', recordings: { a: 'datagrams', b: 'stream', c: 'rtp' } };

/**
 * A person who gives each recording one mark on all scales, and prefers the better of neighbours.
 * @param {number} seed
 * @param {Record<string, number>} marks
 */
const person = (seed, marks) => ({
  version: /** @type {const} */ (1),
  survey: 's1',
  seed,
  words: '',
  ratings: Object.entries(marks).map(([recording, mark]) => ({
    recording,
    clear: mark,
    smooth: mark,
    overall: mark,
  })),
  pairs: [
    ['a', 'b'],
    ['b', 'c'],
    ['c', 'a'],
  ].map(([first, second]) => ({
    first,
    second,
    better: /** @type {const} */ (['second', 'neither', 'first'])[
      Math.sign(marks[first] - marks[second]) + 1
    ],
  })),
});

describe('a survey', () => {
  it('gives people the recordings, and no word of what they are', async () => {
    const run = await runWith(NAMES);
    const folder = await makeSurvey(run);
    const { recordings, survey } = await readKey(run);
    expect(Object.values(recordings).sort()).toEqual(NAMES);
    for (const [blind, name] of Object.entries(recordings)) {
      const { channels } = parseWav(await readFile(join(folder, 'sounds', `${blind}.wav`)));
      expect(channels[0][0]).toBeCloseTo((NAMES.indexOf(name) + 1) / 8, 4);
    }
    const files = await readdir(folder, { recursive: true });
    const texts = await Promise.all(
      files
        .filter((file) => /\.(html|css|js)$/.test(file))
        .map((file) => readFile(join(folder, file), 'utf8')),
    );
    expect(texts).toHaveLength(4);
    for (const word of [...NAMES, 'WebRTC', 'WebTransport'])
      expect([...files, ...texts].filter((text) => text.includes(word))).toEqual([]);
    expect(texts.join('')).toContain(survey);
  });

  it('is made once, since its answers belong to it', async () => {
    const run = await runWith(NAMES);
    await makeSurvey(run);
    await expect(makeSurvey(run)).rejects.toThrow(/survey can't be made\. If it is there already/);
  });

  it('is not made of fewer than two recordings, nor read where there is none', async () => {
    const run = await runWith(NAMES.slice(0, 1));
    await expect(makeSurvey(run)).rejects.toThrow(
      'a survey compares at least two recordings, and there are 1',
    );
    await expect(readKey(run)).rejects.toThrow('has no survey');
  });

  it('has the first recording of a name', async () => {
    const run = await runWith(['a', 'b']);
    await keepRecording(run, 'a', sound(0.9));
    const { channels } = parseWav(await readFile(join(run, 'recordings', 'a.wav')));
    expect(channels[0][0]).toBeCloseTo(1 / 8, 4);
  });
});

describe('answers', () => {
  const people = [
    person(1, { a: 5, b: 3, c: 1 }),
    person(2, { a: 4, b: 4, c: 2 }),
    person(3, { a: 5, b: 2, c: 2 }),
  ];

  it('are added up to means, the best overall first, and shares of pairs', () => {
    const { rows, title } = addUp(key, people, seededRandom(1));
    expect(title).toBe('What people said: 3 people');
    expect(rows.map(([name]) => name)).toEqual([
      'WebTransport datagrams',
      'WebTransport on one stream',
      'WebRTC audio',
    ]);
    const values = rows.map((row) =>
      row.slice(1).map((/** @type {any} */ cell) => cell.value ?? cell),
    );
    const means = [14 / 3, 3, 5 / 3];
    // In six pairs a wins five and draws one. b wins two against c, and draws with c and with a.
    const won = [550 / 6, 300 / 6, 50 / 6];
    for (const [i, [clear, smooth, overall, share, pairs]] of values.entries()) {
      expect([clear, smooth, overall]).toEqual(
        [means[i], means[i], means[i]].map((mean) => expect.closeTo(mean, 9)),
      );
      expect(share).toBeCloseTo(won[i], 9);
      expect(pairs).toBe(6);
    }
  });

  it('have intervals that hold the mean and end with the scale, but for fewer than five', () => {
    const five = [...people, person(4, { a: 4, b: 3, c: 1 }), person(5, { a: 5, b: 3, c: 1 })];
    const [[, first]] = /** @type {any} */ (addUp(key, five, seededRandom(1)).rows);
    expect(first.interval[0]).toBeLessThan(first.value);
    expect(first.interval[1]).toBeLessThanOrEqual(5);
    const [[, alone]] = addUp(key, people.slice(0, 1), seededRandom(1)).rows;
    expect(alone).toEqual({ value: 5 });
  });

  it('may have words, which are listed without control characters, and a consent', () => {
    expect(wordsTable(people.map((one) => ({ ...one, words: '' })))).toBeNull();
    const said = { ...people[0], consent: true, words: ' It hummed.\n\u001b[31m Twice. ' };
    const { words } = checkAnswers(JSON.stringify(said), 'ada.json', key);
    expect(
      wordsTable([
        { ...people[1], words: '' },
        { ...people[0], words },
      ])?.rows,
    ).toEqual([['1', 'It hummed. [31m Twice.']]);
    for (const wrong of [{ words: 'x'.repeat(2001) }, { consent: false }])
      expect(() => checkAnswers(JSON.stringify({ ...said, ...wrong }), 'ada.json', key)).toThrow(
        'ada.json has no answers',
      );
    expect(checkAnswers(JSON.stringify(people[0]), 'old.json', key).words).toBe('');
  });

  it('are refused where they belong to another survey', () => {
    const text = JSON.stringify({ ...people[0], survey: 's2' });
    expect(() => checkAnswers(text, 'bob.json', key)).toThrow(
      'bob.json has answers to another survey: s2, and this one is s1',
    );
  });

  it.each([
    ['no JSON', 'hello'],
    ['a mark beyond the scale', JSON.stringify(person(1, { a: 6, b: 1, c: 1 }))],
    ['more than belongs there', JSON.stringify({ ...people[0], name: 'Bob' })],
  ])('are refused where there is %s', (_, text) => {
    expect(() => checkAnswers(text, 'bob.json', key)).toThrow(
      'bob.json has no answers to a survey in it',
    );
  });

  it.each([
    ['lacks a recording', { ...people[0], ratings: people[0].ratings.slice(0, 2) }],
    [
      'names one that is not there',
      { ...people[0], pairs: [{ first: 'a', second: 'd', better: 'first' }] },
    ],
    [
      'rates one twice',
      { ...people[0], ratings: [...people[0].ratings.slice(0, 2), people[0].ratings[0]] },
    ],
  ])('are refused where one %s', (_, answers) => {
    expect(() => checkAnswers(JSON.stringify(answers), 'bob.json', key)).toThrow(
      'bob.json has not one rating for each recording of this survey',
    );
  });

  it('are as they were where they are right, and count once', () => {
    expect(checkAnswers(JSON.stringify(people[0]), 'bob.json', key)).toEqual(people[0]);
    expect(() => addUp(key, [people[0], people[1], people[0]], seededRandom(1))).toThrow(
      'the answers of person 1 were given twice',
    );
  });
});
