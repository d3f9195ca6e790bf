/**
 * Congestion controllers, and what they do to a voice: WebTransport with each, over legs that lose, that are long, and
 * whose rate falls and comes back.
 * @import { Scenario } from '../scenario.js'
 * @import { Swept } from './grid-scenario.js'
 */

import { CONGESTION_CONTROLLERS } from '@aloud/native';
import { listOf, numbers, wholeNumber } from '../../options.js';
import { randomFor } from '../scenario.js';
import { GRID_QUANTITIES, runGrid } from './grid.js';
import { GRID_NOTES, gridViews } from './grid-result.js';
import { conditionsOf } from './grid-scenario.js';

const CARRIES = ['datagrams', 'stream', 'streams'];

/** The rate before and after a step, in kbit/s, and the longest wait for it, in milliseconds. */
const BEFORE_KILOBITS = 1000;
const QUEUE_MS = 300;

/** A delay of each leg with which a small window holds speech back, in milliseconds: with 10 ms none of them does. */
const LONG_MS = 75;

const rate = (/** @type {number} */ kilobits) => ({ rateBits: 1000 * kilobits });

/** @param {number} stepSeconds @returns {Readonly<Record<string, Swept>>} */
const sweepsOf = (stepSeconds) => ({
  loss: { name: 'loss', label: 'Loss on each leg, with 75 ms of delay', unit: '%', stands: 'figures 2a to 2c of Baldassin et al. (2024)', values: [0, 0.5, 1, 2, 3, 5, 10], condition: (lossPercent) => ({ leg: { lossPercent, delayMs: LONG_MS } }) },
  delay: { name: 'delay', label: 'Delay of each leg, with 0.5 % of loss', unit: 'ms', stands: 'figure 2d of Baldassin et al. (2024)', values: [1, 12.5, 25, 50, 100], condition: (delayMs) => ({ leg: { lossPercent: 0.5, delayMs } }) },
  steps: {
    name: 'steps', label: 'Rate of each leg for the middle third', unit: 'kbit/s', isLogarithmic: true, stands: 'figure 1 of Baldassin et al. (2024), and RFC 8867, section 5.1', values: [300, 150, 100, 80, 60],
    condition: (kilobits) => ({
      leg: { ...rate(BEFORE_KILOBITS), queueMs: QUEUE_MS, delayMs: 10 },
      seconds: 3 * stepSeconds,
      steps: [{ atMs: 1000 * stepSeconds, changes: rate(kilobits) }, { atMs: 2000 * stepSeconds, changes: rate(BEFORE_KILOBITS) }],
    }),
  },
});

const NAMES = Object.keys(sweepsOf(0));

/** @type {Scenario} */
export const controllers = {
  name: 'controllers',
  title: 'Congestion controllers under a voice',
  description: "WebTransport with each of QUIC's congestion controllers, bare, inside our floor, and none: loss, delay, steps of the rate (Baldassin et al. 2024)",
  quantities: Object.values(GRID_QUANTITIES),
  defaults: { duration: 25, repetitions: 5, format: 'call', transports: ['webtransport'], link: 'clear' },
  addOptions: (command) => {
    command
      .option('--carries <list>', `of ${CARRIES.join(', ')}, by commas: how packets go`, listOf(CARRIES), ['datagrams', 'streams'])
      .option('--controllers <list>', `of ${CONGESTION_CONTROLLERS.join(', ')}, by commas; the first of them is what others are compared with`, listOf(CONGESTION_CONTROLLERS), [...CONGESTION_CONTROLLERS])
      .option('--sweeps <list>', `of ${NAMES.join(', ')}, by commas`, listOf(NAMES), NAMES)
      .option('--marks', 'marks of what would be heard by ViSQOL and ESTOI, and recordings for a survey: blocks of 8 s or more, and some 4 s of work for each', false)
      .option('--at <values>', "of what is swept, by commas, instead of the sweep's own", numbers)
      .option('--step-seconds <seconds>', 'how long each rate of a step lasts', wholeNumber(1, 600), 10)
      .addHelpText('after', `\n${NAMES.map((name) => `${name.padEnd(6)} stands for ${sweepsOf(0)[name].stands}.`).join('\n')}`);
  },

  async measure(lab) {
    const { carries, sweeps, at, stepSeconds, controllers: chosen } = /** @type {any} */ (lab.options);
    const conditions = conditionsOf(lab, sweeps.map((/** @type {string} */ name) => sweepsOf(stepSeconds)[name]), at);
    // Those of one carry run at once: all together are more than a small machine has processors for.
    for (const carry of carries) await runGrid(lab, { conditions, ways: chosen.map((/** @type {string} */ name) => `${carry}@${name}`), through: 'nothing' });
  },

  result(folder, options) {
    return {
      title: controllers.title,
      summary: 'One connection from end to end, over the sender\'s leg up and the receiver\'s leg down, with the same congestion controller at both ends, read back from both. All controllers of one way of carrying run at once, with the same packets of speech, one every 20 ms.',
      headlines: [],
      ...gridViews(folder, options.sweeps.map((/** @type {string} */ name) => sweepsOf(options.stepSeconds)[name]), randomFor(options)),
      notes: [
        'cubic, newreno and bbr are inside aloud\'s floor of 32 KiB; those with -bare are quinn\'s own (quinn-proto 0.11); none has no window and no pacing; copa is written after Arun and Balakrishnan (NSDI 2018). Other implementations of the same names may differ more than the algorithms do.',
        'A voice sends less than any of these paths carries, but for the lowest rates: what a controller can do to it is to hold packets back.',
        ...GRID_NOTES,
      ],
    };
  },
};
