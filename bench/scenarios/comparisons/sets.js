/**
 * The parts of comparisons' results: sets of values by repetition, their means, and the tables and
 * plots of these.
 *
 * @import { Axis, Cell, Plot, PlotKind, Quantity, Sample, Table } from '../../report/result.js'
 *
 * @typedef {{ way: string, values: number[][] }} Set a way's values under one condition, by
 *   repetition; a repetition without values is empty, so that sets pair
 */

import { toEstimate } from '../../report/quantity-views.js';
import { valuesByRepetition } from '../../report/result.js';
import { summaryIntervals } from '../../stats/bootstrap.js';

/**
 * @param {readonly Sample[]} samples
 * @param {string} way
 * @param {(sample: Sample) => boolean} [belongs] true if a sample of the way is of the condition;
 *   by default all are
 * @returns {Set | null} null where there are none
 */
export function setOf(samples, way, belongs = () => true) {
  const values = valuesByRepetition(
    samples,
    (sample) => sample.protocol === way && belongs(sample),
  );
  return values.length > 0 ? { way, values } : null;
}

/**
 * The mean of a quantity, with its interval.
 * @param {Set} set
 * @param {() => number} random seeded
 */
export const meanOf = ({ values }, random) => summaryIntervals(values, { random }).mean;

/**
 * @param {Set | null | undefined} set
 * @param {() => number} random
 * @returns {Cell}
 */
export const meanCell = (set, random) => (set ? toEstimate(meanOf(set, random)) : null);

/**
 * A plot of a quantity's means. Places without a set have no point.
 * @param {Quantity} quantity
 * @param {object} plot
 * @param {string} plot.name
 * @param {string} plot.title
 * @param {string} [plot.of]  unit of averaging
 * @param {PlotKind} plot.kind
 * @param {Axis} plot.x
 * @param {readonly { name: string, protocol: string, sets: readonly (readonly [number, Set | null |
 *   undefined])[] }[]} plot.series sets: each with its place
 * @param {() => number} random seeded
 * @returns {Plot}
 */
export const meansPlot = (quantity, { of = 'repetitions', series, ...plot }, random) => ({
  ...plot,
  caption: `Means over ${of}, with intervals of 95 % confidence from five on.`,
  y: { label: quantity.label, unit: quantity.unit },
  series: series.map(({ name, protocol, sets }) => ({
    name,
    protocol,
    points: sets.flatMap(([x, set]) => {
      if (!set) return [];
      const { estimate, low, high } = meanOf(set, random);
      return [[x, estimate, low, high]];
    }),
  })),
});

/** @param {string} text */
const capital = (text) => `${text[0].toUpperCase()}${text.slice(1)}`;

/**
 * @param {readonly string[]} names
 * @returns {string} 'lossMouthToEar' of 'loss' and 'mouthToEar', 'tcpLongOrder' of 'tcp-long' and
 *   'order'
 */
export function joinNames(names) {
  const [first, ...others] = names.flatMap((name) => name.split('-'));
  return [first, ...others.map(capital)].join('');
}

/**
 * @param {string} text
 * @returns {string} as it stands within a sentence: 'legs of 20 ms' of 'Legs of 20 ms'
 */
export const withinSentence = (text) => `${text[0].toLowerCase()}${text.slice(1)}`;

/**
 * @param {Iterable<string>} sentences
 * @param {{ name?: string, title?: string, caption?: string }} [words]
 * @returns {Table} conclusions of a run, in words
 */
export const sentencesTable = (
  sentences,
  {
    name = 'sentences',
    title = 'In words',
    caption = 'In brackets, the interval of 95 % confidence of the difference.',
  } = {},
) => ({
  name,
  isConclusion: true,
  title,
  caption,
  columns: [{ label: 'In words' }],
  rows: Array.from(sentences, (sentence) => [sentence]),
});
