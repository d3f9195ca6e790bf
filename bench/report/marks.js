/**
 * What ECharts doesn't draw by itself: bands of confidence, whiskers, and histograms as outlines that
 * can be laid over one another.
 */

/**
 * @typedef {import('./result.js').Series} Series
 * @typedef {import('./palette.js').Look} Look
 * @typedef {Record<string, any>} Option ECharts' own
 */

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
export function band(series, { colour }) {
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
export function whiskers(series, colour, shift = 0) {
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
export function outline(series, { colour, dash }) {
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
