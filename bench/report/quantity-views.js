/**
 * Tables and plots for any measured quantity, protocol beside protocol. Scenarios choose from them;
 * a run that broke off is reported with them.
 */

import {
  bootstrap,
  difference,
  ENOUGH_REPETITIONS,
  summaryIntervals,
  usualFigures,
} from '../stats/bootstrap.js';
import { formatNumber } from './numbers.js';
import { protocolLabel } from './palette.js';
import { valuesByRepetition } from './result.js';
import { binsFor, cumulative, histogram, mean, summarize } from '../../testkit/statistics.js';

/**
 * @typedef {import('./result.js').Quantity} Quantity
 * @typedef {import('./result.js').Headline} Headline
 * @typedef {import('./result.js').Sample} Sample
 * @typedef {import('./result.js').Table} Table
 * @typedef {import('./result.js').Plot} Plot
 * @typedef {import('./result.js').Series} Series
 * @typedef {import('../stats/bootstrap.js').Interval} Interval
 */

/** Most points of a series: more can't be told apart. */
const MOST_POINTS = 1200;

/**
 * @param {readonly Sample[]} samples
 * @returns {string[]} in the order of their appearance
 */
export const protocolsOf = (samples) => [...new Set(samples.map(({ protocol }) => protocol))];

/** Values that came. @param {readonly Sample[]} samples @param {string} protocol */
const valuesOf = (samples, protocol) =>
  samples
    .filter((sample) => sample.protocol === protocol && Number.isFinite(sample.value))
    .map(({ value }) => value);

/** @param {Interval} interval @returns {import('./result.js').Estimate} */
export const toEstimate = ({ estimate, low, high }) => ({
  value: estimate,
  ...(Number.isFinite(low) && Number.isFinite(high) && { interval: [low, high] }),
});

/**
 * The mean of the samples that belong to a cell, with its interval: for shares, such as of lost
 * packets, which say little without.
 * @param {readonly Sample[]} samples
 * @param {(sample: Sample) => boolean} belongs
 * @param {() => number} random seeded
 * @returns {import('./result.js').Cell} null without values
 */
export function meanEstimate(samples, belongs, random) {
  const values = valuesByRepetition(samples, belongs);
  if (values.length === 0) return null;
  return toEstimate(bootstrap(values, (ascending) => [mean(ascending)], { random })[0]);
}

/**
 * One row for each protocol: count, mean, spread, extremes and quantiles, with 95 % confidence
 * intervals of the mean and the quantiles. A column has the share of lost values, if there are any.
 *
 * @param {Quantity} quantity
 * @param {readonly Sample[]} samples
 * @param {() => number} random seeded
 * @param {{ title?: string, caption?: string }} [words]
 * @returns {Table}
 */
export function summaryTable(quantity, samples, random, { title = quantity.label, caption } = {}) {
  const { name, unit } = quantity;
  const hasLost = samples.some(({ value }) => !Number.isFinite(value));
  const columns = [
    { label: 'Protocol' },
    { label: 'Values', digits: 0 },
    ...(hasLost ? [{ label: 'Never came', unit: '%', digits: 2 }] : []),
    ...['Mean', 'SD', 'Min', 'p50', 'p95', 'p99', 'Max'].map((label) => ({ label, unit })),
  ];
  const rows = protocolsOf(samples).map((protocol) => {
    const repetitions = valuesByRepetition(samples, (sample) => sample.protocol === protocol);
    const intervals = summaryIntervals(repetitions, { random });
    const { count, sd, min, max } = summarize(repetitions.flat());
    const [average, p50, p95, p99] = [
      intervals.mean,
      intervals.p50,
      intervals.p95,
      intervals.p99,
    ].map(toEstimate);
    return [
      protocolLabel(protocol),
      count,
      ...(hasLost ? [lostEstimate(samples, (sample) => sample.protocol === protocol, random)] : []),
      average,
      sd,
      min,
      p50,
      p95,
      p99,
      max,
    ];
  });
  const sentences = [caption, ofFew(samples)].filter((sentence) => sentence !== undefined);
  return {
    name: `${name}Summary`,
    title,
    caption: sentences.join(' ') || undefined,
    columns,
    rows,
  };
}

/**
 * The share of values that never came, in percent, with its interval.
 * @param {readonly Sample[]} samples
 * @param {(sample: Sample) => boolean} belongs
 * @param {() => number} random seeded
 */
export const lostEstimate = (samples, belongs, random) =>
  meanEstimate(
    samples.map((sample) => ({ ...sample, value: Number.isFinite(sample.value) ? 0 : 100 })),
    belongs,
    random,
  );

/** @param {readonly Sample[]} samples */
function ofFew(samples) {
  const { size } = new Set(samples.map(({ repetition }) => repetition));
  if (size >= ENOUGH_REPETITIONS) return undefined;
  const here = size === 1 ? 'is one' : `are ${size}`;
  return `Without intervals: they take ${ENOUGH_REPETITIONS} repetitions, and here ${here}.`;
}

/**
 * By how much protocols differ from the first, with intervals of 95 % confidence.
 *
 * @param {Quantity} quantity
 * @param {readonly Sample[]} samples
 * @param {() => number} random seeded
 * @returns {Table | undefined} nothing when there is but one protocol
 */
export function differenceTable(quantity, samples, random) {
  const [first, ...others] = protocolsOf(samples);
  if (others.length === 0) return undefined;
  const { name, label, unit } = quantity;
  const base = valuesByRepetition(samples, ({ protocol }) => protocol === first);
  const rows = others.map((other) => {
    const values = valuesByRepetition(samples, ({ protocol }) => protocol === other);
    const paired = quantity.isPaired !== false;
    const differences = difference(values, base, usualFigures, { random, paired });
    return [`${protocolLabel(other)} − ${protocolLabel(first)}`, ...differences.map(toEstimate)];
  });
  return {
    name: `${name}Difference`,
    title: `Difference in ${lower(label)}`,
    caption:
      'In brackets, the interval of 95 % confidence. Where it holds 0, the protocols may ' +
      'not differ.',
    columns: [
      { label: 'Difference' },
      ...['Mean', 'p50', 'p95', 'p99'].map((figure) => ({ label: figure, unit })),
    ],
    rows,
  };
}

/**
 * Each value at its time, each protocol's repetitions one after another.
 * @param {Quantity} quantity
 * @param {readonly Sample[]} samples
 * @returns {Plot}
 */
export function timePlot(quantity, samples) {
  const series = protocolsOf(samples).map((protocol) => {
    const own = samples.filter(
      (sample) => sample.protocol === protocol && Number.isFinite(sample.value),
    );
    const points = own.map(({ atMs, value }) => [atMs / 1000, value]).sort((a, b) => a[0] - b[0]);
    return { name: protocolLabel(protocol), protocol, points: thin(points, MOST_POINTS) };
  });
  const { name, label, unit } = quantity;
  const isThinned =
    samples.filter(({ value }) => Number.isFinite(value)).length >
    series.reduce((sum, { points }) => sum + points.length, 0);
  const thinned = isThinned ? ' Of neighbouring values the least and the greatest are drawn.' : '';
  const caption = `${label} over time, ${counted(samples)}.${thinned}`;
  const x = { label: 'Time since the start', unit: 's' };
  return {
    name: `${name}Time`,
    title: `${label} over time`,
    caption,
    kind: 'scatter',
    x,
    y: { label, unit },
    series,
  };
}

/**
 * @param {Quantity} quantity
 * @param {readonly Sample[]} samples
 * @returns {Plot} the share of values in each bin, the same bins for all protocols
 */
export function distributionPlot(quantity, samples) {
  const { name, label, unit } = quantity;
  const sets = protocolsOf(samples).map((protocol) => ({
    protocol,
    values: valuesOf(samples, protocol),
  }));
  const bins = binsFor(sets.map(({ values }) => values));
  const edge = (/** @type {number} */ bin) =>
    Number((bins.from + bin * bins.width).toPrecision(12));
  let above = 0;
  const series = sets.map(({ protocol, values }) => {
    const counted = histogram(values, bins);
    above += counted.above;
    const points = counted.counts.map((count, bin) => [
      edge(bin),
      edge(bin + 1),
      (100 * count) / values.length,
    ]);
    return { name: protocolLabel(protocol), protocol, points };
  });
  const rest = above > 0 ? ` ${above} above ${edge(bins.count)} ${unit} lie outside the plot.` : '';
  const caption =
    `Distribution of ${lower(label)}, ${counted(samples)}, in bins of ${bins.width} ` +
    `${unit}.${rest}`;
  const y = { label: 'Share of values', unit: '%' };
  return {
    name: `${name}Distribution`,
    title: `Distribution of ${lower(label)}`,
    caption,
    kind: 'histogram',
    x: { label, unit },
    y,
    series,
  };
}

/**
 * @param {Quantity} quantity
 * @param {readonly Sample[]} samples
 * @returns {Plot} the share of values up to x; x ends where the distribution's body does
 */
export function cumulativePlot(quantity, samples) {
  const { name, label, unit } = quantity;
  const sets = protocolsOf(samples).map((protocol) => ({
    protocol,
    values: valuesOf(samples, protocol),
  }));
  const bins = binsFor(sets.map(({ values }) => values));
  const to = bins.from + bins.count * bins.width;
  const series = sets.map(({ protocol, values }) => ({
    name: protocolLabel(protocol),
    protocol,
    points: cumulative(values).map(([x, share]) => [x, share * 100]),
  }));
  const caption =
    `Share of values of ${lower(label)} that are no greater than x, ` + `${counted(samples)}.`;
  const y = { label: 'Share of values', unit: '%', from: 0, to: 100 };
  return {
    name: `${name}Cumulative`,
    title: `Cumulative distribution of ${lower(label)}`,
    caption,
    kind: 'cdf',
    x: { label, unit, from: bins.from, to },
    y,
    series,
  };
}

/**
 * Fewer points that look the same: of each stretch, the lowest and the highest.
 * @param {number[][]} points ascending in x
 * @param {number} most
 */
export function thin(points, most) {
  if (points.length <= most) return points;
  const stretches = Math.floor(most / 2);
  return Array.from({ length: stretches }, (_, i) => {
    const from = Math.floor((i * points.length) / stretches);
    const stretch = points.slice(from, Math.floor(((i + 1) * points.length) / stretches));
    const lowest = stretch.reduce((least, point) => (point[1] < least[1] ? point : least));
    const highest = stretch.reduce((most_, point) => (point[1] > most_[1] ? point : most_));
    return lowest === highest ? [lowest] : [lowest, highest].sort((a, b) => a[0] - b[0]);
  }).flat();
}

/** @param {readonly Sample[]} samples */
const counted = (samples) =>
  protocolsOf(samples)
    .map(
      (protocol) =>
        `${formatNumber(valuesOf(samples, protocol).length, 0)} values of ` +
        `${protocolLabel(protocol)}`,
    )
    .join(' and ');

/** @param {string} label a noun that begins with a capital, or a word that keeps it */
const lower = (label) =>
  /^[A-Z][a-z]/.test(label) ? label[0].toLowerCase() + label.slice(1) : label;

/**
 * Each protocol's mean, with its interval of confidence and the thesis's figure beside it.
 *
 * @param {string} label
 * @param {Quantity} quantity
 * @param {readonly Sample[]} samples
 * @param {() => number} random seeded
 * @param {ReadonlyMap<string, number>} [thesis] by protocol
 * @returns {Headline[]}
 */
export function meanHeadlines(label, { unit }, samples, random, thesis = new Map()) {
  return protocolsOf(samples).map((protocol) => {
    const repetitions = valuesByRepetition(samples, (sample) => sample.protocol === protocol);
    const figure = thesis.get(protocol);
    return {
      label,
      unit,
      protocol,
      ...toEstimate(summaryIntervals(repetitions, { random }).mean),
      ...(figure && { thesis: figure }),
    };
  });
}
