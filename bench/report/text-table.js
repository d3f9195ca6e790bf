/** Tables and a run's summary as plain text, aligned, for a terminal or a log. */

import { digitsFor, formatColumns, formatInterval, formatNumber } from './numbers.js';
import { protocolLabel } from './palette.js';
import { runWarnings } from './circumstances.js';

/**
 * @typedef {import('./result.js').Table} Table
 * @typedef {import('./result.js').Headline} Headline
 */

/**
 * @param {Table} table
 * @returns {string} lines without an end of line after the last
 */
export function textTable(table) {
  const columns = formatColumns(table).map(({ header, isNumeric, cells }) => {
    const texts = cells.map(({ text, interval }) => (interval ? `${text} ${interval}` : text));
    const width = Math.max(header.length, ...texts.map(({ length }) => length));
    const align = (/** @type {string} */ text) =>
      isNumeric ? text.padStart(width) : text.padEnd(width);
    return { lines: [align(header), '─'.repeat(width), ...texts.map(align)] };
  });
  const rows =
    columns[0]?.lines.map((_, i) =>
      columns
        .map(({ lines }) => lines[i])
        .join('  ')
        .trimEnd(),
    ) ?? [];
  return [table.title, ...rows].join('\n');
}

/**
 * @param {readonly Headline[]} headlines
 * @returns {Table}
 */
export function headlineTable(headlines) {
  const hasThesis = headlines.some(({ thesis }) => thesis !== undefined);
  const rows = headlines.map(
    ({ label, unit, protocol, value, interval, thesis, digits = digitsFor([value]) }) => {
      const sure = interval?.every(Number.isFinite) ? ` ${formatInterval(interval, digits)}` : '';
      const figures = [`${formatNumber(value, digits)} ${unit}${sure}`];
      if (hasThesis) figures.push(thesis === undefined ? '' : `${formatNumber(thesis)} ${unit}`);
      return [label, protocolLabel(protocol), ...figures];
    },
  );
  const columns = [
    { label: 'Figure' },
    { label: 'Protocol' },
    { label: 'Here' },
    ...(hasThesis ? [{ label: 'Thesis' }] : []),
  ];
  return { name: 'headlines', title: 'Headline figures', columns, rows };
}

/**
 * The summary that a terminal shows when a run has ended.
 * @param {import('./result.js').Run} run
 * @param {import('./result.js').Result} result
 * @param {string} report the report's path
 * @returns {string} ends with an end of line
 */
export function textSummary(run, result, report) {
  const parts = [
    result.title || run.scenario,
    ...(run.error ? [`Not complete: ${run.error}`] : []),
    ...runWarnings(run).map((warning) => `Warning: ${warning}`),
    ...(result.headlines.length > 0 ? [textTable(headlineTable(result.headlines))] : []),
    ...result.tables.map(textTable),
    `Report: ${report}`,
  ];
  return `${parts.join('\n\n')}\n`;
}
