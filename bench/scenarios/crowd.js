/**
 * The cost of large rooms for the server: CPU, lateness of the tick, received audio, and the
 * latency that the server adds.
 * @import { Lab } from './lab.js'
 * @import { Samples, Scenario } from './scenario.js'
 * @import { Target } from './targets.js'
 * @import { Quantity, Table } from '../report/result.js'
 *
 * @typedef {(quantity: Quantity, value: number, client?: string) => void} Add records one of a case
 */

import { codecPassMs } from '../codec/pass.js';
import { OPTIONS } from '../../server/config/options.js';
import {
  BEFORE,
  HERE,
  againstOption,
  inTurn,
  ratioTables,
  samplesOf,
  serverFactor,
} from './against.js';
import { addProcessors, measureBlocks, processorQuantities, randomFor } from './scenario.js';
import { JAMULUS, lackOfJamulus } from '../peers/jamulus.js';
import { intervalWords, targetsTable } from './targets.js';
import { namesOf, wholeNumber } from '../options.js';
import { Child, MachineMeter } from '../../testkit/participants/child.js';
import { MAIN } from '../participants/server-profile.js';
import { meanEstimate } from '../report/quantity-views.js';
import { valuesByRepetition } from '../report/result.js';
import { bootstrap } from '../stats/bootstrap.js';
import {
  addedMs,
  busiestPercent,
  latenessOf,
  parseCase,
  receivedShares,
} from '../stats/crowd-figures.js';
import { mean, quantile, sorted } from '../../testkit/statistics.js';

/** One in this many participants has each packet's arrival noted. */
const WATCHED_STEP = 10;

/**
 * Cases with targets. `50/50` has the server's default number of speakers in the mix. Further cases
 * have musicians, or let the server choose Opus's complexity.
 */
const FULL_ROOM = '50/50k50';
const SMALL_ROOM = '10/10';
const MUSICIANS = '25/25k25f2.5';
const CASES = Object.freeze(['500/3', FULL_ROOM, '50/50', '50x10/2', MUSICIANS, '50/50k50cauto']);

const JAMULUS_NOTE =
  "jamulus: its server with as many of its own clients on JACK's dummy sound card, in frames of " +
  '128 samples; all of them send the tones of jack_iodelay. CPU and memory are those of the ' +
  "server's process. Its clients take much more, so a run with too little idle time says so.";

/** Most from a packet's arrival to the mix's leaving, in milliseconds, by case. */
const THROUGH_MS = new Map([
  [SMALL_ROOM, 5],
  ['25/25k25', 6],
  [FULL_ROOM, 8],
]);

/** Most resident memory of the server with the full room, and for ten more people, in MB. */
const RESIDENT_MB = 85;
const TEN_MORE_MB = 3;

const factors = [{ name: 'rooms', label: 'Case', unit: '' }, serverFactor];

const processors = processorQuantities(factors);

/** @type {Record<string, Quantity>} */
const quantities = {
  ...processors,
  lateness: { name: 'tickLateness', label: 'Lateness of the tick', unit: 'ms', factors },
  received: { name: 'received', label: 'Received, of those who talk', unit: '%', factors },
  arrived: { name: 'arrived', label: 'Arrived at those who listen', unit: '%', factors },
  added: { name: 'added', label: 'Added by the server', unit: 'ms', factors },
  through: { name: 'through', label: 'Packet in to mix out', unit: 'ms', factors },
  resident: { name: 'resident', label: "The server's resident memory", unit: 'MB', factors },
  part: {
    name: 'partCpu',
    label: "The server's CPU, by part",
    unit: '% of a core',
    factors: [...factors, { name: 'part', label: 'Part', unit: '' }],
  },
};

/** @type {Scenario} */
export const crowd = {
  name: 'crowd',
  title: 'Rooms of many',
  description:
    'rooms of many, few or all of whom talk: CPU, lateness of the tick, what arrives, what ' +
    'the server adds',
  quantities: Object.values(quantities),
  lacks: ['transports', 'browser'],
  defaults: { duration: 30, repetitions: 5, format: 'call', transports: ['webtransport'] },
  addOptions: (command) => {
    command
      .option(
        '--cases <list>',
        "separated by commas: [ROOMSx]PEOPLE/TALKING, people and talking in each room, 'k' " +
          "with the most who are mixed, 'c' with a complexity of Opus of their own, 'f' " +
          "with frames of so many ms, 't' with packets that leave together",
        namesOf(parseCase),
        CASES,
      )
      .option(
        '--workers <count>',
        'worker threads that have the rooms; 0: the main thread',
        wholeNumber(0, 256),
        0,
      )
      .option('--profile', "where the server's CPU goes, part by part; it takes some itself", false)
      .option(
        '--jamulus',
        "Jamulus's server beside it, with real clients, in rooms where all talk",
        false,
      )
      .addOption(
        againstOption({
          cases: [FULL_ROOM, '25/25k25', SMALL_ROOM],
          repetitions: 5,
          jamulus: true,
        }),
      );
  },

  async measure(lab) {
    const { against, jamulus } = /** @type {any} */ (lab.options);
    const lack = jamulus ? lackOfJamulus() : null;
    if (lack) lab.folder.warn(lack);
    const blocks = blocksOf(/** @type {any} */ (lab.options), lack === null);
    await measureBlocks(lab, blocks, ({ name, repetition, server, seconds }) =>
      server === JAMULUS_SERVER
        ? measureJamulus(lab, name, repetition, seconds)
        : measureCase(lab, name, repetition, seconds, server === BEFORE ? against : undefined),
    );
  },

  result(measured, options) {
    const folder = samplesOf(measured);
    return {
      title: crowd.title,
      summary:
        'Rooms on loopback, Opus at 48 kHz, in frames of 20 ms but where it says another; ' +
        'who talks sends real speech in each frame, who is silent a packet every 200 ms.',
      headlines: options.cases.map((/** @type {string} */ name) => ({
        label: `CPU, ${wordsOf(name, options)}`,
        unit: '% of a core',
        protocol: '',
        value: mean(valuesOf(folder, quantities.cpu, name)),
        digits: 0,
      })),
      tables: [
        targetsTable(
          options.cases.flatMap((/** @type {string} */ name) => targetsOf(folder, name, options)),
        ),
        ...ratioTables(measured, barsOf(options.cases), options),
        tableOf(folder, options),
        ...(options.profile ? [profileOf(folder, options)] : []),
      ],
      plots: [],
      notes: [
        "CPU is the server process's own, QUIC's threads included, as the operating system " +
          'counts it. The generator is another process of the same machine: where both ' +
          "together take all of its cores, lateness is the machine's.",
        'Lateness of the tick: how long after a frame was due its mix began. Received: of ' +
          'the frames that talkers sent, those that were there when they were mixed, ' +
          "recovered ones among them, by the server's own count. Arrived: of the packets of " +
          'the time that the server sent to a listener, by their sequence numbers, ' +
          'those that came.',
        'Added by the server: from when a frame was due (its end + D) to the arrival of the ' +
          'packet that holds it at a listener, less half of the least round trip and less ' +
          'one pass of the codec (one frame encoded and decoded). Known where there is one room.',
        "Packet in to mix out: from a talker's sending of a frame to the arrival of the mix that " +
          'holds it, less the least round trip; the mean over frames, and over all pairs of a ' +
          'talker and a watched listener. It holds D and the codec, but not the offset of ' +
          'whole frames by which a straggler is heard later (docs/delay.md).',
        'At complexity auto the server goes down from 8 to 0 while mixing takes more than ' +
          'half of a processor.',
        `Packets leave at ten times of each frame, as sound cards don't end their frames ` +
          `together; in cases with 't' at its end, where pages place their sound. One in ` +
          `${WATCHED_STEP} has its arrivals noted.`,
        ...(options.jamulus ? [JAMULUS_NOTE] : []),
        ...(options.workers > 0
          ? [
              `The rooms are in ${options.workers} worker threads. Lateness is from their ` +
                'histograms; the thread that mixes is the busiest of them, by its processor time.',
            ]
          : []),
      ],
    };
  },
};

/** Idle time of the machine, in percent of a core, below which a peer's server may lack time. */
const LEAST_IDLE_PERCENT = 10;

/** Jamulus, as a server's name. */
const JAMULUS_SERVER = 'jamulus';

/**
 * Greatest ratio of CPU to that of an earlier state, and of Jamulus, by case.
 * @type {Readonly<Record<string, Readonly<Record<string, number>>>>}
 */
const RATIOS = Object.freeze({
  [FULL_ROOM]: { [BEFORE]: 0.6, [JAMULUS_SERVER]: 0.5 },
  [SMALL_ROOM]: { [BEFORE]: 0.6 },
});

/**
 * True when Jamulus can be measured with a case: it has one room, and mixes all who talk.
 * @param {string} name
 */
const isOfJamulus = (name) => {
  const { rooms, people, talking, mixed } = parseCase(name);
  return rooms === 1 && talking === people && (mixed === null || mixed >= people);
};

/**
 * The blocks of a run in their order: in each repetition all cases, of each the servers by turns.
 * @param {{ cases: string[], repetitions: number, duration: number, against?: string, jamulus?:
 *   boolean }} options
 * @param {boolean} [hasJamulus]
 */
export function blocksOf({ cases, repetitions, duration, against, jamulus }, hasJamulus = true) {
  return Array.from({ length: repetitions }, (_, repetition) =>
    cases.flatMap((name) => {
      const servers = [
        HERE,
        ...(against === undefined ? [] : [BEFORE]),
        ...(jamulus && hasJamulus && isOfJamulus(name) ? [JAMULUS_SERVER] : []),
      ];
      return inTurn(servers, repetition).map((server) => ({
        name,
        repetition,
        server,
        seconds: duration / repetitions,
      }));
    }),
  ).flat();
}

/** @param {readonly string[]} cases @returns {import('./against.js').Bar[]} */
const barsOf = (cases) =>
  cases.flatMap((name) =>
    [BEFORE, JAMULUS_SERVER].flatMap((server) =>
      [quantities.cpu, quantities.resident, quantities.through].map((quantity) => ({
        what: `${quantity.label}, ${name} (${quantity.unit})`,
        server,
        quantity,
        belongs: (/** @type {import('../report/result.js').Sample} */ { factors: its }) =>
          its?.rooms === name,
        limit: quantity === quantities.cpu ? (RATIOS[name]?.[server] ?? null) : null,
      })),
    ),
  );

/**
 * Starts a server, and has all join.
 * @param {Lab} lab
 * @param {string} name
 * @param {string} [checkout]  folder of another checkout whose server is started
 * @returns {Promise<Child>} the crowd's process
 */
async function startCase(lab, name, checkout) {
  const { rooms, people, talking, mixed, complexity, frameMs, together } = parseCase(name);
  const hasMost = OPTIONS.some((option) => option.name === 'max-speakers');
  if (mixed !== null && !hasMost) lab.folder.warn(`${name}: this server mixes all who talk.`);
  const most = mixed !== null && hasMost ? ['--max-speakers', String(mixed)] : [];
  const all = rooms * people;
  const { workers = 0 } = /** @type {any} */ (lab.options);
  const own = [
    ...(complexity === null ? [] : ['--complexity', complexity]),
    ...(frameMs === null ? [] : ['--application', 'low-delay', '--frame-ms', String(frameMs)]),
  ];
  const child = await lab.startCrowd(
    [
      '--max-participants',
      String(people),
      '--max-sessions',
      String(all + 50),
      '--max-rooms',
      String(rooms),
      '--workers',
      String(workers),
      ...own,
      ...most,
    ],
    'ticks',
    checkout,
  );
  await child.call('joinAll', {
    people: Array.from({ length: all }, (_, i) => {
      const number = Math.floor(i / rooms);
      return {
        id: `P${i}`,
        room: `room-${i % rooms}`,
        talks: number < talking,
        watched: number % WATCHED_STEP === 0 && i % rooms === 0,
        together,
      };
    }),
  });
  lab.signal.throwIfAborted();
  return child;
}

/**
 * Measures one case, and records it in the lab's folder.
 * @param {Lab} lab @param {string} name @param {number} repetition @param {number} seconds
 * @param {string} [checkout]  folder of another checkout whose server is measured
 */
export async function measureCase(lab, name, repetition, seconds, checkout) {
  const { profile = false, workers = 0 } = /** @type {any} */ (lab.options);
  const { rooms, frameMs } = parseCase(name);
  const child = await startCase(lab, name, checkout);
  const its = { rooms: name, server: checkout === undefined ? HERE : BEFORE };
  await lab.wait(2 * lab.options.warmUp);
  const atMs = lab.folder.elapsedMs;
  const before = await receptions(lab, rooms);
  const statesBefore = await lab.server.call('states');
  await lab.server.call('begin', { profile });
  await child.call('note');
  const machine = new MachineMeter();
  await lab.wait(seconds);
  const taken = machine.take();
  const server = await lab.server.call('collect');
  const states = await lab.server.call('states');
  const notes = await child.call('take');
  const after = await receptions(lab, rooms);
  lab.tellGenerator(notes.latenessMs, notes.cpuPercent);
  /** @type {Add} */
  const add = (quantity, value, client = '') =>
    lab.folder.record(quantity.name, {
      protocol: '',
      repetition,
      client,
      atMs,
      value,
      factors: its,
    });
  // Where there are workers, the busiest of them is the thread that limits.
  const loopPercent =
    workers > 0 ? busiestPercent(statesBefore, states, seconds) : server.loopPercent;
  addProcessors(add, processors, {
    server: { ...server, loopPercent },
    generatorPercent: notes.cpuPercent,
    machine: taken,
  });
  add(quantities.resident, server.rssBytes / 1e6);
  for (const ms of workers > 0 ? latenessOf(statesBefore, states) : server.tickLatenessMs)
    add(quantities.lateness, ms);
  for (const { id, percent } of receivedShares(before, after))
    add(quantities.received, percent, id);
  for (const { id, talks, streams } of notes.people) {
    const { received, sent } = streams[Number(talks)];
    if (sent > 0) add(quantities.arrived, (100 * received) / sent, id);
  }
  for (const [part, percent] of partsOf(server.profile)) {
    lab.folder.record(quantities.part.name, {
      protocol: '',
      repetition,
      client: '',
      atMs,
      value: percent,
      factors: { ...its, part },
    });
  }
  if (rooms === 1)
    addDelays(add, { due: server.due, notes, codecMs: await codecPassMs(frameMs ?? 20) });
}

/**
 * Records what the server adds to sound, which is known where there is one room.
 * @param {Add} add
 * @param {{ due: { frame: number, atMs: number }[], notes: any, codecMs: number }} measured
 */
function addDelays(add, { due, notes, codecMs }) {
  for (const ms of addedMs(due, notes.people))
    add(quantities.added, ms - notes.roundTripMs / 2 - codecMs);
  for (const { throughMs } of notes.people)
    for (const ms of throughMs) add(quantities.through, ms - notes.roundTripMs);
}

/**
 * Measures Jamulus's server with a room of as many, while aloud's doesn't run.
 * @param {Lab} lab @param {string} name @param {number} repetition @param {number} seconds
 */
async function measureJamulus(lab, name, repetition, seconds) {
  await lab.close();
  const child = new Child(JAMULUS, lab.link.server.exec);
  try {
    await child.call('start', { people: parseCase(name).people });
    await lab.wait(2 * lab.options.warmUp);
    const atMs = lab.folder.elapsedMs;
    await child.call('begin');
    const machine = new MachineMeter();
    await lab.wait(seconds);
    const { idlePercent } = machine.take();
    const { cpuPercent, clientsPercent, rssBytes } = await child.call('collect');
    if (idlePercent < LEAST_IDLE_PERCENT)
      lab.folder.warn(
        `jamulus, ${name}: its clients took ${clientsPercent.toFixed(0)} % of a core, and ` +
          `${idlePercent.toFixed(0)} % were idle: its server may have lacked processor time.`,
      );
    for (const [quantity, value] of /** @type {const} */ ([
      [quantities.cpu, cpuPercent],
      [quantities.resident, rssBytes / 1e6],
      [quantities.generator, clientsPercent],
      [quantities.idle, idlePercent],
    ]))
      lab.folder.record(quantity.name, {
        ...{ protocol: '', repetition, client: '' },
        ...{ atMs, value, factors: { rooms: name, server: JAMULUS_SERVER } },
      });
  } finally {
    await child.close();
  }
}

/** The server's statistics of all participants. @param {Lab} lab @param {number} rooms */
async function receptions(lab, rooms) {
  const all = [];
  for (let i = 0; i < rooms; i++)
    all.push(...((await lab.server.call('room', { room: `room-${i}` }))?.people ?? []));
  return all;
}

/** @param {Samples} folder @param {Quantity} quantity @param {string} name */
const valuesOf = (folder, quantity, name) =>
  folder
    .samples(quantity.name)
    .filter(({ factors: { rooms } = {} }) => rooms === name)
    .map(({ value }) => value);

/** @param {string} name @param {{ complexity: string }} options */
function wordsOf(name, options) {
  const { rooms, people, talking, mixed, complexity, frameMs, together } = parseCase(name);
  const who = talking === people ? 'all talk' : `${talking} talk`;
  return (
    `${rooms > 1 ? `${rooms} rooms of` : 'one room of'} ${people}, ` +
    `${who}${mixed === null ? '' : `, ${mixed} mixed`}, complexity ` +
    `${complexity ?? options.complexity}${frameMs === null ? '' : `, frames of ${frameMs} ms`}` +
    (together ? ', packets together' : '')
  );
}

/**
 * @param {Samples} folder
 * @param {string} name
 * @param {{ complexity: string, seed: number }} options
 * @returns {Target[]}
 */
function targetsOf(folder, name, options) {
  const of = (/** @type {Quantity} */ quantity) => valuesOf(folder, quantity, name);
  const what = wordsOf(name, options);
  const cores = (/** @type {Quantity} */ quantity) => (mean(of(quantity)) / 100).toFixed(2);
  const beside =
    `beside it the generator took ${cores(quantities.generator)} cores, other programs ` +
    `${cores(quantities.others)}; ${cores(quantities.idle)} were idle`;
  const random = randomFor(options);
  const interval = (
    /** @type {Quantity} */ quantity,
    /** @type {import('../stats/bootstrap.js').Statistic} */ statistic,
  ) => intervalOf(folder, quantity, name, statistic, random);
  const p99 = (/** @type {Float64Array} */ all) => [quantile(all, 0.99)];
  /** @param {number} limit @returns {Target} */
  const cpu = (limit) => {
    const { estimate, low, high } = interval(quantities.cpu, means);
    return {
      what: `CPU, ${what}`,
      limit,
      reached: estimate / 100,
      unit: 'cores',
      digits: 2,
      why:
        `${intervalWords({ estimate, low: low / 100, high: high / 100 }, 'cores', 2)}; ` + beside,
    };
  };
  /** @returns {Target} */
  const lateness = () => {
    const late = interval(quantities.lateness, p99);
    return {
      what: `Tick's lateness p99, ${what}`,
      limit: 5,
      reached: late.estimate,
      unit: 'ms',
      digits: 1,
      why:
        `${intervalWords(late, 'ms', 1)}; p50 ` +
        `${quantile(sorted(of(quantities.lateness)), 0.5).toFixed(1)} ms; the thread that ` +
        `mixes was busy for ${mean(of(quantities.loop)).toFixed(0)} % of the time`,
    };
  };
  /** @returns {Target} */
  const received = () => {
    const share = interval(quantities.received, means);
    return {
      what: `Received, ${what}`,
      is: '≥',
      limit: 99.9,
      reached: share.estimate,
      unit: '%',
      digits: 2,
      why:
        `${intervalWords(share, '%', 2)}; arrived at listeners: ` +
        `${mean(of(quantities.arrived)).toFixed(2)} %`,
    };
  };
  /** @returns {Target} */
  const people = () => ({
    what: `People a core, ${what}`,
    is: '≥',
    limit: 400,
    reached: (100 * parseCase(name).rooms * parseCase(name).people) / mean(of(quantities.cpu)),
    unit: 'people',
    digits: 0,
    why: beside,
  });
  if (name === '500/3' || name === MUSICIANS) return [cpu(1), lateness(), received()];
  if (name === '50x10/2') return [cpu(1.2), people(), lateness(), received()];
  if (name === '1000/3') return [lateness(), received()];
  if (name !== FULL_ROOM && name !== '50/50') return throughTargets(folder, name, options);
  const late = interval(quantities.added, p99);
  const added = addedTarget(what, sorted(of(quantities.added)), late);
  return [
    ...[cpu(0.45), added],
    ...throughTargets(folder, name, options),
    ...residentTargets(folder, name, options),
  ];
}

/**
 * @param {Samples} folder
 * @param {Quantity} quantity
 * @param {string} name  of a case
 * @param {import('../stats/bootstrap.js').Statistic} statistic
 * @param {() => number} random seeded
 */
const intervalOf = (folder, quantity, name, statistic, random) =>
  bootstrap(
    valuesByRepetition(
      folder.samples(quantity.name),
      ({ factors: { rooms } = {} }) => rooms === name,
    ),
    statistic,
    { random },
  )[0];

const means = (/** @type {Float64Array} */ all) => [mean(all)];

/**
 * @param {Samples} folder
 * @param {string} name
 * @param {{ complexity: string, seed: number }} options
 * @returns {Target[]}
 */
function throughTargets(folder, name, options) {
  const limit = THROUGH_MS.get(name);
  if (limit === undefined) return [];
  const reached = intervalOf(folder, quantities.through, name, means, randomFor(options));
  return [
    {
      what: `Packet in to mix out, ${wordsOf(name, options)}`,
      limit,
      reached: reached.estimate,
      unit: 'ms',
      digits: 1,
      why: intervalWords(reached, 'ms', 1),
    },
  ];
}

/**
 * @param {Samples} folder
 * @param {string} name
 * @param {{ complexity: string, seed: number }} options
 * @returns {Target[]}
 */
function residentTargets(folder, name, options) {
  if (name !== FULL_ROOM) return [];
  const reached = intervalOf(folder, quantities.resident, name, means, randomFor(options));
  const small = mean(valuesOf(folder, quantities.resident, SMALL_ROOM));
  const more = parseCase(name).people - parseCase(SMALL_ROOM).people;
  const ten = (10 * (reached.estimate - small)) / more;
  const common = { unit: 'MB', digits: 1 };
  return [
    {
      ...common,
      what: `Resident memory, ${wordsOf(name, options)}`,
      limit: RESIDENT_MB,
      reached: reached.estimate,
      why: intervalWords(reached, 'MB', 1),
    },
    {
      ...common,
      what: 'Resident memory of ten more people',
      limit: TEN_MORE_MB,
      reached: ten,
      why: `from ${SMALL_ROOM} to ${name}`,
    },
  ];
}

/**
 * @param {string} what
 * @param {ArrayLike<number>} added sorted, in milliseconds
 * @param {Parameters<typeof intervalWords>[0]} p99
 * @returns {Target}
 */
const addedTarget = (what, added, p99) => ({
  what: `Added by the server, p99, ${what}`,
  limit: 12,
  reached: p99.estimate,
  unit: 'ms',
  digits: 1,
  why:
    `${intervalWords(p99, 'ms', 1)}; mean ${mean(added).toFixed(1)} ms, p50 ` +
    `${quantile(added, 0.5).toFixed(1)} ms`,
});

/**
 * @param {Samples} folder
 * @param {{ cases: string[], complexity: string, seed: number }} options
 * @returns {Table}
 */
function tableOf(folder, options) {
  const { cases } = options;
  const random = randomFor(options);
  const rows = cases.map((name) => {
    const share = (/** @type {Quantity} */ quantity) =>
      meanEstimate(
        folder.samples(quantity.name),
        ({ factors: { rooms } = {} }) => rooms === name,
        random,
      );
    const of = (/** @type {Quantity} */ quantity) => sorted(valuesOf(folder, quantity, name));
    const [lateness, added] = [of(quantities.lateness), of(quantities.added)];
    return [
      wordsOf(name, options),
      mean(of(quantities.cpu)),
      mean(of(quantities.generator)),
      mean(of(quantities.others)),
      mean(of(quantities.idle)),
      known(mean(of(quantities.resident))),
      known(quantile(lateness, 0.5)),
      known(quantile(lateness, 0.99)),
      share(quantities.received),
      share(quantities.arrived),
      known(quantile(added, 0.5)),
      known(quantile(added, 0.99)),
      meanEstimate(
        folder.samples(quantities.through.name),
        ({ factors: { rooms: its } = {} }) => its === name,
        random,
      ),
    ];
  });
  const columns = [
    { label: 'Rooms' },
    { label: 'CPU', unit: '% of a core', digits: 0 },
    { label: 'Generator', unit: '% of a core', digits: 0 },
    { label: 'Others', unit: '% of a core', digits: 0 },
    { label: 'Idle', unit: '% of a core', digits: 0 },
    { label: 'Resident', unit: 'MB', digits: 0 },
    { label: 'Tick late, p50', unit: 'ms', digits: 2 },
    { label: 'p99', unit: 'ms', digits: 2 },
    { label: 'Received', unit: '%', digits: 2 },
    { label: 'Arrived', unit: '%', digits: 2 },
    { label: 'Added, p50', unit: 'ms', digits: 1 },
    { label: 'p99', unit: 'ms', digits: 1 },
    { label: 'Packet in to mix out', unit: 'ms', digits: 1 },
  ];
  return { name: 'crowd', title: 'What rooms of many cost the server', columns, rows };
}

/**
 * The parts of a server's CPU: of JavaScript's thread by activity, and the other threads by
 * their names.
 * @param {import('../participants/server-profile.js').ProfileShares | null} profile
 * @returns {[string, number][]}
 */
function partsOf(profile) {
  if (profile === null) return [];
  const threads = Object.entries(profile.threads).filter(([name]) => name !== MAIN);
  return [
    ...Object.entries(profile.parts),
    ...threads.map(
      ([name, percent]) => /** @type {[string, number]} */ ([`thread ${name}`, percent]),
    ),
  ];
}

/**
 * @param {Samples} folder
 * @param {{ cases: string[], complexity: string }} options
 * @returns {Table}
 */
function profileOf(folder, options) {
  const samples = folder.samples(quantities.part.name);
  const parts = [...new Set(samples.map(({ factors: its }) => String(its?.part)))];
  const rows = parts.map((part) => [
    part,
    ...options.cases.map((name) =>
      known(
        mean(
          samples
            .filter(({ factors: its }) => its?.rooms === name && its.part === part)
            .map(({ value }) => value),
        ),
      ),
    ),
  ]);
  const all = options.cases.map((_, i) =>
    rows.reduce((sum, row) => sum + (Number(row[i + 1]) || 0), 0),
  );
  return {
    name: 'profile',
    title: "Where the server's CPU goes",
    caption:
      "Of JavaScript's thread, by its profiler; of other threads, as the operating system " +
      'counts them.',
    columns: [
      { label: 'Part' },
      ...options.cases.map((name) => ({
        label: wordsOf(name, options),
        unit: '% of a core',
        digits: 1,
      })),
    ],
    rows: [...rows.sort((a, b) => Number(b[1]) - Number(a[1])), ['all', ...all]],
  };
}

/** @param {number} value */
const known = (value) => (Number.isFinite(value) ? value : null);
