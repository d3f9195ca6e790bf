/**
 * Another server beside this checkout's in one run, by turns: that of another checkout, or of
 * another system. A machine's cores are worth more at one time than at another, so the ratio of a
 * block's two figures varies less than the figures.
 * @import { Samples } from './scenario.js'
 * @import { Quantity, Sample, Table } from '../report/result.js'
 * @import { Interval } from '../stats/bootstrap.js'
 *
 * @typedef {object} Bar  what a ratio is to reach
 * @property {string} what
 * @property {string} server        the one that is divided by
 * @property {Quantity} quantity
 * @property {(sample: Sample) => boolean} belongs
 * @property {number | null} limit  greatest ratio, if there is a bar
 */

import { join } from 'node:path';
import { Option } from 'commander';
import { checkoutWith } from '../options.js';
import { formatEstimate } from '../report/numbers.js';
import { valuesByRepetition } from '../report/result.js';
import { bootstrap, ENOUGH_REPETITIONS } from '../stats/bootstrap.js';
import { mean, quantile } from '../../testkit/statistics.js';
import { randomFor } from './scenario.js';

/** This checkout's server, and another checkout's. */
export const HERE = 'here';
export const BEFORE = 'before';

/** Which server a sample is of. */
export const serverFactor = Object.freeze({ name: 'server', label: 'Server', unit: '' });

/** Script of a checkout's server process, which the lab starts. */
const SERVER_SCRIPT = 'bench/participants/server-process.js';

/**
 * The option `--against`.
 * @param {Record<string, unknown>} implied  values of other options where they aren't given
 */
export const againstOption = (implied) =>
  new Option(
    '--against <folder>',
    "another checkout, installed: its server and this one's by turns, and their ratio; without " +
      `other options: ${Object.entries(implied)
        .map(([name, value]) => `${name} ${value}`)
        .join(', ')}`,
  )
    .argParser((folder) => checkoutWith(folder, SERVER_SCRIPT))
    .implies(implied);

/**
 * The servers of a repetition, another one first each time.
 * @template T
 * @param {readonly T[]} servers
 * @param {number} repetition
 * @returns {T[]}
 */
export const inTurn = (servers, repetition) =>
  servers.map((_, i) => servers[(i + repetition) % servers.length]);

/**
 * The blocks of a run whose cases are compared with one another: all of them in each repetition,
 * another one first each time.
 * @template T
 * @param {readonly T[]} names
 * @param {number} repetitions
 * @returns {{ name: T, repetition: number }[]}
 */
export const blocksInTurn = (names, repetitions) =>
  Array.from({ length: repetitions }, (_, repetition) =>
    inTurn(names, repetition).map((name) => ({ name, repetition })),
  ).flat();

/** @param {Sample} sample */
const serverOf = ({ factors }) => String(factors?.server ?? HERE);

/**
 * The samples of one server.
 * @param {Samples} folder
 * @param {string} [server]
 * @returns {Samples}
 */
export const samplesOf = (folder, server = HERE) => ({
  samples: (name) => folder.samples(name).filter((sample) => serverOf(sample) === server),
});

/**
 * The ratio of this checkout's figure to another server's: the median over repetitions of the ratio
 * of the two means of a repetition.
 * @param {Samples} folder
 * @param {Pick<Bar, 'quantity' | 'belongs' | 'server'>} bar
 * @param {() => number} random seeded
 * @returns {Interval & { here: number, there: number, blocks: number }} here, there: means
 */
export function ratioOf(folder, { quantity, belongs, server }, random) {
  const [here, there] = [HERE, server].map((side) =>
    valuesByRepetition(samplesOf(folder, side).samples(quantity.name), belongs),
  );
  const ratios = here.flatMap((values, i) => {
    const ratio = mean(values) / mean(there[i] ?? []);
    return Number.isFinite(ratio) ? [[ratio]] : [];
  });
  const [ratio] = bootstrap(ratios, (ascending) => [quantile(ascending, 0.5)], { random });
  return { ...ratio, here: mean(here.flat()), there: mean(there.flat()), blocks: ratios.length };
}

/**
 * @param {Interval} ratio
 * @param {number | null} limit
 * @returns {string} verdict that the whole interval supports
 */
export function verdictOf({ low, high }, limit) {
  if (limit === null) return '';
  if (!Number.isFinite(low)) return `no verdict: fewer than ${ENOUGH_REPETITIONS} blocks`;
  if (high <= limit) return 'met';
  return low > limit ? 'not met' : 'open: the interval holds the bar';
}

/**
 * @param {Samples} folder
 * @param {readonly Bar[]} bars
 * @param {{ seed: number }} options
 * @returns {Table[]} one, or none where no other server was measured
 */
export function ratioTables(folder, bars, options) {
  const random = randomFor(options);
  const rows = bars.flatMap(({ what, limit, ...bar }) => {
    const ratio = ratioOf(folder, bar, random);
    if (ratio.blocks === 0) return [];
    return [
      [
        what,
        bar.server,
        ratio.here,
        ratio.there,
        formatEstimate(ratio.estimate, [ratio.low, ratio.high], 3),
        ratio.blocks,
        limit === null ? '' : `≤ ${limit} ×`,
        verdictOf(ratio, limit),
      ],
    ];
  });
  if (rows.length === 0) return [];
  return [
    {
      name: 'ratios',
      title: 'Beside other servers, in this run',
      caption:
        'Ratio: the median over blocks of a figure here to that of the other server in the same ' +
        'block, with its interval of 95 %. The servers take turns. A bar is met if the whole ' +
        'interval is.',
      columns: [
        { label: 'What' },
        { label: 'Beside' },
        { label: 'Here', digits: 1 },
        { label: 'There', digits: 1 },
        { label: 'Ratio' },
        { label: 'Blocks', digits: 0 },
        { label: 'Bar' },
        { label: 'Verdict' },
      ],
      rows,
    },
  ];
}

/**
 * The script of a server's process.
 * @param {string} checkout
 */
export const serverScript = (checkout) => join(checkout, SERVER_SCRIPT);
