/**
 * Confidence intervals by the bootstrap (Efron and Tibshirani, "An Introduction to the Bootstrap",
 * 1993). Values are of several repetitions, each a series in time. Neighbours in a series are
 * alike, and so are the values of one repetition. Hence values are never drawn singly. Whole
 * repetitions are drawn, since they are independent (Davison and Hinkley, "Bootstrap Methods and
 * their Application", 1997, section 3.8).
 *
 * The interval lies between percentiles of the draws. Few units vary less in draws than in truth.
 * Their variance is uncertain too (Hesterberg, "What Teachers Should Know About the Bootstrap", The
 * American Statistician 69, 2015). So the interval's ends are moved away from the estimate, for n
 * repetitions by t/z·√(n / (n - 1)). For a mean this gives Student's interval. The factor is 1.6
 * with five repetitions, and 1.2 with ten.
 *
 * Below five repetitions there is no interval. The factor is 9 with two and 2.7 with three, so
 * their intervals would tell only the number of repetitions. An interval never reaches below the
 * least value or above the greatest one, where no mean and no quantile of them can lie. Where five
 * repetitions have one value each, it thus holds the truth in 94 % of cases at most.
 *
 * On simulated series, 95 % intervals for the mean hold the truth in 91 to 95 % of cases.
 * Repetitions were alike there, or differed as much as single values. For the 95th percentile it is
 * somewhat less.
 */

import { mean, quantile, sorted } from '../../testkit/statistics.js';
import { normalQuantile, studentQuantile } from './student.js';
import { seededRandom } from '../../testkit/random.js';

/**
 * @typedef {readonly (readonly number[])[]} Repetitions the values of each repetition, in the order
 *   of time
 *
 * @callback Statistic
 * @param {Float64Array} ascending a sample, sorted; kept only during the call
 * @returns {number[]} its figures, the same number for every sample
 *
 * @typedef {object} Interval
 * @property {number} estimate of the sample itself
 * @property {number} low      NaN with fewer than five repetitions
 * @property {number} high     NaN with fewer than five repetitions
 *
 * @typedef {object} BootstrapSettings
 * @property {() => number} random   numbers in [0, 1), seeded
 * @property {number} [level]        of confidence; 0.95
 * @property {number} [resamples]    2 000
 * @property {readonly [number, number]} [within] bounds of the figures; by default the least and
 *   the greatest value, which is right for means and quantiles
 *
 * @typedef {BootstrapSettings & { resamples: number }} Used  settings, defaults included
 */

const DEFAULTS = { level: 0.95, resamples: 2000 };

/**
 * Fewest repetitions for an interval, an order or a sentence. Two or three that are alike by chance
 * leave an interval no width; otherwise only their number decides its width.
 */
export const ENOUGH_REPETITIONS = 5;

/**
 * @param {Repetitions} repetitions
 * @param {Statistic} statistic
 * @param {BootstrapSettings} settings
 * @returns {Interval[]} for each of the statistic's figures; NaN throughout when there are no
 *   values
 */
export function bootstrap(repetitions, statistic, settings) {
  const used = { ...DEFAULTS, ...settings };
  const sampler = new Sampler(repetitions.filter(hasValues));
  const { whole, units } = sampler;
  const estimates = statistic(whole);
  if (units < ENOUGH_REPETITIONS) return estimates.map(unsure);
  const replicates = estimates.map(() => new Float64Array(used.resamples));
  const draws = drawsOf(used, units);
  for (let i = 0; i < used.resamples; i++) {
    const figures = statistic(sampler.resample(draws[i]));
    figures.forEach((figure, which) => (replicates[which][i] = figure));
  }
  const within = used.within ?? [whole[0], whole[whole.length - 1]];
  return estimates.map((estimate, which) =>
    stretchedPercentiles(estimate, replicates[which], { ...used, units, within }),
  );
}

/** @typedef {{ mean: Interval, p50: Interval, p95: Interval, p99: Interval }} SummaryIntervals */

/**
 * The intervals of the figures by which values are usually described.
 * @param {Repetitions} repetitions
 * @param {BootstrapSettings} settings
 * @returns {SummaryIntervals}
 */
export function summaryIntervals(repetitions, settings) {
  const [average, p50, p95, p99] = bootstrap(repetitions, usualFigures, settings);
  return { mean: average, p50, p95, p99 };
}

/** @type {Statistic} */
export const usualFigures = (ascending) => [
  mean(ascending),
  quantile(ascending, 0.5),
  quantile(ascending, 0.95),
  quantile(ascending, 0.99),
];

/**
 * The difference a − b of two sets of values in a statistic. Where they were measured by turns in
 * the same repetitions, these are drawn in pairs: what disturbed one repetition disturbed both. A
 * repetition that lacks in one set is left out of both: the other's value has nothing to be
 * compared with.
 *
 * @param {Repetitions} a
 * @param {Repetitions} b when paired, repetition i was measured together with a's
 * @param {Statistic} statistic
 * @param {BootstrapSettings & { paired: boolean }} settings
 * @returns {Interval[]} for each of the statistic's figures; below or above 0 throughout, they
 *   differ
 */
export function difference(a, b, statistic, settings) {
  const used = { ...DEFAULTS, ...settings };
  const areBoth = (/** @type {unknown} */ _, /** @type {number} */ i) =>
    hasValues(a[i] ?? []) && hasValues(b[i] ?? []);
  const [first, second] = [a, b].map(
    (repetitions) => new Sampler(repetitions.filter(settings.paired ? areBoth : hasValues)),
  );
  const wholes = statistic(second.whole);
  const estimates = statistic(first.whole).map((figure, which) => figure - wholes[which]);
  const units = Math.min(first.units, second.units);
  if (units < ENOUGH_REPETITIONS) return estimates.map(unsure);
  const replicates = estimates.map(() => new Float64Array(used.resamples));
  const draws = drawsOf(used, first.units);
  const others = settings.paired ? draws : drawsOf(used, second.units, 'of the other');
  for (let i = 0; i < used.resamples; i++) {
    const figures = statistic(first.resample(draws[i]));
    const subtracted = statistic(second.resample(others[i]));
    figures.forEach((figure, which) => (replicates[which][i] = figure - subtracted[which]));
  }
  const [a0, b0] = [first.whole[0], second.whole[0]];
  const [a1, b1] = [first, second].map(({ whole }) => whole[whole.length - 1]);
  const within = used.within ?? /** @type {const} */ ([a0 - b1, a1 - b0]);
  return estimates.map((estimate, which) =>
    stretchedPercentiles(estimate, replicates[which], { ...used, units, within }),
  );
}

/** @typedef {Map<string, number[][]>} Draws  by what is drawn from */

/** Draws by the random numbers that they are made of. @type {WeakMap<() => number, Draws>} */
const DRAWS = new WeakMap();

/**
 * Draws of repetitions, with replacement. All figures from the same random numbers share them: what
 * one sentence of a report shows, another with draws of its own might not.
 * @param {Used} settings
 * @param {number} units  number of repetitions
 * @param {string} [side] of a difference, where the two sides are drawn apart
 * @returns {number[][]} indices of repetitions, one list for each resample
 */
function drawsOf({ random, resamples }, units, side = '') {
  const made = DRAWS.get(random) ?? new Map();
  DRAWS.set(random, made);
  const key = [resamples, units, side].join(' ');
  const draws =
    made.get(key) ??
    Array.from({ length: resamples }, () =>
      Array.from({ length: units }, () => Math.floor(random() * units)),
    );
  made.set(key, draws);
  return draws;
}

/**
 * Makes samples of drawn repetitions. Every value has its rank among all, so that a drawn
 * sample is counted per rank and read off in order, without being sorted.
 */
class Sampler {
  /** @type {Uint32Array[]} ranks of each repetition's values in time */
  #ranks;
  #counts;
  #sample;

  /** @param {Repetitions} repetitions none without values */
  constructor(repetitions) {
    const all = repetitions.flat();
    const order = Uint32Array.from(all.keys()).sort((a, b) => all[a] - all[b]);
    const ranks = new Uint32Array(all.length);
    order.forEach((index, rank) => (ranks[index] = rank));
    let at = 0;
    this.#ranks = repetitions.map((values) => ranks.subarray(at, (at += values.length)));
    this.#counts = new Uint32Array(all.length);
    this.#sample = new Float64Array(
      repetitions.length * Math.max(0, ...repetitions.map(({ length }) => length)),
    );
    /** All the values, sorted. */
    this.whole = sorted(all);
    /** Number of repetitions, the independent units of a draw. */
    this.units = repetitions.length;
  }

  /**
   * @param {number[]} drawn repetitions
   * @returns {Float64Array} a sample, sorted, valid until the next
   */
  resample(drawn) {
    this.#counts.fill(0);
    let length = 0;
    for (const repetition of drawn) {
      const ranks = this.#ranks[repetition];
      for (let i = 0; i < ranks.length; i++) this.#counts[ranks[i]]++;
      length += ranks.length;
    }
    for (let rank = 0, at = 0; rank < this.#counts.length; rank++) {
      for (let times = this.#counts[rank]; times > 0; times--)
        this.#sample[at++] = this.whole[rank];
    }
    return this.#sample.subarray(0, length);
  }
}

/**
 * @param {number} estimate
 * @param {Float64Array} replicates
 * @param {object} settings
 * @param {number} settings.units  the fewer, the further the interval reaches
 * @param {number} settings.level
 * @param {readonly [number, number]} settings.within
 * @returns {Interval}
 */
function stretchedPercentiles(estimate, replicates, { units, level, within: [least, most] }) {
  const share = (1 + level) / 2;
  const stretch =
    Math.sqrt(units / (units - 1)) * (studentQuantile(share, units - 1) / normalQuantile(share));
  replicates.sort();
  const reach = (/** @type {number} */ p) =>
    estimate + stretch * (quantile(replicates, p) - estimate);
  return { estimate, low: Math.max(least, reach(1 - share)), high: Math.min(most, reach(share)) };
}

/** @param {readonly number[]} values */
const hasValues = ({ length }) => length > 0;

/** Number of the repetitions that have values. @param {Repetitions} repetitions */
export const countOf = (repetitions) => repetitions.filter(hasValues).length;

/** @param {number} estimate @returns {Interval} */
const unsure = (estimate) => ({ estimate, low: NaN, high: NaN });

/**
 * By how much the mean of a is above that of b, in the repetitions that both have.
 * @param {Repetitions} a  of the same repetitions as b, at the same places
 * @param {Repetitions} b
 * @param {() => number} random seeded
 * @returns {Interval}
 */
export function differenceOfMeans(a, b, random) {
  const [interval] = difference(a, b, (ascending) => [mean(ascending)], { random, paired: true });
  return interval;
}

/**
 * By how much the median of a is above that of b, in the repetitions that both have.
 * @param {Repetitions} a  of the same repetitions as b, at the same places
 * @param {Repetitions} b
 * @param {() => number} random seeded
 * @returns {Interval}
 */
export function differenceOfMedians(a, b, random) {
  const [interval] = difference(a, b, (ascending) => [quantile(ascending, 0.5)], {
    random,
    paired: true,
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

/**
 * The median of calls that stall with its interval, and the worst. All voices stall at the same
 * moments, so that moments are drawn, each with all its calls.
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
