/**
 * Time until a new listener hears a room, from the click to the first sound, by transport and split
 * into its parts. It measures the same as `setup` for a listener, and has targets.
 * @import { Samples, Scenario } from './scenario.js'
 * @import { Target } from './targets.js'
 * @import { Condition } from '../setup/conditions.js'
 * @import { Leg } from '../setup/joiner.js'
 * @import { Table } from '../report/result.js'
 */

import { Option } from 'commander';
import { BASE_MS, conditionsOf, keyOf } from '../setup/conditions.js';
import { conditionOf, valuesOf } from '../setup/figures.js';
import { mean, quantile, sorted } from '../../testkit/statistics.js';
import { setup } from './comparisons/setup.js';
import { targetsTable } from './targets.js';

/**
 * Rates of the paper (tables 6.1 and 6.2), in kbit/s, with how much sooner WebTransport was there,
 * in percent: Go, Rust.
 */
const PAPER = Object.freeze(
  /** @type {Record<number, readonly [number, number]>} */ ({
    500: [26.56, 40.29],
    1000: [24.75, 34.05],
    2000: [28.26, 33.93],
    4000: [26.97, 27.37],
  }),
);
const RATES = Object.keys(PAPER).map(Number);

/** The averages of all its rates. */
const PAPER_PERCENTS = '27.0 % (Go) and 32.8 % (Rust)';

/**
 * Targets: the time over WebTransport, in milliseconds, by round trip, and how much sooner than
 * over HTTP/1.1, in percent.
 */
const SOON_MS = Object.freeze(
  /** @type {const} */ ([
    [0, 250],
    [BASE_MS, 350],
  ]),
);
const SOONER_PERCENT = 30;

/** @type {Scenario} */
export const startup = {
  ...setup,
  name: 'startup',
  title: 'How soon a listener hears a room',
  description:
    'time from the click to the first sound of one who only listens, by transport, round ' +
    'trip and rate, in its parts',
  addOptions: (command) => {
    setup.addOptions?.(command);
    for (const [name, value] of Object.entries({
      roundTrips: SOON_MS.map(([ms]) => ms),
      losses: [],
      rates: RATES,
    })) {
      command.options.find((option) => option.attributeName() === name)?.default(value);
      command.setOptionValueWithSource(name, value, 'default');
    }
    command.addOption(new Option('--listens').hideHelp().default(true));
  },
  result(folder, options) {
    const result = setup.result(folder, options);
    return {
      ...result,
      title: startup.title,
      summary:
        'Somebody is talking; another one comes to listen, and the time runs until the ' +
        'first sound.',
      tables: [targetsTable(targetsOf(folder)), soonerTable(folder), ...result.tables],
      notes: [
        ...result.notes,
        `Beside P. Nys (2024), tables 6.1 and 6.2: ${PAPER_PERCENTS} sooner over ` +
          'WebTransport than over HTTP/1.1, for 1.6 s of video. A listener of sound waits ' +
          'for some kilobytes, so round trips weigh more here and bytes less.',
      ],
    };
  },
};

/**
 * @param {Samples} folder
 * @param {Condition} condition
 * @param {Leg['transport']} transport
 * @returns {number} the median, in milliseconds; NaN without any
 */
function medianOf(folder, condition, transport) {
  const samples = folder
    .samples('firstSound')
    .filter((sample) => keyOf(conditionOf(sample)) === keyOf(condition));
  return quantile(sorted(valuesOf(samples, { transport, connection: 'new' }).flat()), 0.5);
}

/** @param {Samples} folder @param {Condition} condition @returns {number} percent */
const soonerAt = (folder, condition) =>
  100 * (1 - medianOf(folder, condition, 'webtransport') / medianOf(folder, condition, 'http1'));

/** @param {{ roundTrips?: number[], rates?: number[] }} lists */
const conditions = ({ roundTrips = [], rates = [] }) =>
  conditionsOf({ roundTrips, rates, losses: [] });

/** @param {Samples} folder @returns {Target[]} */
function targetsOf(folder) {
  const byRate = conditions({ rates: RATES }).map((condition) => soonerAt(folder, condition));
  const [base] = conditions({ roundTrips: [BASE_MS] });
  const sooner = /** @type {const} */ ({ is: '≥', limit: SOONER_PERCENT, unit: '%', digits: 0 });
  return [
    ...SOON_MS.map(([roundTripMs, limit]) => ({
      what: `First sound over WebTransport, ${roundTripMs} ms round trip, median`,
      limit,
      reached: medianOf(folder, conditions({ roundTrips: [roundTripMs] })[0], 'webtransport'),
      unit: 'ms',
      digits: 0,
    })),
    {
      what: `Sooner than over HTTP/1.1, ${BASE_MS} ms round trip`,
      ...sooner,
      reached: soonerAt(folder, base),
    },
    {
      what: `Sooner than over HTTP/1.1, mean of ${RATES.length} rates`,
      ...sooner,
      reached: mean(byRate.filter(Number.isFinite)),
      why: `the paper: ${PAPER_PERCENTS}`,
    },
  ];
}

/** @param {Samples} folder @returns {Table} */
function soonerTable(folder) {
  const rows = conditions({ rates: RATES }).map((condition) => {
    const rate = Number(condition.rateKbits);
    const [go, rust] = PAPER[rate];
    return [
      rate,
      .../** @type {const} */ (['webtransport', 'websocket', 'http1']).map((transport) =>
        medianOf(folder, condition, transport),
      ),
      soonerAt(folder, condition),
      go,
      rust,
    ];
  });
  const [ms, percent] = [
    { unit: 'ms', digits: 0 },
    { unit: '%', digits: 0 },
  ];
  return {
    name: 'sooner',
    title: 'By rate, beside the paper',
    caption:
      `Medians at ${BASE_MS} ms round trip, new connections; by how much WebTransport is ` +
      `sooner than HTTP/1.1, here and in the paper's tables 6.1 and 6.2.`,
    columns: [
      { label: 'Rate', unit: 'kbit/s', digits: 0 },
      { label: 'WebTransport', ...ms },
      { label: 'WebSocket', ...ms },
      { label: 'HTTP/1.1', ...ms },
      { label: 'Sooner', ...percent },
      { label: 'paper, Go', ...percent },
      { label: 'paper, Rust', ...percent },
    ],
    rows: rows.filter(([, webtransport]) => Number.isFinite(webtransport)),
  };
}
