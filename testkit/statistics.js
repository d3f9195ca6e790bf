/**
 * Centre, spread, quantiles, histogram and distribution of measured values; bootstrap.js has their
 * confidence intervals. Values must be finite numbers, unless a function accepts infinity: callers
 * leave others out and count them. Each function is a few lines. The packages for it (d3-array,
 * simple-statistics) silently leave NaN out or use another quantile.
 */

import { quantile, sorted } from '../public/lab/summary.js';

export { quantile, sorted };

/**
 * @typedef {ArrayLike<number>} Values
 *
 * @typedef {object} Summary
 * @property {number} count
 * @property {number} mean
 * @property {number} sd    of the sample, with n - 1; NaN for fewer than two values
 * @property {number} min
 * @property {number} max
 * @property {number} p50
 * @property {number} p95
 * @property {number} p99
 */

/**
 * Returns the smallest value that at least a share p of the values doesn't exceed. It is the
 * inverse of the empirical distribution, definition 1 of Hyndman and Fan. Accepts infinity, for
 * lost packets.
 *
 * @param {Values} ascending sorted values
 * @param {number} p 0 to 1
 * @returns {number} NaN of no values
 */
export function leastCovering(ascending, p) {
  if (ascending.length === 0) return NaN;
  // The product of a share such as 0.07 and a count may come out a hair above the whole number it
  // is.
  const count = Math.ceil(p * ascending.length * (1 - Number.EPSILON));
  return ascending[Math.max(0, count - 1)];
}

/** @param {Values} values */
export function mean(values) {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum / values.length;
}

/**
 * @param {Values} values
 * @returns {number} the standard deviation of a sample, with n - 1
 */
export function standardDeviation(values) {
  if (values.length < 2) return NaN;
  const centre = mean(values);
  let squares = 0;
  for (let i = 0; i < values.length; i++) squares += (values[i] - centre) ** 2;
  return Math.sqrt(squares / (values.length - 1));
}

/**
 * @param {Values} values
 * @returns {Summary}
 */
export function summarize(values) {
  const ascending = sorted(values);
  return {
    count: ascending.length,
    mean: mean(ascending),
    sd: standardDeviation(ascending),
    min: quantile(ascending, 0),
    max: quantile(ascending, 1),
    p50: quantile(ascending, 0.5),
    p95: quantile(ascending, 0.95),
    p99: quantile(ascending, 0.99),
  };
}

/**
 * @typedef {object} Bins
 * @property {number} from   the first bin's lower edge
 * @property {number} width
 * @property {number} count
 *
 * @typedef {object} Histogram
 * @property {Bins} bins     each holds its lower edge, not its upper
 * @property {number[]} counts
 * @property {number} below  number of values below the first bin
 * @property {number} above  number of values above the last bin
 */

const FEWEST_BINS = 8;
const MOST_BINS = 80;

/** Quantile at which a long tail is cut off; a maximum that isn't far above it is drawn too. */
const TAIL = 0.995;

/**
 * Returns bins for several sets of values, so that their histograms can be compared. The width is
 * 2·IQR·n^(-1/3) (Freedman and Diaconis, 1981), the narrowest of the sets, rounded to 1, 2 or 5
 * times a power of ten. Edges are its multiples. Bins end at the 99.5th percentile when the maximum
 * lies more than twice as far from the minimum.
 *
 * @param {Values[]} sets
 * @returns {Bins}
 */
export function binsFor(sets) {
  const all = sets.map(sorted).filter((set) => set.length > 0);
  if (all.length === 0) return { from: 0, width: 1, count: 1 };
  const low = Math.min(...all.map((set) => set[0]));
  const most = Math.max(...all.map((set) => set[set.length - 1]));
  const body = Math.max(...all.map((set) => quantile(set, TAIL)));
  const high = most - low > 2 * (body - low) && body > low ? body : most;
  const span = high - low || Math.max(Math.abs(low), 1) / 10;
  const narrowest = Math.min(...all.map(freedmanDiaconis).filter((width) => width > 0), Infinity);
  const width = roundWidth(Math.min(Math.max(narrowest, span / MOST_BINS), span / FEWEST_BINS));
  const first = Math.floor(low / width);
  return { from: first * width, width, count: Math.floor(high / width) - first + 1 };
}

/** @param {Values} ascending */
function freedmanDiaconis(ascending) {
  return (
    (2 * (quantile(ascending, 0.75) - quantile(ascending, 0.25))) / Math.cbrt(ascending.length)
  );
}

/**
 * @param {number} width
 * @returns {number} the nearest of 1, 2 and 5 times a power of ten
 */
function roundWidth(width) {
  const power = 10 ** Math.floor(Math.log10(width));
  const [nearest] = [1, 2, 5, 10].sort(
    (a, b) => Math.abs(Math.log(width / (a * power))) - Math.abs(Math.log(width / (b * power))),
  );
  return nearest * power;
}

/**
 * @param {Values} values
 * @param {Bins} [bins] by default bins that suit the values
 * @returns {Histogram}
 */
export function histogram(values, bins = binsFor([values])) {
  const counts = new Array(bins.count).fill(0);
  let below = 0;
  let above = 0;
  for (let i = 0; i < values.length; i++) {
    const bin = Math.floor((values[i] - bins.from) / bins.width + 1e-9);
    if (bin < 0) below++;
    else if (bin >= bins.count) above++;
    else counts[bin]++;
  }
  return { bins, counts, below, above };
}

/**
 * The corners of the empirical distribution's staircase: at each x, the share of values that are ≤
 * x. With more values than points, those at evenly spaced shares are kept, the two extremes always.
 *
 * @param {Values} values
 * @param {number} [mostPoints]
 * @returns {[number, number][]} x, and the share from 0 to 1
 */
export function cumulative(values, mostPoints = 400) {
  const ascending = sorted(values);
  const steps = Math.min(mostPoints, ascending.length);
  /** @type {[number, number][]} */
  const points = [];
  for (let step = 1; step <= steps; step++) {
    // From the first value to the last, whatever the number of steps.
    const i =
      steps === 1
        ? ascending.length - 1
        : Math.round(((step - 1) * (ascending.length - 1)) / (steps - 1));
    points.push([ascending[i], (i + 1) / ascending.length]);
  }
  return points;
}

/**
 * Returns the smallest x of a measured curve from which on y stays at or above a target. An example
 * is the smallest server-side delay for a share of received audio.
 *
 * @param {readonly (readonly number[])[]} points x and y of each
 * @param {number} target
 * @returns {number | undefined} undefined when the last point lies below the target
 */
export function leastReaching(points, target) {
  const descending = [...points].sort((a, b) => b[0] - a[0]);
  const miss = descending.findIndex(([, y]) => !(y >= target));
  return miss === -1 ? descending.at(-1)?.[0] : descending[miss - 1]?.[0];
}

/**
 * Jain's fairness index (R. Jain, D. Chiu and W. Hawe, "A Quantitative Measure of Fairness and
 * Discrimination for Resource Allocation in Shared Computer Systems", DEC-TR-301, 1984): (Σx)² ÷ (n
 * Σx²).
 * @param {readonly number[]} shares from 0 on, one at least
 * @returns {number} 1 where all are equal, 1 ÷ n where one has everything
 */
export function fairness(shares) {
  const sum = shares.reduce((total, share) => total + share, 0);
  const squares = shares.reduce((total, share) => total + share ** 2, 0);
  // Nothing for anybody is equal for all.
  return squares === 0 ? 1 : sum ** 2 / (shares.length * squares);
}
