/**
 * Fits a straight line to a series in time, with an interval for its slope. Neighbours in such a
 * series are alike, so a bootstrap draws residuals in blocks of consecutive values. Source: Künsch,
 * "The Jackknife and the Bootstrap for General Stationary Observations", Annals of Statistics 17,
 * 1989; circular, as in bootstrap.js.
 */

import { blockLength } from './bootstrap.js';
import { mean, quantile } from '../../testkit/statistics.js';

/**
 * @typedef {object} Trend
 * @property {number} slope      of y, for each unit of x; NaN for fewer than three points
 * @property {number} intercept  y at x = 0
 * @property {readonly [number, number]} interval of 95 % confidence, of the slope
 */

/**
 * @param {readonly (readonly [number, number])[]} points [x, y], ascending in x
 * @param {{ random: () => number, resamples?: number }} options  random: numbers in [0, 1), seeded
 * @returns {Trend}
 */
export function trend(points, { random, resamples = 1000 }) {
  if (points.length < 3) return { slope: NaN, intercept: NaN, interval: [NaN, NaN] };
  const xs = Float64Array.from(points, ([x]) => x);
  const ys = Float64Array.from(points, ([, y]) => y);
  const slope = slopeOf(xs, ys);
  const intercept = mean(ys) - slope * mean(xs);
  const rest = ys.map((y, i) => y - intercept - slope * xs[i]);
  const block = blockLength(rest);
  const drawn = new Float64Array(rest.length);
  const slopes = Float64Array.from({ length: resamples }, () => {
    for (let at = 0; at < drawn.length;) {
      let from = Math.floor(random() * rest.length);
      for (let i = 0; i < block && at < drawn.length; i++) {
        drawn[at++] = rest[from];
        from = (from + 1) % rest.length;
      }
    }
    return slope + slopeOf(xs, drawn);
  }).sort();
  return { slope, intercept, interval: [quantile(slopes, 0.025), quantile(slopes, 0.975)] };
}

/**
 * By least squares.
 * @param {Float64Array} xs @param {Float64Array} ys
 */
function slopeOf(xs, ys) {
  const [x, y] = [mean(xs), mean(ys)];
  let products = 0;
  let squares = 0;
  for (let i = 0; i < xs.length; i++) {
    products += (xs[i] - x) * (ys[i] - y);
    squares += (xs[i] - x) ** 2;
  }
  return products / squares;
}
