/**
 * A scenario's result, in one shape for all scenarios. The run's folder, the report and the
 * terminal's summary are made from it, so a new scenario, transport or quantity changes none of
 * them.
 *
 * Protocols are named as the server's transports are ('webtransport', 'websocket', 'http1'); any
 * other name works too, and gets its own colour. The unit '' says that there is none.
 */

import { SAMPLE_COLUMNS } from '../stats/csv.js';
import { formatNumber } from './numbers.js';

/**
 * @typedef {object} Sample one measured value
 * @property {string} protocol
 * @property {number} repetition  from 0; interleaved protocols share the number
 * @property {string} client      'A', 'B' …; '' where none applies
 * @property {number} atMs        since the run began, monotonic
 * @property {number} value       in its quantity's unit; Infinity for what never came
 * @property {Readonly<Record<string, number | string>>} [factors] the conditions it was taken under
 *
 * @typedef {object} Factor a condition that a scenario varies, such as participants or D
 * @property {string} name   a word in camelCase, the column's name in the files
 * @property {string} label
 * @property {string} unit
 *
 * @typedef {object} Quantity something measured many times
 * @property {string} name   a word in camelCase: the samples' file is samples-<name>.csv
 * @property {string} label  as a plot's axis says it: 'Round-trip latency'
 * @property {string} unit
 * @property {Factor[]} [factors]
 * @property {boolean} [isPaired] protocols alternated in each repetition (true if not
 *   said)
 *
 * @typedef {object} Estimate a figure and how sure it is
 * @property {number} value
 * @property {readonly [number, number]} [interval] of confidence
 *
 * @typedef {Estimate | number | string | null} Cell null where there is nothing to say
 *
 * @typedef {object} Column
 * @property {string} label
 * @property {string} [unit]
 * @property {number} [digits] after the point; by default as many as suit the column
 *
 * @typedef {object} Table
 * @property {string} name     a word in camelCase
 * @property {string} title
 * @property {string} [caption] facts the reader needs, such as the thesis's table beside it
 * @property {Column[]} columns
 * @property {Cell[][]} rows
 * @property {boolean} [isConclusion] true if the report ends with it
 *
 * @typedef {object} Axis
 * @property {string} label
 * @property {string} unit
 * @property {number} [from]
 * @property {number} [to]
 * @property {boolean} [isLogarithmic]
 * @property {string[]} [categories] of a bar chart: the names of its whole numbers of x
 *
 * @typedef {object} Series
 * @property {string} name      as the legend says it
 * @property {string} protocol  gives the colour
 * @property {number} [variant] number of a series of one protocol, for its dash, marker and shade;
 *   from 0
 * @property {number[][]} points by the plot's kind: line, scatter, cdf and bars [x, y], or [x, y,
 *   low, high] with an interval of confidence; histogram [from, to, y]. Ascending in x, except
 *   scatter. A line breaks at a point whose y is NaN.
 *
 * @typedef {object} Reference a figure to compare with, drawn as a thin grey mark
 * @property {string} label     'thesis: 61.8'
 * @property {'x' | 'y'} [axis] with value: a straight mark across the plot at this axis' value
 * @property {number} [value]
 * @property {number[][]} [points] or else a curve, [x, y]
 *
 * @typedef {'line' | 'scatter' | 'histogram' | 'cdf' | 'bars'} PlotKind
 *
 * @typedef {object} Plot
 * @property {string} name     a word in camelCase: the plot's file is <name>.svg
 * @property {string} title
 * @property {string} caption  the sentence under it: its content and number of values
 * @property {PlotKind} kind
 * @property {Axis} x
 * @property {Axis} y
 * @property {Series[]} series
 * @property {Reference[]} [references]
 *
 * @typedef {object} Headline one of the few figures that the run is about
 * @property {string} label
 * @property {string} unit
 * @property {string} protocol '' where none applies
 * @property {number} value    NaN when there is none, such as a target that wasn't reached
 * @property {readonly [number, number]} [interval]
 * @property {number} [thesis] the thesis' figure for the same
 * @property {number} [digits]
 *
 * @typedef {object} Result
 * @property {string} title       name of the measurement: 'Round-trip latency'
 * @property {string} summary     one or two sentences
 * @property {Headline[]} headlines
 * @property {Table[]} tables
 * @property {Plot[]} plots
 * @property {string[]} notes on method: how it was taken, its error, what differs from the thesis
 */

/**
 * @typedef {object} Ping
 * @property {number} minMs
 * @property {number} avgMs
 * @property {number} maxMs
 * @property {number} sdMs
 * @property {number} lossPercent
 * @property {number} count
 *
 * @typedef {object} Link the network that a run went over, as the thesis's tables 4.1 to 4.3
 *   describe it
 * @property {string} profile   'loopback', 'thesis' …
 * @property {Record<string, unknown>} parameters  as set
 * @property {Ping} [ping]      as measured on it
 * @property {{ upMbits: number, downMbits: number }} [bandwidth] as measured on it
 * @property {Record<string, unknown>} [emulator] effects of the emulator on packets, and its own
 *   error
 *
 * @typedef {object} Generator how well the load was made
 * @property {number} cpuPercent of one core
 * @property {{ p50: number, p95: number, p99: number, max: number }} latenessMs of sending, against
 *   plan
 * @property {boolean} bottleneck true if the load generator, not the server, set the figures
 *
 * @typedef {object} Run a run's run.json
 * @property {1} version
 * @property {string} id
 * @property {string} scenario
 * @property {string} startedAt  UTC, as ISO 8601 says it
 * @property {number} durationMs up to when this was written
 * @property {boolean} complete  false while it runs, and for good when it failed or was interrupted
 * @property {string} [error]    why it isn't complete
 * @property {Record<string, unknown>} options
 * @property {import('./environment.js').Environment} environment
 * @property {Link} [link]
 * @property {string[]} warnings
 * @property {Generator} [generator]
 * @property {Quantity[]} quantities the quantities with samples in the folder
 */

/** A result with nothing in it: what a run that broke off early reports. */
export const NO_RESULT = Object.freeze(
  /** @type {Result} */ ({
    title: '',
    summary: '',
    headlines: [],
    tables: [],
    plots: [],
    notes: [],
  }),
);

/**
 * A run's result as it may be told: without headlines and conclusions where the load's maker was
 * short of time itself.
 * @param {Pick<Run, 'generator'>} run
 * @param {Result} result
 * @returns {Result}
 */
export function trustedResult({ generator }, result) {
  if (!generator?.bottleneck) return result;
  return {
    ...result,
    headlines: [],
    tables: result.tables.map((table) => (table.isConclusion ? withheld(table, generator) : table)),
  };
}

/**
 * @param {Table} table
 * @param {Generator} generator
 * @returns {Table} one that says why the table's sentences aren't told
 */
const withheld = ({ name, title }, { cpuPercent, latenessMs: { p99 } }) => ({
  name,
  title,
  isConclusion: true,
  columns: [{ label: 'In words' }],
  rows: [
    [
      'Withheld: the load generator was itself short of processor time. It ' +
        (Number.isFinite(p99) ? `sent ${formatNumber(p99, 1)} ms late (p99) and ` : '') +
        `took ${formatNumber(cpuPercent, 0)} % of a core.`,
    ],
  ],
});

const NAME = /^[a-z][A-Za-z0-9]*$/;

/**
 * Names become files' and columns' names, and a table's rows must fit its columns.
 * @param {Result} result
 * @returns {Result} the same
 * @throws {TypeError} with the reason
 */
export function checkResult(result) {
  for (const kind of /** @type {const} */ (['tables', 'plots'])) {
    const names = result[kind].map(({ name }) => name);
    names.forEach(checkName);
    const twice = names.find((name, i) => names.indexOf(name) !== i);
    if (twice) throw new TypeError(`two of the ${kind} are named '${twice}'`);
  }
  for (const { name, columns, rows } of result.tables) {
    const odd = rows.findIndex((row) => row.length !== columns.length);
    if (odd >= 0)
      throw new TypeError(`table '${name}': row ${odd} has not ${columns.length} cells`);
  }
  return result;
}

/**
 * @param {string} name
 * @throws {TypeError}
 */
function checkName(name) {
  if (!NAME.test(name)) throw new TypeError(`'${name}' must be a word in camelCase`);
}

/**
 * @param {Quantity} quantity
 * @throws {TypeError} if its name can't be a file's, or a factor's name is another column's
 */
export function checkQuantity({ name, factors = [] }) {
  checkName(name);
  const taken = factors.find((factor) => SAMPLE_COLUMNS.includes(factor.name));
  if (taken) throw new TypeError(`'${name}': no factor can have the name '${taken.name}'`);
}

/**
 * The values of one protocol, ready for the bootstrap: a list for each repetition, in the order of
 * clients and time. Values that never came (Infinity) are left out unless asked for.
 *
 * @param {readonly Sample[]} samples
 * @param {(sample: Sample) => boolean} belongs
 * @param {{ withLost?: boolean }} [options]
 * @returns {number[][]} by repetition, from 0; one without values is an empty list
 */
export function valuesByRepetition(samples, belongs, { withLost = false } = {}) {
  const chosen = samples.filter(
    (sample) => belongs(sample) && (withLost || Number.isFinite(sample.value)),
  );
  chosen.sort(
    (a, b) => a.repetition - b.repetition || compareText(a.client, b.client) || a.atMs - b.atMs,
  );
  /** @type {number[][]} */
  const repetitions = [];
  for (const { repetition, value } of chosen) {
    while (repetitions.length <= repetition) repetitions.push([]);
    repetitions[repetition].push(value);
  }
  return repetitions;
}

/**
 * @param {string} a
 * @param {string} b
 */
const compareText = (a, b) => (a < b ? -1 : Number(a > b));
