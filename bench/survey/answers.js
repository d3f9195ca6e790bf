/**
 * People's answers to a survey, checked and added up.
 * @import { Table } from '../report/result.js'
 * @import { Key } from './survey.js'
 *
 * @typedef {z.infer<typeof Answers>} Person  one person's answers
 */

import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { protocolLabel } from '../report/palette.js';
import { toEstimate } from '../report/quantity-views.js';
import { summaryIntervals } from '../stats/bootstrap.js';

/** Most characters of a person's own words. */
const MAX_WORDS = 2000;

const Mark = z.int().min(1).max(5);
const Answers = z.strictObject({
  version: z.literal(1),
  survey: z.string(),
  seed: z.int(),
  // Answers to older pages have neither.
  consent: z.literal(true).optional(),
  words: z.string().max(MAX_WORDS).default(''),
  ratings: z.array(
    z.strictObject({ recording: z.string(), clear: Mark, smooth: Mark, overall: Mark }),
  ),
  pairs: z.array(
    z.strictObject({
      first: z.string(),
      second: z.string(),
      better: z.enum(['first', 'second', 'neither']),
    }),
  ),
});

/** The scales by the names that the page gives them. */
const SCALES = Object.freeze(
  /** @type {const} */ ([
    { name: 'clear', label: 'Intelligibility' },
    { name: 'smooth', label: 'Smoothness' },
    { name: 'overall', label: 'Overall' },
  ]),
);

/** Score of a recording from a pair, in percent: a pair without a difference gives half to each. */
const WON = Object.freeze({
  first: { first: 100, second: 0 },
  second: { first: 0, second: 100 },
  neither: { first: 50, second: 50 },
});

/**
 * @param {string} file
 * @param {Key} key
 * @returns {Promise<Person>}
 * @throws {Error} with the fault of the file
 */
export async function readAnswers(file, key) {
  const text = await readFile(file, 'utf8');
  return checkAnswers(text, file, key);
}

/**
 * @param {string} text
 * @param {string} file its name, for errors
 * @param {Key} key
 * @returns {Person}
 * @throws {Error} with the fault
 */
export function checkAnswers(text, file, key) {
  const { data, success } = Answers.safeParse(parseJson(text));
  if (!success) throw new Error(`${file} has no answers to a survey in it`);
  if (data.survey !== key.survey)
    throw new Error(
      `${file} has answers to another survey: ${data.survey}, and this one is ${key.survey}`,
    );
  const rated = data.ratings.map(({ recording }) => recording);
  const isWhole =
    rated.length === new Set(rated).size && rated.length === Object.keys(key.recordings).length;
  const named = [...rated, ...data.pairs.flatMap(({ first, second }) => [first, second])];
  if (!isWhole || named.some((name) => !Object.hasOwn(key.recordings, name)))
    throw new Error(`${file} has not one rating for each recording of this survey`);
  return data;
}

/** @param {string} text @returns {unknown} null where it is no JSON */
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * The mean of each scale and the share of pairs won, with intervals of 95 % for which whole people
 * are drawn.
 * @param {Key} key
 * @param {readonly Person[]} people
 * @param {() => number} random seeded
 * @returns {Table} the best overall first
 * @throws {Error} when somebody is in it twice
 */
export function addUp(key, people, random) {
  const seeds = people.map(({ seed }) => seed);
  const twice = seeds.find((seed, i) => seeds.indexOf(seed) !== i);
  if (twice !== undefined) throw new Error(`the answers of person ${twice} were given twice`);
  const rows = Object.entries(key.recordings).map(([recording, name]) => {
    const marks = SCALES.map((scale) =>
      people.map(({ ratings }) =>
        ratings
          .filter((rating) => rating.recording === recording)
          .map((rating) => rating[scale.name]),
      ),
    );
    const won = people.map(({ pairs }) =>
      pairs.flatMap(({ first, second, better }) => [
        ...(first === recording ? [WON[better].first] : []),
        ...(second === recording ? [WON[better].second] : []),
      ]),
    );
    return [
      protocolLabel(name),
      ...marks.map((values) => meanOf(values, random)),
      meanOf(won, random),
      won.flat().length,
    ];
  });
  const overall = (/** @type {any} */ row) => row[SCALES.length]?.value ?? row[SCALES.length];
  return {
    name: 'survey',
    title: `What people said: ${people.length} ${people.length === 1 ? 'person' : 'people'}`,
    columns: [
      { label: 'Recording' },
      ...SCALES.map(({ label }) => ({ label, digits: 2 })),
      { label: 'Pairs won', unit: '%', digits: 0 },
      { label: 'Pairs', digits: 0 },
    ],
    rows: rows.sort((a, b) => overall(b) - overall(a)),
  };
}

/**
 * @param {readonly Person[]} people
 * @returns {Table | null} people's words, by their numbers; null if nobody wrote anything
 */
export function wordsTable(people) {
  const rows = people
    // A terminal reads control characters as commands.
    .map(({ seed, words }) => [String(seed), words.replace(/\p{Cc}+/gu, ' ').trim()])
    .filter(([, words]) => words !== '');
  if (rows.length === 0) return null;
  return {
    name: 'words',
    title: 'In their own words',
    columns: [{ label: 'Person' }, { label: 'Words' }],
    rows,
  };
}

/**
 * @param {number[][]} values of each person
 * @param {() => number} random
 * @returns {import('../report/result.js').Cell} without an interval from fewer than five people
 */
const meanOf = (values, random) => toEstimate(summaryIntervals(values, { random }).mean);
