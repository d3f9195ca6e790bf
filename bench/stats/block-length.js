/**
 * How many consecutive values of a series belong into one block of the circular block bootstrap, so
 * that the blocks carry what neighbours have in common: Politis and White, "Automatic Block-Length
 * Selection for the Dependent Bootstrap" (Econometric Reviews 23, 2004), with the correction of Patton,
 * Politis and White (2009). It is optimal for the variance of the mean, and used for the quantiles too.
 */

import { mean } from './statistics.js';

/** Correlations below so many times √(log10(n)/n) count as none (the paper's c). */
const SIGNIFICANT = 2;

/**
 * @param {ArrayLike<number>} series
 * @returns {number} values, at least 1
 */
export function blockLength(series) {
  const n = series.length;
  const longest = Math.ceil(Math.min(3 * Math.sqrt(n), n / 3));
  const covariances = autocovariances(series, Math.min(n - 1, Math.ceil(Math.sqrt(n)) + quietLags(n)));
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
 * How many lags in a row must show no correlation (the paper's K).
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
