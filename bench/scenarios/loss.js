/**
 * The share of the speech that is present before concealment on a link that loses packets, with
 * redundancy and without.
 * @import { Lab } from './lab.js'
 * @import { Samples, Scenario } from './scenario.js'
 * @import { Target } from './targets.js'
 * @import { Quantity } from '../report/result.js'
 */

import { InvalidArgumentError } from 'commander';
import { OPTIONS } from '../../server/config/options.js';
import { inTurn } from './against.js';
import { randomFor } from './scenario.js';
import { intervalWords, targetsTable } from './targets.js';
import { runCall } from '../participants/call-run.js';
import { wholeNumber } from '../options.js';
import { toEstimate } from '../report/quantity-views.js';
import { valuesByRepetition } from '../report/result.js';
import { summaryIntervals } from '../stats/bootstrap.js';
import { mean } from '../../testkit/statistics.js';

/** Targets: the share present at the listener, by the loss each way, both in percent. */
const TARGETS = new Map([
  [5, 99.8],
  [10, 99],
]);

/** Share of the time for which the comparison without redundancy is measured. */
const OFF_SHARE = 1 / 4;

const factors = [
  { name: 'lossPercent', label: 'Loss each way', unit: '%' },
  { name: 'redundancy', label: 'Redundancy', unit: '' },
];

/** @type {Record<string, Quantity>} */
const quantities = {
  through: { name: 'present', label: 'Speech present at the listener', unit: '%', factors },
  up: { name: 'presentUp', label: 'Present at the server', unit: '%', factors },
  down: { name: 'presentDown', label: 'Of the mix, present at the listener', unit: '%', factors },
  frames: { name: 'frames', label: 'Frames of speech', unit: '', factors },
  delay: { name: 'serverDelay', label: 'Server-side delay', unit: 'ms', factors },
  playout: { name: 'playoutDelay', label: 'Playout delay', unit: 'ms', factors },
};

/** @type {Scenario} */
export const loss = {
  name: 'loss',
  title: 'Speech on a way that loses packets',
  description:
    'the share of the speech that is there before concealment, with 5 and 10 % of loss each ' +
    'way, with redundancy and without',
  quantities: Object.values(quantities),
  lacks: ['transports', 'warmUp'],
  defaults: {
    duration: 60,
    repetitions: 1,
    format: 'call',
    transports: ['webtransport'],
    link: 'even-60',
  },
  addOptions: (command) => {
    command
      .option('--loss <percents>', 'each way, separated by commas', percents, [...TARGETS.keys()])
      .option(
        '--settle <seconds>',
        'in which redundancy and delays find their place',
        wholeNumber(0, 600),
        25,
      );
  },

  async measure(lab) {
    const { settle } = /** @type {any} */ (lab.options);
    const runs = blocksOf(/** @type {any} */ (lab.options));
    if (!lab.link.isEmulated)
      throw new Error('loss needs a link: root, and npm run build:link -w bench');
    for (const [i, { percent, redundancy, repetition }] of runs.entries()) {
      const isOff = redundancy === '0';
      const progress = (/** @type {number} */ share) =>
        lab.progress(`${percent} %, redundancy ${redundancy}`, (i + share) / runs.length);
      progress(0);
      await lab.link.set({ lossPercent: 0 });
      await lab.startServer([...redundancyOf(redundancy), '--delivery', 'tick'], 'mixes');
      await lab.link.set({ lossPercent: percent });
      const shortened = isOff ? OFF_SHARE : 1;
      const run = await runCall(lab, {
        settleSeconds: Math.max(10, settle * shortened),
        seconds: lab.blockSeconds * shortened,
        progress,
      });
      record(lab, { lossPercent: percent, redundancy }, repetition, run);
    }
  },

  result(folder, options) {
    const random = randomFor(options);
    return {
      title: loss.title,
      summary:
        'Two whole clients talk; each packet is lost with the same chance in each ' +
        'direction, whatever became of others; the round trip is 60 ms.',
      headlines: [],
      tables: [
        targetsTable(
          options.loss.flatMap((/** @type {number} */ percent) =>
            targetsOf(folder, percent, random),
          ),
        ),
        {
          name: 'presence',
          title: 'Speech that is there before concealment',
          caption:
            'Means of the worse talker, with intervals of 95 % confidence from five repetitions ' +
            'on; delays are means.',
          columns: [
            { label: 'Loss each way', unit: '%' },
            { label: 'Redundancy' },
            { label: 'Frames' },
            { label: 'Present, both ways', unit: '%', digits: 2 },
            { label: 'Up', unit: '%', digits: 2 },
            { label: 'Down', unit: '%', digits: 2 },
            { label: 'D', unit: 'ms', digits: 1 },
            { label: 'Playout delay', unit: 'ms', digits: 1 },
          ],
          rows: options.loss.flatMap((/** @type {number} */ percent) =>
            ['auto', '0'].map((redundancy) => {
              const of = (/** @type {Quantity} */ quantity) =>
                valuesOf(folder, quantity, percent, redundancy);
              return [
                percent,
                redundancy === '0' ? 'off' : redundancy,
                known(Math.min(...of(quantities.frames))),
                ...[quantities.through, quantities.up, quantities.down].map((quantity) =>
                  toEstimate(worstOf(folder, quantity, { percent, redundancy }, random)),
                ),
                known(mean(of(quantities.delay))),
                known(mean(of(quantities.playout))),
              ];
            }),
          ),
        },
      ],
      plots: [],
      notes: [
        'Present: the payload of the frame itself, as it was sent, was there when the ' +
          'server mixed it, and that of the mix was decoded by the listener for its ' +
          'speaker. What was made up, and what came late, is not present.',
        'The emulator draws each loss independently; control messages, on a stream, are sent ' +
          'again by QUIC.',
        `Without redundancy ${Math.round(100 * OFF_SHARE)} % of the time is measured: it is ` +
          'there to be compared with.',
      ],
    };
  },
};

/**
 * The blocks of a run in their order: each redundancy comes first as often as the other.
 * @param {{ loss: number[], repetitions: number }} options
 */
export const blocksOf = ({ loss: all, repetitions }) =>
  Array.from({ length: repetitions }, (_, repetition) =>
    all.flatMap((percent) =>
      inTurn(['auto', '0'], repetition).map((redundancy) => ({ percent, redundancy, repetition })),
    ),
  ).flat();

/** @param {string} text */
function percents(text) {
  const list = text.split(',').map(Number);
  if (list.every((percent) => percent >= 0 && percent <= 50)) return list;
  throw new InvalidArgumentError('must be numbers from 0 to 50, separated by commas');
}

/** @param {string} redundancy */
const redundancyOf = (redundancy) =>
  OPTIONS.some(({ name }) => name === 'redundancy') ? ['--redundancy', redundancy] : [];

/**
 * @param {Lab} lab
 * @param {Record<string, number | string>} at
 * @param {number} repetition
 * @param {import('../participants/call-run.js').CallRun} run
 */
function record(lab, at, repetition, { speakers, delays, playout }) {
  const add = (
    /** @type {Quantity} */ { name },
    /** @type {number} */ value,
    client = '',
    atMs = lab.folder.elapsedMs,
  ) =>
    lab.folder.record(name, {
      protocol: 'webtransport',
      repetition,
      client,
      atMs,
      value,
      factors: at,
    });
  for (const { atMs, delayMs } of delays) add(quantities.delay, delayMs, '', atMs);
  for (const { id, playoutMs } of playout) add(quantities.playout, playoutMs, id);
  for (const { id, frames, upPercent, downPercent, throughPercent } of speakers) {
    add(quantities.frames, frames, id);
    add(quantities.up, upPercent, id);
    add(quantities.down, downPercent, id);
    add(quantities.through, throughPercent, id);
  }
}

/**
 * @param {Samples} folder
 * @param {Quantity} quantity
 * @param {number} percent
 * @param {string} redundancy
 */
const valuesOf = (folder, { name }, percent, redundancy) =>
  folder
    .samples(name)
    .filter(({ factors: f = {} }) => f.lossPercent === percent && f.redundancy === redundancy)
    .map(({ value }) => value);

/**
 * The mean over repetitions of the talker who was heard least, with its interval.
 * @param {Samples} folder
 * @param {Quantity} quantity
 * @param {{ percent: number, redundancy: string }} at
 * @param {() => number} random seeded
 * @returns {import('../stats/bootstrap.js').Interval} NaN throughout where nothing was measured
 */
function worstOf(folder, { name }, { percent, redundancy }, random) {
  const samples = folder
    .samples(name)
    .filter(({ factors: f = {} }) => f.lossPercent === percent && f.redundancy === redundancy);
  const talkers = [...new Set(samples.map(({ client }) => client))].map((talker) =>
    valuesByRepetition(samples, ({ client }) => client === talker),
  );
  const [worst = []] = talkers.sort((a, b) => mean(a.flat()) - mean(b.flat()));
  return summaryIntervals(worst, { random }).mean;
}

/**
 * @param {Samples} folder
 * @param {number} percent
 * @param {() => number} random seeded
 * @returns {Target[]}
 */
function targetsOf(folder, percent, random) {
  const limit = TARGETS.get(percent);
  if (limit === undefined) return [];
  const of = (/** @type {Quantity} */ quantity) => valuesOf(folder, quantity, percent, 'auto');
  const worst = (/** @type {Quantity} */ quantity, redundancy = 'auto') =>
    worstOf(folder, quantity, { percent, redundancy }, random);
  const through = worst(quantities.through);
  const why =
    `${intervalWords(through, '%', 2)}; up ${worst(quantities.up).estimate.toFixed(2)} %, down ` +
    `${worst(quantities.down).estimate.toFixed(2)} %; without redundancy ` +
    `${worst(quantities.through, '0').estimate.toFixed(2)} %; D ` +
    `${mean(of(quantities.delay)).toFixed(0)} ms, playout ` +
    `${mean(of(quantities.playout)).toFixed(0)} ms`;
  return [
    {
      what: `Speech present with ${percent} % loss each way`,
      is: '≥',
      limit,
      reached: through.estimate,
      unit: '%',
      digits: 2,
      why,
    },
  ];
}

/** @param {number} value */
const known = (value) => (Number.isFinite(value) ? value : null);
