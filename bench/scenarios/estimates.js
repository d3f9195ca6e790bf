/**
 * Estimates of throughput at the server beside a client's, on demand and live (paper: P. Nys,
 * "Design and Implementation of Media Streaming using WebTransport and QUIC", TU Berlin, 2024,
 * section 6.2.1, figures 6.2 to 6.4, and section 5.2.1).
 * @import { Lab } from './lab.js'
 * @import { Samples, Scenario } from './scenario.js'
 * @import { Quantity, Sample, Table } from '../report/result.js'
 * @import { Level, Traced } from './estimates-figures.js'
 * @import { Ends } from '../throughput/ends.js'
 */

import { listOf, wholeNumber } from '../options.js';
import { meanEstimate } from '../report/quantity-views.js';
import { sharedMs } from '../../testkit/participants/child.js';
import { quantile, sorted } from '../../testkit/statistics.js';
import { betweenEnds, controllerOption, LINK, TRAJECTORY } from '../throughput/ends.js';
import { PART } from './durations.js';
import { estimatorsOf, figuresOf, QUALITIES } from './estimates-figures.js';
import { randomFor } from './scenario.js';

/** Interval of looks at the server's figures, in milliseconds: 200 a second, the paper had 190. */
const LOOK_MS = 5;

const SETTLE_SECONDS = 3;

const MODES = Object.freeze(/** @type {const} */ (['demand', 'live']));
const MODE_WORDS = Object.freeze({ demand: 'on demand', live: 'live' });

const factors = [
  { name: 'mode', label: 'Mode', unit: '' },
  { name: 'where', label: 'At', unit: '' },
  { name: 'estimate', label: 'Estimate', unit: '' },
];

/** @param {string} name @param {string} label @param {string} unit @returns {Quantity} */
const quantity = (name, label, unit) => ({ name, label, unit, factors });

const quantities = {
  deviation: quantity('deviation', "Deviation from the link's rate", '%'),
  found: quantity('found', 'Time until a step is found', 's'),
  perSecond: quantity('perSecond', 'New estimates', '/s'),
  changes: quantity('changes', 'Changes of quality', ''),
  stalls: quantity('stalls', 'Stalls', ''),
  stalledSeconds: quantity('stalledSeconds', 'Stood still', 's'),
  chosen: quantity('chosen', 'Chosen bit rate', 'Mbit/s'),
};

/** @type {Scenario} */
export const estimates = {
  name: 'estimates',
  title: "A server's estimates of throughput beside a client's",
  description:
    "estimates of a path's rate at the server and at the client, on demand and live, and what " +
    'a player would make of them (Nys 2024)',
  quantities: Object.values(quantities),
  lacks: ['transports', 'duration', 'warmUp', 'browser'],
  defaults: {
    duration: 60,
    repetitions: 1,
    format: 'call',
    transports: ['webtransport'],
    link: 'clear',
  },
  seconds: ({ repetitions, modes, stepSeconds }) =>
    2 * PART.server +
    repetitions * modes.length * (SETTLE_SECONDS + 1 + TRAJECTORY.length * stepSeconds),
  addOptions: (command) => {
    command
      .option('--modes <list>', `of ${MODES.join(', ')}, separated by commas`, listOf(MODES), [
        ...MODES,
      ])
      .option('--step-seconds <seconds>', 'how long each rate lasts', wholeNumber(3, 600), 10)
      .addOption(controllerOption())
      .addHelpText(
        'after',
        '\nestimates stands for figures 6.2 to 6.4 of P. Nys, "Design and Implementation of ' +
          'Media Streaming using\nWebTransport and QUIC" (TU Berlin, 2024), and for the batches ' +
          'and cut-offs of its figures 5.2 to 5.8.',
      );
  },

  async measure(lab) {
    const { repetitions, modes } = /** @type {any} */ (lab.options);
    await betweenEnds(lab, { lookMs: LOOK_MS, notes: true }, async (ends) => {
      for (let repetition = 0; repetition < repetitions; repetition++)
        for (const [i, mode] of modes.entries()) {
          const share = (repetition + i / modes.length) / repetitions;
          lab.progress(MODE_WORDS[/** @type {'demand' | 'live'} */ (mode)], share);
          await measureMode(lab, ends, mode, repetition);
        }
    });
  },

  result(folder, options) {
    const random = randomFor(options);
    return {
      title: estimates.title,
      summary:
        `A sender and a receiver at two ends of a link with a round trip of ${2 * LINK.delayMs} ` +
        `ms and a queue of ${LINK.queueMs} ms, whose rate is ${TRAJECTORY.join(', ')} Mbit/s, ` +
        `for ${options.stepSeconds} s each; the sender's congestion controller is ` +
        `${options.controller}.`,
      headlines: [],
      tables: options.modes.map((/** @type {'demand' | 'live'} */ mode) =>
        tableOf(folder, mode, random),
      ),
      plots: [],
      notes: [
        "What is sent has 2 000 kbit/s, as the paper's video: sound, of 128 at most, would fill " +
          "none of its links. The order and times of the rates aren't all in its text.",
        'On demand: segments of 1.6 s on a stream each, the next when the one before has come ' +
          'and the player holds less than 5 s. Live: a stream for each 1.6 s, whose 25 pictures ' +
          'a second are written as they come to be.',
        `Formula (5.1): bytes in flight × 8 ÷ smoothed round trip, looked at every ${LOOK_MS} ms ` +
          'while something is in flight; (5.2): its mean while a segment is sent. Batches and ' +
          "cut-offs are the paper's for quinn's own estimate, which quinn doesn't tell.",
        "At the client: a segment's bytes over the time from its first to its last; the mean of " +
          'the last four such samples or of one, as dash.js has it by default on demand and in ' +
          "the paper's other run; what dash.js adds, a longer window where samples vary, isn't " +
          'there. Bursts: its default in low latency, which leaves out pauses above the mean.',
        'Deviation: each tenth of a second, of the estimate known then. Found: from a step of ' +
          'the link until the estimate is within 20 % for 0.3 s.',
        'Changes and stalls are of a player that took each segment at the highest of ' +
          `${QUALITIES.join(', ')} Mbit/s that the estimate carries, from the link's true rate, ` +
          'with 5 s of buffer: computed from the estimates, not played.',
      ],
    };
  },
};

/**
 * @param {Lab} lab
 * @param {Ends} ends
 * @param {'demand' | 'live'} mode
 * @param {number} repetition
 */
async function measureMode(lab, { sender, receiver, connect }, mode, repetition) {
  const { stepSeconds } = /** @type {any} */ (lab.options);
  const [first] = TRAJECTORY;
  const way = { ...LINK, rateBits: 1e6 * first };
  await lab.link.set({ down: way, up: { delayMs: LINK.delayMs } });
  await connect();
  await sender.call('send', { what: mode === 'live' ? 'live' : 'player' });
  await lab.wait(SETTLE_SECONDS);
  /** @type {Level[]} */
  const levels = [];
  for (const rate of TRAJECTORY) {
    const rateBits = 1e6 * rate;
    await lab.link.set({ down: { rateBits } });
    const fromMs = sharedMs(performance.now());
    await lab.wait(stepSeconds);
    levels.push({ fromMs, toMs: sharedMs(performance.now()), rateBits });
  }
  const traced = /** @type {Traced} */ ({
    notes: await sender.call('take'),
    sent: await sender.call('takeSegments'),
    received: await receiver.call('take'),
    isLive: mode === 'live',
  });
  await sender.call('send', { what: 'nothing' });
  const atMs = lab.folder.elapsedMs;
  for (const { where, name, estimates: course } of estimatorsOf(traced)) {
    const figures = figuresOf(course, levels);
    if (figures === null) continue;
    const add = (/** @type {Quantity} */ { name: what }, /** @type {number} */ value) =>
      lab.folder.record(what, {
        ...{ protocol: 'webtransport', repetition, client: '', atMs, value },
        factors: { mode, where, estimate: name },
      });
    for (const value of figures.deviations) add(quantities.deviation, value);
    for (const value of figures.found) add(quantities.found, value);
    for (const what of COUNTS) add(quantities[what], figures[what]);
  }
}

const COUNTS = /** @type {const} */ ([
  'perSecond',
  'changes',
  'stalls',
  'stalledSeconds',
  'chosen',
]);

/**
 * @param {Samples} folder
 * @param {'demand' | 'live'} mode
 * @param {() => number} random
 * @returns {Table}
 */
function tableOf(folder, mode, random) {
  const of = ({ name = '' }) =>
    folder.samples(name).filter(({ factors: its }) => its?.mode === mode);
  const names = [...new Map(of(quantities.deviation).map((one) => [keyOf(one), one])).values()];
  const rows = names.map((one) => {
    const isIts = (/** @type {Sample} */ sample) => keyOf(sample) === keyOf(one);
    const values = (/** @type {Quantity} */ which) =>
      sorted(
        of(which)
          .filter(isIts)
          .map(({ value }) => value),
      );
    const [deviations, found] = [values(quantities.deviation), values(quantities.found)];
    const never = found.filter((seconds) => seconds === Infinity).length;
    const median = quantile(found, 0.5);
    return [
      one.factors?.where ?? '',
      one.factors?.estimate ?? '',
      ...[0.5, 0.05, 0.95].map((p) => quantile(deviations, p)),
      Number.isFinite(median) ? median : null,
      `${never} of ${found.length}`,
      ...COUNTS.map((name) => meanEstimate(of(quantities[name]), isIts, random)),
    ];
  });
  const percent = { unit: '%', digits: 0 };
  return {
    name: mode,
    title: MODE_WORDS[mode].replace(/^./, (letter) => letter.toUpperCase()),
    columns: [
      { label: 'At' },
      { label: 'Estimate' },
      { label: 'Deviation, median', ...percent },
      { label: '5 %', ...percent },
      { label: '95 %', ...percent },
      { label: 'A step is found after, median', unit: 's', digits: 1 },
      { label: 'Never found' },
      { label: 'New ones', unit: '/s', digits: 1 },
      { label: 'Changes of quality', digits: 1 },
      { label: 'Stalls', digits: 1 },
      { label: 'Stood still', unit: 's', digits: 1 },
      { label: 'Chosen', unit: 'Mbit/s', digits: 1 },
    ],
    rows,
  };
}

const keyOf = (/** @type {Sample} */ { factors: its }) => `${its?.where} ${its?.estimate}`;
