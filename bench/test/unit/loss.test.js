import { expect, it } from 'vitest';
import { checkResult } from '../../report/result.js';
import { blocksOf, loss } from '../../scenarios/loss.js';

/**
 * Samples of a quantity of two talkers.
 * @param {number[][]} shares  of A and B in each repetition
 * @param {string} redundancy
 */
const samples = (shares, redundancy) =>
  shares.flatMap((both, repetition) =>
    both.map((value, i) => ({
      protocol: 'webtransport',
      repetition,
      client: 'AB'[i],
      atMs: 0,
      value,
      factors: { lossPercent: 5, redundancy },
    })),
  );

/** @param {number[][]} shares  with redundancy */
function resultOf(shares) {
  const all = [...samples(shares, 'auto'), ...samples([[95, 94]], '0')];
  const folder = { samples: (/** @type {string} */ name) => (name === 'present' ? all : []) };
  return checkResult(loss.result(folder, { loss: [5], seed: 1 }));
}

it('each redundancy comes first as often as the other, in every repetition', () => {
  const blocks = blocksOf({ loss: [5, 10], repetitions: 2 });
  expect(blocks.map((block) => Object.values(block).join(' '))).toEqual([
    ...['5 auto 0', '5 0 0', '10 auto 0', '10 0 0'],
    ...['5 0 1', '5 auto 1', '10 0 1', '10 auto 1'],
  ]);
});

it('the share present is that of the worse talker, with its interval of five repetitions', () => {
  const five = [
    [99.9, 99.8],
    [99.9, 99.6],
    [99.5, 99.9],
    [99.9, 99.7],
    [99.9, 99.5],
  ];
  const { tables } = resultOf(five);
  const [targets, presence] = tables;
  const [auto, off] = presence.rows.map((row) => /** @type {any} */ (row[3]));
  expect(auto.value).toBeCloseTo(99.7, 9);
  expect(auto.interval[0]).toBeGreaterThanOrEqual(99.5);
  expect(auto.interval[1]).toBeLessThanOrEqual(99.9);
  expect(off).toEqual({ value: 94 });
  expect(targets.rows[0].slice(2, 4)).toEqual(['99.70 %', 'not met']);
  expect(targets.rows[0][4]).toMatch(/^95 % from 99\.\d\d to 99\.\d\d %; up – %/);
});

it('one repetition has no interval', () => {
  const { tables } = resultOf([[99.9, 99.8]]);
  expect(tables[1].rows[0][3]).toEqual({ value: 99.8 });
  expect(tables[0].rows[0][4]).toMatch(/^no interval; /);
});
