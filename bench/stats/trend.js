/**
 * Fits a straight line to a series in time, with an interval for its slope. Neighbours in such a
 * series are alike, so a bootstrap draws residuals in blocks of consecutive values. Source: Künsch,
 * "The Jackknife and the Bootstrap for General Stationary Observations", Annals of Statistics 17,
 * 1989; circular (Politis and Romano, 1992).
 */

import { ENOUGH_REPETITIONS } from './bootstrap.js';
import { mean, quantile } from '../../testkit/statistics.js';

/**
 * @typedef {object} Trend
 * @property {number} slope      of y, for each unit of x; NaN for fewer than three points
 * @property {number} intercept  y at x = 0
 * @property {readonly [number, number]} interval of 95 % confidence, of the slope; NaN
 *   with fewer than five blocks
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
  if (rest.length / block < ENOUGH_REPETITIONS) return { slope, intercept, interval: [NaN, NaN] };
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

/** Correlations below this multiple of √(log10(n)/n) count as none (the paper's c). */
const SIGNIFICANT = 2;

/**
 * Returns the number of consecutive values in one block of the circular block bootstrap, so that
 * blocks carry the correlation between neighbours. Source: Politis and White, "Automatic
 * Block-Length Selection for the Dependent Bootstrap" (Econometric Reviews 23, 2004), with the
 * correction of Patton, Politis and White (2009). It is optimal for the variance of the mean, and
 * used for the quantiles too.
 *
 * @param {ArrayLike<number>} series
 * @returns {number} values, at least 1
 */
export function blockLength(series) {
  const n = series.length;
  const longest = Math.ceil(Math.min(3 * Math.sqrt(n), n / 3));
  const covariances = autocovariances(
    series,
    Math.min(n - 1, Math.ceil(Math.sqrt(n)) + quietLags(n)),
  );
  if (n < 10 || !(covariances[0] > 0)) return 1;
  const bandwidth = Math.min(2 * lastCorrelated(covariances, n), covariances.length - 1);
  let weighted = 0;
  let spectrum = covariances[0];
  for (let lag = 1; lag <= bandwidth; lag++) {
    const share = flatTop(lag / bandwidth) * covariances[lag];
    weighted += 2 * lag * share;
    spectrum += 2 * share;
  }
  const variance = (4 / 3) * spectrum ** 2;
  const best = Math.ceil(Math.cbrt((2 * weighted ** 2 * n) / variance));
  return Math.max(1, Math.min(longest, Number.isFinite(best) ? best : 1));
}

/**
 * The number of successive lags that must show no correlation (the paper's K).
 * @param {number} n
 */
const quietLags = (n) => Math.max(5, Math.ceil(Math.sqrt(Math.log10(n))));

/**
 * The lag after which nothing is correlated any more.
 * @param {Float64Array} covariances
 * @param {number} n
 * @returns {number} at least 1
 */
function lastCorrelated(covariances, n) {
  const threshold = SIGNIFICANT * Math.sqrt(Math.log10(n) / n) * covariances[0];
  let quiet = 0;
  for (let lag = 1; lag < covariances.length; lag++) {
    quiet = Math.abs(covariances[lag]) < threshold ? quiet + 1 : 0;
    if (quiet === quietLags(n)) return Math.max(1, lag - quiet);
  }
  return Math.max(1, covariances.length - 1 - quiet);
}

/**
 * The window of Politis and Romano (1995): 1 up to the half, then falling to 0.
 * @param {number} t 0 to 1
 */
const flatTop = (t) => (t <= 0.5 ? 1 : 2 * (1 - t));

/**
 * @param {ArrayLike<number>} series
 * @param {number} mostLags
 */
function autocovariances(series, mostLags) {
  const n = series.length;
  const centre = mean(series);
  const deviations = Float64Array.from(series, (value) => value - centre);
  return Float64Array.from({ length: mostLags + 1 }, (_, lag) => {
    let sum = 0;
    for (let i = lag; i < n; i++) sum += deviations[i] * deviations[i - lag];
    return sum / n;
  });
}
