/**
 * A plot as ECharts draws it: axes with units, one look for each series, intervals as bands or
 * whiskers, reference figures as grey marks.
 */

import { xAxis, yAxis } from './axes.js';
import { LEGEND_LINE, legendOf, legendRows } from './legend.js';
import { FONT, INK, looksOf, MARK, MUTED, PAPER } from './palette.js';

/**
 * @typedef {import('./result.js').Plot} Plot
 * @typedef {import('./result.js').Series} Series
 * @typedef {import('./result.js').Reference} Reference
 * @typedef {import('./palette.js').Look} Look
 * @typedef {Record<string, any>} Option ECharts' own
 *
 * @typedef {object} Size
 * @property {number} width   px
 * @property {number} height  px
 * @property {number} fontSize px
 */

/** More markers would hide the line. */
const MOST_MARKERS = 18;
const MOST_WHISKERS = 16;

/**
 * @param {Plot} plot
 * @param {Size} size
 * @returns {Option}
 */
export function plotOption(plot, size) {
  const { references = [], series } = plot;
  const looks = looksOf(series);
  const drawn = series.flatMap((one, i) => draw(plot, one, looks[i], i));
  const named = [
    ...drawn.filter(({ name }) => name),
    ...references.filter(({ points }) => points).map(curve),
  ];
  const rows = legendRows(plot, size);
  const top = rows * size.fontSize * LEGEND_LINE + size.fontSize * 2.2;
  return {
    animation: false,
    backgroundColor: 'transparent',
    textStyle: { fontFamily: FONT, fontSize: size.fontSize, color: INK },
    grid: {
      top,
      left: 8,
      right: 18,
      bottom: size.fontSize * 2.4,
      outerBoundsMode: 'same',
      outerBoundsContain: 'axisLabel',
    },
    legend: rows > 0 ? legendOf(named, size, plot.kind) : undefined,
    xAxis: xAxis(plot, size),
    yAxis: yAxis(plot.y, size),
    series: [
      ...drawn,
      ...references.map((reference) =>
        reference.points ? curve(reference) : mark(reference, size),
      ),
    ],
  };
}

/**
 * @param {Plot} plot
 * @param {Series} series
 * @param {Look} look
 * @param {number} place among the plot's series
 * @returns {Option[]}
 */
function draw(plot, series, look, place) {
  const { kind } = plot;
  if (kind === 'histogram') return [outline(series, look)];
  if (kind === 'bars') return bars(plot, series, look, place);
  if (kind === 'scatter') return [scatter(series, look)];
  return line(series, look, kind === 'cdf');
}

/**
 * @param {Series} series
 * @param {Look} look
 * @param {boolean} isStaircase
 * @returns {Option[]}
 */
function line(series, look, isStaircase) {
  const { name, points } = series;
  const { colour } = look;
  const every = Math.ceil(points.length / MOST_MARKERS);
  const isSparse = points.length <= MOST_WHISKERS;
  const main = {
    type: 'line',
    name,
    data: points.map(([x, y], i) => ({
      value: [x, y],
      symbol: (i + (every >> 1)) % every === 0 ? look.marker : 'none',
    })),
    step: isStaircase ? 'end' : false,
    symbol: look.marker,
    showAllSymbol: true,
    symbolSize: 6,
    z: 3,
    lineStyle: { color: colour, width: 1.75, type: look.dash.length > 0 ? look.dash : 'solid' },
    itemStyle: markerStyle(look),
  };
  const sure = isSparse ? whiskers(series, colour) : band(series, look);
  return sure ? [sure, main] : [main];
}

/** @param {Look} look */
const markerStyle = ({ colour, isHollow }) =>
  isHollow
    ? { color: PAPER, borderColor: colour, borderWidth: 1.5 }
    : { color: colour, borderWidth: 0 };

/**
 * @param {Series} series
 * @param {Look} look
 * @returns {Option}
 */
function scatter({ name, points }, look) {
  const isDense = points.length > 300;
  const style = isDense ? { color: look.colour, opacity: 0.55 } : markerStyle(look);
  return {
    type: 'scatter',
    name,
    data: points,
    symbol: look.marker,
    symbolSize: isDense ? 3.2 : 6,
    itemStyle: style,
  };
}

const GROUP_WIDTH = 0.7;

/**
 * @param {Plot} plot
 * @param {Series} series
 * @param {Look} look
 * @param {number} place
 * @returns {Option[]}
 */
function bars({ series: all }, series, { colour }, place) {
  const width = GROUP_WIDTH / all.length;
  const main = {
    type: 'bar',
    name: series.name,
    data: series.points.map(([x, y]) => [x, y]),
    barWidth: `${width * 90}%`,
    barGap: '11%',
    itemStyle: { color: colour, opacity: 0.85, decal: DECALS[place % DECALS.length] },
  };
  const sure = whiskers(series, INK, (place - (all.length - 1) / 2) * width);
  return sure ? [main, sure] : [main];
}

/** Patterns that tell bars apart without colour. */
const DECALS = [
  { symbol: 'none' },
  {
    symbol: 'rect',
    color: 'rgba(255,255,255,0.45)',
    dashArrayX: [1, 0],
    dashArrayY: [2, 4],
    rotation: -Math.PI / 4,
  },
  {
    symbol: 'circle',
    color: 'rgba(255,255,255,0.5)',
    symbolSize: 0.5,
    dashArrayX: [
      [6, 6],
      [0, 6, 6, 0],
    ],
    dashArrayY: [6, 0],
  },
  {
    symbol: 'rect',
    color: 'rgba(255,255,255,0.45)',
    dashArrayX: [1, 0],
    dashArrayY: [2, 4],
    rotation: Math.PI / 4,
  },
];

/**
 * @param {Reference} reference
 * @returns {Option}
 */
function curve({ label, points }) {
  const lineStyle = { color: MARK, width: 1.25, type: [3, 3] };
  return {
    type: 'line',
    name: label,
    data: points,
    showSymbol: false,
    symbol: 'none',
    z: 2,
    lineStyle,
    itemStyle: { color: MARK },
  };
}

/**
 * A straight mark across the plot; upright ones carry their label along them.
 * @param {Reference} reference
 * @param {Size} size
 * @returns {Option}
 */
function mark({ label, axis = 'y', value }, { fontSize }) {
  const halo = { textBorderColor: PAPER, textBorderWidth: 3 };
  const text = {
    formatter: label.replace(/[{}]/g, ''),
    color: MUTED,
    fontSize: fontSize - 1,
    fontFamily: FONT,
    ...halo,
  };
  return {
    type: 'line',
    data: [],
    z: 6,
    markLine: {
      silent: true,
      symbol: 'none',
      lineStyle: { color: MARK, width: 1, type: [3, 3] },
      label: { ...text, position: axis === 'x' ? 'insideEndTop' : 'insideStartTop' },
      data: [{ [axis === 'x' ? 'xAxis' : 'yAxis']: value }],
    },
  };
}

const BAND_OPACITY = 0.18;
const FILL_OPACITY = 0.16;

/** @param {Series} series */
const withIntervals = ({ points }) =>
  points.filter(([, , low, high]) => Number.isFinite(low) && Number.isFinite(high));

/**
 * The intervals of a line's points as an area behind it.
 * @param {Series} series
 * @param {Look} look
 * @returns {Option | undefined}
 */
function band(series, { colour }) {
  const points = withIntervals(series);
  if (points.length < 2) return undefined;
  const edge = [
    ...points.map(([x, , low]) => [x, low]),
    ...points.toReversed().map(([x, , , high]) => [x, high]),
  ];
  return {
    type: 'custom',
    silent: true,
    clip: true,
    z: 1,
    data: [points[0]],
    renderItem: (/** @type {any} */ _, /** @type {any} */ api) => ({
      type: 'polygon',
      shape: { points: edge.map((point) => api.coord(point)) },
      style: { fill: colour, opacity: BAND_OPACITY },
    }),
  };
}

const WHISKER_PX = 4;

/**
 * The intervals of a bar's or a few points' values as whiskers.
 * @param {Series} series
 * @param {string} colour
 * @param {number} shift from the point's place, in shares of a category
 * @returns {Option | undefined}
 */
function whiskers(series, colour, shift = 0) {
  const points = withIntervals(series);
  if (points.length === 0) return undefined;
  return {
    type: 'custom',
    silent: true,
    clip: true,
    z: 4,
    data: points,
    encode: { x: 0, y: [2, 3] },
    renderItem: (/** @type {any} */ _, /** @type {any} */ api) => {
      const [x, low] = api.coord([api.value(0), api.value(2)]);
      const [, high] = api.coord([api.value(0), api.value(3)]);
      const at = x + (shift === 0 ? 0 : shift * api.size([1, 0])[0]);
      const stroke = (/** @type {number[]} */ [x1, y1, x2, y2]) => ({
        type: 'line',
        shape: { x1, y1, x2, y2 },
        style: { stroke: colour, lineWidth: 1.5 },
      });
      const ends = [low, high].map((y) => stroke([at - WHISKER_PX, y, at + WHISKER_PX, y]));
      return { type: 'group', children: [stroke([at, low, at, high]), ...ends] };
    },
  };
}

/**
 * A histogram as the line along the tops of its bins, lightly filled.
 * @param {Series} series points [from, to, y]
 * @param {Look} look
 * @returns {Option}
 */
function outline(series, { colour, dash }) {
  const { points, name } = series;
  const corners = points.flatMap(([from, to, y]) => [
    [from, y],
    [to, y],
  ]);
  const [first, last] = [points[0]?.[0] ?? 0, points.at(-1)?.[1] ?? 0];
  return {
    type: 'line',
    name,
    data: [[first, 0], ...corners, [last, 0]],
    showSymbol: false,
    lineStyle: { color: colour, width: 1.5, type: dash.length > 0 ? dash : 'solid' },
    itemStyle: { color: colour },
    areaStyle: { color: colour, opacity: FILL_OPACITY },
  };
}
