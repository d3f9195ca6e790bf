/**
 * Every way of carrying a packet, over legs of less and less rate, of more and more delay and loss, and of all three.
 * @import { Scenario } from '../scenario.js'
 * @import { Sweep } from './grid-result.js'
 */

import { Option } from 'commander';
import { listOf, numbers } from '../../options.js';
import { WAYS } from '../../ways/way.js';
import { randomFor } from '../scenario.js';
import { conditionsOf, GRID_QUANTITIES, runGrid } from './grid.js';
import { GRID_NOTES, gridViews } from './grid-result.js';

/** The longest wait for a leg's rate, in milliseconds: a home router's queue. */
const QUEUE_MS = 300;

/** Rates that matter to sound: 48 kb/s of Opus is some 75 with headers. */
const RATES = [1000, 500, 250, 150, 120, 100, 90, 80, 70, 60, 50, 40];

const rate = (/** @type {number} */ kilobits) => ({ rateBits: 1000 * kilobits, queueMs: QUEUE_MS });

/** @type {Readonly<Record<string, Sweep & { values: number[], condition: (value: number) => { leg: object } }>>} */
const SWEEPS = Object.freeze({
  rate: { name: 'rate', label: 'Rate of each leg', unit: 'kbit/s', isLogarithmic: true, stands: 'figures 6.3 to 6.6 and tables A.1 to A.3 of paper 000', values: RATES, condition: (value) => ({ leg: rate(value) }) },
  delay: { name: 'delay', label: 'Delay of each leg', unit: 'ms', stands: 'figures 6.7 and 6.8 and tables A.4 to A.6 of paper 000', values: [0, 10, 20, 50, 100, 150, 200, 250], condition: (delayMs) => ({ leg: { delayMs } }) },
  loss: { name: 'loss', label: 'Loss on each leg', unit: '%', stands: 'figures 6.9 and 6.10 and tables A.7 to A.9 of paper 000', values: [0, 1, 2, 3, 5, 8, 12, 20], condition: (lossPercent) => ({ leg: { lossPercent, delayMs: 10 } }) },
  all: { name: 'all', label: 'Step of all three', unit: '', stands: 'figures 6.10 and 6.11 and tables A.10 to A.12 of paper 000', values: RATES.map((_, step) => step), condition: (step) => ({ leg: { ...rate(RATES[Math.min(step, RATES.length - 1)]), lossPercent: step, delayMs: 12.5 * step } }) },
});

const NAMES = Object.keys(SWEEPS);

/** @type {Scenario} */
export const sweep = {
  name: 'sweep',
  title: 'Ways of carrying a packet, by rate, delay and loss',
  description: 'every way under less rate, more delay, more loss, and all three (paper 000, its experiments 1 to 4)',
  quantities: Object.values(GRID_QUANTITIES),
  defaults: { duration: 25, repetitions: 5, format: 'call', transports: ['webtransport'], link: 'clear' },
  addOptions: (command) => {
    command
      .option('--ways <list>', `of ${WAYS.join(', ')}, by commas; the first of them is what others are compared with`, listOf(WAYS), [...WAYS])
      .option('--sweeps <list>', `of ${NAMES.join(', ')}, by commas`, listOf(NAMES), NAMES)
      .option('--marks', 'marks of what would be heard by ViSQOL and ESTOI, and recordings for a survey: blocks of 8 s or more, and some 4 s of work for each', false)
      .option('--at <values>', "of what is swept, by commas, instead of the sweep's own", numbers)
      .addOption(new Option('--through <what>', 'relay: a program at the hub passes packets on; nothing: the hub routes, from peer to peer').choices(['relay', 'nothing']).default('relay'))
      .addHelpText('after', `\n${NAMES.map((name) => `${name.padEnd(6)} stands for ${SWEEPS[name].stands}.`).join('\n')}`);
  },

  async measure(lab) {
    const { ways, sweeps, through, at } = /** @type {any} */ (lab.options);
    const conditions = conditionsOf(sweeps.map((/** @type {string} */ name) => SWEEPS[name]), at);
    await runGrid(lab, { conditions, ways, through });
  },

  result(folder, options) {
    return {
      title: sweep.title,
      summary: `Each way has a sender and a receiver, each in a namespace of its own with a leg of its own to a hub; ${options.through === 'relay' ? 'a program in the hub passes packets on' : 'the hub routes'}. All ways run at once and carry the same packets of speech, one every 20 ms.`,
      headlines: [],
      ...gridViews(folder, options.sweeps.map((/** @type {string} */ name) => SWEEPS[name]), randomFor(options)),
      notes: [...GRID_NOTES],
    };
  },
};
