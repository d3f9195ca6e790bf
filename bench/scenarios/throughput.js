/**
 * The server's estimate of a session's delivery rate, against the link's rate. Cases are levels,
 * steps, and a sender that has little to send (paper: P. Nys, "Design and Implementation
 * of Media Streaming using WebTransport and QUIC", TU Berlin, 2024, section 5.2.1).
 * @import { Lab } from './lab.js'
 * @import { Samples, Scenario } from './scenario.js'
 * @import { Target } from './targets.js'
 * @import { Ends } from '../throughput/ends.js'
 * @import { Plot, Quantity, Sample, Table } from '../report/result.js'
 */

import { InvalidArgumentError } from 'commander';
import { numbers } from '../options.js';
import { toEstimate } from '../report/quantity-views.js';
import { valuesByRepetition } from '../report/result.js';
import { bootstrap } from '../stats/bootstrap.js';
import { mean, quantile, sorted } from '../../testkit/statistics.js';
import { betweenEnds, controllerOption, LINK, TRAJECTORY } from '../throughput/ends.js';
import { randomFor } from './scenario.js';
import { targetsTable } from './targets.js';

/**
 * Rates that a run begins with, in Mbit/s, and how long each is kept, and left out at first, in
 * seconds.
 */
const LEVELS = Object.freeze([0.5, 1, 2.5, 5, 10, 20]);
const LEVEL_SECONDS = 5;
const SETTLE_SECONDS = 2;

/** Time for which each rate of the paper's trajectory is kept, in seconds. */
const STEP_SECONDS = 5;

/**
 * A sender with little to send: the rate of the path, from the first on and then, and how long it
 * sends.
 */
const LIVE = Object.freeze({ rate: 5, seconds: 5, knownAfterSeconds: 2, drainSeconds: 3 });

/**
 * The deviations that are good, in percent of the truth, and for how long an estimate keeps to them
 * that has found it.
 */
const WITHIN = Object.freeze(/** @type {const} */ ([-15, 5]));
const KEEPS_MS = 300;
const FOUND_SECONDS = 2;

/** Time over which the paper's second formula is the mean of its first: a segment of sound. */
const SEGMENT_MS = 1000;

/** The paper's estimate with quinn at 5 Mbit/s (section 5.2.1, from page 33 on), in Mbit/s. */
const PAPER = Object.freeze({ rate: 5, estimate: 4.3 });

const factors = [
  { name: 'part', label: 'Part', unit: '' },
  { name: 'rate', label: 'Rate of the link', unit: 'Mbit/s' },
];

/** @type {Record<string, Quantity>} */
const quantities = {
  error: {
    name: 'estimateError',
    label: "Estimate's deviation from the link's rate",
    unit: '%',
    factors,
  },
  formula: {
    name: 'formulaError',
    label: "Deviation of the paper's formula (5.2)",
    unit: '%',
    factors,
  },
  single: {
    name: 'singleError',
    label: "Deviation of the paper's formula (5.1)",
    unit: '%',
    factors,
  },
  found: {
    name: 'found',
    label: 'Time until a step is found',
    unit: 's',
    factors: [...factors, { name: 'from', label: 'Rate before', unit: 'Mbit/s' }],
  },
  estimate: { name: 'estimate', label: 'Estimate', unit: 'Mbit/s', factors },
};

/** @param {string} text @returns {number[]} */
function ratesOf(text) {
  const rates = numbers(text);
  if (rates.includes(0))
    throw new InvalidArgumentError('a link without a rate has nothing to estimate');
  return rates;
}

/**
 * @typedef {{ atMs: number, deliveryBps: number | null, isLimit: boolean, bytesInFlight: number,
 *   rttMs: number }} Note
 */

/** @type {Scenario} */
export const throughput = {
  name: 'throughput',
  title: 'The estimate of what a path delivers',
  description:
    "the server's estimate of a path's rate against the link's: levels, steps, and a sender " +
    'with little to send',
  quantities: Object.values(quantities),
  lacks: ['transports', 'duration', 'warmUp', 'browser'],
  defaults: {
    duration: 90,
    repetitions: 3,
    format: 'call',
    transports: ['webtransport'],
    link: 'clear',
  },
  addOptions: (command) => {
    command
      .option('--levels <Mbits>', 'rates of the link, separated by commas', ratesOf, [...LEVELS])
      .addOption(controllerOption())
      .addHelpText(
        'after',
        '\nthroughput stands for a server\'s estimates in P. Nys, "Design and ' +
          'Implementation of Media Streaming using WebTransport and QUIC" (TU\nBerlin, ' +
          "2024): figures 5.1 to 5.8, quinn's own, and figures 6.2 to 6.4, from bytes under " +
          'way and round trip.',
      );
  },

  async measure(lab) {
    const { repetitions, levels } = /** @type {any} */ (lab.options);
    await betweenEnds(lab, {}, async (ends) => {
      for (let repetition = 0; repetition < repetitions; repetition++) {
        const progress = (/** @type {string} */ what, /** @type {number} */ share) =>
          lab.progress(what, (repetition + share) / repetitions);
        for (const [i, rate] of levels.entries()) {
          progress(`${rate} Mbit/s`, (0.4 * i) / levels.length);
          await measureLevel(lab, ends, repetition, rate);
        }
        progress('steps', 0.4);
        await measureSteps(lab, ends, repetition);
        progress('a sender with little to send', 0.85);
        await measureLive(lab, ends, repetition);
      }
    });
  },

  result(folder, options) {
    const levels = [
      ...new Set(folder.samples(quantities.error.name).filter(isPart('level')).map(rateOf)),
    ];
    const random = randomFor(options);
    return {
      title: throughput.title,
      summary:
        'A sender and a receiver at two ends of a link with a round trip of ' +
        `${2 * LINK.delayMs} ms and a queue of ${LINK.queueMs} ms; the sender's congestion ` +
        `controller is ${options.controller}.`,
      headlines: levels.map((rate) => ({
        label: `Deviation at ${rate} Mbit/s, median`,
        unit: '%',
        protocol: '',
        value: quantile(deviations(folder, quantities.error, 'level', rate), 0.5),
        digits: 1,
      })),
      tables: [
        targetsTable(targetsOf(folder, levels)),
        levelTable(folder, levels, random),
        stepTable(folder),
        liveTable(folder),
      ],
      plots: [stepPlot(folder)].flatMap((plot) => plot ?? []),
      notes: [
        'The truth is the rate that the link has at that moment, of IP packets; the ' +
          "estimate is of QUIC's packets, which at 1 452 bytes are 2 % less. A look each 20 ms.",
        'Levels and steps: one stream for each second of a recording at 128 kbit/s, as fast ' +
          'as they go. Levels: a connection of its own for each, whose first ' +
          `${SETTLE_SECONDS} s are left out. Steps: the rates of the paper's trajectory ` +
          `(figure 5.7), ${STEP_SECONDS} s each; its order and times aren't all in its ` +
          'text. A step is found from when on the estimate is within ' +
          `${WITHIN.join(' to +')} % of the new rate for ${KEEPS_MS} ms.`,
        'Formula (5.1): bytes under way × 8 / smoothed round trip, at one look; (5.2): its ' +
          'mean over a second. The paper read them at each packet from a log that ' +
          "webtransport-go has and quinn hasn't.",
        "Little to send: a datagram of 320 bytes each 20 ms. Such a sender can't know more " +
          'than what it sends, unless it knew before: what it sends may raise the estimate ' +
          'and never lowers it. Where a path falls to a rate that is still above what is ' +
          'sent, no sender finds that out; below it, packets wait or are lost, and the ' +
          "sender isn't limited by the application any more.",
      ],
    };
  },
};

/** @param {Lab} lab @param {number} rate Mbit/s, both ways */
async function setRate(lab, rate) {
  const way = { delayMs: LINK.delayMs, queueMs: LINK.queueMs };
  await lab.link.set({ down: { ...way, rateBits: rate * 1e6 }, up: { ...way, rateBits: 20e6 } });
  return performance.now();
}

/** @param {Lab} lab @param {Ends} ends @param {number} repetition @param {number} rate */
async function measureLevel(lab, { sender, connect }, repetition, rate) {
  await setRate(lab, rate);
  await connect();
  await sender.call('send', { what: 'segments' });
  await lab.wait(SETTLE_SECONDS);
  await sender.call('take');
  await lab.wait(LEVEL_SECONDS - SETTLE_SECONDS);
  recordErrors(lab, { notes: await sender.call('take'), repetition, part: 'level', rate });
  await sender.call('send', { what: 'nothing' });
}

/** @param {Lab} lab @param {Ends} ends @param {number} repetition */
async function measureSteps(lab, { sender, connect }, repetition) {
  await setRate(lab, TRAJECTORY[0]);
  await connect();
  await sender.call('send', { what: 'segments' });
  let before = 0;
  for (const rate of TRAJECTORY) {
    await setRate(lab, rate);
    await sender.call('take');
    await lab.wait(STEP_SECONDS);
    /** @type {Note[]} */
    const notes = await sender.call('take');
    const fromMs = notes[0].atMs;
    const startMs = lab.folder.elapsedMs - STEP_SECONDS * 1000;
    const add = (
      /** @type {Quantity} */ quantity,
      /** @type {number} */ value,
      /** @type {number} */ atMs,
      more = {},
    ) =>
      lab.folder.record(quantity.name, {
        protocol: '',
        repetition,
        client: '',
        atMs: startMs + atMs - fromMs,
        value,
        factors: { part: 'steps', rate, ...more },
      });
    if (before > 0) add(quantities.found, foundAfter(notes, rate) / 1000, fromMs, { from: before });
    for (const note of thinned(notes))
      add(quantities.estimate, (note.deliveryBps ?? 0) / 1e6, note.atMs);
    before = rate;
  }
  await sender.call('send', { what: 'nothing' });
}

/** @param {Lab} lab @param {Ends} ends @param {number} repetition */
async function measureLive(lab, { sender, connect }, repetition) {
  const { rate, seconds, knownAfterSeconds, drainSeconds } = LIVE;
  await setRate(lab, rate);
  await connect();
  const live = async (/** @type {string} */ part) => {
    await sender.call('send', { what: 'frames' });
    await sender.call('take');
    await lab.wait(seconds);
    recordErrors(lab, { notes: await sender.call('take'), repetition, part, rate });
  };
  await live('liveAlone');
  await sender.call('send', { what: 'segments' });
  await lab.wait(knownAfterSeconds);
  await sender.call('send', { what: 'nothing' });
  // Segments that are under way are no part of it.
  await lab.wait(drainSeconds);
  await live('liveKnown');
  await sender.call('send', { what: 'nothing' });
}

/**
 * @param {Lab} lab
 * @param {{ notes: Note[], repetition: number, part: string, rate: number }} what
 */
function recordErrors(lab, { notes, repetition, part, rate }) {
  const add = (/** @type {Quantity} */ quantity, /** @type {number} */ bps) =>
    lab.folder.record(quantity.name, {
      protocol: '',
      repetition,
      client: '',
      atMs: lab.folder.elapsedMs,
      value: deviation(bps, rate),
      factors: { part, rate },
    });
  for (const { deliveryBps } of thinned(notes)) add(quantities.error, deliveryBps ?? 0);
  const singles = notes
    .filter(({ rttMs }) => rttMs > 0)
    .map(({ atMs, bytesInFlight, rttMs }) => ({ atMs, bps: (bytesInFlight * 8 * 1000) / rttMs }));
  for (const { bps } of singles) add(quantities.single, bps);
  for (
    let fromMs = singles[0]?.atMs ?? Infinity;
    fromMs + SEGMENT_MS <= (singles.at(-1)?.atMs ?? 0) + 100;
    fromMs += SEGMENT_MS
  ) {
    add(
      quantities.formula,
      mean(
        singles
          .filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + SEGMENT_MS)
          .map(({ bps }) => bps),
      ),
    );
  }
}

/** Looks that are a tenth of a second apart. @param {Note[]} notes */
const thinned = (notes) =>
  notes.filter(
    (note, i) => i === 0 || Math.floor(note.atMs / 100) !== Math.floor(notes[i - 1].atMs / 100),
  );

/** @param {number} bps @param {number} rate Mbit/s @returns {number} percent */
const deviation = (bps, rate) => 100 * (bps / (rate * 1e6) - 1);

/**
 * @param {readonly Note[]} notes  from a step on
 * @param {number} rate  Mbit/s since then
 * @returns {number} milliseconds until it is found; Infinity where it never is
 */
export function foundAfter(notes, rate) {
  let sinceMs = Infinity;
  for (const { atMs, deliveryBps } of notes) {
    const percent = deviation(deliveryBps ?? 0, rate);
    if (percent < WITHIN[0] || percent > WITHIN[1]) sinceMs = Infinity;
    else sinceMs = Math.min(sinceMs, atMs);
    if (atMs - sinceMs >= KEEPS_MS) return sinceMs - notes[0].atMs;
  }
  return Infinity;
}

/** @param {string} part */
const isPart =
  (part) =>
  (/** @type {Sample} */ { factors: its }) =>
    its?.part === part;
const rateOf = (/** @type {Sample} */ { factors: its }) => Number(its?.rate);

/**
 * @param {Samples} folder
 * @param {Quantity} quantity
 * @param {string} part
 * @param {number} [rate]
 */
const deviations = (folder, quantity, part, rate) =>
  sorted(
    folder
      .samples(quantity.name)
      .filter((sample) => isPart(part)(sample) && (rate === undefined || rateOf(sample) === rate))
      .map(({ value }) => value),
  );

/** The steps that were made, in order. @param {Samples} folder */
function stepsOf(folder) {
  const samples = folder.samples(quantities.found.name);
  return TRAJECTORY.slice(1).map((to, i) => {
    const from = TRAJECTORY[i];
    return {
      from,
      to,
      seconds: sorted(
        samples
          .filter((sample) => rateOf(sample) === to && sample.factors?.from === from)
          .map(({ value }) => value),
      ),
    };
  });
}

/** @param {Samples} folder @param {readonly number[]} levels @returns {Target[]} */
function targetsOf(folder, levels) {
  const [least, most] = WITHIN;
  const known = deviations(folder, quantities.error, 'liveKnown');
  const alone = deviations(folder, quantities.error, 'liveAlone');
  return [
    ...levels.flatMap((rate) => {
      const of = deviations(folder, quantities.error, 'level', rate);
      const why = `median ${quantile(of, 0.5).toFixed(1)} %`;
      return [
        /** @type {Target} */ ({
          what: `Deviation at ${rate} Mbit/s, 5th percentile`,
          is: '≥',
          limit: least,
          reached: quantile(of, 0.05),
          unit: '%',
          digits: 1,
          why,
        }),
        {
          what: `Deviation at ${rate} Mbit/s, 95th percentile`,
          limit: most,
          reached: quantile(of, 0.95),
          unit: '%',
          digits: 1,
          why,
        },
      ];
    }),
    ...stepsOf(folder).map(({ from, to, seconds }) => ({
      what: `A step from ${from} to ${to} Mbit/s is found, the slowest`,
      limit: FOUND_SECONDS,
      reached: quantile(seconds, 1),
      unit: 's',
      digits: 1,
    })),
    {
      what: 'Little to send, path known: the lowest',
      is: '≥',
      limit: least,
      reached: quantile(known, 0),
      unit: '%',
      digits: 1,
    },
    {
      what: 'Little to send, path known: the highest',
      limit: most,
      reached: quantile(known, 1),
      unit: '%',
      digits: 1,
    },
    {
      what: 'Little to send from the first on: the highest',
      limit: most,
      reached: quantile(alone, 1),
      unit: '%',
      digits: 1,
      why: 'the estimate is what is sent, a lower bound',
    },
  ];
}

/**
 * @param {Samples} folder
 * @param {readonly number[]} levels
 * @param {() => number} random
 * @returns {Table}
 */
function levelTable(folder, levels, random) {
  const rows = levels.map((rate) => {
    const of = (/** @type {Quantity} */ quantity) => deviations(folder, quantity, 'level', rate);
    const repetitions = valuesByRepetition(
      folder.samples(quantities.error.name),
      (sample) => isPart('level')(sample) && rateOf(sample) === rate,
    );
    const [interval] = bootstrap(repetitions, (ascending) => [quantile(ascending, 0.5)], {
      random,
    });
    const [errors, formula, single] = [quantities.error, quantities.formula, quantities.single].map(
      of,
    );
    return [
      rate,
      toEstimate(interval),
      quantile(errors, 0.05),
      quantile(errors, 0.95),
      quantile(formula, 0.5),
      quantile(single, 0.05),
      quantile(single, 0.95),
      rate === PAPER.rate ? 100 * (PAPER.estimate / PAPER.rate - 1) : null,
    ];
  });
  const percent = { unit: '%', digits: 1 };
  return {
    name: 'levels',
    title: 'At levels',
    caption:
      "Deviation from the link's rate. The paper: what quinn's BBR told. Where the path had " +
      `more it was capped at ${PAPER.rate} Mbit/s, but for the section at 20 Mbit/s, and with ` +
      '4K video unsteady at 7.5 Mbit/s.',
    columns: [
      { label: 'Rate', unit: 'Mbit/s' },
      { label: 'Estimate, median', ...percent },
      { label: '5 %', ...percent },
      { label: '95 %', ...percent },
      { label: 'Formula (5.2), median', ...percent },
      { label: 'Formula (5.1), 5 %', ...percent },
      { label: '95 %', ...percent },
      { label: 'Paper', ...percent },
    ],
    rows,
  };
}

/** @param {Samples} folder @returns {Table} */
function stepTable(folder) {
  const rows = stepsOf(folder).map(({ from, to, seconds }) => [
    `${from} to ${to} Mbit/s`,
    quantile(seconds, 0.5),
    quantile(seconds, 1),
  ]);
  return {
    name: 'steps',
    title: 'After steps',
    columns: [
      { label: 'Step' },
      { label: 'Found after, median', unit: 's', digits: 2 },
      { label: 'the slowest', unit: 's', digits: 2 },
    ],
    rows,
  };
}

/** @param {Samples} folder @returns {Table} */
function liveTable(folder) {
  const rows = [
    ['from the first on', 'liveAlone'],
    ['after the path was known', 'liveKnown'],
  ].map(([words, part]) => {
    const of = deviations(folder, quantities.error, part);
    return [
      words,
      quantile(of, 0),
      quantile(of, 0.5),
      quantile(of, 1),
      quantile(deviations(folder, quantities.formula, part), 0.5),
    ];
  });
  const percent = { unit: '%', digits: 1 };
  return {
    name: 'live',
    title: `Little to send: 128 kbit/s on ${LIVE.rate} Mbit/s`,
    columns: [
      { label: 'Sends little' },
      { label: 'The lowest', ...percent },
      { label: 'median', ...percent },
      { label: 'the highest', ...percent },
      { label: 'Formula (5.2), median', ...percent },
    ],
    rows,
  };
}

/** @param {Samples} folder @returns {Plot | null} */
function stepPlot(folder) {
  const samples = folder
    .samples(quantities.estimate.name)
    .filter(({ repetition }) => repetition === 0);
  if (samples.length === 0) return null;
  const points = (/** @type {(sample: Sample) => number} */ value) =>
    samples.map((sample) => [(sample.atMs - samples[0].atMs) / 1000, value(sample)]);
  return {
    name: 'trajectory',
    title: 'Along the trajectory',
    caption: 'The first repetition: what the server estimated, and what the link had.',
    kind: 'line',
    x: { label: 'Time', unit: 's' },
    y: { label: 'Rate', unit: 'Mbit/s', from: 0 },
    series: [{ name: 'estimate', protocol: 'webtransport', points: points(({ value }) => value) }],
    references: [{ label: "the link's rate", points: points(rateOf) }],
  };
}
