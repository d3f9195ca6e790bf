/**
 * Figures of ways set side by side, and the sentences that their intervals support.
 * @typedef {readonly (readonly number[])[]} Ages of the packets of each repetition, in
 *   milliseconds; Infinity for what never came
 */

import {
  countOf,
  differenceOfMeans,
  differs,
  ENOUGH_REPETITIONS,
  sizeOf,
  summaryIntervals,
} from '../stats/bootstrap.js';
import { quantile, sorted } from '../../testkit/statistics.js';

/** Age limits for which the share of packets is reported, in milliseconds. */
export const WITHIN_MS = Object.freeze([50, 100, 200]);

const QUANTILES = Object.freeze([0.5, 0.95, 0.99]);

/** The ages of the packets that came. @param {Ages} ages */
const came = (ages) => ages.map((of) => of.filter(Number.isFinite));

/** A hundred for each packet that never came, so that the mean is the share. @param {Ages} ages */
const lost = (ages) => ages.map((of) => of.map((age) => (Number.isFinite(age) ? 0 : 100)));

/**
 * A hundred for each packet that came in time, likewise.
 * @param {Ages} ages
 * @param {number} ms
 */
const within = (ages, ms) => ages.map((of) => of.map((age) => (age <= ms ? 100 : 0)));

/**
 * Mean of the differences between the ages of successive packets that came, without a sign: D of
 * RFC 3550, section 6.4.1, not smoothed.
 * @param {readonly number[]} ages in milliseconds, in the order of sending; not finite where a
 *   packet never came
 * @returns {number} in milliseconds; Infinity if fewer than two came
 */
export function jitterOf(ages) {
  const known = ages.filter(Number.isFinite);
  let sum = 0;
  for (let i = 1; i < known.length; i++) sum += Math.abs(known[i] - known[i - 1]);
  return known.length > 1 ? sum / (known.length - 1) : Infinity;
}

/**
 * @param {Ages} ages of one way
 * @param {() => number} random seeded
 */
export function figuresOf(ages, random) {
  const ascending = sorted(ages.flat().filter(Number.isFinite));
  return {
    quantiles: QUANTILES.map((part) => quantile(ascending, part)),
    within: WITHIN_MS.map((ms) => summaryIntervals(within(ages, ms), { random }).mean),
    meanAge: summaryIntervals(came(ages), { random }).mean,
    jitter: summaryIntervals(
      ages.map((of) => [jitterOf(of)].filter(Number.isFinite)),
      { random },
    ).mean,
    neverPercent: summaryIntervals(lost(ages), { random }).mean,
  };
}

/**
 * The quantities that are compared, and how a sentence tells that a way has more or less of one
 * than the first.
 */
const COMPARED = Object.freeze([
  {
    values: came,
    words: (/** @type {Words} */ { way, first, size, isMore }) =>
      `packets by ${way} arrived ${size} ms ${isMore ? 'later' : 'sooner'} on average than ` +
      `by ${first}`,
    same: 'mean age',
  },
  {
    values: lost,
    words: (/** @type {Words} */ { way, first, size, isMore }) =>
      `${size} percentage points ${isMore ? 'more' : 'less'} of the packets never came by ` +
      `${way} than by ${first}`,
    same: 'share of packets that never came',
  },
]);

/** @typedef {{ way: string, first: string, size: string, isMore: boolean }} Words */

/**
 * One sentence for each difference of a way from the first, and one for all ways without a
 * difference. With few repetitions a sentence says so.
 * @param {readonly { label: string, ages: Ages }[]} ways
 * @param {() => number} random seeded
 * @returns {string[]}
 */
export function sentencesOf([first, ...others], random) {
  if (!first || others.length === 0) return [];
  const fewest = Math.min(...[first, ...others].map(({ ages }) => countOf(ages)));
  if (fewest < ENOUGH_REPETITIONS)
    return [
      `${ENOUGH_REPETITIONS} repetitions of each way are needed for sentences; the fewest ` +
        `here are ${fewest}.`,
    ];
  return COMPARED.flatMap(({ values, words, same }) => {
    const told = others.map(({ label, ages }) => ({
      way: label,
      apart: differenceOfMeans(values(ages), values(first.ages), random),
    }));
    const differ = told.filter(({ apart }) => differs(apart));
    const alike = told.filter(({ apart }) => !differs(apart)).map(({ way }) => way);
    return [
      ...differ.map(({ way, apart }) => {
        const difference = {
          way,
          first: first.label,
          size: sizeOf(apart),
          isMore: apart.estimate > 0,
        };
        return `On this link ${words(difference)}.`;
      }),
      ...(alike.length > 0
        ? [
            `On this link no difference from ${first.label} in the ${same} is shown for ` +
              `${listed(alike)}.`,
          ]
        : []),
    ];
  });
}

/** @param {string[]} names */
export const listed = (names) =>
  [names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(' and ');
