import { expect, it } from 'vitest';
import { whereOf } from '../../report/numbers.js';

const ALL = [0, 1, 3, 5, 10];

it.each([
  ['from one on', [3, 5, 10], 'from 3 % on'],
  ['from one down', [0, 1], 'from 1 % down'],
  ['at all', ALL, 'from 0 % on'],
  ['at the last alone', [10], 'at 10 %'],
  ['with a gap', [1, 5, 10], 'at 1, 5, 10 %'],
  ['in the middle', [1, 3], 'at 1, 3 %'],
])('says where something is so: %s', (_what, those, words) => {
  expect(whereOf(those, ALL, { unit: '%' })).toBe(words);
});

it('has no unit where there is none, and other words for single values', () => {
  expect(whereOf([1], [1, 2], { unit: '' })).toBe('at 1');
  expect(whereOf([2], [2, 3], { unit: 'people', at: 'with' })).toBe('with 2 people');
});
