/**
 * A call of two complete clients, with the delay that tunes itself. Measures received speech in
 * both directions, the server-side delay over time, and the lateness of sound.
 * @import { Lab } from './lab.js'
 * @import { Target } from './targets.js'
 * @import { SpeakerFigures } from '../stats/call-figures.js'
 * @import { Samples, Scenario } from './scenario.js'
 * @import { Plot, Quantity, Sample, Table } from '../report/result.js'
 */

import { Option } from 'commander';
import { summaryIntervals } from '../stats/bootstrap.js';
import { targetsTable } from './targets.js';
import { bestDelay, receivedAt } from '../stats/call-figures.js';
import { runCall } from '../participants/call-run.js';
import { randomFor } from './scenario.js';
import { wholeNumber } from '../options.js';
import { cumulativePlot, meanEstimate, toEstimate } from '../report/quantity-views.js';
import { valuesByRepetition } from '../report/result.js';
import { leastCovering, mean, quantile, sorted } from '../../testkit/statistics.js';

/**
 * Targets: the share that is received, in percent, and D above the shortest way up, in
 * milliseconds.
 */
const TARGET_PERCENT = 99.5;
const ABOVE_LEAST_MS = 20;

/** On loopback; the delay with frames of 10 ms and more, and with shorter ones. */
const LOOPBACK_DELAY_MS = 8;
const LOOPBACK_SHORT_DELAY_MS = 6;
const LOOPBACK_RTT_MS = Object.freeze({ p50: 1.5, p99: 5 });
const ROUND_TRIP_SECONDS = 10;

/** Reported quantiles of lateness, in percent. */
const SHARES = Object.freeze([50, 90, 95, 98, 99, 99.5, 99.8]);

/** @type {Record<string, Quantity>} */
const quantities = {
  delay: { name: 'serverDelay', label: 'Server-side delay', unit: 'ms' },
  up: { name: 'receivedUp', label: 'Received, up', unit: '%' },
  down: { name: 'receivedDown', label: 'Received, down', unit: '%' },
  least: { name: 'leastWay', label: 'Least way up', unit: 'ms' },
  lateness: { name: 'lateness', label: 'Lateness at the server', unit: 'ms' },
  sound: { name: 'soundLatency', label: 'Sound latency', unit: 'ms' },
  roundTrip: { name: 'roundTrip', label: 'Round-trip latency', unit: 'ms' },
  playout: { name: 'playoutDelay', label: 'Playout delay', unit: 'ms' },
};

/** @type {Scenario} */
export const call = {
  name: 'call',
  title: 'A call of two, the delay tuning itself',
  description:
    'two whole clients with the delay on auto: received both ways, D over time, sound latency',
  quantities: Object.values(quantities),
  lacks: ['transports'],
  defaults: { duration: 60, repetitions: 1, format: 'call', transports: ['webtransport'] },
  addOptions: (command) => {
    command.addOption(
      new Option('--frame-ms <ms>', "length of a frame, in place of the format's").choices([
        '20',
        '10',
        '5',
        '2.5',
      ]),
    );
    command.option(
      '--settle <seconds>',
      'in which the delay finds its place, before each block',
      wholeNumber(0, 600),
      25,
    );
  },

  async measure(lab) {
    const { repetitions, settle, frameMs } = /** @type {any} */ (lab.options);
    const frame = frameMs === undefined ? [] : ['--frame-ms', frameMs];
    for (let repetition = 0; repetition < repetitions; repetition++) {
      await lab.startServer(['--delivery', 'tick', ...frame], 'mixes');
      const run = await runCall(lab, {
        settleSeconds: settle,
        seconds: lab.blockSeconds,
        progress: (share) =>
          lab.progress(`${repetition + 1} of ${repetitions}`, (repetition + share) / repetitions),
      });
      record(lab, repetition, run);
      if (!lab.link.isEmulated) await measureRoundTrips(lab, repetition);
    }
  },

  result(folder, options) {
    const random = randomFor(options);
    const speakers = speakersOf(folder);
    const sound = valuesByRepetition(folder.samples(quantities.sound.name), () => true);
    const { mean: average, p50, p99 } = summaryIntervals(sound, { random });
    const columns = ['mean', 'p50', 'p99'].map((label) => ({ label, unit: 'ms', digits: 1 }));
    return {
      title: call.title,
      summary:
        'Two whole clients talk over HTTP/3 and hear each other; the server-side delay ' +
        'tunes itself.',
      headlines: [
        {
          label: 'Received, up, of the worse talker',
          unit: '%',
          protocol: '',
          value: least(folder, quantities.up),
          digits: 2,
        },
        {
          label: 'Received, down, of the worse talker',
          unit: '%',
          protocol: '',
          value: least(folder, quantities.down),
          digits: 2,
        },
        {
          label: 'Sound latency, mean',
          unit: 'ms',
          protocol: '',
          ...toEstimate(average),
          digits: 1,
        },
      ],
      tables: [
        targetsTable(
          options.link === 'loopback'
            ? loopbackTargets(folder, Number(options.frameMs ?? 20))
            : linkTargets(folder, speakers),
        ),
        {
          name: 'sound',
          title: 'Sound latency',
          caption:
            "From a frame's first sample to the arrival at the listener of the first packet " +
            'that holds it; no sound card, no playout.',
          columns,
          rows: [[average, p50, p99].map(toEstimate)],
        },
        speakersTable(folder, random),
        latenessTable(folder, speakers),
      ],
      plots: [
        delayPlot(folder),
        cumulativePlot(quantities.lateness, folder.samples(quantities.lateness.name)),
      ],
      notes: [
        'The clients are those of the page, in Node.js, without worklets; their microphone ' +
          'and speaker are a timer of 2 to 3 ms, as the 128 samples of an AudioWorklet are, ' +
          'so a frame may leave up to so much after its end.',
        'Received, up: of the frames of speech that were sent, those that were there, as ' +
          'sent, when the server mixed them. Received, down: of the mixes with sound in ' +
          'them, those whose own payload the listener decoded for its speaker. What was ' +
          "made up counts as neither's.",
        'D, the ways and lateness are of one clock, which all processes share: none of them ' +
          'is estimated.',
        "Lateness: when a frame's payload was first at the server, in its own packet or " +
          "repeated in a later one, less the frame's end. What never came has an infinite one.",
        'The best fixed D is that of this very run, known afterwards: no rule that decides ' +
          `beforehand can have ${TARGET_PERCENT} % with less, unless by luck.`,
      ],
    };
  },
};

/**
 * @param {Lab} lab
 * @param {number} repetition
 * @param {import('../participants/call-run.js').CallRun} run
 */
function record(lab, repetition, { speakers, delays, playout }) {
  const add = (
    /** @type {Quantity} */ { name },
    /** @type {number} */ value,
    client = '',
    atMs = lab.folder.elapsedMs,
  ) => lab.folder.record(name, { protocol: 'webtransport', repetition, client, atMs, value });
  for (const { atMs, delayMs } of delays) add(quantities.delay, delayMs, '', atMs);
  for (const { id, playoutMs } of playout) add(quantities.playout, playoutMs, id);
  for (const { id, upPercent, downPercent, leastMs, latenessMs, soundMs } of speakers) {
    add(quantities.up, upPercent, id);
    add(quantities.down, downPercent, id);
    add(quantities.least, leastMs, id);
    for (const ms of latenessMs) add(quantities.lateness, ms, id);
    for (const ms of soundMs) add(quantities.sound, ms, id);
  }
}

/**
 * As `rtt` does: two talkers, each of whose packets is answered at once.
 * @param {Lab} lab
 * @param {number} repetition
 */
async function measureRoundTrips(lab, repetition) {
  const people = ['A', 'B'].map((id) => ({
    id,
    transport: /** @type {const} */ ('webtransport'),
    room: 'answers',
    delivery: 'reply',
  }));
  await lab.join(people);
  const { people: notes } = await lab.measure(ROUND_TRIP_SECONDS);
  await lab.leave(people);
  for (const {
    id,
    notes: { sent, received },
  } of notes) {
    const answers = new Map(received.map((/** @type {any} */ { frame, atMs }) => [frame, atMs]));
    for (const { frame, atMs } of sent.slice(0, -10)) {
      const value = (answers.get(frame) ?? Infinity) - atMs;
      lab.folder.record(quantities.roundTrip.name, {
        protocol: 'webtransport',
        repetition,
        client: id,
        atMs: lab.folder.elapsedMs,
        value,
      });
    }
  }
}

/** @param {Samples} folder @param {Quantity} quantity @param {string} [client] */
const valuesOf = (folder, { name }, client) =>
  folder
    .samples(name)
    .filter((sample) => client === undefined || sample.client === client)
    .map(({ value }) => value);

/**
 * The mean over repetitions of the worse talker's value.
 * @param {Samples} folder
 * @param {Quantity} quantity
 */
const least = (folder, quantity) =>
  Math.min(...clientsOf(folder).map((client) => mean(valuesOf(folder, quantity, client))));

/** @param {Samples} folder */
const clientsOf = (folder) => [
  ...new Set(folder.samples(quantities.up.name).map(({ client }) => client)),
];

/** Lateness and ways as they were recorded, of all repetitions. @param {Samples} folder */
const speakersOf = (folder) =>
  clientsOf(folder).map(
    (id) =>
      /** @type {SpeakerFigures} */ (
        /** @type {unknown} */ ({
          id,
          leastMs: Math.min(...valuesOf(folder, quantities.least, id)),
          latenessMs: [...sorted(valuesOf(folder, quantities.lateness, id))],
        })
      ),
  );

/** @param {Samples} folder @param {number} frameMs @returns {Target[]} */
function loopbackTargets(folder, frameMs) {
  const delays = sorted(valuesOf(folder, quantities.delay));
  const trips = sorted(valuesOf(folder, quantities.roundTrip));
  return [
    {
      what: `D on loopback, median, frames of ${frameMs} ms`,
      limit: frameMs < 10 ? LOOPBACK_SHORT_DELAY_MS : LOOPBACK_DELAY_MS,
      reached: quantile(delays, 0.5),
      unit: 'ms',
      digits: 1,
      why: `${rangeOf(delays)}; the clients' microphone gives samples every 2 to 3 ms`,
    },
    {
      what: 'Round trip on loopback, p50',
      limit: LOOPBACK_RTT_MS.p50,
      reached: quantile(trips, 0.5),
      unit: 'ms',
      digits: 2,
    },
    {
      what: 'Round trip on loopback, p99',
      limit: LOOPBACK_RTT_MS.p99,
      reached: leastCovering(trips, 0.99),
      unit: 'ms',
      digits: 2,
    },
  ];
}

/** @param {Samples} folder @param {SpeakerFigures[]} speakers @returns {Target[]} */
function linkTargets(folder, speakers) {
  const leastMs = Math.max(...speakers.map((speaker) => speaker.leastMs));
  const delays = sorted(valuesOf(folder, quantities.delay));
  const best = bestDelay(speakers, TARGET_PERCENT);
  const limited = receivedAt(speakers, leastMs + ABOVE_LEAST_MS);
  const way =
    `the least way up is ${leastMs.toFixed(1)} ms; of this run's frames ${TARGET_PERCENT} % ` +
    `needed a D of least + ${(best - leastMs).toFixed(0)} ms, and least + ${ABOVE_LEAST_MS} ` +
    `ms would have had ${limited.toFixed(2)} % in time`;
  /** @returns {Target} */
  const received = (/** @type {string} */ what, /** @type {Quantity} */ quantity) => ({
    what: `${what} (the worse talker)`,
    is: '≥',
    limit: TARGET_PERCENT,
    reached: least(folder, quantity),
    unit: '%',
    digits: 2,
  });
  return [
    received('Received, up', quantities.up),
    received('Received, down', quantities.down),
    {
      what: 'D above the least way up, median',
      limit: ABOVE_LEAST_MS,
      reached: quantile(delays, 0.5) - leastMs,
      unit: 'ms',
      digits: 1,
      why: `${way}; ${rangeOf(delays)}`,
    },
  ];
}

/** @param {Float64Array} delays */
const rangeOf = (delays) =>
  `D was ${quantile(delays, 0).toFixed(1)} to ${quantile(delays, 1).toFixed(1)} ms`;

/** @param {Samples} folder @param {() => number} random @returns {Table} */
function speakersTable(folder, random) {
  const columns = [
    { label: 'Talker' },
    { label: 'Received, up', unit: '%', digits: 2 },
    { label: 'Received, down', unit: '%', digits: 2 },
    { label: 'Least way up', unit: 'ms', digits: 1 },
    { label: 'Playout delay', unit: 'ms', digits: 1 },
  ];
  const rows = clientsOf(folder).map((client) => [
    client,
    ...[quantities.up, quantities.down, quantities.least, quantities.playout].map(({ name }) =>
      meanEstimate(folder.samples(name), (sample) => sample.client === client, random),
    ),
  ]);
  return { name: 'talkers', title: 'Each talker', columns, rows };
}

/** @param {Samples} folder @param {SpeakerFigures[]} speakers @returns {Table} */
function latenessTable(folder, speakers) {
  const leastMs = Math.max(...speakers.map((speaker) => speaker.leastMs));
  return {
    name: 'latenessQuantiles',
    title: 'Lateness of this run',
    caption:
      'The least fixed D that would have had this share of the frames of the worse talker ' +
      'in time, and how far that is above the least way up.',
    columns: [
      { label: 'Share', unit: '%' },
      { label: 'D', unit: 'ms', digits: 1 },
      { label: 'above the least way', unit: 'ms', digits: 1 },
    ],
    rows: SHARES.map((percent) => {
      const ms = bestDelay(speakers, percent);
      return [percent, Number.isFinite(ms) ? ms : null, Number.isFinite(ms) ? ms - leastMs : null];
    }),
  };
}

/** @param {Samples} folder @returns {Plot} */
function delayPlot(folder) {
  const samples = folder.samples(quantities.delay.name);
  const leastMs = Math.max(0, ...valuesOf(folder, quantities.least));
  const first = samples[0]?.atMs ?? 0;
  return {
    name: 'delayOverTime',
    title: 'Server-side delay over time',
    caption: 'D as each frame was mixed, beside the least way up of the slower talker.',
    kind: 'line',
    x: { label: 'Time', unit: 's', from: 0 },
    y: { label: 'D', unit: 'ms', from: 0 },
    series: [
      {
        name: 'D',
        protocol: 'webtransport',
        points: samples
          .filter((/** @type {Sample} */ _, i) => i % 10 === 0)
          .map(({ atMs, value }) => [(atMs - first) / 1000, value]),
      },
    ],
    references: [{ label: `least way up: ${leastMs.toFixed(1)} ms`, axis: 'y', value: leastMs }],
  };
}
