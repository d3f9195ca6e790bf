/** Statistics of measured values, in the values' own unit. */

/**
 * @typedef {object} Summary
 * @property {number} count
 * @property {number} mean
 * @property {number} min
 * @property {number} max
 * @property {number} p50
 * @property {number} p95
 * @property {number} p99
 */

/** @param {ArrayLike<number>} values @returns {Float64Array} in ascending order */
export const sorted = (values) => Float64Array.from(values).sort();

/**
 * A quantile with linear interpolation between the order statistics, at (n - 1)·share counted from
 * 0. It is the default of R, NumPy and Excel. Source: definition 7 of Hyndman and Fan, "Sample
 * Quantiles in Statistical Packages", The American Statistician 50, 1996.
 * @param {ArrayLike<number>} ascending
 * @param {number} share 0 to 1
 * @returns {number} NaN of no values
 */
export function quantile(ascending, share) {
  const at = (ascending.length - 1) * share;
  const below = Math.floor(at);
  const [low, high] = [ascending[below] ?? NaN, ascending[below + 1]];
  // Between two that never came, Infinity, there is no difference to take a share of.
  if (at === below || low === high) return low;
  return low + (high - low) * (at - below);
}

/** @param {ArrayLike<number>} values @returns {Summary | null} null for none */
export function summarize(values) {
  if (values.length === 0) return null;
  const ascending = sorted(values);
  let sum = 0;
  for (const value of ascending) sum += value;
  return {
    count: ascending.length,
    mean: sum / ascending.length,
    min: ascending[0],
    max: ascending[ascending.length - 1],
    p50: quantile(ascending, 0.5),
    p95: quantile(ascending, 0.95),
    p99: quantile(ascending, 0.99),
  };
}

/**
 * Shares of values up to each edge.
 * @param {Float64Array} ascending
 * @param {ArrayLike<number>} edges ascending
 * @returns {number[]} percent, one for each edge
 */
export function cumulative(ascending, edges) {
  const shares = [];
  let count = 0;
  for (let i = 0; i < edges.length; i++) {
    while (count < ascending.length && ascending[count] <= edges[i]) count += 1;
    shares.push(ascending.length === 0 ? 0 : (100 * count) / ascending.length);
  }
  return shares;
}

/**
 * Shares of values between each edge, included, and the previous one.
 * @param {Float64Array} ascending
 * @param {ArrayLike<number>} edges ascending
 * @returns {number[]} percent, one for each edge; the first has all values up to it
 */
export function histogram(ascending, edges) {
  const shares = cumulative(ascending, edges);
  return shares.map((share, i) => (i === 0 ? share : share - shares[i - 1]));
}

/**
 * End of an axis that keeps usual values distinguishable: twice the largest 95th percentile of the
 * series, or the largest value if that is less.
 * @param {readonly Float64Array[]} series each ascending
 * @returns {number} 0 without values
 */
export function axisEnd(series) {
  let usual = 0;
  let largest = 0;
  for (const ascending of series) {
    if (ascending.length === 0) continue;
    usual = Math.max(usual, 2 * quantile(ascending, 0.95));
    largest = Math.max(largest, ascending[ascending.length - 1]);
  }
  return Math.min(usual, largest * 1.05);
}

/**
 * Least delay at which all clients hear a share of the audio.
 * @param {ReadonlyMap<number, number>[]} curves percent by delay, one for each client
 * @param {number} percent
 * @returns {number | null} null when no measured delay is enough
 */
export function leastDelay(curves, percent) {
  const [first, ...others] = curves;
  for (const delay of [...(first?.keys() ?? [])].sort((a, b) => a - b)) {
    const heard = [first, ...others].map((curve) => curve.get(delay));
    if (heard.every((value) => value !== undefined && value >= percent)) return delay;
  }
  return null;
}
