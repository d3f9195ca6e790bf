/**
 * Differences of two sets of values, and the condition to report them.
 * @import { Interval } from './bootstrap.js'
 */

import { difference } from './bootstrap.js';
import { mean, quantile } from '../../testkit/statistics.js';

export { ENOUGH_REPETITIONS } from './bootstrap.js';

/**
 * By how much the mean of a is above that of b; in pairs where both have as many repetitions.
 * @param {readonly (readonly number[])[]} a by repetition
 * @param {readonly (readonly number[])[]} b
 * @param {() => number} random seeded
 * @returns {Interval}
 */
export function differenceOfMeans(a, b, random) {
  const [interval] = difference(a, b, (ascending) => [mean(ascending)], {
    random,
    paired: a.length === b.length,
  });
  return interval;
}

/**
 * By how much the median of a is above that of b; in pairs where both have as many repetitions.
 * @param {readonly (readonly number[])[]} a by repetition
 * @param {readonly (readonly number[])[]} b
 * @param {() => number} random seeded
 * @returns {Interval}
 */
export function differenceOfMedians(a, b, random) {
  const [interval] = difference(a, b, (ascending) => [quantile(ascending, 0.5)], {
    random,
    paired: a.length === b.length,
  });
  return interval;
}

/** True when an interval leaves out 0. @param {Interval} interval */
export const differs = ({ low, high }) => low > 0 || high < 0;

/** A difference's size with its interval, as in '1.2 [0.9, 1.5]'. @param {Interval} interval */
export function sizeOf({ estimate, low, high }) {
  const [size, ...ends] = [estimate, low, high].map(Math.abs);
  const digits = size < 1 ? 2 : 1;
  return (
    `${size.toFixed(digits)} [${Math.min(...ends).toFixed(digits)}, ` +
    `${Math.max(...ends).toFixed(digits)}]`
  );
}
