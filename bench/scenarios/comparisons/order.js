/**
 * The order of ways under one condition, as reports tell it.
 *
 * @import { Set } from './sets.js'
 *
 * @typedef {object} Ranking  by what ways are ordered
 * @property {'mean' | 'p50'} figure  of their values
 * @property {typeof differenceOfMeans} apart  the difference of two ways in it
 * @property {boolean} isLowestFirst
 * @property {number} digits
 */

import { formatInterval, formatNumber } from '../../report/numbers.js';
import {
  countOf,
  differenceOfMeans,
  differenceOfMedians,
  ENOUGH_REPETITIONS,
  summaryIntervals,
} from '../../stats/bootstrap.js';
import { mean, quantile, sorted } from '../../../testkit/statistics.js';

/** @type {Ranking} */
const HIGHEST_MEAN = Object.freeze({
  figure: 'mean',
  apart: differenceOfMeans,
  isLowestFirst: false,
  digits: 1,
});

/** For delays. @type {Ranking} */
export const LOWEST_MEAN = Object.freeze({ ...HIGHEST_MEAN, isLowestFirst: true, digits: 0 });

/** Ranking by median delay. @type {Ranking} */
export const LOWEST_MEDIAN = Object.freeze({
  ...LOWEST_MEAN,
  figure: 'p50',
  apart: differenceOfMedians,
});

const centreOf = (/** @type {Set} */ { values }, /** @type {Ranking} */ { figure }) =>
  figure === 'mean' ? mean(values.flat()) : quantile(sorted(values.flat()), 0.5);

/**
 * Orders ways by their means, the highest first, or by another ranking. A way joins the group of
 * the one before it if no difference is shown. That is so if the 95 % confidence interval of their
 * difference, paired by repetition, holds 0.
 * @param {readonly Set[]} sets
 * @param {() => number} random seeded
 * @param {Ranking} [ranking]
 * @returns {string[][]} groups of ways
 */
export function orderOf(sets, random, ranking = HIGHEST_MEAN) {
  const sign = ranking.isLowestFirst ? -1 : 1;
  const falling = [...sets].sort((a, b) => sign * (centreOf(b, ranking) - centreOf(a, ranking)));
  /** @type {Set[][]} */
  const groups = [];
  const isAlike = (/** @type {Set} */ set, /** @type {Set} */ first) => {
    const { low, high } = ranking.apart(set.values, first.values, random);
    // Without an interval no difference is shown.
    return ranking.isLowestFirst ? !(low > 0) : !(high < 0);
  };
  for (const set of falling) {
    const group = groups.at(-1);
    if (group && isAlike(set, group[0])) group.push(set);
    else groups.push([set]);
  }
  return groups.map((group) => group.map(({ way }) => way));
}

/**
 * The order in words, each way with its mean, or the ranking's figure, and interval: '1. A 121.2
 * [121.0, 121.4], B 120.9 [120.1, 121.7]; 2. C 80.0 [78.0, 82.0]'.
 * @param {readonly Set[]} sets
 * @param {(way: string) => string} labelOf
 * @param {() => number} random seeded
 * @param {Ranking} [ranking]
 */
export function orderInWords(sets, labelOf, random, ranking = HIGHEST_MEAN) {
  if (sets.some(({ values }) => countOf(values) < ENOUGH_REPETITIONS))
    return `fewer than ${ENOUGH_REPETITIONS} repetitions`;
  const withFigure = (/** @type {string} */ way) => {
    const { estimate, low, high } = summaryIntervals(
      sets.find((set) => set.way === way)?.values ?? [],
      { random },
    )[ranking.figure];
    return (
      `${labelOf(way)} ${formatNumber(estimate, ranking.digits)} ` +
      `${formatInterval([low, high], ranking.digits)}`
    );
  };
  return orderOf(sets, random, ranking)
    .map((group, i) => `${i + 1}. ${group.map(withFigure).join(', ')}`)
    .join('; ');
}
