/** A plot's axes: their titles with units, and ticks. */

import { INK, MARK, MUTED, RULE } from './palette.js';

/**
 * @typedef {import('./result.js').Plot} Plot
 * @typedef {import('./result.js').Axis} Axis
 * @typedef {import('./result.js').Series} Series
 * @typedef {import('./plot.js').Size} Size
 * @typedef {import('./plot.js').Option} Option
 */

/**
 * @param {Axis} axis
 * @returns {string} 'Round-trip latency (ms)'
 */
export const axisTitle = ({ label, unit }) => (unit ? `${label} (${unit})` : label);

/**
 * @param {Axis} axis
 * @param {Size} size
 * @returns {Option}
 */
const commonAxis = (axis, { fontSize }) => ({
  type: axis.isLogarithmic ? 'log' : 'value',
  name: axisTitle(axis),
  min: axis.from,
  max: axis.to,
  nameTextStyle: { color: INK, fontSize },
  axisLabel: { color: MUTED, fontSize: fontSize - 1, hideOverlap: true },
});

/**
 * @param {Plot} plot
 * @param {Size} size
 * @returns {Option}
 */
export function xAxis({ x, kind, series }, size) {
  const [from, to] = kind === 'histogram' ? rangeOfBins(series) : [x.from, x.to];
  const common = commonAxis({ ...x, from, to }, size);
  return {
    ...common,
    axisTick: { show: !x.categories, lineStyle: { color: MARK } },
    ...(x.categories
      ? { type: 'category', data: x.categories, min: undefined, max: undefined }
      : {}),
    ...(from !== undefined && to !== undefined && !x.isLogarithmic
      ? roundTicks(common, from, to, size)
      : {}),
    scale: true,
    nameLocation: 'middle',
    nameGap: size.fontSize * 2.1,
    axisLine: { show: true, onZero: false, lineStyle: { color: MARK } },
    splitLine: { show: false },
  };
}

/**
 * @param {Series[]} series
 * @returns {(number | undefined)[]} the first and the last edge
 */
function rangeOfBins(series) {
  const filled = series.filter(({ points }) => points.length > 0);
  if (filled.length === 0) return [];
  const ends = filled.map(({ points }) => [points[0][0], points[points.length - 1][1]]);
  return [Math.min(...ends.map(([from]) => from)), Math.max(...ends.map(([, to]) => to))];
}

/**
 * Ticks at round numbers only, where ECharts would add one at each end.
 * @param {Option} axis
 * @param {number} from
 * @param {number} to
 * @param {Size} size
 * @returns {Option}
 */
function roundTicks({ axisLabel }, from, to, { width }) {
  const rough = (to - from) / Math.max(3, Math.round(width / 90));
  const power = 10 ** Math.floor(Math.log10(rough));
  const interval = ([1, 2, 5].find((times) => times * power >= rough) ?? 10) * power;
  const first = Math.ceil(from / interval - 1e-9);
  const count = Math.floor(to / interval + 1e-9) - first + 1;
  const customValues = Array.from({ length: count }, (_, i) =>
    Number(((first + i) * interval).toPrecision(12)),
  );
  return {
    axisLabel: { ...axisLabel, customValues },
    axisTick: { lineStyle: { color: MARK }, customValues },
  };
}

/**
 * Its title stands above it, upright, where it can be read.
 * @param {Axis} axis
 * @param {Size} size
 * @returns {Option}
 */
export function yAxis(axis, size) {
  const common = commonAxis(axis, size);
  return {
    ...common,
    nameLocation: 'end',
    nameGap: size.fontSize * 0.8,
    nameTextStyle: {
      ...common.nameTextStyle,
      align: 'left',
      padding: [0, 0, 0, -size.fontSize * 2.2],
    },
    axisLine: { show: false },
    axisTick: { show: false },
    splitLine: { lineStyle: { color: RULE, width: 1 } },
  };
}
