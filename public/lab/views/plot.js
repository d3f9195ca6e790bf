/**
 * @import { Protocol } from '../runs/protocol.js'
 *
 * @typedef {object} Line
 * @property {string} label
 * @property {string} color     a custom property of the style sheet, such as '--webtransport'
 * @property {number[]} [dash]
 * @property {'line' | 'points' | 'both' | 'steps'} [kind]  default 'line'
 *
 * @typedef {object} PlotOptions
 * @property {string} label     for assistive technology
 * @property {string} xLabel
 * @property {string} yLabel
 * @property {Line[]} lines
 *
 * @typedef {(number | null)[]} Values
 *
 * @typedef {{ atMs: number, ms: number }} Reading  a latency with its time
 */

import uPlot from '/vendor/uplot/uPlot.esm.js';
import { setText } from '../../ui/kit/element.js';
import { PROTOCOLS } from '../runs/protocol.js';
import { sorted, axisEnd } from '../summary.js';
import { texts } from '../texts.js';

const HEIGHT = 300;
const FONT = '12px system-ui, sans-serif';

/** @param {string} name of a custom property */
const colorOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** A plot as wide as its host, in the page's colours, light or dark. */
export class Plot {
  #plot;
  #host;
  #xEnd = 1;
  #yEnd = 1;

  /** @param {HTMLElement} host @param {PlotOptions} options */
  constructor(host, { label, xLabel, yLabel, lines }) {
    this.#host = host;
    host.role = 'img';
    host.ariaLabel = label;
    this.#plot = new uPlot(
      {
        width: Math.max(host.clientWidth, 200),
        height: HEIGHT,
        padding: [12, 12, 0, 0],
        legend: { show: false },
        cursor: { show: false },
        scales: {
          x: { time: false, range: () => [0, this.#xEnd] },
          y: { range: () => [0, this.#yEnd] },
        },
        axes: [axis(xLabel, 34), axis(yLabel, 44)],
        series: [{}, ...lines.map(series)],
      },
      [[], ...lines.map(() => [])],
      host,
    );
    new ResizeObserver(() => this.#fit()).observe(host);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () =>
      this.#plot.redraw(),
    );
  }

  #fit() {
    const width = this.#host.clientWidth;
    if (width > 0 && width !== this.#plot.width) this.#plot.setSize({ width, height: HEIGHT });
  }

  /**
   * @param {number[]} x ascending
   * @param {Values[]} lines one for each of the plot's lines, each as long as x
   * @param {{ xEnd: number, yEnd: number }} ends of the axes, which begin at 0
   */
  show(x, lines, { xEnd, yEnd }) {
    this.#xEnd = xEnd > 0 ? xEnd : 1;
    this.#yEnd = yEnd > 0 ? yEnd : 1;
    this.#plot.setData([x, ...lines]);
  }
}

/**
 * Shows readings over time. The axis ends where usual values are distinguishable; larger ones are
 * drawn at its edge, and counted in the text.
 *
 * @param {Plot} plot with one line for each protocol
 * @param {HTMLElement} above the element for that count
 * @param {ReadonlyMap<Protocol, Reading[]>} readings
 */
export function showScatter(plot, above, readings) {
  const points = [...readings].flatMap(([protocol, list]) =>
    list.map(({ atMs, ms }) => ({ atMs, ms, line: PROTOCOLS.indexOf(protocol) })),
  );
  points.sort((a, b) => a.atMs - b.atMs);
  const yEnd = axisEnd([...readings.values()].map((list) => sorted(list.map(({ ms }) => ms))));
  const x = points.map(({ atMs }) => atMs / 1000);
  const lines = PROTOCOLS.map((_, line) =>
    points.map((point) => (point.line === line ? Math.min(point.ms, yEnd) : null)),
  );
  plot.show(x, lines, { xEnd: x.at(-1) ?? 1, yEnd: yEnd * 1.03 });
  let count = 0;
  let largest = 0;
  for (const { ms } of points) {
    if (ms <= yEnd) continue;
    count += 1;
    largest = Math.max(largest, ms);
  }
  setText(above, count > 0 ? texts.above(count, yEnd, largest) : '');
}

/**
 * @param {string} label
 * @param {number} size
 * @returns {uPlot.Axis}
 */
function axis(label, size) {
  const grid = { stroke: () => colorOf('--line'), width: 1 };
  return {
    label,
    size,
    labelSize: 22,
    gap: 4,
    font: FONT,
    labelFont: FONT,
    stroke: () => colorOf('--ink-soft'),
    grid,
    ticks: { ...grid, size: 4 },
  };
}

/** @param {Line} line @returns {uPlot.Series} */
function series({ label, color, dash, kind = 'line' }) {
  const stroke = () => colorOf(color);
  const points = {
    show: kind === 'points' || kind === 'both',
    size: kind === 'points' ? 3.5 : 5,
    space: 0,
  };
  /** @type {uPlot.Series} */
  const common = {
    label,
    stroke,
    width: 2,
    dash,
    spanGaps: true,
    points: { ...points, stroke, fill: stroke },
  };
  if (kind === 'points') return { ...common, paths: () => null };
  if (kind === 'steps') return { ...common, paths: uPlot.paths.stepped?.({ align: -1 }) };
  return common;
}
