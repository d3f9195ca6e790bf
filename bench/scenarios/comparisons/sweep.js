/**
 * Every way of carrying a packet, over legs of less and less rate, of more and more delay and loss, and of all three.
 * @import { Scenario } from '../scenario.js'
 * @import { Condition } from './grid.js'
 * @import { Sweep } from './grid-result.js'
 */

import { InvalidArgumentError, Option } from 'commander';
import { listOf } from '../../options.js';
import { WAYS } from '../../ways/way.js';
import { randomFor } from '../scenario.js';
import { GRID_QUANTITIES, runGrid } from './grid.js';
import { gridViews } from './grid-result.js';

/** The longest wait for a leg's rate, in milliseconds: a home router's queue. */
const QUEUE_MS = 300;

/** Rates that matter to sound: 48 kb/s of Opus is some 75 with headers. */
const RATES = [1000, 500, 250, 150, 120, 100, 90, 80, 70, 60, 50, 40];

const rate = (/** @type {number} */ kilobits) => ({ rateBits: 1000 * kilobits, queueMs: QUEUE_MS });

/** @type {Readonly<Record<string, Sweep & { values: number[], leg: (value: number) => object }>>} */
const SWEEPS = Object.freeze({
  rate: { name: 'rate', label: 'Rate of each leg', unit: 'kbit/s', isLogarithmic: true, stands: 'figures 6.3 to 6.6 and tables A.1 to A.3 of paper 000', values: RATES, leg: rate },
  delay: { name: 'delay', label: 'Delay of each leg', unit: 'ms', stands: 'figures 6.7 and 6.8 and tables A.4 to A.6 of paper 000', values: [0, 10, 20, 50, 100, 150, 200, 250], leg: (delayMs) => ({ delayMs }) },
  loss: { name: 'loss', label: 'Loss on each leg', unit: '%', stands: 'figures 6.9 and 6.10 and tables A.7 to A.9 of paper 000', values: [0, 1, 2, 3, 5, 8, 12, 20], leg: (lossPercent) => ({ lossPercent, delayMs: 10 }) },
  all: { name: 'all', label: 'Step of all three', unit: '', stands: 'figures 6.10 and 6.11 and tables A.10 to A.12 of paper 000', values: RATES.map((_, step) => step), leg: (step) => ({ ...rate(RATES[Math.min(step, RATES.length - 1)]), lossPercent: step, delayMs: 12.5 * step }) },
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
      .option('--at <values>', "of what is swept, by commas, instead of the sweep's own", numbers)
      .addOption(new Option('--through <what>', 'relay: a program at the hub passes packets on; nothing: the hub routes, from peer to peer').choices(['relay', 'nothing']).default('relay'))
      .addHelpText('after', `\n${NAMES.map((name) => `${name.padEnd(6)} stands for ${SWEEPS[name].stands}.`).join('\n')}`);
  },

  async measure(lab) {
    const { ways, sweeps, through, at } = /** @type {any} */ (lab.options);
    const conditions = sweeps.flatMap((/** @type {string} */ name) => (at ?? SWEEPS[name].values).map((/** @type {number} */ value) => /** @type {Condition} */ ({ sweep: name, value, leg: SWEEPS[name].leg(value) })));
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

/** Notes on method that hold for all grids. */
export const GRID_NOTES = Object.freeze([
  'Per leg: what the first column says is done to each of the two legs, in both directions. End to end a packet meets the sender\'s leg up and the receiver\'s leg down: twice the delay, and of 10 % loss per leg 19 %.',
  'Each block: connected anew on clear legs, then impaired, two seconds that don\'t count, then those that do. Legs have the same random numbers in a repetition, so that the k-th packet of each way has the same fate; ways send different numbers of packets besides (acknowledgements, repetitions).',
  'Present, playout and mouth to ear: the packets\' ages put through aloud\'s own playout and decoder, which conceal what isn\'t there. Mouth to ear: the frame\'s length, the packet\'s age, the wait for playout and 10 ms of a sound card; the devices\' own delays aren\'t in it.',
  'R by the E-model, wideband, up to 129: an estimate from mouth to ear and the share of frames that weren\'t there, with Ie and Bpl of `node bench/codec/impairment.js`. Nobody was asked.',
  'Same payload: only the way differs; codec and playout are aloud\'s for all. A browser\'s WebRTC has another playout, and adapts its codec.',
  'WebRTC audio here is RTP over SRTP without congestion control, jitter buffer or repetition of its own: it sends what it is given.',
]);

/** @param {string} text */
function numbers(text) {
  const list = text.split(',').map(Number);
  if (list.every((value) => Number.isFinite(value) && value >= 0)) return list;
  throw new InvalidArgumentError('allowed are numbers from 0 on, by commas');
}
