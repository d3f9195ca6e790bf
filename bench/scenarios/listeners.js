/**
 * One room for thousands: the cost of listeners to the server, and the effect on the others when
 * all of them come at once.
 * @import { Child } from '../../testkit/participants/child.js'
 * @import { Lab } from './lab.js'
 * @import { Samples, Scenario } from './scenario.js'
 * @import { Target } from './targets.js'
 * @import { Quantity, Table } from '../report/result.js'
 */

import { RATES } from '../../public/shared/sound/audio-format.js';
import { MachineMeter } from '../../testkit/participants/child.js';
import { mean, quantile, sorted } from '../../testkit/statistics.js';
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
import { targetsTable } from './targets.js';
import { meanEstimate } from '../report/quantity-views.js';
import { namesOf } from '../options.js';

/** People of the room who aren't of the audience: they talk, but for the last, who is silent. */
const PEOPLE = 4;

/**
 * Listeners by default: as many at each stride as two cores have room for, beside the process that
 * plays them.
 */
const CASES = Object.freeze(['1000s3', '600s1']);

/** Listeners who are there before memory is read first: what comes once isn't one listener's. */
const FIRST = 50;

/** One in this many listeners has each packet's arrival noted. */
const WATCHED_STEP = 50;

/**
 * The time in which listeners of a broadcast come to the rate that they ask for, in seconds: two
 * probes.
 */
const PROBES_SECONDS = 10;

/** Pause before memory is read, in seconds. */
const SETTLE_SECONDS = 2;

/**
 * Targets: listeners a core with packets of 20 and 60 ms, heap of one listener, and the talkers'
 * longest gap in the meantime.
 */
const A_CORE = Object.freeze(/** @type {Record<string, number>} */ ({ 1: 2000, 3: 4000 }));
const HEAP_KB = 10;
const GAP_MS = 60;

const factors = [{ name: 'listeners', label: 'Case', unit: '' }, serverFactor];

const processors = processorQuantities(factors);

/** @type {Record<string, Quantity>} */
const quantities = {
  ...processors,
  lateness: { name: 'tickLateness', label: 'Lateness of the tick', unit: 'ms', factors },
  arrived: { name: 'arrived', label: 'Arrived at listeners', unit: '%', factors },
  coming: { name: 'coming', label: 'Time in which all have come', unit: 's', factors },
  gap: {
    name: 'gap',
    label: 'Longest gap of those who talk, while the others come',
    unit: 'ms',
    factors,
  },
  comingLateness: {
    name: 'comingLateness',
    label: 'Lateness of the tick, while they come',
    unit: 'ms',
    factors,
  },
  heap: { name: 'heap', label: 'JavaScript heap of one listener', unit: 'KB', factors },
};

/**
 * @param {string} name '1000s3': 1000 listeners, three frames to a packet; '1000sauto': as many as
 *   the server chooses
 * @throws {TypeError}
 */
function parseCase(name) {
  const found = /^(\d{2,5})s([123]|auto)$/.exec(name);
  if (!found || Number(found[1]) <= FIRST || Number(found[1]) > 3000)
    throw new TypeError(
      `'${name}' is not like 1000s3 or 1000sauto, with ${FIRST + 1} to 3000 listeners`,
    );
  return { count: Number(found[1]), stride: found[2] };
}

/** @type {Scenario} */
export const listeners = {
  name: 'listeners',
  title: 'One room for thousands',
  description:
    'those who only listen: how many for each core, what one takes of the heap, and their ' +
    'coming all at once',
  quantities: Object.values(quantities),
  lacks: ['transports', 'browser'],
  defaults: { duration: 15, repetitions: 1, format: 'call', transports: ['webtransport'] },
  addOptions: (command) => {
    command.option(
      '--cases <list>',
      "separated by commas: LISTENERS's'STRIDE, how many listen and how many frames there " +
        "are to a packet, or 'auto'",
      namesOf(parseCase),
      CASES,
    );
    command.option(
      '--rates',
      'the room is a broadcast whose listeners want all of its bit rates, as many each; ' +
        "without it they all get the room's 48 kb/s",
      false,
    );
    command.addOption(againstOption({ repetitions: 5, duration: 40 }));
  },

  async measure(lab) {
    const { against } = /** @type {any} */ (lab.options);
    const blocks = blocksOf(/** @type {any} */ (lab.options));
    await measureBlocks(lab, blocks, ({ server, ...block }) =>
      measureCase(lab, { ...block, checkout: server === BEFORE ? against : undefined }),
    );
  },

  result(measured, { cases, rates, seed }) {
    const folder = samplesOf(measured);
    const sound = rates
      ? `a broadcast at ${RATES.map((rate) => rate / 1000).join(', ')} kb/s, as many listeners each`
      : '48 kb/s';
    return {
      title: listeners.title,
      summary:
        `One room on loopback; ${PEOPLE - 1} talk in each frame, the others only listen. 20 ` +
        `ms Opus at 48 kHz, ${sound}.`,
      headlines: cases.map((/** @type {string} */ name) => ({
        label: `Listeners a core, ${wordsOf(name)}`,
        unit: '',
        protocol: '',
        value: aCore(folder, name),
        digits: 0,
      })),
      tables: [
        targetsTable(cases.flatMap((/** @type {string} */ name) => targetsOf(folder, name))),
        ...ratioTables(measured, barsOf(cases), { seed }),
        tableOf(folder, cases, seed),
      ],
      plots: [],
      notes: [
        "Listeners a core: the listeners, divided by the server process's CPU in cores, " +
          "QUIC's threads and the mixing of those who talk included. The generator, which " +
          "isn't counted, is another process of the same machine; each of its listeners " +
          'sends a clock request every 2 s and acknowledges what it gets.',
        'Lateness of the tick: how long after a frame was due its mix began. Arrived: of ' +
          'the packets between the first and the last that a listener got, those that came.',
        'Longest gap: between two packets, one after the other, of those who talk and of ' +
          'one who is silent, in a process of their own, while all listeners join. Packets ' +
          'come every 20 ms.',
        `Heap: what all listeners but the first ${FIRST} take of the heap of V8 together, ` +
          `garbage collected, divided by their number. What QUIC keeps of a session isn't in it.`,
      ],
    };
  },
};

/**
 * The blocks of a run in their order: in each repetition all cases, of each the servers by turns.
 * @param {{ cases: string[], repetitions: number, duration: number, against?: string }} options
 */
export const blocksOf = ({ cases, repetitions, duration, against }) =>
  Array.from({ length: repetitions }, (_, repetition) =>
    cases.flatMap((name) =>
      inTurn(against === undefined ? [HERE] : [HERE, BEFORE], repetition).map((server) => ({
        name,
        server,
        repetition,
        seconds: duration / repetitions,
      })),
    ),
  ).flat();

/** @param {readonly string[]} cases @returns {import('./against.js').Bar[]} */
const barsOf = (cases) =>
  cases.map((name) => ({
    what: `${quantities.cpu.label}, ${wordsOf(name)} (${quantities.cpu.unit})`,
    server: BEFORE,
    quantity: quantities.cpu,
    belongs: ({ factors: its }) => its?.listeners === name,
    limit: null,
  }));

/**
 * @param {Lab} lab
 * @param {object} block
 * @param {string} block.name
 * @param {number} block.repetition
 * @param {number} block.seconds
 * @param {string} [block.checkout]  folder of another checkout whose server is measured
 */
async function measureCase(lab, { name, repetition, seconds, checkout }) {
  const { count, stride } = parseCase(name);
  const most = String(count + PEOPLE + 10);
  const { rates } = /** @type {any} */ (lab.options);
  const broadcast = rates ? ['--listener-bitrate', String(RATES[RATES.length - 1])] : [];
  const people = await lab.startCrowd(
    // The stride as the release before spells it, whose server may be measured: --against.
    ['--max-participants', most, '--max-sessions', most, '--listener-stride', stride, ...broadcast],
    'ticks',
    checkout,
  );
  const audience = await lab.startSecondCrowd();
  await people.call('joinAll', {
    people: Array.from({ length: PEOPLE }, (_, i) => ({
      id: `P${i}`,
      room: 'hall',
      talks: i < PEOPLE - 1,
      watched: true,
    })),
  });
  if (rates)
    await people.call('say', {
      id: 'P0',
      message: { type: 'moderate', action: 'broadcast', on: true },
    });
  const all = Array.from({ length: count }, (_, i) => ({
    id: `L${i}`,
    room: 'hall',
    listens: true,
    watched: i % WATCHED_STEP === 0,
    ...(rates && { rate: RATES[i % RATES.length] }),
  }));
  await audience.call('joinAll', { people: all.slice(0, FIRST) });
  /** @param {Quantity} quantity @param {number} value @param {string} [client] */
  const add = (quantity, value, client = '') =>
    lab.folder.record(quantity.name, {
      protocol: '',
      repetition,
      client,
      atMs: lab.folder.elapsedMs,
      value,
      factors: { listeners: name, server: checkout === undefined ? HERE : BEFORE },
    });
  const before = await heapOf(lab);
  await measureComing(lab, { people, audience, all: all.slice(FIRST) }, add);
  add(quantities.heap, ((await heapOf(lab)) - before) / (count - FIRST) / 1000);
  await lab.wait(2 * lab.options.warmUp + (rates ? PROBES_SECONDS : 0));
  await lab.server.call('begin');
  await audience.call('note');
  await people.call('note');
  const machine = new MachineMeter();
  await lab.wait(seconds);
  const taken = machine.take();
  const server = await lab.server.call('collect');
  const [theirs, others] = [await audience.call('take'), await people.call('take')];
  const generatorPercent = theirs.cpuPercent + others.cpuPercent;
  lab.tellGenerator(theirs.latenessMs, generatorPercent);
  addProcessors(add, processors, { server, generatorPercent, machine: taken });
  for (const ms of server.tickLatenessMs) add(quantities.lateness, ms);
  for (const {
    id,
    streams: [{ received, sent }],
  } of theirs.people)
    if (sent > 0) add(quantities.arrived, (100 * received) / sent, id);
}

/** The server's heap, in bytes. @param {Lab} lab */
async function heapOf(lab) {
  await lab.wait(SETTLE_SECONDS);
  return (await lab.server.call('memory', { collect: true })).heapUsed;
}

/**
 * Makes all listeners join, and notes the talkers' sound in the meantime.
 * @param {Lab} lab
 * @param {{ people: Child, audience: Child, all: object[] }} crowd
 * @param {(quantity: Quantity, value: number, client?: string) => void} add
 */
async function measureComing(lab, { people, audience, all }, add) {
  await lab.server.call('begin');
  await people.call('note');
  const startMs = performance.now();
  await audience.call('joinAll', { people: all });
  add(quantities.coming, (performance.now() - startMs) / 1000);
  const notes = await people.call('take');
  const { tickLatenessMs } = await lab.server.call('collect');
  for (const ms of tickLatenessMs) add(quantities.comingLateness, ms);
  for (const { id, arrivals } of notes.people) add(quantities.gap, longestGap(arrivals), id);
}

/** @param {readonly { atMs: number }[]} arrivals @returns {number} milliseconds */
function longestGap(arrivals) {
  let longest = 0;
  for (let i = 1; i < arrivals.length; i++)
    longest = Math.max(longest, arrivals[i].atMs - arrivals[i - 1].atMs);
  return longest;
}

/** @param {Samples} folder @param {Quantity} quantity @param {string} name */
const valuesOf = (folder, quantity, name) =>
  folder
    .samples(quantity.name)
    .filter(({ factors: its }) => its?.listeners === name)
    .map(({ value }) => value);

/** @param {string} name */
function wordsOf(name) {
  const { count, stride } = parseCase(name);
  return (
    `${count} listeners, packets of ` + `${stride === 'auto' ? '20 or 60' : 20 * Number(stride)} ms`
  );
}

/** @param {Samples} folder @param {string} name */
const aCore = (folder, name) =>
  (100 * parseCase(name).count) / mean(valuesOf(folder, quantities.cpu, name));

/** @param {Samples} folder @param {string} name @returns {Target[]} */
function targetsOf(folder, name) {
  const { stride } = parseCase(name);
  const of = (/** @type {Quantity} */ quantity) => sorted(valuesOf(folder, quantity, name));
  const what = wordsOf(name);
  const cores = (/** @type {Quantity} */ quantity) => (mean(of(quantity)) / 100).toFixed(2);
  const beside =
    `the server took ${cores(quantities.cpu)} cores, its JavaScript thread was busy for ` +
    `${mean(of(quantities.loop)).toFixed(0)} % of the time; the generator took ` +
    `${cores(quantities.generator)} cores, other programs ${cores(quantities.others)}, ` +
    `${cores(quantities.idle)} were idle`;
  const coming =
    `in ${mean(of(quantities.coming)).toFixed(1)} s; the tick's lateness meanwhile: p99 ` +
    `${quantile(of(quantities.comingLateness), 0.99).toFixed(1)} ms, at most ` +
    `${quantile(of(quantities.comingLateness), 1).toFixed(1)} ms`;
  return [
    {
      what: `Tick's lateness p99, ${what}`,
      limit: 5,
      reached: quantile(of(quantities.lateness), 0.99),
      unit: 'ms',
      digits: 1,
      why: `p50 ${quantile(of(quantities.lateness), 0.5).toFixed(1)} ms`,
    },
    {
      what: `Arrived, ${what}`,
      is: '≥',
      limit: 99.9,
      reached: mean(of(quantities.arrived)),
      unit: '%',
      digits: 3,
    },
    ...(A_CORE[stride]
      ? [
          /** @type {Target} */ ({
            what: `Listeners a core, ${what}`,
            is: '≥',
            limit: A_CORE[stride],
            reached: aCore(folder, name),
            unit: 'listeners',
            digits: 0,
            why: beside,
          }),
        ]
      : []),
    {
      what: `Longest gap of those who talk while all come, ${what}`,
      limit: GAP_MS,
      reached: quantile(of(quantities.gap), 1),
      unit: 'ms',
      digits: 0,
      why: coming,
    },
    {
      what: `JavaScript heap of one listener, ${what}`,
      limit: HEAP_KB,
      reached: mean(of(quantities.heap)),
      unit: 'KB',
      digits: 1,
    },
  ];
}

/**
 * @param {Samples} folder
 * @param {readonly string[]} cases
 * @param {number} seed
 * @returns {Table}
 */
function tableOf(folder, cases, seed) {
  const random = randomFor({ seed });
  const rows = cases.map((name) => {
    const of = (/** @type {Quantity} */ quantity) => sorted(valuesOf(folder, quantity, name));
    return [
      wordsOf(name),
      mean(of(quantities.cpu)),
      mean(of(quantities.loop)),
      mean(of(quantities.generator)),
      mean(of(quantities.others)),
      mean(of(quantities.idle)),
      quantile(of(quantities.lateness), 0.5),
      quantile(of(quantities.lateness), 0.99),
      meanEstimate(
        folder.samples(quantities.arrived.name),
        ({ factors: its }) => its?.listeners === name,
        random,
      ),
      mean(of(quantities.coming)),
      mean(of(quantities.heap)),
    ];
  });
  const share = { unit: '% of a core', digits: 0 };
  const columns = [
    { label: 'Room' },
    { label: 'CPU', ...share },
    { label: "JavaScript's thread", unit: '%', digits: 0 },
    { label: 'Generator', ...share },
    { label: 'Others', ...share },
    { label: 'Idle', ...share },
    { label: 'Tick late, p50', unit: 'ms', digits: 2 },
    { label: 'p99', unit: 'ms', digits: 2 },
    { label: 'Arrived', unit: '%', digits: 3 },
    { label: 'All came in', unit: 's', digits: 1 },
    { label: 'Heap of one', unit: 'KB', digits: 1 },
  ];
  return { name: 'listeners', title: 'What listeners cost the server', columns, rows };
}
