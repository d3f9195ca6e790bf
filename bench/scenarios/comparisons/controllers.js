/**
 * Congestion controllers and their effect on a voice: WebTransport with each, over legs with loss,
 * long delay, or a rate that falls and comes back.
 * @import { Swept } from './grid-scenario.js'
 */

import { wholeNumber } from '../../options.js';
import { CONTROLLED_WAYS } from '../../ways/way.js';
import { factors, runGrid, usableWays } from './grid.js';
import { GRID_NOTES } from './grid-result.js';
import { gridScenario } from './grid-scenario.js';
import { QUEUE_MS } from './sweep.js';

/** The rate before and after a step, in kbit/s. */
const BEFORE_KILOBITS = 1000;

/**
 * A delay of each leg with which a small window holds speech back, in milliseconds: with 10 ms none
 * of them does.
 */
const LONG_MS = 75;

/**
 * R in each third of a block with a step: how soon a controller finds the lower rate and the old
 * one.
 */
const PHASES = Object.freeze([
  {
    of: { name: 'ratingBefore', label: 'R before the step', unit: '', factors },
    label: 'R before',
    unit: '',
    digits: 1,
  },
  {
    of: { name: 'ratingMeanwhile', label: 'R at the lower rate', unit: '', factors },
    label: 'R meanwhile',
    unit: '',
    digits: 1,
  },
  {
    of: { name: 'ratingAfter', label: 'R after the step back', unit: '', factors },
    label: 'R after',
    unit: '',
    digits: 1,
  },
]);

/** The shortest step: a block's first two seconds don't count. */
const LEAST_STEP_SECONDS = 3;

const rate = (/** @type {number} */ kilobits) => ({ rateBits: 1000 * kilobits });

/** @type {readonly Swept[]} */
const SWEEPS = Object.freeze([
  {
    name: 'loss',
    label: 'Loss on each leg, with 75 ms of delay',
    unit: '%',
    stands:
      'figures 2a to 2c of Baldassin et al. (2024), whose round trip is 1 to 2 ms: there a small ' +
      'window holds no speech back',
    values: [0, 0.5, 1, 2, 3, 5, 10],
    condition: (lossPercent) => ({ leg: { lossPercent, delayMs: LONG_MS } }),
  },
  {
    name: 'delay',
    label: 'Delay of each leg, with 0.5 % of loss',
    unit: 'ms',
    stands:
      'figure 2d of Baldassin et al. (2024), whose latencies are 0, 25, 50 and 100 ms (whether ' +
      "one way isn't said)",
    values: [1, 12.5, 25, 50, 100],
    condition: (delayMs) => ({ leg: { lossPercent: 0.5, delayMs } }),
  },
  {
    name: 'steps',
    label: 'Rate of each leg for the middle third',
    unit: 'kbit/s',
    isLogarithmic: true,
    stands:
      'figure 1 of Baldassin et al. (2024), and section 5.1 of RFC 8867, "Variable ' +
      'Available Capacity with a Single Flow"',
    values: [150, 80, 60],
    more: PHASES,
    condition(kilobits, { options }) {
      const { stepSeconds } = /** @type {any} */ (options);
      return {
        leg: { ...rate(BEFORE_KILOBITS), queueMs: QUEUE_MS, delayMs: 10 },
        seconds: 3 * stepSeconds,
        steps: [
          { atMs: 1000 * stepSeconds, changes: rate(kilobits) },
          { atMs: 2000 * stepSeconds, changes: rate(BEFORE_KILOBITS) },
        ],
        phases: PHASES.map(({ of }) => of),
      };
    },
  },
]);

export const controllers = gridScenario({
  name: 'controllers',
  title: 'Congestion controllers under a voice',
  description:
    "WebTransport with each of QUIC's congestion controllers, bare, inside our floor, and " +
    'none: loss, delay, steps of the rate (Baldassin et al. 2024)',
  sweeps: SWEEPS,
  ways: CONTROLLED_WAYS.filter((way) => !way.startsWith('stream@')),
  allowed: CONTROLLED_WAYS,
  through: 'nothing',
  summary:
    'A connection from a sender to a receiver, each behind a leg of its own, with the same ' +
    'congestion controller at both ends, read back from both. All controllers of one way of ' +
    'carrying run at once, with the same packets of speech, one every 20 ms.',
  run: runByCarry,
  plan: (ways) => ({ blocks: new Set(ways.map(carryOf)).size }),
  notes: [
    "cubic, newreno and bbr are inside aloud's floor of 32 KiB; those with -bare are " +
      "quinn's own (quinn-proto 0.11); none has no window and no pacing; copa is written " +
      'after Arun and Balakrishnan (NSDI 2018). bbr3, inside the floor, and bbr3-bare are ' +
      "those of another QUIC, noq-proto 1.4, a fork of quinn's, which paces by BBR's own " +
      'rate. Other implementations of the same names may differ more than the algorithms do.',
    'R before, meanwhile and after, by steps: of the third of a block at the higher rate, ' +
      'of that at the lower one, and of that at the higher one again, each as the playout ' +
      'comes into it from the one before. What a controller holds back after the step back ' +
      'is in the last.',
    'A voice sends less than any of these paths carries, but for the lowest rates: what a ' +
      'controller can do to it is to hold packets back.',
    ...GRID_NOTES,
  ],
  addOptions: (command) =>
    void command
      .option(
        '--step-seconds <seconds>',
        'how long each rate of a step lasts',
        wholeNumber(LEAST_STEP_SECONDS, 600),
        30,
      )
      .addHelpText(
        'after',
        '\nAll but @cubic are left out where their engine is not built: `npm run build:native ' +
          '-- --lab` does that, and `-- --noq` for BBRv3 (@bbr3, @bbr3-bare).',
      ),
});

/**
 * Measures the controllers of one way of carrying after those of another: all at once are more than
 * a small machine has processors for.
 * @param {Parameters<typeof runGrid>[0]} lab
 * @param {Parameters<typeof runGrid>[1]} options
 * @param {typeof runGrid} [run]
 */
export async function runByCarry(lab, { ways, ...rest }, run = runGrid) {
  // A way of carrying of which no controller is built here ends none of the others.
  const usable = await usableWays(lab, ways);
  for (const carry of new Set(usable.map(carryOf)))
    await run(lab, { ...rest, ways: usable.filter((way) => carryOf(way) === carry) });
}

/** @param {string} way @returns {string} that of `datagrams@copa` is datagrams */
function carryOf(way) {
  return way.split('@')[0];
}
