import { expect, it } from 'vitest';
import {
  joinNames,
  meanCell,
  meanOf,
  meansPlot,
  sentencesTable,
  setOf,
  withinSentence,
} from '../../scenarios/comparisons/sets.js';
import { orderInWords } from '../../scenarios/comparisons/order.js';
import { differenceOfMeans } from '../../stats/bootstrap.js';
import { seededRandom } from '../../../testkit/random.js';

/**
 * @param {string} protocol
 * @param {number} repetition
 * @param {number} value
 * @param {number} [at]
 */
const sample = (protocol, repetition, value, at = 0) => ({
  protocol,
  repetition,
  client: '',
  atMs: 0,
  value,
  factors: { at },
});

it("a way's values are those of its condition, each repetition's at its place", () => {
  const samples = [
    sample('a', 0, 1),
    sample('a', 0, 9, 5),
    sample('b', 1, 9),
    sample('a', 2, 3),
    sample('a', 2, 4),
    sample('a', 3, Infinity),
  ];
  expect(setOf(samples, 'a', ({ factors }) => factors?.at === 0)).toEqual({
    way: 'a',
    values: [[1], [], [3, 4]],
  });
  expect(setOf(samples, 'b')).toEqual({ way: 'b', values: [[], [9]] });
  expect(setOf(samples, 'c')).toBeNull();
});

it('ways pair in the repetitions that both have, whichever each of them lacks', () => {
  const voices = [10, 70, 30, 90, 50, 20, 80];
  const samplesOf = (/** @type {string} */ way, /** @type {number} */ more, lacking = -1) =>
    voices.flatMap((value, i) => (i === lacking ? [] : [sample(way, i, value + more)]));
  const samples = [...samplesOf('a', 1, 3), ...samplesOf('b', 0, 5)];
  const [a, b] = ['a', 'b'].map((way) => setOf(samples, way)?.values ?? []);
  const one = expect.closeTo(1, 9);
  expect(differenceOfMeans(a, b, seededRandom(1))).toEqual({ estimate: one, low: one, high: one });
  // Six have values; of an order five would be enough.
  const words = (/** @type {number} */ count) =>
    orderInWords(
      [
        { way: 'a', values: a.slice(0, count) },
        { way: 'b', values: b },
      ],
      (way) => way,
      seededRandom(1),
    );
  expect(words(7)).toMatch(/^1\. /);
  expect(words(5)).toBe('fewer than 5 repetitions');
});

it("a mean's interval stays among the values, and is none of four", () => {
  const set = { way: 'a', values: [[100], [100], [100], [96], [100]] };
  expect(meanOf(set, seededRandom(1))).toMatchObject({ estimate: 99.2, high: 100 });
  const few = { way: 'a', values: set.values.slice(1) };
  expect(meanCell(few, seededRandom(1))).toEqual({ value: 99 });
  expect(meanCell(null, seededRandom(1))).toBeNull();
});

it('a plot has a point for each place that has values', () => {
  const set = { way: 'a', values: Array(5).fill([2]) };
  const { caption, y, series } = meansPlot(
    { name: 'q', label: 'Q', unit: 'ms' },
    {
      name: 'plot',
      title: 'Plot',
      of: 'people',
      kind: 'line',
      x: { label: 'X', unit: '' },
      series: [
        {
          name: 'A',
          protocol: 'a',
          sets: [
            [1, set],
            [2, null],
            [3, set],
          ],
        },
      ],
    },
    seededRandom(1),
  );
  expect([caption, y]).toEqual([
    'Means over people, with intervals of 95 % confidence from five on.',
    { label: 'Q', unit: 'ms' },
  ]);
  expect(series).toEqual([
    {
      name: 'A',
      protocol: 'a',
      points: [
        [1, 2, 2, 2],
        [3, 2, 2, 2],
      ],
    },
  ]);
});

it('words are joined as names are, and stand within sentences', () => {
  expect(joinNames(['loss', 'mouthToEar'])).toBe('lossMouthToEar');
  expect(withinSentence('Legs of 20 ms')).toBe('legs of 20 ms');
  expect(sentencesTable(new Set(['A.', 'B.']))).toMatchObject({
    name: 'sentences',
    isConclusion: true,
    rows: [['A.'], ['B.']],
  });
});
