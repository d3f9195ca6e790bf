/** A plot's legend, and the room that it takes. */

import { INK } from './palette.js';

/**
 * @typedef {import('./result.js').Plot} Plot
 * @typedef {import('./plot.js').Size} Size
 * @typedef {import('./plot.js').Option} Option
 */

/**
 * Width of a character in font sizes, what an entry's mark takes beside its name, a line's height.
 */
const CHARACTER = 0.54;
const ENTRY_PX = 46;
export const LEGEND_LINE = 1.65;

/** Kinds of lines without markers, and kinds of markers without lines. */
const WITHOUT_MARKERS = ['histogram'];
const MARKERS_ONLY = ['scatter', 'bars'];

/**
 * Estimates the rows that the legend takes, generously: text can't be measured without a browser.
 * @param {Plot} plot
 * @param {Size} size
 * @returns {number} 0 when a legend would say nothing
 */
export function legendRows({ series, references = [] }, { width, fontSize }) {
  const names = [
    ...series.map(({ name }) => name),
    ...references.flatMap(({ label, points }) => (points ? [label] : [])),
  ];
  if (names.length < 2) return 0;
  let rows = 1;
  let used = 0;
  for (const { length } of names) {
    const wide = length * fontSize * CHARACTER + ENTRY_PX;
    if (used > 0 && used + wide > width - 20) {
      rows++;
      used = 0;
    }
    used += wide;
  }
  return rows;
}

/**
 * @param {Plot} plot
 * @param {Size} size
 * @returns {Size} higher by what the legend takes beyond one row, so that the plot itself stays as
 *   high
 */
export function roomFor(plot, size) {
  const more = Math.max(0, legendRows(plot, size) - 1) * size.fontSize * LEGEND_LINE;
  return { ...size, height: Math.ceil(size.height + more) };
}

/**
 * @param {Option[]} named
 * @param {Size} size
 * @param {import('./result.js').PlotKind} kind
 * @returns {Option}
 */
export function legendOf(named, { width, fontSize }, kind) {
  return {
    top: 0,
    left: 2,
    width: width - 10,
    itemWidth: MARKERS_ONLY.includes(kind) ? 10 : 28,
    itemHeight: MARKERS_ONLY.includes(kind) ? 10 : 9,
    itemGap: 14,
    padding: [2, 0],
    data: named.map(({ name, symbol }) => ({
      name,
      itemStyle: { opacity: symbol === 'none' || WITHOUT_MARKERS.includes(kind) ? 0 : 1 },
    })),
    textStyle: { color: INK, fontSize },
  };
}
