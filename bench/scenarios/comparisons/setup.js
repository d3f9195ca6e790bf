/**
 * The time from the beginning of connecting to the first sound, split into its parts. Varies round
 * trip, loss and rate, with new and resumed connections.
 * @import { Lab } from '../lab.js'
 * @import { Samples, Scenario } from '../scenario.js'
 * @import { Headline, Quantity, Table } from '../../report/result.js'
 * @import { Condition } from '../../setup/conditions.js'
 * @import { Joiner, Leg } from '../../setup/joiner.js'
 */

import { InvalidArgumentError } from 'commander';
import { wholeNumber } from '../../options.js';
import { toEstimate } from '../../report/quantity-views.js';
import {
  AS_IS,
  BASE_MS,
  conditionsOf,
  faultOfLoss,
  faultOfPing,
  keyOf,
  KINDS,
  PING_BYTES,
  settingsOf,
  wordsOf,
} from '../../setup/conditions.js';
import {
  conditionOf,
  labelOf,
  legsOf,
  newOf,
  sentencesAt,
  sweptOf,
  valuesOf,
} from '../../setup/figures.js';
import { ClientJoiner, PageJoiner, patienceOf } from '../../setup/joiner.js';
import { PARTS } from '../../setup/steps.js';
import {
  cellOf,
  columnOf,
  heardPlot,
  heardTable,
  partsTable,
  productTable,
} from '../../setup/tables.js';
import { summaryIntervals } from '../../stats/bootstrap.js';
import { quantile, sorted } from '../../../testkit/statistics.js';
import { hasTimeFor, quickOption } from '../durations.js';
import { isShort } from '../lab.js';
import { randomFor, worldNotes } from '../scenario.js';
import { LOWEST_MEDIAN, orderInWords } from './order.js';

/** Rates of table 6.1 of Nys (2024), in kbit/s. */
const NYS_RATES = [500, 1000, 1500, 2000, 3000, 4000];

const STANDS_FOR = `
Stands, with sound in place of video, for the start-up times in P. Nys, "Design and Implementation
of Media Streaming using WebTransport and QUIC" (TU Berlin, 2024; tables 6.1 and 6.2, figure 6.1),
and for the setup times in A. Abelló Lozano, "Performance analysis of topologies for Web-based
Real-Time Communication (WebRTC)" (Aalto, 2012; tables 1 and 5), whose calls are WebRTC's.`;

/**
 * Round trips for which the last setup's packets are waited for, and time for the ends' own work,
 * in milliseconds.
 */
const QUIET_ROUND_TRIPS = 2;
const QUIET_MS = 50;

/** Time that a setup of a quick run may need, in seconds, and a condition with one setup. */
const QUICK_SETUP_SECONDS = 2;
const QUICK_CONDITION_SECONDS = 4;

/** Pings that don't wait for each other down to 50 kbit/s, where each takes 230 ms on the line. */
const PINGS = Object.freeze({ count: 5, intervalMs: 250, bytes: PING_BYTES });

const factors = [
  { name: 'roundTripMs', label: 'Round trip', unit: 'ms' },
  { name: 'lossPercent', label: 'Loss each way', unit: '%' },
  { name: 'rateKbits', label: 'Rate each way', unit: 'kbit/s' },
  { name: 'connection', label: 'Connection', unit: '' },
];

/** @param {string} name @param {string} label @param {string} [unit] @returns {Quantity} */
const quantity = (name, label, unit = 'ms') => ({ name, label, unit, factors });

const heard = quantity('firstSound', 'Time until the first sound');
const joined = quantity('joined', 'Time until the room is joined');
const bytesUp = quantity('bytesUp', 'Bytes sent until the first sound', 'bytes');
const bytesDown = quantity('bytesDown', 'Bytes sent to the client until then', 'bytes');
/** One for each condition whose figures are withheld; the reason is a factor. */
const fault = {
  ...quantity('fault', 'Condition that was not as asked', ''),
  factors: [...factors, { name: 'why', label: 'Why', unit: '' }],
};

/** @type {Scenario} */
export const setup = {
  name: 'setup',
  title: 'From connecting to the first sound',
  description:
    'time until the first sound and its parts, by round trip, loss and rate, per transport, ' +
    'new and resumed connections',
  quantities: [
    heard,
    joined,
    bytesUp,
    bytesDown,
    ...PARTS.map((part) => quantity(part, `Part of it: ${part}`)),
    fault,
  ],
  lacks: ['duration', 'warmUp'],
  defaults: {
    duration: 60,
    repetitions: 5,
    format: 'call',
    transports: ['webtransport', 'websocket', 'http1'],
    link: 'even-60',
  },
  addOptions: (command) => {
    command
      .option(
        '--round-trips <ms>',
        'separated by commas, or none',
        numbers(0, 2000),
        [0, 20, 50, 100, 200],
      )
      .option(
        '--losses <percents>',
        `each way, at ${BASE_MS} ms, separated by commas, or none`,
        numbers(0, 50),
        [0, 1, 3, 10],
      )
      .option(
        '--rates <kbits>',
        `each way, at ${BASE_MS} ms, separated by commas, or none`,
        numbers(1, 1e6),
        NYS_RATES,
      )
      .option('--as-is', "the link's own round trip, loss and rate instead")
      .option('--connections <count>', 'of each kind, in each repetition', wholeNumber(1, 100), 2)
      .addOption(
        quickOption({
          ...{ roundTrips: [20, BASE_MS], losses: [3], rates: [1000] },
          ...{ repetitions: 2, connections: 1 },
        }),
      )
      .addHelpText('after', STANDS_FOR);
  },

  async measure(lab) {
    const joiner = lab.options.browser ? new PageJoiner(lab) : new ClientJoiner(lab);
    try {
      const transports = await joiner.open();
      if (transports.length === 0) throw new Error('none of the transports can be had here');
      const conditions = conditionsFor(lab);
      // Warm-up: loading and compiling don't count.
      for (const leg of legsFor(lab, AS_IS, transports)) await setUp(lab, joiner, leg);
      for (const [i, condition] of conditions.entries()) {
        if (!hasTimeFor(lab, QUICK_CONDITION_SECONDS)) {
          lab.folder.warn(`There was no time left for ${wordsOf(condition)}.`);
          continue;
        }
        const progress = (/** @type {string} */ what, /** @type {number} */ share) =>
          lab.progress(`${wordsOf(condition)}: ${what}`, (i + share) / conditions.length);
        await measureCondition(
          lab,
          joiner,
          condition,
          legsFor(lab, condition, transports),
          progress,
        );
      }
    } finally {
      await joiner.close();
    }
  },

  result(folder, options) {
    const random = randomFor(options);
    const faults = new Map(
      folder
        .samples(fault.name)
        .map((sample) => [keyOf(conditionOf(sample)), String(sample.factors?.why)]),
    );
    const swept = sweptOf(folder.samples(heard.name));
    return {
      title: setup.title,
      summary:
        'Somebody is talking already; another one joins, and the time runs until the first sound.',
      headlines: headlinesOf(folder, faults, random),
      tables: [
        ...swept.flatMap((one) => {
          const read = (/** @type {string} */ name, /** @type {number | string} */ at) =>
            folder
              .samples(name)
              .filter(
                (sample) =>
                  one.sweep.holds(conditionOf(sample)) &&
                  conditionOf(sample)[one.sweep.factor] === at,
              );
          const tables = [
            orderTable(one, faults, random),
            heardTable(one, read, random),
            ...(options.browser ? [] : [partsTable(one, read)]),
          ];
          return one.sweep.name === 'rate' ? [...tables, productTable(one, read, random)] : tables;
        }),
        sentencesTable(swept, faults, random),
      ],
      plots: swept.filter(({ points }) => points.length > 1).map((one) => heardPlot(one, random)),
      notes: notesFor(options),
    };
  },
};

/** @param {number} least @param {number} most */
function numbers(least, most) {
  return (/** @type {string} */ text) => {
    if (text === 'none') return [];
    const list = text.split(',').map(Number);
    if (text.trim() !== '' && list.every((value) => value >= least && value <= most)) return list;
    throw new InvalidArgumentError(
      `must be numbers from ${least} to ${most}, separated by commas, or none`,
    );
  };
}

/** @param {Lab} lab @returns {Condition[]} */
function conditionsFor(lab) {
  const { asIs, roundTrips, losses, rates } = /** @type {any} */ (lab.options);
  if (asIs) return [AS_IS];
  if (lab.link.isEmulated) return conditionsOf({ roundTrips, losses, rates });
  lab.folder.warn(
    "Round trip, loss and rate were not set: loopback can't be shaped. Figures are of this " +
      'machine alone.',
  );
  return [AS_IS];
}

/**
 * @param {Lab} lab
 * @param {Condition} condition
 * @param {Leg['transport'][]} transports
 * @returns {Leg[]}
 */
function legsFor(lab, { lossPercent, rateKbits }, transports) {
  const isPlain =
    !lab.options.browser && [0, 'own'].includes(lossPercent) && [0, 'own'].includes(rateKbits);
  return transports.flatMap((transport) =>
    (isPlain ? KINDS[transport] : ['new']).map(
      (connection) => /** @type {Leg} */ ({ transport, connection }),
    ),
  );
}

/**
 * @param {Lab} lab @param {Joiner} joiner @param {Condition} condition @param {Leg[]} legs
 * @param {(what: string, share: number) => void} progress
 */
async function measureCondition(lab, joiner, condition, legs, progress) {
  const { repetitions, connections } = /** @type {any} */ (lab.options);
  const settings = settingsOf(condition);
  if (settings) await lab.link.set(settings);
  const faults = settings ? [faultOfPing(condition, await lab.link.ping(PINGS))] : [];
  const counts = { arrived: 0, lost: 0 };
  await joiner.load();
  for (let repetition = 0; repetition < repetitions; repetition++) {
    for (const i of legs.keys()) {
      const leg = legs[(i + repetition) % legs.length];
      progress(
        `${labelOf(leg)}, ${repetition + 1} of ${repetitions}`,
        (repetition + i / legs.length) / repetitions,
      );
      for (let n = 0; n < connections && hasTimeFor(lab, QUICK_SETUP_SECONDS); n++) {
        const { stats, ...times } = await setUp(lab, joiner, leg, quietMs(condition));
        record(lab, { condition, leg, repetition }, times, stats);
        for (const { arrived, lostRandom } of stats ? [stats.up, stats.down] : []) {
          counts.arrived += arrived.packets;
          counts.lost += lostRandom.packets;
        }
      }
    }
  }
  if (settings) faults.push(faultOfLoss(condition, counts));
  faults.push(await faultOfLoad(lab, joiner));
  for (const why of faults.filter((one) => one !== null)) noteFault(lab, condition, why);
}

/** @param {Condition} condition */
const quietMs = ({ roundTripMs }) => QUIET_MS + QUIET_ROUND_TRIPS * (Number(roundTripMs) || 0);

/**
 * One setup, with what crossed the link in the meantime.
 * @param {Lab} lab
 * @param {Joiner} joiner
 * @param {Leg} leg
 * @param {number} [quiet]
 */
async function setUp(lab, joiner, leg, quiet = QUIET_MS) {
  lab.signal.throwIfAborted();
  await joiner.prepare(leg);
  await lab.wait(quiet / 1000);
  await lab.link.reset();
  const times = await joiner.join(leg);
  const stats = await lab.link.stats();
  await joiner.leave();
  if (leg.connection === 'resumed' && times.isResumed === false)
    lab.folder.warn(`${labelOf(leg)}: a TLS session was not resumed.`);
  return { ...times, stats };
}

/**
 * @param {Lab} lab @param {{ condition: Condition, leg: Leg, repetition: number }} at
 * @param {import('../../setup/joiner.js').Setup} times
 * @param {import('../../link/link.js').LinkStats | null} stats
 */
function record(
  { folder, options },
  { condition, leg, repetition },
  { total, joined: joinedMs, parts },
  stats,
) {
  const sample = {
    protocol: leg.transport,
    repetition,
    client: '',
    atMs: folder.elapsedMs,
    factors: { ...condition, connection: leg.connection },
  };
  const add = (/** @type {string} */ name, /** @type {number} */ value) =>
    folder.record(name, { ...sample, value });
  add(heard.name, total);
  add(joined.name, joinedMs);
  for (const [part, ms] of Object.entries(parts)) add(part, ms);
  // In a browser the first sound is seen up to a fifth of a second later.
  if (!stats || options.browser || total === Infinity) return;
  add(bytesUp.name, stats.up.arrived.bytes);
  add(bytesDown.name, stats.down.arrived.bytes);
}

/** @param {Lab} lab @param {Joiner} joiner @returns {Promise<string | null>} */
async function faultOfLoad(lab, joiner) {
  const { latenessMs, cpuPercent } = await joiner.load();
  const lateMs = quantile(sorted(latenessMs), 0.99);
  if (isShort(lateMs, 0)) return `the speaker sent up to ${lateMs.toFixed(1)} ms late (p99)`;
  if (isShort(0, cpuPercent)) return `those who join took ${cpuPercent.toFixed(0)} % of a core`;
  // No sentence is made of a condition with a fault: others' needn't be withheld for it.
  lab.tellGenerator(latenessMs, cpuPercent);
  return null;
}

/** @param {Lab} lab @param {Condition} condition @param {string} why */
function noteFault({ folder }, condition, why) {
  folder.warn(
    `${wordsOf(condition)}: ${why}. Its figures are in the tables, and no sentence is ` +
      'made of them.',
  );
  folder.record(fault.name, {
    protocol: '',
    repetition: 0,
    client: '',
    atMs: folder.elapsedMs,
    value: 1,
    factors: { ...condition, connection: '', why },
  });
}

/**
 * @param {Samples} folder
 * @param {Map<string, string>} faults
 * @param {() => number} random
 * @returns {Headline[]}
 */
function headlinesOf(folder, faults, random) {
  const keys = [...conditionsOf({ roundTrips: [BASE_MS], losses: [], rates: [] }), AS_IS].map(
    keyOf,
  );
  const samples = folder
    .samples(heard.name)
    .filter((sample) => keys.includes(keyOf(conditionOf(sample))));
  if (samples.length === 0 || faults.has(keyOf(conditionOf(samples[0])))) return [];
  return newOf(legsOf(samples)).map((leg) => {
    const { value, interval } = toEstimate(
      summaryIntervals(valuesOf(samples, leg), { random }).p50,
    );
    return {
      label: `First sound, median, ${wordsOf(conditionOf(samples[0]))}`,
      unit: 'ms',
      protocol: leg.transport,
      value,
      interval,
    };
  });
}

/**
 * @param {ReturnType<typeof sweptOf>[number]} swept
 * @param {Map<string, string>} faults
 * @param {() => number} random
 * @returns {Table}
 */
function orderTable({ sweep, points }, faults, random) {
  return {
    name: `${sweep.name}Order`,
    title: `Over what sound is heard first, by ${sweep.label.toLowerCase()}`,
    caption:
      'By the median in ms, the lowest first, with intervals of 95 % confidence. Those of ' +
      'which no difference from the first of them is shown stand together.',
    columns: [columnOf(sweep), { label: 'Order' }],
    rows: points.map(({ at, samples }) => {
      const why = faults.get(keyOf(conditionOf(samples[0])));
      const sets = legsOf(samples).map((leg) => ({
        way: labelOf(leg),
        values: valuesOf(samples, leg),
      }));
      return [
        cellOf(at),
        why
          ? `withheld, since ${why}`
          : orderInWords(sets, (label) => label, random, LOWEST_MEDIAN),
      ];
    }),
  };
}

/**
 * @param {ReturnType<typeof sweptOf>} swept
 * @param {Map<string, string>} faults
 * @param {() => number} random
 * @returns {Table}
 */
function sentencesTable(swept, faults, random) {
  const sentences = swept.flatMap(({ sweep, points }) =>
    points.flatMap(({ at, samples }) => {
      const why = faults.get(keyOf(conditionOf(samples[0])));
      return why
        ? [`${sweep.where(at)}: withheld, since ${why}.`]
        : sentencesAt(sweep.where(at), samples, random);
    }),
  );
  return {
    name: 'sentences',
    isConclusion: true,
    title: 'What the intervals support',
    caption: 'Differences of medians; in brackets, their intervals of 95 % confidence.',
    columns: [{ label: 'In words' }],
    rows: [...new Set(sentences)].map((sentence) => [sentence]),
  };
}

/** @param {{ browser?: boolean, quick?: boolean }} options */
const notesFor = (options) => [
  ...(options.browser
    ? [
        "The page's own call runs in Chromium: it starts its worker and its codec, asks for " +
          "the server's configuration, connects, joins, asks the server for its clock once, " +
          "starts its sound, and plays. The worker's files are in the browser's cache, and " +
          'the server is asked whether they have changed.',
      ]
    : PARTS_NOTES),
  'The first sound is the first sample that differs from zero where the sound card would ' +
    'get it. Loading the page is not in it, nor is the sound card. The speaker makes no pauses.',
  `Joined: until the client's first question for the server's clock is answered; packets ` +
    'arrive meanwhile. It sends sound after eight of them, some 175 ms later, which is in ' +
    `no figure here but over HTTP/1. Who heard nothing within ${patienceOf(options)} s never did.`,
  'Time × rate: where it is the same at every rate, the difference is of bytes, since round ' +
    'trips take the same time at any rate. In table 6.1 of Nys (2024) HTTP/1.1 − ' +
    'WebTransport has 977 to 1 188 kbit of it, and in table 6.2 from 1 654 at the lowest rate ' +
    'to 1 156 at the highest: bytes, where the text names handshakes and a request. The round ' +
    "trip isn't given there; server and browser were on one machine.",
  ...worldNotes(options),
];

const PARTS_NOTES = [
  "The whole client of the page runs, without a page, knowing the server's configuration. " +
    "Connect: TCP and TLS, or QUIC's handshake. Session: WebTransport's settings and " +
    "CONNECT, WebSocket's upgrade; HTTP/1 has none. Join: until the welcome. First packet: " +
    "the first with others' sound. First sample: until it is played, for which packets must " +
    "have passed both ways. Over HTTP/1 others' sound comes as answers to the client's own, " +
    "which it sends when it has measured the server's clock by eight exchanges.",
  'Everything is encrypted: HTTPS and WSS by TLS 1.3, with one small certificate; an ' +
    "authority's chain has some kilobytes more. A resumed TLS session saves the certificate " +
    'and its signature, and no round trip. A connection kept open is that over which a page ' +
    'would have been fetched.',
  "WebTransport's session takes one round trip: the native engine's server sends its " +
    'settings, for which CONNECT waits, behind its part of the handshake.',
  "WebTransport has new connections only: the native engine's server gives tickets and " +
    'takes no early data (0-RTT), and its client keeps the tickets of one connection for ' +
    'none other.',
  'Bytes: IP packets sent into the link, those that it lost included. Nothing else crosses ' +
    "it: the speaker is at the server's end.",
];

/**
 * Chooses the ways or topologies that this machine has; the others are left out by name.
 * @param {{ folder: { warn: (warning: string) => void } }} lab
 * @param {Readonly<Record<string, { missing: () => Promise<string | null> }>>} all
 * @param {readonly string[]} names  requested ones
 * @param {string} kind  of things, as in 'ways'
 * @returns {Promise<string[]>} names of the available ones
 * @throws {Error} if none is available
 */
export async function usableOf({ folder }, all, names, kind) {
  const usable = [];
  for (const name of names) {
    const missing = await all[name].missing();
    if (missing) folder.warn(`Left out: ${name}. ${missing}`);
    else usable.push(name);
  }
  if (usable.length === 0) throw new Error(`none of the ${kind} can be had here`);
  return usable;
}
