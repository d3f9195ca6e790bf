/**
 * Number of machines for a number of people. Unit costs are measured on this machine; larger rooms
 * are placed on computed nodes.
 * @import { Samples, Scenario } from './scenario.js'
 * @import { Target } from './targets.js'
 * @import { Quantity, Table } from '../report/result.js'
 * @import { Need, NodeShape } from '../plan/placement.js'
 * @import { Measured, RoomLoad, UnitCosts } from '../plan/unit-costs.js'
 */

import { InvalidArgumentError } from 'commander';
import { nodesFor, nodesForMeeting, workersOn } from '../plan/placement.js';
import { costOf, fitCosts, PARTS, PART_WORDS } from '../plan/unit-costs.js';
import { wholeNumber } from '../options.js';
import { parseCase } from '../stats/crowd-figures.js';
import { seededRandom } from '../../testkit/random.js';
import { mean } from '../../testkit/statistics.js';
import { crowd, measureCase } from './crowd.js';
import { targetsTable } from './targets.js';

/**
 * Cases for the fit: rooms dominated by different parts of the work, and some that leave a node
 * nearly idle.
 */
export const FITTED = Object.freeze([
  '50x10/2',
  '20x5/1',
  '40x5/2',
  '300/3',
  '200/10',
  '50/50k50',
  '10x30/0',
  '400/1',
  '3x10/2',
  '2x5/1',
  '1x3/1',
]);

/** Cases that the fit doesn't know, and foretells. */
const FORETOLD = Object.freeze(['30x12/3', '60x5/1', '100/20']);

/** All cases, in the order in which they are measured. */
export const CASES = Object.freeze([...FITTED, ...FORETOLD]);

/** Target: largest error of a predicted case, in percent of the measured one. */
const MOST_OFF = 20;

/** The most nodes that are tried. */
const MOST_NODES = 2000;

const [cpu, loop] = ['serverCpu', 'loopBusy'].map(
  (wanted) => /** @type {Quantity} */ (crowd.quantities.find(({ name }) => name === wanted)),
);

/** @type {Scenario} */
export const plan = {
  name: 'plan',
  title: 'How many machines for how many people',
  description:
    'nodes, cores and traffic for thousands of rooms, computed from costs that are measured ' +
    'here first; some three minutes',
  quantities: crowd.quantities,
  lacks: ['transports', 'browser'],
  defaults: { duration: 6, repetitions: 1, format: 'call', transports: ['webtransport'] },
  addOptions: (command) => {
    command
      .option('--rooms <count>', 'that there are at once', wholeNumber(1, 100_000), 10_000)
      .option('--people <count>', 'in each room', wholeNumber(1, 1000), 5)
      .option(
        '--talking <mean>',
        'of them at once, in the mean: each talks by chance',
        positive,
        1.3,
      )
      .option(
        '--meeting <people>',
        'who listen to one meeting in which three talk',
        wholeNumber(1, 1_000_000),
        10_000,
      )
      .option('--cores <list>', 'of a node, separated by commas', coresOf, [4, 16])
      .option(
        '--busy <percent>',
        'how busy a node, and each thread that mixes, may be',
        wholeNumber(10, 95),
        60,
      );
  },

  async measure(lab) {
    const { duration, repetitions } = lab.options;
    for (let repetition = 0; repetition < repetitions; repetition++) {
      for (const [i, name] of CASES.entries()) {
        lab.progress(name, (repetition + i / CASES.length) / repetitions);
        await measureCase(lab, name, repetition, duration / repetitions);
      }
    }
  },

  result(folder, options) {
    const isMeasured = (/** @type {string} */ name) =>
      Number.isFinite(measuredOf(folder, name).cpuPercent);
    const fitted = FITTED.filter(isMeasured);
    const threads = options.cores.map(
      (/** @type {number} */ cores) => `${workersOn(cores)} on ${cores}`,
    );
    return {
      title: plan.title,
      summary:
        `Costs of the parts of the work, fitted to ${fitted.length} cases on this machine; ` +
        `rooms placed on computed nodes by the cluster's own rule, none of which, and no ` +
        `thread of which, is busy for more than ${options.busy} %.`,
      headlines: [],
      tables: [
        // A run that was broken off foretells nothing from a part of the cases.
        ...(fitted.length === FITTED.length ? foretoldTables(folder, options) : []),
        caseTable(folder, CASES.filter(isMeasured)),
      ],
      plots: [],
      notes: [
        'This is a computation: nothing of it but the cases was run. It knows no peaks of ' +
          'load, no network, no memory, and takes each core for one of this machine.',
        'A node with C cores has C / 2 threads that mix and as many for QUIC, as ' +
          `\`--workers auto\` has it: ` +
          `${threads.join(', ')}. Of a room all but what its thread does may be on any core.`,
        'A meeting has one node that mixes; the others pass its mix on. Listeners get three ' +
          'frames in a packet, as they do by default. A node less is a node that failed: ' +
          'with one more than the table has, its rooms find a place.',
        'Traffic is what nodes send, headers of UDP and QUIC included: 74 kbit/s for each ' +
          'of those who get a packet for each frame.',
      ],
    };
  },
};

/**
 * @param {Samples} folder with all cases of the fit
 * @param {any} options
 * @returns {Table[]}
 */
function foretoldTables(folder, options) {
  const costs = fitCosts(FITTED.map((name) => measuredOf(folder, name)));
  const foretold = FORETOLD.map((name) => foretell(costs, measuredOf(folder, name)));
  return [
    targetsTable(foretold.map(targetOf)),
    needTable(needsOf(costs, options)),
    costTable(costs),
  ];
}

/**
 * @param {Samples} folder
 * @param {readonly string[]} names of the cases that were measured
 * @returns {Table}
 */
function caseTable(folder, names) {
  const percent = { unit: '% of a core', digits: 1 };
  return {
    name: 'cases',
    title: 'What was measured',
    columns: [
      { label: 'Rooms' },
      { label: 'People in each' },
      { label: 'Talk' },
      { label: 'CPU', ...percent },
      { label: 'Of that, the thread that mixes', ...percent },
    ],
    rows: names.map((name) => {
      const { load, rooms, cpuPercent, loopPercent } = measuredOf(folder, name);
      return [rooms, load.people, load.talking, cpuPercent, loopPercent];
    }),
  };
}

/** @param {string} text */
function positive(text) {
  const value = Number(text);
  if (value > 0 && value <= 1000) return value;
  throw new InvalidArgumentError('must be a number above 0');
}

/** @param {string} text */
function coresOf(text) {
  const list = text.split(',').map(Number);
  if (list.every((cores) => Number.isInteger(cores) && cores >= 1 && cores <= 256)) return list;
  throw new InvalidArgumentError('must be whole numbers from 1 to 256, separated by commas');
}

/** @param {Samples} folder @param {string} name @returns {Measured} */
export function measuredOf(folder, name) {
  const { rooms, people, talking } = parseCase(name);
  const of = (/** @type {Quantity} */ quantity) =>
    mean(
      folder
        .samples(quantity.name)
        .filter(({ factors }) => factors?.rooms === name)
        .map(({ value }) => value),
    );
  return { load: { people, talking }, rooms, cpuPercent: of(cpu), loopPercent: of(loop) };
}

/** @param {UnitCosts} costs @param {Measured} measured */
function foretell(costs, { load, rooms, cpuPercent }) {
  const foretold = costs.node.busy + rooms * costOf(costs, load).busy;
  return {
    load,
    rooms,
    cpuPercent,
    foretold,
    offPercent: (100 * Math.abs(foretold - cpuPercent)) / cpuPercent,
  };
}

/** @param {ReturnType<typeof foretell>} foretold @returns {Target} */
function targetOf({ load: { people, talking }, rooms, cpuPercent, foretold, offPercent }) {
  return {
    what:
      `Foretold CPU of ${rooms > 1 ? `${rooms} rooms of` : 'one room of'} ${people}, ` +
      `${talking} talk, is off by`,
    limit: MOST_OFF,
    reached: offPercent,
    unit: '%',
    digits: 0,
    why: `${foretold.toFixed(0)} % of a core foretold, ${cpuPercent.toFixed(0)} % measured`,
  };
}

/**
 * Rooms in each of which everybody talks by chance.
 * @param {{ rooms: number, people: number, talking: number, seed: number }} options
 * @returns {RoomLoad[]}
 */
function roomsOf({ rooms, people, talking, seed }) {
  const random = seededRandom(seed);
  const share = Math.min(1, talking / people);
  return Array.from({ length: rooms }, () => {
    let talk = 0;
    for (let i = 0; i < people; i++) talk += random() < share ? 1 : 0;
    return { people, talking: talk };
  });
}

/**
 * @param {UnitCosts} costs
 * @param {{ rooms: number, people: number, talking: number, meeting: number, cores: number[], busy:
 *   number, seed: number }} options
 * @returns {{ what: string, cores: number, need: Need | null }[]}
 */
function needsOf(costs, options) {
  const rooms = roomsOf(options);
  return options.cores.flatMap((cores) => {
    /** @type {NodeShape} */
    const shape = { cores, busyShare: options.busy / 100 };
    const meeting = { people: 3, talking: 3, listeners: options.meeting, stride: 3 };
    return [
      {
        what: `${options.rooms} rooms of ${options.people}, ${options.talking} talk`,
        cores,
        need: nodesFor(costs, rooms, shape, MOST_NODES),
      },
      {
        what: `one meeting, ${options.meeting} listen, 3 talk`,
        cores,
        need: nodesForMeeting(costs, meeting, shape),
      },
    ];
  });
}

/** @param {ReturnType<typeof needsOf>} needs @returns {Table} */
function needTable(needs) {
  return {
    name: 'nodes',
    title: 'Nodes',
    columns: [
      { label: 'What' },
      { label: 'Cores of a node' },
      { label: 'Nodes' },
      { label: 'Busy in all', unit: 'cores', digits: 1 },
      { label: 'Busiest thread that mixes', unit: '%', digits: 0 },
      { label: 'Busiest node', unit: '%', digits: 0 },
      { label: 'Traffic out', unit: 'Gbit/s', digits: 2 },
      { label: 'of the busiest node', unit: 'Gbit/s', digits: 2 },
    ],
    rows: needs.map(({ what, cores, need }) =>
      need === null
        ? [what, cores, `more than ${MOST_NODES}`, null, null, null, null, null]
        : [
            what,
            cores,
            need.nodes,
            need.cores,
            need.worstThread,
            need.worstNode,
            need.egressMbits / 1000,
            need.worstEgressMbits / 1000,
          ],
    ),
  };
}

/** @param {UnitCosts} costs @returns {Table} */
function costTable({ busy, loop: own, node }) {
  // A percent of a core for one a second is 10 ms of it.
  const us = (/** @type {number} */ percent) => percent * 10_000;
  return {
    name: 'costs',
    title: 'What the parts cost',
    columns: [
      { label: 'Part' },
      { label: 'All threads', unit: 'µs', digits: 1 },
      { label: 'Of that, the thread that mixes', unit: 'µs', digits: 1 },
    ],
    rows: [
      ...PARTS.map((part) => [PART_WORDS[part], us(busy[part]), us(own[part])]),
      ['a node, whatever it does, for a second', us(node.busy), us(node.loop)],
    ],
  };
}
