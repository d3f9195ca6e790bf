/** A figure of calls that stall, for `bench/stalls.js`. */

import { seededRandom } from '../../testkit/random.js';
import { quantile } from '../../testkit/statistics.js';
import { bootstrap } from './bootstrap.js';

/**
 * The median of calls with its interval, and the worst. All voices stall at the same moments, so
 * that moments are drawn, each with all its calls.
 * @param {readonly (readonly number[])[]} ofVoices  a value for each moment, by voice
 * @param {number} digits
 */
export function stallFigure(ofVoices, digits) {
  const [{ estimate, low, high }] = bootstrap(
    ofVoices[0].map((_, i) => ofVoices.map((values) => values[i])),
    (ascending) => [quantile(ascending, 0.5)],
    { random: seededRandom(1) },
  );
  const rounded = (/** @type {number} */ value) => Number(value.toFixed(digits));
  return {
    estimate: rounded(estimate),
    low: rounded(low),
    high: rounded(high),
    worst: rounded(Math.max(...ofVoices.flat())),
  };
}
