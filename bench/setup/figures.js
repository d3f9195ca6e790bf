/**
 * Figures of setups: medians of each leg at each value that is swept, differences, and the
 * sentences that their intervals support.
 * @import { Interval } from '../stats/bootstrap.js'
 * @import { Sample } from '../report/result.js'
 * @import { Condition, Sweep } from './conditions.js'
 * @import { Leg } from './joiner.js'
 */

import { protocolLabel } from '../report/palette.js';
import { valuesByRepetition } from '../report/result.js';
import {
  countOf,
  differenceOfMedians,
  differs,
  ENOUGH_REPETITIONS,
  sizeOf,
} from '../stats/bootstrap.js';
import { listed } from '../ways/figures.js';
import { SWEEPS } from './conditions.js';

const KINDS = Object.freeze({
  new: '',
  resumed: ' with a resumed TLS session',
  kept: ' with a connection kept open',
});

/** @param {Leg} leg */
export const labelOf = ({ transport, connection }) =>
  `${protocolLabel(transport)}${KINDS[connection]}`;

/** @param {Sample} sample */
export const conditionOf = ({ factors = {} }) =>
  /** @type {Condition} */ (/** @type {unknown} */ (factors));

/**
 * The legs of which there are samples, in order.
 * @param {readonly Sample[]} samples
 * @returns {Leg[]}
 */
export function legsOf(samples) {
  const legs = samples.map(
    ({ protocol, factors }) =>
      /** @type {Leg} */ ({ transport: protocol, connection: factors?.connection }),
  );
  return [...new Map(legs.map((leg) => [labelOf(leg), leg])).values()];
}

/**
 * The sweeps that were measured, with their samples at each value: those with a condition that is
 * in no other, or else the first.
 * @param {readonly Sample[]} samples
 * @returns {{ sweep: Sweep, points: { at: number | string, samples: Sample[] }[] }[]}
 */
export function sweptOf(samples) {
  const all = SWEEPS.map((sweep) => {
    const own = samples.filter((sample) => sweep.holds(conditionOf(sample)));
    const values = [...new Set(own.map((sample) => conditionOf(sample)[sweep.factor]))];
    return {
      sweep,
      points: values.map((at) => ({
        at,
        samples: own.filter((sample) => conditionOf(sample)[sweep.factor] === at),
      })),
    };
  });
  const isOwn = (/** @type {Sample} */ sample) =>
    SWEEPS.filter(({ holds }) => holds(conditionOf(sample))).length === 1;
  const swept = all.filter(({ points }) => points.some((point) => isOwn(point.samples[0])));
  return swept.length > 0 ? swept : all.filter(({ points }) => points.length > 0).slice(0, 1);
}

/**
 * Values of one leg, by repetition, without lost ones.
 * @param {readonly Sample[]} samples @param {Leg} leg
 */
export const valuesOf = (samples, { transport, connection }) =>
  valuesByRepetition(
    samples,
    ({ protocol, factors }) => protocol === transport && factors?.connection === connection,
  );

/**
 * By how much a leg's median is above another's.
 * @param {readonly Sample[]} samples
 * @param {Leg} leg
 * @param {Leg} other
 * @param {() => number} random seeded
 * @returns {Interval}
 */
export const apart = (samples, leg, other, random) =>
  differenceOfMedians(valuesOf(samples, leg), valuesOf(samples, other), random);

/**
 * The base of comparisons of transports: each with a new connection, the others beside the first.
 * @param {Leg[]} legs
 */
export const newOf = (legs) => legs.filter(({ connection }) => connection === 'new');

/**
 * Sentences on one point of a sweep: transports beside the first, and each transport's kinds of
 * connection.
 * @param {string} where  begins them
 * @param {readonly Sample[]} samples  times until the first sound
 * @param {() => number} random seeded
 * @returns {string[]}
 */
export function sentencesAt(where, samples, random) {
  const legs = legsOf(samples);
  const fewest = Math.min(...legs.map((leg) => countOf(valuesOf(samples, leg))));
  if (fewest < ENOUGH_REPETITIONS)
    return [
      `${ENOUGH_REPETITIONS} repetitions are needed for sentences; the fewest here are ${fewest}.`,
    ];
  const fresh = newOf(legs);
  const groups = [
    fresh,
    ...fresh.map(({ transport }) => legs.filter((leg) => leg.transport === transport)),
  ];
  return groups
    .filter(({ length }) => length > 1)
    .map((group) => sentenceOf(where, samples, group, random));
}

/**
 * @param {string} where
 * @param {readonly Sample[]} samples
 * @param {Leg[]} legs
 * @param {() => number} random
 */
function sentenceOf(where, samples, [first, ...others], random) {
  const told = others.map((leg) => ({
    label: labelOf(leg),
    interval: apart(samples, leg, first, random),
  }));
  const different = told.filter(({ interval }) => differs(interval));
  const alike = told.filter(({ interval }) => !differs(interval)).map(({ label }) => label);
  const clauses = different.map(
    ({ label, interval }) =>
      `${sizeOf(interval)} ms ${interval.estimate > 0 ? 'sooner' : 'later'} than over ${label}`,
  );
  if (clauses.length === 0)
    return (
      `${where}, no difference from ${labelOf(first)} is shown in the time until the first ` +
      `sound for ${listed(alike)}.`
    );
  const rest = alike.length > 0 ? `; no difference is shown for ${listed(alike)}` : '';
  return `${where}, sound is heard over ${labelOf(first)} ${listed(clauses)}${rest}.`;
}

/**
 * The difference of two transports' times, and its product with the rate. Where that is constant,
 * the difference is of bytes: a difference of round trips doesn't depend on the rate, so its
 * product grows with it.
 * @param {number} rateKbits
 * @param {readonly Sample[]} samples  times until the first sound at this rate, in milliseconds
 * @param {readonly Sample[]} bytes    counted until then, both ways
 * @param {Leg} leg @param {Leg} first @param {() => number} random seeded
 * @returns {{ apart: Interval, product: Interval, counted: number }} milliseconds; kilobits;
 *   kilobits of the bytes counted more than the first's
 */
export function productOf(rateKbits, samples, bytes, leg, first, random) {
  const interval = apart(samples, leg, first, random);
  const inKbits = (/** @type {number} */ ms) => (ms * rateKbits) / 1000;
  const { estimate, low, high } = interval;
  const counted = apart(bytes, leg, first, random).estimate;
  return {
    apart: interval,
    product: { estimate: inKbits(estimate), low: inKbits(low), high: inKbits(high) },
    counted: (8 * counted) / 1000,
  };
}
