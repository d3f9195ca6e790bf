/**
 * Three real nodes of a cluster on this machine. Checks that `plan` predicts the cost of rooms on
 * each of them, and measures the cost of relaying a room's mix to listeners.
 * @import { Scenario } from './scenario.js'
 * @import { Lab } from './lab.js'
 * @import { Quantity, Table } from '../report/result.js'
 * @import { UnitCosts } from '../plan/unit-costs.js'
 */

import { readFileSync } from 'node:fs';
import { findNats, NATS_MISSING } from '../../deploy/cluster-processes.js';
import { LocalCluster } from '../../testkit/local-cluster.js';
import { WITH_PLUGIN } from '../../testkit/plugin.js';
import { wholeNumber } from '../options.js';
import { Child } from '../../testkit/participants/child.js';
import { CROWD } from '../participants/whole-server.js';
import { egressOf } from '../plan/placement.js';
import { costOf, fitCosts } from '../plan/unit-costs.js';
import { mean, quantile, sorted } from '../../testkit/statistics.js';
import { crowd as crowdScenario, measureCase } from './crowd.js';
import { FITTED, measuredOf } from './plan.js';
import { targetsTable } from './targets.js';

/** Kinds of rooms that are placed, and their shares. */
const KINDS = Object.freeze([
  { people: 10, talking: 2, share: 0.5 },
  { people: 5, talking: 1, share: 0.5 },
]);

/** Number of people who talk in the relayed room. */
const TALKERS = 3;

/** The number of listeners at each node whose packets' arrivals are noted. */
const WATCHED = 10;

/**
 * Targets: most by which a node's foretold CPU is off, and what a relay may add to the way of a
 * packet.
 */
const MOST_OFF_PERCENT = 20;
const RELAY_MS = 5;

/** Clock ticks a second in which Linux counts processor time (proc(5)). */
const TICKS = 100;

/** A packet's headers on the way: IP, UDP and QUIC's, in bytes. */
const HEADERS = 65;

const factors = [{ name: 'what', label: 'What', unit: '' }];

/** @type {Record<string, Quantity>} */
const quantities = {
  busy: { name: 'nodeCpu', label: "A node's CPU", unit: '% of a core', factors },
  foretold: { name: 'nodeForetold', label: "A node's CPU, foretold", unit: '% of a core', factors },
  idle: { name: 'nodeIdle', label: "A node's CPU without rooms", unit: '% of a core', factors },
  rooms: { name: 'nodeRooms', label: 'Rooms of a node', unit: '', factors },
  egress: { name: 'nodeEgress', label: 'Sent by a node', unit: 'Mbit/s', factors },
  egressForetold: {
    name: 'nodeEgressForetold',
    label: 'Sent by a node, foretold',
    unit: 'Mbit/s',
    factors,
  },
  listeners: { name: 'nodeListeners', label: 'Listeners of a node', unit: '', factors },
  added: {
    name: 'relayAdded',
    label: "How much later a packet is at a relay's listener than at one of the home's",
    unit: 'ms',
    factors,
  },
};

/** @type {Scenario} */
export const nodes = {
  name: 'nodes',
  title: 'Three nodes of a cluster',
  description:
    'three real nodes: their CPU and traffic against what plan foretells, and what relaying ' +
    'a room costs; some three minutes',
  quantities: [...crowdScenario.quantities, ...Object.values(quantities)],
  isOnce: true,
  lacks: ['transports', 'browser'],
  defaults: { duration: 6, repetitions: 1, format: 'call', transports: ['webtransport'] },
  addOptions: (command) => {
    command.option('--rooms <count>', 'that are placed on the three', wholeNumber(3, 500), 9);
    command.option(
      '--listeners <count>',
      'of one room, a third of them at its own node',
      wholeNumber(30, 3000),
      450,
    );
    command.option('--relay', 'the relayed room alone', false);
  },

  async measure(lab) {
    const program = findNats();
    if (program === null) throw new Error(NATS_MISSING);
    const { duration, complexity, server, rooms, listeners, relay } = /** @type {any} */ (
      lab.options
    );
    const costs = relay ? null : await fit(lab, duration / 2);
    const atHome = Math.round(listeners / 3);
    const most = String(listeners + 100);
    const argv = [
      '--complexity',
      complexity,
      ...WITH_PLUGIN,
      '--relay-from',
      String(atHome),
      '--max-participants',
      most,
      '--max-sessions',
      '3000',
      '--operator-token',
      'operator-of-the-bench',
    ];
    const cluster = new LocalCluster({ argv: [...argv, ...server] });
    /** @type {Child[]} */
    const crowds = [];
    try {
      await cluster.start(program, { natsServers: 1 });
      for (const { url } of cluster.nodes.values()) {
        const crowd = new Child(CROWD, lab.link.client.exec);
        crowds.push(crowd);
        await crowd.call('open', { origin: url });
      }
      lab.progress('rooms of three nodes', 0.7);
      if (costs !== null) await measureRooms(lab, cluster, crowds, costs, rooms, duration);
      lab.progress('a relayed room', 0.85);
      await measureRelay(lab, cluster, crowds, { listeners, atHome, duration });
    } finally {
      await Promise.all(crowds.map((crowd) => crowd.close()));
      await cluster.close();
    }
  },

  result(folder, { listeners, relay }) {
    const numbers = ['1', '2', '3'];
    const of = (/** @type {Quantity} */ quantity, /** @type {string} */ what) =>
      mean(
        folder
          .samples(quantity.name)
          .filter((sample) => sample.factors?.what === what)
          .map(({ value }) => value),
      );
    const off = (/** @type {string} */ what) =>
      (100 * Math.abs(of(quantities.foretold, what) - of(quantities.busy, what))) /
      of(quantities.busy, what);
    const added = sorted(folder.samples(quantities.added.name).map(({ value }) => value));
    const sum = (/** @type {Quantity} */ quantity) =>
      numbers.reduce((all, what) => all + of(quantity, what), 0);
    const foretold = {
      what: 'Foretold CPU of the three nodes is off by',
      limit: MOST_OFF_PERCENT,
      reached:
        (100 * Math.abs(sum(quantities.foretold) - sum(quantities.busy))) / sum(quantities.busy),
      unit: '%',
      digits: 0,
      why:
        `${sum(quantities.foretold).toFixed(0)} % of a core foretold, ` +
        `${sum(quantities.busy).toFixed(0)} % measured`,
    };
    const targets = [
      ...(relay ? [] : [foretold]),
      {
        what: 'A relay adds to the way of a packet, median',
        limit: RELAY_MS,
        reached: quantile(added, 0.5),
        unit: 'ms',
        digits: 1,
      },
    ];
    return {
      title: nodes.title,
      summary:
        'Three nodes and one NATS server on this machine. Rooms are placed by the cluster, ' +
        'and their cost is foretold from cases of one server that are measured first.',
      headlines: [],
      tables: [
        targetsTable(targets),
        ...(relay ? [] : [roomTable(numbers, of, off)]),
        relayTable(of, added, listeners),
      ],
      plots: [],
      notes: [
        "A node's CPU is its process's, by /proc. Foretold are the costs that were fitted " +
          'to cases of one server in this run, as plan does, summed over the rooms that the ' +
          'node has, and that of a node as such.',
        `Sent is what arrived at the participants, with ${HEADERS} bytes of headers for ` +
          `each packet; foretold by plan's figure of a packet of 48 kb/s.`,
        'The relayed room: CPU less that of the same node before anybody was in the room, ' +
          'divided by its listeners. Listeners get three frames in a packet.',
      ],
    };
  },
};

/**
 * @param {string[]} numbers
 * @param {(quantity: Quantity, what: string) => number} of
 * @param {(what: string) => number} off
 * @returns {Table}
 */
const roomTable = (numbers, of, off) => ({
  name: 'rooms',
  title: 'Rooms on three nodes',
  columns: [
    { label: 'Node' },
    { label: 'Rooms' },
    ...['CPU without rooms', 'CPU foretold', 'CPU measured'].map((label) => ({
      label,
      unit: '% of a core',
      digits: 0,
    })),
    { label: 'Off by', unit: '%', digits: 0 },
    ...['Sent, foretold', 'Sent, measured'].map((label) => ({ label, unit: 'Mbit/s', digits: 1 })),
  ],
  rows: numbers.map((what) => [
    what,
    of(quantities.rooms, what),
    of(quantities.idle, what),
    of(quantities.foretold, what),
    of(quantities.busy, what),
    off(what),
    of(quantities.egressForetold, what),
    of(quantities.egress, what),
  ]),
});

/**
 * @param {(quantity: Quantity, what: string) => number} of
 * @param {Float64Array} added
 * @param {number} listeners
 * @returns {Table}
 */
function relayTable(of, added, listeners) {
  const rows = ['home', 'relay'].map((what) => {
    const [count, busy] = [of(quantities.listeners, what), of(quantities.busy, what)];
    return [
      what,
      count,
      busy,
      (1e4 * busy) / count / (50 / 3),
      what === 'relay' ? quantile(added, 0.5) : null,
      what === 'relay' ? quantile(added, 0.95) : null,
    ];
  });
  return {
    name: 'relay',
    title: `One room, ${listeners} listen, ${TALKERS} talk`,
    columns: [
      { label: 'Node' },
      { label: 'Listeners' },
      { label: 'CPU', unit: '% of a core', digits: 1 },
      { label: 'A packet', unit: 'µs', digits: 1 },
      { label: 'Later, median', unit: 'ms', digits: 2 },
      { label: 'Later, 95 %', unit: 'ms', digits: 2 },
    ],
    rows,
  };
}

/**
 * @param {Lab} lab
 * @param {number} seconds
 * @returns {Promise<UnitCosts>} as plan fits them, to fewer seconds
 */
async function fit(lab, seconds) {
  for (const [i, name] of FITTED.entries()) {
    lab.progress(name, (0.6 * i) / FITTED.length);
    await measureCase(lab, name, 0, seconds);
  }
  await lab.server.close();
  return fitCosts(FITTED.map((name) => measuredOf(lab.folder, name)));
}

/** Processor time of a process until now, in seconds. @param {number | undefined} pid */
function cpuSeconds(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) / TICKS;
}

/**
 * @param {Lab} lab
 * @param {LocalCluster} cluster
 * @param {number} seconds
 * @returns {Promise<number[]>} load of each node, in percent of a core
 */
async function busyOf(lab, cluster, seconds) {
  const read = () => [...cluster.nodes.values()].map(({ child }) => cpuSeconds(child.pid));
  const before = read();
  await lab.wait(seconds);
  return read().map((now, i) => (100 * (now - before[i])) / seconds);
}

/** @param {Lab} lab @param {Quantity} quantity @param {string} what @param {number} value */
const add = (lab, quantity, what, value) =>
  lab.folder.record(quantity.name, {
    protocol: '',
    repetition: 0,
    client: '',
    atMs: lab.folder.elapsedMs,
    value,
    factors: { what },
  });

/**
 * @param {Lab} lab @param {LocalCluster} cluster @param {Child[]} crowds  one for each node
 * @param {UnitCosts} costs @param {number} rooms @param {number} seconds
 */
async function measureRooms(lab, cluster, crowds, costs, rooms, seconds) {
  const placed = crowds.map(() => /** @type {{ people: number, talking: number }[]} */ ([]));
  for (let i = 0; i < rooms; i++) {
    const kind = KINDS[i < KINDS[0].share * rooms ? 0 : 1];
    const room = `room${i}`;
    const owner = await open(cluster, crowds, { id: `${room}-0`, room, talks: true });
    placed[owner].push(kind);
    await crowds[owner].call('joinAll', {
      people: Array.from({ length: kind.people - 1 }, (_, p) => ({
        id: `${room}-${p + 1}`,
        room,
        talks: p + 1 < kind.talking,
      })),
    });
  }
  await lab.wait(2 * lab.options.warmUp);
  await Promise.all(crowds.map((crowd) => crowd.call('note')));
  const busy = await busyOf(lab, cluster, seconds);
  const notes = await Promise.all(crowds.map((crowd) => crowd.call('take')));
  placed.forEach((own, i) => {
    const what = String(i + 1);
    const bits = notes[i].people.reduce(
      (/** @type {number} */ sum, /** @type {any} */ { bytes, streams }) =>
        sum + 8 * (bytes + HEADERS * (streams[0].received + streams[1].received)),
      0,
    );
    add(lab, quantities.rooms, what, own.length);
    add(lab, quantities.busy, what, busy[i]);
    add(
      lab,
      quantities.foretold,
      what,
      own.reduce(
        (sum, load) => sum + costOf(costs, load).busy,
        own.length > 0 ? costs.node.busy : 0,
      ),
    );
    add(lab, quantities.egress, what, bits / seconds / 1e6);
    add(
      lab,
      quantities.egressForetold,
      what,
      own.reduce((sum, load) => sum + egressOf(load), 0),
    );
    lab.tellGenerator(notes[i].latenessMs, notes[i].cpuPercent);
  });
  for (const [i, crowd] of crowds.entries())
    for (const { id } of notes[i].people) await crowd.call('leave', { id });
  await lab.wait(1);
}

/**
 * Opens a room by joining it where it belongs: which node that is may change until somebody is in
 * it.
 * @param {LocalCluster} cluster
 * @param {Child[]} crowds
 * @param {{ id: string, room: string, talks: boolean }} first
 * @returns {Promise<number>} the index of its node
 */
async function open(cluster, crowds, first, tries = 3) {
  const owner = [...cluster.nodes.values()].indexOf(await cluster.ownerOf(first.room));
  try {
    await crowds[owner].call('join', first);
    return owner;
  } catch (error) {
    if (tries === 1) throw error;
    return open(cluster, crowds, first, tries - 1);
  }
}

/**
 * @param {Lab} lab @param {LocalCluster} cluster @param {Child[]} crowds
 * @param {{ listeners: number, atHome: number, duration: number }} options
 */
async function measureRelay(lab, cluster, crowds, { listeners, atHome, duration }) {
  const all = [...cluster.nodes.values()];
  const idle = await busyOf(lab, cluster, duration / 2);
  const home = await open(cluster, crowds, { id: 'T0', room: 'hall', talks: true });
  await crowds[home].call('joinAll', {
    people: Array.from({ length: TALKERS - 1 }, (_, i) => ({
      id: `T${i + 1}`,
      room: 'hall',
      talks: true,
    })),
  });
  await lab.wait(1);
  const talking = await busyOf(lab, cluster, duration / 2);
  const relays = all.map((_, i) => i).filter((i) => i !== home);
  const elsewhere = Math.floor((listeners - atHome) / 2);
  const join = (/** @type {number} */ at, /** @type {number} */ count) =>
    crowds[at].call('joinAll', {
      people: Array.from({ length: count }, (_, i) => ({
        id: `L${i}`,
        room: 'hall',
        listens: true,
        watched: i < WATCHED,
      })),
    });
  await join(home, atHome);
  for (const relay of relays) await join(relay, elsewhere);
  await lab.wait(2 * lab.options.warmUp);
  await Promise.all(crowds.map((crowd) => crowd.call('note')));
  const busy = await busyOf(lab, cluster, duration);
  const notes = await Promise.all(crowds.map((crowd) => crowd.call('take')));
  idle.forEach((percent, i) => add(lab, quantities.idle, String(i + 1), percent));
  add(lab, quantities.listeners, 'home', atHome);
  add(lab, quantities.busy, 'home', busy[home] - talking[home]);
  for (const relay of relays) {
    add(lab, quantities.listeners, 'relay', elsewhere);
    add(lab, quantities.busy, 'relay', busy[relay] - idle[relay]);
  }
  const near = arrivalsOf(notes[home].people);
  for (const relay of relays)
    for (const [frame, atMs] of arrivalsOf(notes[relay].people))
      if (near.has(frame))
        add(lab, quantities.added, 'relay', atMs - /** @type {number} */ (near.get(frame)));
}

/**
 * Mean arrival time of each frame's packet at the watched people.
 * @param {any[]} people
 * @returns {Map<number, number>}
 */
function arrivalsOf(people) {
  /** @type {Map<number, number[]>} */
  const times = new Map();
  for (const { id, arrivals } of people) {
    if (!id.startsWith('L')) continue;
    for (const { frame, atMs } of arrivals) times.set(frame, [...(times.get(frame) ?? []), atMs]);
  }
  return new Map([...times].map(([frame, at]) => [frame, mean(at)]));
}
