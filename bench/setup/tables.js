/**
 * Tables and plots of setups, for each sweep.
 * @import { Plot, Sample, Table } from '../report/result.js'
 * @import { Leg } from './joiner.js'
 * @import { Sweep } from './conditions.js'
 */

import { protocolLabel } from '../report/palette.js';
import { meanEstimate, toEstimate } from '../report/quantity-views.js';
import { summaryIntervals } from '../stats/bootstrap.js';
import { quantile, sorted } from '../../testkit/statistics.js';
import { labelOf, legsOf, newOf, productOf, valuesOf } from './figures.js';
import { PARTS } from './steps.js';

/**
 * @typedef {object} Swept  one sweep, with its samples
 * @property {Sweep} sweep
 * @property {{ at: number | string, samples: Sample[] }[]} points times until the first sound, at
 *   each value
 *
 * @typedef {(quantity: string, at: number | string) => readonly Sample[]} Reader the samples of a
 *   quantity at a value
 */

/** The parts' columns, in their order. */
const PART_LABELS = Object.freeze({
  connect: 'Connect',
  session: 'Session',
  join: 'Join',
  firstPacket: 'First packet',
  firstSample: 'First sample',
});

/** The column of a sweep's values. @param {Sweep} sweep */
export const columnOf = ({ label, unit }) => ({ label, ...(unit && { unit, digits: 0 }) });

/** Its cell. @param {number | string} at */
export const cellOf = (at) => (at === 'own' ? 'as it is' : at);

/**
 * The rows of a table: one for each leg at each value.
 * @param {Swept} swept
 * @param {(leg: Leg, at: number | string, samples: Sample[]) =>
 *   import('../report/result.js').Cell[]} cells
 */
const rowsOf = ({ points }, cells) =>
  points.flatMap(({ at, samples }) =>
    legsOf(samples).map((leg) => [cellOf(at), labelOf(leg), ...cells(leg, at, samples)]),
  );

/** @param {readonly Sample[]} samples @param {Leg} leg */
const medianOf = (samples, leg) => {
  const median = quantile(sorted(valuesOf(samples, leg).flat()), 0.5);
  return Number.isFinite(median) ? median : null;
};

/** @param {Swept} swept @param {Reader} read @param {() => number} random @returns {Table} */
export function heardTable(swept, read, random) {
  return {
    name: `${swept.sweep.name}Heard`,
    title: `Time until the first sound, by ${swept.sweep.label.toLowerCase()}`,
    caption:
      'In brackets, intervals of 95 % confidence. Heard: the share of setups after which there ' +
      'was sound in time; the others are in no median. Joined, KB: medians.',
    columns: [
      columnOf(swept.sweep),
      { label: 'Over' },
      { label: 'Setups', digits: 0 },
      { label: 'Heard', unit: '%', digits: 0 },
      { label: 'p50', unit: 'ms', digits: 0 },
      { label: 'p95', unit: 'ms', digits: 0 },
      { label: 'Joined', unit: 'ms', digits: 0 },
      { label: 'Up', unit: 'KB', digits: 1 },
      { label: 'Down', unit: 'KB', digits: 1 },
    ],
    rows: rowsOf(swept, (leg, at, samples) => {
      const values = valuesOf(samples, leg);
      const { p50, p95 } = summaryIntervals(values, { random });
      const own = samples.filter(
        ({ protocol, factors }) =>
          protocol === leg.transport && factors?.connection === leg.connection,
      );
      const isHeard = own.map((sample) => ({
        ...sample,
        value: Number.isFinite(sample.value) ? 100 : 0,
      }));
      const kilobytes = ['bytesUp', 'bytesDown']
        .map((name) => medianOf(read(name, at), leg))
        .map((bytes) => (bytes === null ? null : bytes / 1000));
      return [
        own.length,
        meanEstimate(isHeard, () => true, random),
        toEstimate(p50),
        toEstimate(p95),
        medianOf(read('joined', at), leg),
        ...kilobytes,
      ];
    }),
  };
}

/** @param {Swept} swept @param {Reader} read @returns {Table} */
export function partsTable(swept, read) {
  return {
    name: `${swept.sweep.name}Parts`,
    title: `The parts of that time, by ${swept.sweep.label.toLowerCase()}`,
    caption: 'Medians: they need not add up to the median of the whole.',
    columns: [
      columnOf(swept.sweep),
      { label: 'Over' },
      ...PARTS.map((part) => ({ label: PART_LABELS[part], unit: 'ms', digits: 1 })),
    ],
    rows: rowsOf(swept, (leg, at) => PARTS.map((part) => medianOf(read(part, at), leg))),
  };
}

/** @param {Swept} swept @param {() => number} random @returns {Plot} */
export function heardPlot({ sweep, points }, random) {
  const legs = legsOf(points.flatMap(({ samples }) => samples));
  return {
    name: `${sweep.name}Line`,
    title: `Time until the first sound, by ${sweep.label.toLowerCase()}`,
    caption: 'Medians with their intervals of 95 % confidence.',
    kind: 'line',
    x: { label: sweep.label, unit: sweep.unit, from: 0 },
    y: { label: 'Time until the first sound', unit: 'ms', from: 0 },
    series: legs.map((leg) => ({
      name: labelOf(leg),
      protocol: leg.transport,
      variant: legs.filter(({ transport }) => transport === leg.transport).indexOf(leg),
      points: points
        .filter(({ samples }) => valuesOf(samples, leg).flat().length > 0)
        .map(({ at, samples }) => {
          const { estimate, low, high } = summaryIntervals(valuesOf(samples, leg), { random }).p50;
          return [Number(at), estimate, low, high];
        })
        .sort((a, b) => a[0] - b[0]),
    })),
  };
}

/** @param {Swept} swept @param {Reader} read @param {() => number} random @returns {Table} */
export function productTable({ points }, read, random) {
  const [first] = newOf(legsOf(points.flatMap(({ samples }) => samples)));
  return {
    name: 'product',
    title: 'Differences times the rate',
    caption:
      'Differences of medians. Counted: by how much more bytes crossed the link both ways ' +
      'until the first sound.',
    columns: [
      { label: 'Rate', unit: 'kbit/s', digits: 0 },
      { label: 'Difference' },
      { label: 'Time', unit: 'ms', digits: 0 },
      { label: 'Time × rate', unit: 'kbit', digits: 0 },
      { label: 'Counted', unit: 'kbit', digits: 0 },
    ],
    rows: points.flatMap(({ at, samples }) =>
      newOf(legsOf(samples))
        .filter(({ transport }) => transport !== first.transport)
        .map((leg) => {
          const { apart, product, counted } = productOf(
            Number(at),
            samples,
            bothWays(read, at),
            leg,
            first,
            random,
          );
          return [
            at,
            `${protocolLabel(leg.transport)} − ${protocolLabel(first.transport)}`,
            toEstimate(apart),
            toEstimate(product),
            Number.isFinite(counted) ? counted : null,
          ];
        }),
    ),
  };
}

/**
 * Bytes up and down of each setup, which are recorded one after the other.
 * @param {Reader} read
 * @param {number | string} at
 * @returns {Sample[]}
 */
function bothWays(read, at) {
  const down = read('bytesDown', at);
  return read('bytesUp', at).map((sample, i) => ({
    ...sample,
    value: sample.value + down[i].value,
  }));
}
