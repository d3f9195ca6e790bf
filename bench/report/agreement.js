/**
 * Compares the order of the protocols in runs of the same comparison.
 * @import { Quantity, Sample, Table } from './result.js'
 *
 * @typedef {{ samples: Map<string, readonly Sample[]> }} Sampled  by quantity
 * @typedef {Map<string, Map<string, number[][]>>} Means  of repetitions, by condition and protocol
 * @typedef {{ all: number, some: number, none: number, against: string[] }} Counts  of pairs
 */

import { countOf, differenceOfMeans, differs, ENOUGH_REPETITIONS } from '../stats/bootstrap.js';
import { mean } from '../../testkit/statistics.js';
import { protocolLabel } from './palette.js';
import { protocolsOf } from './quantity-views.js';
import { valuesByRepetition } from './result.js';

/**
 * Compares runs by their significant differences: the number of runs that show a difference of
 * means, and whether all agree on its sign. It covers each quantity and all pairs of protocols
 * under one condition that at least two runs have in five repetitions.
 * @param {readonly Quantity[]} quantities
 * @param {readonly Sampled[]} runs
 * @param {() => number} random seeded
 * @returns {Table} without rows if there are no such pairs
 */
export function orderTable(quantities, runs, random) {
  const rows = quantities
    .map((quantity) => ({ label: quantity.label, ...countsOf(quantity, runs, random) }))
    .map(
      ({ label, all, some, none, against }) =>
        /** @type {[string, number, number, number, number, number, string]} */ ([
          label,
          all + some + none + against.length,
          all,
          some,
          none,
          against.length,
          against.join('; '),
        ]),
    )
    .filter(([, pairs]) => pairs > 0);
  const sumOf = (/** @type {1 | 2 | 3 | 4 | 5} */ column) =>
    rows.reduce((sum, row) => sum + row[column], 0);
  return {
    name: 'orders',
    title: 'Are the orders the same?',
    caption:
      'Pairs of protocols under one condition, by the mean. Shown: the interval of 95 % ' +
      'confidence of the difference, over five repetitions or more, leaves out 0.',
    columns: [
      { label: 'Quantity' },
      ...[
        'Pairs',
        'Shown in all runs, the same way',
        'Shown in some',
        'Shown in none',
        'Shown either way',
      ].map((label) => ({ label, digits: 0 })),
      { label: 'Which those are' },
    ],
    rows:
      rows.length > 1
        ? [...rows, ['All of these', sumOf(1), sumOf(2), sumOf(3), sumOf(4), sumOf(5), '']]
        : rows,
  };
}

/**
 * @param {Quantity} quantity
 * @param {readonly Sampled[]} runs
 * @param {() => number} random
 * @returns {Counts}
 */
function countsOf({ name, factors = [] }, runs, random) {
  const means = runs.map(({ samples }) =>
    meansOf(
      samples.get(name) ?? [],
      factors.map((factor) => factor.name),
    ),
  );
  /** @type {Counts} */
  const counts = { all: 0, some: 0, none: 0, against: [] };
  for (const condition of new Set(means.flatMap((of) => [...of.keys()]))) {
    const here = means.flatMap((of) => of.get(condition) ?? []);
    const protocols = [...new Set(here.flatMap((of) => [...of.keys()]))];
    for (const [i, one] of protocols.entries()) {
      for (const other of protocols.slice(i + 1)) {
        const shown = here.flatMap((of) => signOf(of.get(one), of.get(other), random));
        if (shown.length < 2) continue;
        if (shown.includes(1) && shown.includes(-1))
          counts.against.push(
            [condition, `${protocolLabel(one)}, ${protocolLabel(other)}`]
              .filter(Boolean)
              .join(': '),
          );
        else if (shown.every((sign) => sign === 0)) counts.none += 1;
        else counts[shown.includes(0) ? 'some' : 'all'] += 1;
      }
    }
  }
  return counts;
}

/**
 * @param {number[][] | undefined} a
 * @param {number[][] | undefined} b
 * @param {() => number} random
 * @returns {number[]} 1 where a is shown to be above b, -1 where below, 0 where nothing is shown;
 *   none without both
 */
function signOf(a, b, random) {
  if (!a || !b) return [];
  const interval = differenceOfMeans(a, b, random);
  return [differs(interval) ? Math.sign(interval.estimate) : 0];
}

/**
 * @param {readonly Sample[]} samples
 * @param {readonly string[]} factors
 * @returns {Means} means of enough repetitions
 */
function meansOf(samples, factors) {
  const conditionOf = (/** @type {Sample} */ sample) =>
    factors.map((factor) => sample.factors?.[factor]).join(' ');
  return new Map(
    [...new Set(samples.map(conditionOf))].map((condition) => {
      const own = samples.filter((sample) => conditionOf(sample) === condition);
      const byProtocol = protocolsOf(own).map((protocol) => {
        const repetitions = valuesByRepetition(own, (sample) => sample.protocol === protocol);
        const means = repetitions.map((values) => (values.length > 0 ? [mean(values)] : []));
        return /** @type {const} */ ([protocol, means]);
      });
      return [
        condition,
        new Map(byProtocol.filter(([, repetitions]) => countOf(repetitions) >= ENOUGH_REPETITIONS)),
      ];
    }),
  );
}
