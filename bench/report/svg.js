/**
 * Plots drawn as SVG without a browser: for the page, which colours them by its theme, and for a
 * paper.
 */

import { BarChart, CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import {
  AriaComponent,
  GridComponent,
  LegendComponent,
  MarkLineComponent,
} from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { thin } from './quantity-views.js';
import { roomFor } from './legend.js';
import { COLOURS, INK, MARK, MUTED, PAPER, RULE } from './palette.js';
import { plotOption } from './plot.js';

/**
 * @typedef {import('./result.js').Plot} Plot
 * @typedef {import('./plot.js').Size} Size
 */

use([
  BarChart,
  CustomChart,
  LineChart,
  ScatterChart,
  AriaComponent,
  GridComponent,
  LegendComponent,
]);
use([MarkLineComponent, SVGRenderer]);

/**
 * For a wide window, for a phone, and for a column of a paper, which at 84 mm leaves its text 7
 * points.
 */
const WIDE = { width: 800, height: 400, fontSize: 13 };
const NARROW = { width: 350, height: 300, fontSize: 12 };
const COLUMN = { width: 480, height: 320, fontSize: 14 };

/** The page's names of the colours that plots are drawn in. */
const THEMED = new Map([
  [INK, 'ink'],
  [MUTED, 'muted'],
  [RULE, 'rule'],
  [MARK, 'mark'],
  [PAPER, 'paper'],
  ...COLOURS.map((colour, slot) => /** @type {const} */ ([colour, `series-${slot}`])),
]);

/**
 * @param {Plot} plot
 * @returns {string} a separate file, on white
 */
export function plotFile(plot) {
  const svg = draw(plot, COLUMN, `${plot.name}-`);
  const ground = '<rect width="100%" height="100%" fill="#ffffff"></rect>';
  const [opening] = /** @type {RegExpMatchArray} */ (svg.match(/<svg[^>]*>/));
  const title = `<title>${escapeXml(plot.title)}</title>`;
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>';
  return [declaration, opening, title, ground, svg.slice(opening.length), ''].join('\n');
}

/**
 * @param {Plot} plot
 * @param {string} id unlike any other plot's on the page
 * @param {string} description for readers who can't see it
 * @returns {{ wide: string, narrow: string }} markup for two widths of a page
 */
export function plotMarkup(plot, id, description) {
  const image = `role="img" aria-label="${escapeXml(description)}"`;
  const themed = (/** @type {Size} */ size, /** @type {string} */ kind) =>
    useTheme(draw(thinned(plot, size), size, `${id}-${kind}-`))
      .replace(/<svg /, `<svg class="plot ${kind}" ${image} `)
      .replace(/(<svg[^>]*?) width="\d+" height="\d+"/, '$1');
  return { wide: themed(WIDE, 'wide'), narrow: themed(NARROW, 'narrow') };
}

/**
 * No more points than there is room for.
 * @param {Plot} plot
 * @param {Size} size
 * @returns {Plot}
 */
function thinned(plot, { width }) {
  if (plot.kind !== 'scatter') return plot;
  return {
    ...plot,
    series: plot.series.map((series) => ({ ...series, points: thin(series.points, width * 1.5) })),
  };
}

/**
 * @param {Plot} plot
 * @param {Size} wanted
 * @param {string} prefix of the ids within
 */
function draw(plot, wanted, prefix) {
  const size = roomFor(plot, wanted);
  const chart = init(null, null, {
    renderer: 'svg',
    ssr: true,
    width: size.width,
    height: size.height,
  });
  try {
    chart.setOption(plotOption(plot, size));
    return chart
      .renderToSVGString()
      .replace(/zr\d+-/g, prefix)
      .replace(/<style[\s\S]*?<\/style>/, '')
      .replace(/ (ecmeta_\w+)="[^"]*"/g, '')
      .replace(/ d="[^"]*"/g, (path) => path.replace(/(\.\d)\d+/g, '$1'));
  } finally {
    chart.dispose();
  }
}

/** @param {string} svg */
const useTheme = (svg) =>
  svg.replace(/"(#[0-9a-f]{6})"/gi, (whole, colour) => {
    const name = THEMED.get(colour.toLowerCase());
    return name ? `"var(--${name})"` : whole;
  });

/** @param {string} text */
const escapeXml = (text) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
