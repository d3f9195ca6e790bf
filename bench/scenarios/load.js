/**
 * The capacity of a server: participants against CPU, memory, the tick's lateness and received
 * audio.
 * @import { Lab } from './lab.js'
 * @import { Scenario } from './scenario.js'
 * @import { Headline, Plot, Quantity, Sample, Table } from '../report/result.js'
 */

import { InvalidArgumentError } from 'commander';
import { wholeNumber } from '../options.js';
import { randomFor, worldNotes } from './scenario.js';
import { meanEstimate, protocolsOf } from '../report/quantity-views.js';
import { protocolLabel } from '../report/palette.js';
import { mean, quantile, sorted } from '../../testkit/statistics.js';

/**
 * Time over which people's packets are spread, in milliseconds: sound cards end their frames at
 * different times.
 */
const PHASE_MS = 10;

const factors = [{ name: 'participants', label: 'Participants', unit: '' }];

/** @type {Record<string, Quantity>} */
const quantities = {
  cpu: { name: 'serverCpu', label: "The server's CPU", unit: '% of a core', factors },
  memory: { name: 'serverMemory', label: "The server's memory", unit: 'MiB', factors },
  lateness: { name: 'tickLateness', label: 'Lateness of the tick', unit: 'ms', factors },
  received: { name: 'received', label: 'Received audio, up', unit: '%', factors },
  arrived: { name: 'arrived', label: 'Mixes that arrived, down', unit: '%', factors },
};

/** @type {Scenario} */
export const load = {
  name: 'load',
  title: 'Participants against CPU, memory and lateness',
  description:
    "how many a server carries: participants against CPU, memory, the tick's lateness, " +
    'received audio',
  quantities: Object.values(quantities),
  defaults: { duration: 10, repetitions: 1, format: 'call', transports: ['webtransport'] },
  addOptions: (command) => {
    command
      .option(
        '--participants <counts>',
        'how many, separated by commas; each is a step',
        counts,
        [10, 25, 50],
      )
      .option('--rooms <count>', 'rooms that they are spread over', (text) => counts(text)[0], 1)
      .option(
        '--talking <count>',
        'how many talk at a time in each room; 0 for all',
        wholeNumber(0, 5000),
        0,
      )
      .option(
        '--at-most <count>',
        'participants that one process of this machine may make',
        (text) => counts(text)[0],
        1000,
      );
  },

  async measure(lab) {
    const { participants, transports, repetitions } = /** @type {any} */ (lab.options);
    const steps = repetitions * transports.length * participants.length;
    let done = 0;
    for (let repetition = 0; repetition < repetitions; repetition++) {
      for (const transport of lab.turns(repetition)) {
        for (const count of participants) {
          lab.progress(`${count} over ${transport}`, done++ / steps);
          await step(lab, { transport, count, repetition });
        }
      }
    }
  },

  result(folder, options) {
    return {
      title: load.title,
      summary:
        `${options.talking || 'All'} in each of ${options.rooms} room(s) talk at a time, 20 ` +
        'ms Opus at 48 kHz unless said otherwise.',
      headlines: headlinesOf(folder.samples(quantities.cpu.name)),
      tables: [tableOf((name) => folder.samples(name), randomFor(options))],
      plots: [quantities.cpu, quantities.memory].map((quantity) =>
        plotOf(quantity, folder.samples(quantity.name)),
      ),
      notes: [
        "CPU is the server process's own, QUIC's threads included, as the operating system " +
          'counts it; the participants are other processes on the same machine.',
        `Each participant's packets come at a time of their own within ${PHASE_MS} ms, ` +
          `since sound cards don't end their frames together.`,
        'Memory is the resident set at the end of the step.',
        ...worldNotes(options),
        'Lateness of the tick: how long after a frame was due its mix began. Received, up: ' +
          'of the frames that were sent, those that were there when they were mixed. ' +
          'Arrived, down: of the mixes of the time, those that reached their listener.',
      ],
    };
  },
};

/** @param {string} text */
function counts(text) {
  const list = text.split(',').map(Number);
  if (list.every((count) => Number.isInteger(count) && count >= 1 && count <= 5000)) return list;
  throw new InvalidArgumentError('must be whole numbers from 1 to 5000, separated by commas');
}

/** @param {Lab} lab @param {{ transport: any, count: number, repetition: number }} step */
async function step(lab, { transport, count, repetition }) {
  const { rooms, talking, atMost } = /** @type {any} */ (lab.options);
  if (count > atMost) return;
  await lab.startServer([
    '--delivery',
    'tick',
    '--max-participants',
    String(count + 1),
    '--max-sessions',
    String(count + 50),
  ]);
  const people = Array.from({ length: count }, (_, i) => ({
    id: `P${i}`,
    transport,
    room: `room-${i % rooms}`,
    speaks: talking === 0 || Math.floor(i / rooms) < talking,
    phaseMs: (i * PHASE_MS) / count,
    startFrame: 17 * i,
  }));
  await lab.join(people);
  const atMs = lab.folder.elapsedMs;
  const seconds = lab.blockSeconds;
  const { server, people: notes } = await lab.measure(seconds);
  const { frameMs } = await lab.format();
  record(lab, { transport, repetition, atMs, count }, server, notes, (seconds * 1000) / frameMs);
  await lab.leave(people);
}

/**
 * @param {Lab} lab
 * @param {{ transport: string, repetition: number, atMs: number, count: number }} at
 * @param {any} server @param {any[]} notes @param {number} frames that were mixed in the time
 */
function record(lab, { transport, repetition, atMs, count }, server, notes, frames) {
  const sample = {
    protocol: transport,
    repetition,
    client: '',
    atMs,
    factors: { participants: count },
  };
  const add = (/** @type {Quantity} */ { name }, /** @type {number} */ value, client = '') =>
    lab.folder.record(name, { ...sample, client, value });
  add(quantities.cpu, server.cpuPercent);
  add(quantities.memory, server.rssBytes / 2 ** 20);
  for (const latenessMs of server.tickLatenessMs) add(quantities.lateness, latenessMs);
  for (const {
    id,
    notes: { received },
    serverStats,
  } of notes) {
    add(quantities.arrived, Math.min(100, (100 * received.length) / Math.floor(frames)), id);
    if (serverStats?.receivedPercent !== null)
      add(quantities.received, serverStats?.receivedPercent ?? NaN, id);
  }
}

/** @param {readonly Sample[]} samples @param {string} protocol @param {number} count */
const valuesAt = (samples, protocol, count) =>
  samples
    .filter((sample) => sample.protocol === protocol && sample.factors?.participants === count)
    .map(({ value }) => value);

/** @param {readonly Sample[]} samples */
const countsOf = (samples) =>
  [...new Set(samples.map((sample) => Number(sample.factors?.participants)))].sort((a, b) => a - b);

/** @param {readonly Sample[]} cpu @returns {Headline[]} */
function headlinesOf(cpu) {
  return protocolsOf(cpu).flatMap((protocol) =>
    countsOf(cpu).map((count) => ({
      label: `CPU at ${count} participants`,
      unit: '% of a core',
      protocol,
      value: mean(valuesAt(cpu, protocol, count)),
      digits: 0,
    })),
  );
}

/**
 * @param {(name: string) => readonly Sample[]} samples
 * @param {() => number} random seeded
 * @returns {Table}
 */
function tableOf(samples, random) {
  const cpu = samples(quantities.cpu.name);
  const rows = protocolsOf(cpu).flatMap((protocol) =>
    countsOf(cpu).map((count) => {
      const of = (/** @type {Quantity} */ { name }) =>
        sorted(valuesAt(samples(name), protocol, count));
      const lateness = of(quantities.lateness);
      const share = (/** @type {Quantity} */ { name }) =>
        meanEstimate(
          samples(name),
          ({ factors: its, ...sample }) =>
            sample.protocol === protocol && its?.participants === count,
          random,
        );
      return [
        protocolLabel(protocol),
        count,
        mean(of(quantities.cpu)),
        mean(of(quantities.memory)),
        quantile(lateness, 0.5),
        quantile(lateness, 0.99),
        share(quantities.received),
        share(quantities.arrived),
      ];
    }),
  );
  const columns = [
    { label: 'Protocol' },
    { label: 'Participants', digits: 0 },
    { label: 'CPU', unit: '% of a core', digits: 0 },
    { label: 'Memory', unit: 'MiB', digits: 0 },
    { label: 'Tick late, p50', unit: 'ms', digits: 2 },
    { label: 'p99', unit: 'ms', digits: 2 },
    { label: 'Received, up', unit: '%', digits: 2 },
    { label: 'Arrived, down', unit: '%', digits: 2 },
  ];
  return { name: 'load', title: 'What participants cost the server', columns, rows };
}

/** @param {Quantity} quantity @param {readonly Sample[]} samples @returns {Plot} */
function plotOf({ name, label, unit }, samples) {
  const series = protocolsOf(samples).map((protocol) => ({
    name: protocolLabel(protocol),
    protocol,
    points: countsOf(samples).map((count) => [count, mean(valuesAt(samples, protocol, count))]),
  }));
  return {
    name: `${name}Line`,
    title: `${label} against participants`,
    caption: `${label}, by the number of participants.`,
    kind: 'line',
    x: { label: 'Participants', unit: '', from: 0 },
    y: { label, unit, from: 0 },
    series,
  };
}
