/**
 * Table of how ways are rated under some conditions, made of the papers' runs.
 * @import { Cell, Result, Table } from '../../report/result.js'
 */

import { protocolLabel } from '../../report/palette.js';

/** The ways that the papers compare, and the product's, with the heads of their columns. */
const COLUMNS = Object.freeze({
  datagrams: 'WebTransport datagrams',
  'redundant-datagrams': 'each with the one before',
  stream: 'one stream',
  rtp: 'WebRTC audio',
});

/** The names of these ways. */
export const MAIN_WAYS = Object.freeze(Object.keys(COLUMNS));

/** The rows: of which sweep, at which of its values. */
export const ROWS = Object.freeze([
  { sweep: 'rate', at: 1000, label: '1 000 kbit/s' },
  { sweep: 'rate', at: 70, label: '70 kbit/s' },
  { sweep: 'delay', at: 150, label: '150 ms' },
  { sweep: 'loss', at: 5, label: '5 % of loss, 10 ms' },
  { sweep: 'loss', at: 20, label: '20 % of loss, 10 ms' },
]);

/**
 * @param {ReadonlyMap<string, Result>} results  of `sweep`, by the sweep's name
 * @returns {Table | null} a row for each condition that was measured; null where none was
 */
export function ratingsTable(results) {
  const rows = ROWS.flatMap(({ sweep, at, label }) => {
    const cells = MAIN_WAYS.map((way) =>
      ratingOf(results.get(sweep), `${sweep}Figures`, at, protocolLabel(way)),
    );
    return cells.some((cell) => cell !== null) ? [[label, ...cells]] : [];
  });
  if (rows.length === 0) return null;
  return {
    name: 'ratings',
    title: 'How ways are rated',
    caption:
      'R by the E-model, up to 129, for the same payload, codec and playout; in brackets, ' +
      'intervals of 95 % confidence. It is the first table of bench/docs/comparisons.md.',
    columns: [
      { label: 'on each leg' },
      ...Object.values(COLUMNS).map((label) => ({ label, digits: 1 })),
    ],
    rows,
  };
}

/**
 * @param {Result | undefined} result
 * @param {string} name of the table
 * @param {number} at
 * @param {string} label of the way
 * @returns {Cell}
 */
function ratingOf(result, name, at, label) {
  const table = result?.tables.find((one) => one.name === name);
  const column = table?.columns.findIndex((one) => one.label === 'R') ?? -1;
  return table?.rows.find(([value, way]) => value === at && way === label)?.[column] ?? null;
}
