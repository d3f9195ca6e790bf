/**
 * Every way of carrying a packet, over legs of less and less rate, of more and more delay and loss,
 * and of all three.
 * @import { Quantity, Sample } from '../../report/result.js'
 * @import { Swept } from './grid-scenario.js'
 */

import { EVERY_MS } from '../../ways/run.js';
import { factors, GRID_QUANTITIES } from './grid.js';
import { GRID_NOTES } from './grid-result.js';
import { gridScenario } from './grid-scenario.js';

/** The longest wait for a leg's rate, in milliseconds: a home router's queue. */
export const QUEUE_MS = 300;

/** Rates that matter to sound: 48 kb/s of Opus is some 75 with headers. */
const RATES = [1000, 500, 250, 150, 120, 100, 90, 80, 70, 60, 50, 40];

const rate = (/** @type {number} */ kilobits) => ({ rateBits: 1000 * kilobits, queueMs: QUEUE_MS });

/** A server's plausible estimate of the path's rate, as in section 5 of Nys (2024). */
const ESTIMATE = {
  of: GRID_QUANTITIES.estimate,
  label: 'Window ÷ round trip',
  unit: 'kbit/s',
  digits: 0,
};

/** Column of the ages explained by the legs' rate only. */
const EXPLAINED = {
  of: {
    name: 'explainedAge',
    label: "Mean age that the packets' bytes explain",
    unit: 'ms',
    factors,
  },
  label: 'Explained',
  unit: 'ms',
  digits: 1,
  from: explainedAges,
};

/**
 * Computes the mean ages that the ways' bytes explain at each rate. Such an age is the one at the
 * highest rate, plus the longer sending time of a frame's bytes on both legs. Omits the highest
 * rate, and rates below the sent one, at which packets queue.
 * @param {(quantity: Quantity) => readonly Sample[]} samplesOf
 * @returns {Sample[]} one for each of the ages
 */
export function explainedAges(samplesOf) {
  const ages = samplesOf(GRID_QUANTITIES.meanAge);
  const rateOf = (/** @type {Sample} */ { factors: at }) => Number(at?.at);
  const highest = Math.max(...ages.map(rateOf));
  return ages
    .filter((sample) => rateOf(sample) < highest)
    .flatMap((sample) => {
      const isBase = (/** @type {Sample} */ other) =>
        other.protocol === sample.protocol &&
        other.repetition === sample.repetition &&
        rateOf(other) === highest;
      const [age, sent] = [ages, samplesOf(GRID_QUANTITIES.rate)].map(
        (samples) => samples.find(isBase)?.value ?? NaN,
      );
      const bitsOfFrame = sent * EVERY_MS;
      const value = age + 2 * bitsOfFrame * (1 / rateOf(sample) - 1 / highest);
      return sent < rateOf(sample) && Number.isFinite(value) ? [{ ...sample, value }] : [];
    });
}

/** @type {readonly Swept[]} */
const SWEEPS = Object.freeze([
  {
    name: 'rate',
    label: 'Rate of each leg',
    unit: 'kbit/s',
    isLogarithmic: true,
    stands: 'figures 6.3 to 6.6 and tables A.1 to A.3 of Paterson (2022)',
    values: RATES,
    more: [ESTIMATE, EXPLAINED],
    condition: (kilobits) => ({ leg: rate(kilobits) }),
  },
  {
    name: 'delay',
    label: 'Delay of each leg',
    unit: 'ms',
    stands:
      'figures 6.7 and 6.8 and tables A.4 to A.6 of Paterson (2022), and section 4.1 of RFC ' +
      '8868, "One-Way Propagation Delay"',
    values: [0, 10, 20, 50, 100, 150, 200, 250],
    condition: (delayMs) => ({ leg: { delayMs } }),
  },
  {
    name: 'loss',
    label: 'Loss on each leg',
    unit: '%',
    stands:
      'figures 6.9 and 6.10 and tables A.7 to A.9 of Paterson (2022), and section 4.2 of ' +
      'RFC 8868, "End-to-End Loss"',
    values: [0, 1, 2, 3, 5, 8, 12, 20],
    condition: (lossPercent) => ({ leg: { lossPercent, delayMs: 10 } }),
  },
  {
    name: 'all',
    label: 'Step of all three',
    unit: '',
    stands: 'figures 6.10 and 6.11 and tables A.10 to A.12 of Paterson (2022)',
    values: RATES.map((_, step) => step),
    condition: (step) => ({
      leg: {
        ...rate(RATES[Math.min(step, RATES.length - 1)]),
        lossPercent: step,
        delayMs: 12.5 * step,
      },
    }),
  },
]);

export const sweep = gridScenario({
  name: 'sweep',
  title: 'Ways of carrying a packet, by rate, delay and loss',
  description:
    'every way under less rate, more delay, more loss, and all three (Paterson 2022, its ' +
    'experiments 1 to 4)',
  sweeps: SWEEPS,
  notes: [
    'Explained, by rate: the mean age at the highest rate, and the time that what is sent ' +
      'for a frame, headers and all, takes longer on the two legs at this rate: 2 × 8 × ' +
      'bytes ÷ rate. A way that is later has a cause besides; one that is sooner sends some ' +
      'of its bytes in packets that no frame waits for. There is none where more is sent ' +
      'than a leg carries.',
    ...GRID_NOTES,
  ],
});
