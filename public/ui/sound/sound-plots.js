import uPlot from '/vendor/uplot/uPlot.esm.js';
import { build, setText } from '../kit/element.js';
import { quantity } from './sound-figures.js';
import { HISTORY_SECONDS, rangeOf } from './sound-history.js';
import { texts } from '../../texts/texts.js';

/**
 * @import { Sample } from './sound-history.js'
 *
 * @typedef {object} PlotRow
 * @property {string} title
 * @property {string} unit
 * @property {number} [digits]
 * @property {number} least      the axis' least length
 * @property {boolean} [isPercent]   true when the axis ends at 100 and its lower end varies
 * @property {{ key: Exclude<keyof Sample, 'second'>, label: string, color: string }[]} lines
 */

const HEIGHT = 92;

/** @type {readonly PlotRow[]} */
const ROWS = [
  {
    title: texts.plotRoundTrip,
    unit: 'ms',
    least: 20,
    lines: [{ key: 'roundTripMs', label: '', color: '--accent' }],
  },
  {
    title: texts.plotReceived,
    unit: '%',
    digits: 1,
    least: 5,
    isPercent: true,
    lines: [{ key: 'receivedPercent', label: '', color: '--accent' }],
  },
  {
    title: texts.plotServerDelay,
    unit: 'ms',
    least: 50,
    lines: [{ key: 'serverDelayMs', label: '', color: '--accent' }],
  },
  {
    title: texts.plotPlayoutDelay,
    unit: 'ms',
    least: 50,
    lines: [{ key: 'playoutDelayMs', label: '', color: '--accent' }],
  },
  {
    title: texts.plotLoss,
    unit: '%',
    digits: 1,
    least: 2,
    lines: [
      { key: 'lostDownPercent', label: texts.down, color: '--accent' },
      { key: 'lostUpPercent', label: texts.up, color: '--second' },
    ],
  },
  {
    title: texts.plotRate,
    unit: 'kb/s',
    least: 50,
    lines: [
      { key: 'downKbps', label: texts.down, color: '--accent' },
      { key: 'upKbps', label: texts.up, color: '--second' },
    ],
  },
];

/** The plots of a call, one below the other, over the same two minutes. */
export class SoundPlots {
  #rows = ROWS.map((row) => new PlotView(row));
  element = build('div', { class: 'plots' }, ...this.#rows.map(({ element }) => element));

  /** @param {Sample[]} samples */
  show(samples) {
    for (const row of this.#rows) row.show(samples);
  }
}

class PlotView {
  #row;
  #values;
  #host = build('div', { class: 'plot', role: 'img' });
  #range = /** @type {[number, number]} */ ([0, 1]);
  #end = HISTORY_SECONDS;
  /** @type {uPlot | null} */
  #plot = null;

  /** @param {PlotRow} row */
  constructor(row) {
    this.#row = row;
    this.#values = row.lines.map(({ color }) =>
      build('span', { class: `plot-value ${color.slice(2)}` }),
    );
    const head = build(
      'p',
      { class: 'plot-head' },
      build('span', { class: 'plot-title' }, row.title),
      ...this.#values,
    );
    this.element = build('div', { class: 'plot-row' }, head, this.#host);
    new ResizeObserver(() => this.#fit()).observe(this.#host);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () =>
      this.#plot?.redraw(),
    );
  }

  #fit() {
    const width = this.#host.clientWidth;
    if (width === 0) return;
    this.#plot ??= this.#draw(width);
    if (width !== this.#plot.width) this.#plot.setSize({ width, height: HEIGHT });
  }

  /** @param {number} width */
  #draw(width) {
    const { lines } = this.#row;
    const grid = { stroke: () => colorOf('--line'), width: 1 };
    const axis = {
      font: '11px system-ui, sans-serif',
      stroke: () => colorOf('--ink-soft'),
      grid,
      ticks: { show: false },
    };
    const plot = new uPlot(
      {
        width,
        height: HEIGHT,
        padding: [8, 2, 8, 0],
        legend: { show: false },
        cursor: { show: false },
        scales: {
          x: { time: false, range: () => [this.#end - HISTORY_SECONDS, this.#end] },
          y: { range: () => this.#range },
        },
        axes: [{ show: false }, { ...axis, size: 34, gap: 4, space: 28 }],
        series: [
          {},
          ...lines.map(({ color }) => ({
            stroke: () => colorOf(color),
            width: 2,
            points: { show: false },
          })),
        ],
      },
      [[], ...lines.map(() => [])],
      this.#host,
    );
    if (this.#last) queueMicrotask(() => this.show(this.#last));
    return plot;
  }

  /** @type {Sample[]} */
  #last = [];

  /** @param {Sample[]} samples */
  show(samples) {
    this.#last = samples;
    const { lines, unit, digits, title } = this.#row;
    const columns = lines.map(({ key }) => samples.map((sample) => sample[key]));
    const said = lines.map(({ label }, i) =>
      `${label} ${quantity(columns[i].at(-1), unit, digits)}`.trim(),
    );
    for (const [i, text] of said.entries()) setText(this.#values[i], text);
    this.#host.setAttribute('aria-label', texts.plotLabel(title, said.join(', ')));
    this.#end = Math.max(HISTORY_SECONDS, samples.at(-1)?.second ?? 0);
    this.#range = rangeOf(columns.flat(), this.#row);
    this.#plot?.setData([samples.map(({ second }) => second), ...columns]);
  }
}

/** @param {string} name of a custom property */
const colorOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
