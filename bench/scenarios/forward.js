/**
 * Mixing beside forwarding. Measures a room's cost to the server by its size, the bytes to each
 * listener, and the latency added to a forwarded packet. Mumble's server can be measured in the
 * same run.
 * @import { Lab } from './lab.js'
 * @import { Samples, Scenario } from './scenario.js'
 * @import { Quantity, Table } from '../report/result.js'
 * @import { Target } from './targets.js'
 */

import {
  BEFORE,
  HERE,
  againstOption,
  inTurn,
  ratioTables,
  samplesOf,
  serverFactor,
} from './against.js';
import { measureBlocks, processorQuantities, randomFor } from './scenario.js';
import { targetsTable } from './targets.js';
import { meanEstimate } from '../report/quantity-views.js';
import { listOf, namesOf } from '../options.js';
import { Child } from '../../testkit/participants/child.js';
import { MUMBLE, MURMURD, lackOfMurmurd } from '../peers/murmurd.js';
import { parseCase } from '../stats/crowd-figures.js';
import { mean, quantile, sorted } from '../../testkit/statistics.js';

/** The ways of a room's sound, and the server's options for each. */
const WAYS = Object.freeze({
  mix: ['--mode', 'mix'],
  bundle: ['--mode', 'forward'],
  // As the release before spells it, whose server may be measured beside this one: --against.
  packets: ['--mode', 'forward', '--forward-way', 'now'],
});

/** The way of another system: Mumble's server with its own room. */
const PEER = 'mumble';

const ALL_WAYS = Object.freeze([...Object.keys(WAYS), PEER]);

/** Rooms of one size, as many as make some load, and the one with targets. */
const CASES = Object.freeze(['30x2/1', '20x3/2', '12x5/2', '8x8/2', '6x12/3', '50/5']);

const MUMBLE_NOTES = Object.freeze([
  "mumble: murmurd, Mumble's server, with as many clients that say the same speech with the " +
    'same codec settings (48 kb/s, 20 ms); it forwards each packet as it comes. CPU is that ' +
    'of all its threads. Its clients show that the first packets open and are what was ' +
    'said, then count.',
  "mumble: who is silent sends nothing, as Mumble's clients do, but a ping over TCP and one " +
    'over UDP every 5 s. It is measured with one room, of frames of 20 ms, whatever --format says.',
]);

const factors = [
  { name: 'rooms', label: 'Case', unit: '' },
  { name: 'way', label: 'Way', unit: '' },
  serverFactor,
];

const { cpu, generator } = processorQuantities(factors);

/** @type {Record<string, Quantity>} */
const quantities = {
  cpu,
  generator,
  down: { name: 'down', label: 'Sound sent to one who listens', unit: 'kb/s', factors },
  arrived: { name: 'arrived', label: 'Arrived at those who listen', unit: '%', factors },
  passed: {
    name: 'passed',
    label: 'Added by the server to a packet that it forwards',
    unit: 'ms',
    factors,
  },
};

/** @type {Scenario} */
export const forward = {
  name: 'forward',
  title: 'Mixing and forwarding',
  description:
    'rooms that are mixed, or forwarded as bundles or packet by packet: CPU, bytes to each ' +
    'listener, added delay',
  quantities: Object.values(quantities),
  lacks: ['transports', 'browser'],
  defaults: { duration: 8, repetitions: 1, format: 'call', transports: ['webtransport'] },
  addOptions: (command) => {
    command.option(
      '--cases <list>',
      'separated by commas: [ROOMSx]PEOPLE/TALKING',
      namesOf(parseCase),
      CASES,
    );
    command.option(
      '--ways <list>',
      `separated by commas: ${ALL_WAYS.join(', ')}; ${PEER} is another system, Mumble's server`,
      listOf(ALL_WAYS),
      lackOfMurmurd() ? Object.keys(WAYS) : ALL_WAYS,
    );
    // The server is measured after a minute: V8 compiles in the first.
    command.addOption(
      againstOption({
        cases: ['50/5'],
        ways: ['bundle', PEER],
        repetitions: 5,
        warmUp: 30,
        duration: 60,
      }),
    );
  },

  async measure(lab) {
    const { against, ways } = /** @type {any} */ (lab.options);
    const lack = ways.includes(PEER) ? lackOfMurmurd() : null;
    if (lack) lab.folder.warn(lack);
    const blocks = blocksOf(/** @type {any} */ (lab.options), lack === null);
    await measureBlocks(lab, blocks, ({ name, way, server, repetition, seconds }) => {
      if (way === PEER) return measureMumble(lab, name, repetition, seconds);
      const checkout = server === BEFORE ? against : undefined;
      return measureCase(lab, { name, way, repetition, seconds, checkout });
    });
  },

  result(measured, options) {
    const folder = samplesOf(measured);
    const targets = options.cases.flatMap((/** @type {string} */ name) => targetsOf(folder, name));
    return {
      title: forward.title,
      summary:
        'Rooms on loopback over WebTransport, 20 ms Opus at 48 kHz; who talks sends real ' +
        'speech in each frame, who is silent a packet every 200 ms.',
      headlines: options.cases.flatMap((/** @type {string} */ name) => headlinesOf(folder, name)),
      tables: [
        targetsTable(targets),
        ...ratioTables(besideMumble(measured), barsOf(options), options),
        tableOf(folder, options),
      ],
      plots: [],
      notes: [
        "CPU is the server process's own, QUIC's threads included. The generator is another " +
          'process of the same machine.',
        'Sound to a listener: the bytes of packets with sound, without headers of QUIC, ' +
          'UDP and IP.',
        'Added to a packet that is forwarded as it comes: from its sending to its arrival ' +
          'at a listener, less the least round trip of clock requests, which pass the same ' +
          'way and the same thread. Sender and listener are one process.',
        ...(options.ways.includes(PEER) ? MUMBLE_NOTES : []),
      ],
    };
  },
};

/**
 * Greatest ratio of CPU, forwarded as bundles, to that of an earlier state, and of Mumble.
 * @type {Readonly<Record<string, Readonly<Record<string, number>>>>}
 */
const RATIOS = Object.freeze({ '50/5': { [BEFORE]: 0.6, [PEER]: 0.55 } });

/**
 * The blocks of a run in their order: in each repetition all cases, of each the ways by turns.
 * @param {{ cases: string[], ways: string[], repetitions: number, duration: number, against?:
 *   string }} options
 * @param {boolean} [hasMumble]
 */
export function blocksOf({ cases, ways, repetitions, duration, against }, hasMumble = true) {
  return Array.from({ length: repetitions }, (_, repetition) =>
    cases.flatMap((name) => {
      const all = ways
        .filter((way) => way !== PEER || (hasMumble && isOfMumble(name)))
        .flatMap((way) =>
          against === undefined || way === PEER
            ? [{ way, server: HERE }]
            : [HERE, BEFORE].map((server) => ({ way, server })),
        );
      return inTurn(all, repetition).map((block) => ({
        ...block,
        name,
        repetition,
        seconds: duration / repetitions,
      }));
    }),
  ).flat();
}

/** @param {{ cases: string[], ways: string[] }} options @returns {import('./against.js').Bar[]} */
const barsOf = ({ cases, ways }) =>
  cases.flatMap((name) =>
    ways
      .filter((way) => way !== PEER)
      .flatMap((way) =>
        [BEFORE, PEER].map((server) => ({
          what: `${quantities.cpu.label}, ${name}, ${way} (${quantities.cpu.unit})`,
          server,
          quantity: quantities.cpu,
          belongs: (/** @type {import('../report/result.js').Sample} */ { factors: its }) =>
            its?.rooms === name &&
            its.way === (server === PEER && its.server === PEER ? PEER : way),
          limit: way === 'bundle' ? (RATIOS[name]?.[server] ?? null) : null,
        })),
      ),
  );

/**
 * Samples with Mumble as a server's name, which it is beside being a way.
 * @param {Samples} folder
 * @returns {Samples}
 */
const besideMumble = (folder) => ({
  samples: (name) =>
    folder
      .samples(name)
      .map((sample) =>
        sample.factors?.way === PEER
          ? { ...sample, factors: { ...sample.factors, server: PEER } }
          : sample,
      ),
});

/**
 * @param {Lab} lab
 * @param {object} block
 * @param {string} block.name
 * @param {string} block.way
 * @param {number} block.repetition
 * @param {number} block.seconds
 * @param {string} [block.checkout]  folder of another checkout whose server is measured
 */
async function measureCase(lab, { name, way, repetition, seconds, checkout }) {
  const { rooms, people, talking } = parseCase(name);
  const all = rooms * people;
  const limits = [
    '--max-participants',
    String(people),
    '--max-sessions',
    String(all + 50),
    '--max-rooms',
    String(rooms),
  ];
  const child = await lab.startCrowd(
    [...limits, ...WAYS[/** @type {keyof typeof WAYS} */ (way)]],
    'nothing',
    checkout,
  );
  await child.call('joinAll', {
    people: Array.from({ length: all }, (_, i) => {
      const number = Math.floor(i / rooms);
      return {
        id: `P${i}`,
        room: `room-${i % rooms}`,
        talks: number < talking,
        watched: number === people - 1,
      };
    }),
  });
  await lab.wait(2 * lab.options.warmUp);
  const atMs = lab.folder.elapsedMs;
  await lab.server.call('begin');
  await child.call('note');
  await lab.wait(seconds);
  const server = await lab.server.call('collect');
  const notes = await child.call('take');
  lab.tellGenerator(notes.latenessMs, notes.cpuPercent);
  const add = (/** @type {Quantity} */ quantity, /** @type {number} */ value) =>
    lab.folder.record(quantity.name, {
      protocol: '',
      repetition,
      client: '',
      atMs,
      value,
      factors: { rooms: name, way, server: checkout === undefined ? HERE : BEFORE },
    });
  add(quantities.cpu, server.cpuPercent);
  add(quantities.generator, notes.cpuPercent);
  for (const { talks, streams, bytes, passedMs } of notes.people) {
    if (talks) continue;
    add(quantities.down, (bytes * 8) / seconds / 1000);
    const [{ received, sent }] = streams;
    if (sent > 0) add(quantities.arrived, (100 * received) / sent);
    for (const ms of passedMs) add(quantities.passed, ms - notes.roundTripMs);
  }
}

/**
 * Measures Mumble's server with a room as measureCase() has it, while aloud's doesn't run.
 * @param {Lab} lab @param {string} name @param {number} repetition @param {number} seconds
 */
async function measureMumble(lab, name, repetition, seconds) {
  const { people, talking } = parseCase(name);
  await lab.close();
  const server = new Child(MURMURD, lab.link.server.exec);
  const clients = new Child(MUMBLE, lab.link.client.exec);
  try {
    const host = lab.link.server.address;
    const { port } = await server.call('start', { host, users: people });
    await clients.call('joinAll', {
      host,
      port,
      people: Array.from({ length: people }, (_, i) => ({ id: `P${i}`, talks: i < talking })),
    });
    await lab.wait(2 * lab.options.warmUp);
    const atMs = lab.folder.elapsedMs;
    await server.call('begin');
    await clients.call('note');
    await lab.wait(seconds);
    const { cpuPercent } = await server.call('collect');
    const notes = await clients.call('take');
    lab.tellGenerator(notes.latenessMs, notes.cpuPercent);
    const add = (/** @type {Quantity} */ quantity, /** @type {number} */ value) =>
      lab.folder.record(quantity.name, {
        protocol: '',
        repetition,
        client: '',
        atMs,
        value,
        factors: { rooms: name, way: PEER, server: HERE },
      });
    add(quantities.cpu, cpuPercent);
    add(quantities.generator, notes.cpuPercent);
    for (const { talks, received, expected, bytes } of notes.people) {
      if (talks) continue;
      add(quantities.down, (bytes * 8) / seconds / 1000);
      if (expected > 0) add(quantities.arrived, (100 * received) / expected);
    }
  } finally {
    await clients.close();
    await server.close();
  }
}

/**
 * True when Mumble's server is measured with a case: all its clients are in one channel.
 * @param {string} name
 */
const isOfMumble = (name) => parseCase(name).rooms === 1;

/**
 * @param {Samples} folder
 * @param {Quantity} quantity
 * @param {string} name
 * @param {string} way
 */
const valuesOf = (folder, quantity, name, way) =>
  folder
    .samples(quantity.name)
    .filter(({ factors: its }) => its?.rooms === name && its.way === way)
    .map(({ value }) => value);

/** @param {Samples} folder @param {string} name */
function headlinesOf(folder, name) {
  const forwarded = mean(valuesOf(folder, quantities.cpu, name, 'bundle'));
  const ofMumble = forwarded / mean(valuesOf(folder, quantities.cpu, name, PEER));
  const own = {
    label: `CPU, ${name}, forwarded`,
    unit: '% of a core',
    protocol: '',
    value: forwarded,
    digits: 1,
  };
  // A core does less while others use the machine: the ratio of one run varies less than its
  // figures.
  return Number.isFinite(ofMumble)
    ? [
        own,
        {
          label: `CPU, ${name}, forwarded, to Mumble's`,
          unit: '',
          protocol: '',
          value: ofMumble,
          digits: 2,
        },
      ]
    : [own];
}

/**
 * @param {string} what
 * @param {ArrayLike<number>} blocks CPU in percent of a core, ascending, at least one
 */
function rangeOf(what, blocks) {
  const least = blocks.length > 1 ? `from ${blocks[0].toFixed(1)} to ` : '';
  return `${what} ${least}${blocks[blocks.length - 1]?.toFixed(1)} %`;
}

/** @param {Samples} folder @param {string} name @returns {Target[]} */
function targetsOf(folder, name) {
  if (name !== '50/5') return [];
  const beside = mean(valuesOf(folder, quantities.generator, name, 'bundle'));
  const mixed = mean(valuesOf(folder, quantities.cpu, name, 'mix'));
  const blocks = sorted(valuesOf(folder, quantities.cpu, name, 'bundle'));
  const remarks = Number.isFinite(beside)
    ? [`the generator beside it took ${beside.toFixed(0)} %`]
    : [];
  if (Number.isFinite(mixed)) remarks.unshift(`mixed it takes ${mixed.toFixed(1)} %`);
  const peer = sorted(valuesOf(folder, quantities.cpu, name, PEER));
  if (peer.length > 0) remarks.unshift(`${rangeOf("Mumble's", peer)} in the same run`);
  if (blocks.length > 1) remarks.unshift(rangeOf('its blocks', blocks));
  const passed = sorted(valuesOf(folder, quantities.passed, name, 'packets'));
  return [
    {
      what: 'CPU, one room of 50 that is forwarded as bundles, 5 talk',
      limit: 5,
      reached: mean(blocks),
      unit: '% of a core',
      digits: 1,
      why: remarks.join('; '),
    },
    {
      what: 'Added to a packet that is forwarded as it comes, p50, the same room',
      limit: 1,
      reached: quantile(passed, 0.5),
      unit: 'ms',
      digits: 2,
      why:
        passed.length > 0 ? `p99 ${quantile(passed, 0.99).toFixed(2)} ms` : 'of the way `packets`',
    },
  ];
}

/**
 * @param {Samples} folder
 * @param {{ cases: string[], ways: string[], seed: number }} options
 * @returns {Table}
 */
function tableOf(folder, { cases, ways, seed }) {
  const random = randomFor({ seed });
  const known = (/** @type {number} */ value) => (Number.isFinite(value) ? value : null);
  const rows = cases.flatMap((name) =>
    ways
      .filter((way) => way !== PEER || isOfMumble(name))
      .map((way) => {
        const { rooms, people, talking } = parseCase(name);
        const of = (/** @type {Quantity} */ quantity) => valuesOf(folder, quantity, name, way);
        const passed = sorted(of(quantities.passed));
        return [
          `${rooms > 1 ? `${rooms} rooms of ` : ''}${people}, ${talking} talk`,
          way,
          known(mean(of(quantities.cpu))),
          known(mean(of(quantities.cpu)) / rooms),
          known(mean(of(quantities.generator))),
          known(mean(of(quantities.down))),
          meanEstimate(
            folder.samples(quantities.arrived.name),
            ({ factors: its }) => its?.rooms === name && its.way === way,
            random,
          ),
          known(quantile(passed, 0.5)),
          known(quantile(passed, 0.99)),
        ];
      }),
  );
  const columns = [
    { label: 'Rooms' },
    { label: 'Way' },
    { label: 'CPU', unit: '% of a core', digits: 1 },
    { label: 'A room', unit: '% of a core', digits: 2 },
    { label: 'Generator', unit: '% of a core', digits: 0 },
    { label: 'To a listener', unit: 'kb/s', digits: 1 },
    { label: 'Arrived', unit: '%', digits: 2 },
    { label: 'Added, p50', unit: 'ms', digits: 2 },
    { label: 'p99', unit: 'ms', digits: 2 },
  ];
  return { name: 'forward', title: 'What rooms cost, mixed and forwarded', columns, rows };
}
