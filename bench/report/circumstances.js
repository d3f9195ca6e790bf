/** Under what circumstances a run took place: link, generator, machine, options. */

import { formatDuration, formatInstant, formatNumber } from './numbers.js';
import { html, pairList, tableSection } from './page.js';

/**
 * @typedef {import('./result.js').Run} Run
 * @typedef {import('./result.js').Link} Link
 * @typedef {import('./result.js').Table} Table
 */

const BOTTLENECK =
  'The load generator was itself short of processor time: ' +
  'the figures show its limits, not only those of what it measured; headlines and ' +
  'conclusions are withheld.';

/**
 * @param {Run} run
 * @returns {string[]} all that a reader of its figures must know first
 */
export const runWarnings = ({ warnings, generator }) => [
  ...(generator?.bottleneck ? [BOTTLENECK] : []),
  ...warnings,
];

/** @param {Run} run */
export function runFacts({ scenario, id, startedAt, durationMs, link, complete }) {
  const facts = [
    `Scenario ${scenario}`,
    `run ${id}`,
    formatInstant(startedAt),
    `${complete ? 'took' : 'ended after'} ${formatDuration(durationMs)}`,
    link && `link ${link.profile}`,
  ];
  const spans = facts.filter(Boolean).map((fact) => html`<span>${fact}</span>`);
  return html`<p class="facts">${spans}</p>`;
}

/** @param {Run} run */
export function circumstances(run) {
  const { link, generator, options } = run;
  return html`${
    link &&
    html`<h2>Link</h2>
        ${linkTables(link).map(tableSection)}${parameterList('As set', link.parameters)}${
          link.emulator && parameterList('What the emulator did', link.emulator)
        }`
  }
    ${
      generator &&
      html`<h2>Load generator</h2>
        ${tableSection(generatorTable(generator))}`
    }
    <h2>Environment</h2>
    ${pairList(environmentPairs(run))}
    ${
      Object.keys(options).length > 0 &&
      html`<h2>Options</h2>
        ${pairList(flatten(options))}`
    }`;
}

/**
 * The link as measured, in the form of the thesis's tables 4.1 to 4.3.
 * @param {Link} link
 * @returns {Table[]}
 */
function linkTables({ profile, ping, bandwidth }) {
  const tables = [];
  if (ping) {
    const units = ['Min', 'Avg', 'Max', 'SD'].map((label) => ({ label, unit: 'ms', digits: 3 }));
    tables.push({
      name: 'ping',
      title: 'Round trips by ping',
      caption: `Profile ${profile}; as in the thesis's tables 4.1 and 4.2.`,
      columns: [
        ...units,
        { label: 'Packet loss', unit: '%', digits: 1 },
        { label: 'Packets', digits: 0 },
      ],
      rows: [[ping.minMs, ping.avgMs, ping.maxMs, ping.sdMs, ping.lossPercent, ping.count]],
    });
  }
  if (bandwidth) {
    tables.push({
      name: 'bandwidth',
      title: 'Bandwidth',
      caption: "As in the thesis's table 4.3.",
      columns: [{ label: 'Direction' }, { label: 'Bandwidth', unit: 'Mbit/s', digits: 2 }],
      rows: [
        ['To the server', bandwidth.upMbits],
        ['From the server', bandwidth.downMbits],
      ],
    });
  }
  return tables;
}

/**
 * @param {import('./result.js').Generator} generator
 * @returns {Table}
 */
function generatorTable({ cpuPercent, latenessMs, bottleneck }) {
  const { p50, p95, p99, max } = latenessMs;
  const lateness = ['p50', 'p95', 'p99', 'Max'].map((label) => ({
    label: `Sent late, ${label}`,
    unit: 'ms',
    digits: 2,
  }));
  return {
    name: 'generator',
    title: 'How the load was made',
    caption: 'How much of one core its maker used, and how much later than planned it sent.',
    columns: [
      { label: 'Share of a core', unit: '%', digits: 1 },
      ...lateness,
      { label: 'Was the bottleneck' },
    ],
    rows: [[cpuPercent, p50, p95, p99, max, bottleneck ? 'yes' : 'no']],
  };
}

/**
 * @param {string} title
 * @param {Record<string, unknown>} parameters
 */
const parameterList = (title, parameters) =>
  Object.keys(parameters).length > 0 &&
  html`<h3>${title}</h3>
    ${pairList(flatten(parameters))}`;

/**
 * @param {Run} run
 * @returns {[string, unknown][]}
 */
export function environmentPairs({ environment: { machine, versions, git, hasNativeAddon } }) {
  return [
    ['Processor', `${machine.cpu}, ${machine.cores} ${machine.cores === 1 ? 'core' : 'cores'}`],
    ['Memory', `${formatNumber(machine.memoryGiB, 1)} GiB`],
    ['System', `${machine.kernel}, ${machine.arch}`],
    ['Load average before', `${formatNumber(machine.loadAverage, 2)} in the last minute`],
    [
      'aloud',
      versions.aloud + (git ? `, commit ${git.commit}${git.isDirty ? ' with changes' : ''}` : ''),
    ],
    ['Node.js', versions.node],
    ['npm', versions.npm],
    ['Chromium', versions.chromium],
    ['HTTP/3 engine', hasNativeAddon ? 'native addon' : 'native addon not built'],
  ];
}

/**
 * @param {Record<string, unknown>} object
 * @param {string} [prefix]
 * @returns {[string, string][]} its leaves, named by their path
 */
export function flatten(object, prefix = '') {
  return Object.entries(object).flatMap(([name, value]) => {
    const path = prefix ? `${prefix}.${name}` : name;
    if (value === undefined || value === null) return [];
    if (Array.isArray(value)) return [[path, value.map(text).join(', ')]];
    if (typeof value === 'object')
      return flatten(/** @type {Record<string, unknown>} */ (value), path);
    return [[path, text(value)]];
  });
}

/** @param {unknown} value */
function text(value) {
  if (typeof value === 'number') return String(Number(value.toPrecision(6)));
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
