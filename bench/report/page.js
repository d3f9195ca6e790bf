/** The parts that reports' pages are made of. A page needs nothing beside its own file. */

import { readFileSync } from 'node:fs';
import { sorted } from '../../testkit/statistics.js';
import { axisTitle } from './axes.js';
import { digitsFor, formatColumns, formatInterval, formatNumber } from './numbers.js';
import { looksOf, PROTOCOLS, protocolLabel } from './palette.js';
import { plotMarkup } from './svg.js';

/**
 * @typedef {import('./result.js').Headline} Headline
 * @typedef {import('./result.js').Plot} Plot
 * @typedef {import('./result.js').Table} Table
 */

/** Text that is markup already. */
export class Markup {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }

  toString() {
    return this.text;
  }
}

/** @type {Record<string, string>} */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** @param {string} text */
const escapeHtml = (text) => text.replace(/[&<>"']/g, (character) => ENTITIES[character]);

/**
 * A template's tag: values are escaped, save Markup; lists are joined, and nothing stands for
 * undefined, null and false.
 *
 * @param {TemplateStringsArray} strings
 * @param {...unknown} values
 * @returns {Markup}
 */
export function html(strings, ...values) {
  return new Markup(strings.reduce((text, string, i) => text + render(values[i - 1]) + string));
}

/**
 * @param {unknown} value
 * @returns {string}
 */
function render(value) {
  if (value instanceof Markup) return value.text;
  if (Array.isArray(value)) return value.map(render).join('');
  if (value === undefined || value === null || value === false) return '';
  return escapeHtml(String(value));
}

/**
 * @param {string} title
 * @param {Markup} body
 * @returns {string} a whole HTML file
 */
export function page(title, body) {
  const style = readFileSync(new URL('./style.css', import.meta.url), 'utf8');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="aloud">
<title>${escapeHtml(title)}</title>
<style>
${style}</style>
</head>
<body>
${body}
</body>
</html>
`;
}

/** @param {string} protocol */
const keyOf = (protocol) => html`style="--key: var(--series-${looksOf([{ protocol }])[0].slot})"`;

/**
 * @param {readonly Headline[]} headlines
 * @returns {Markup | undefined}
 */
export function headlineList(headlines) {
  if (headlines.length === 0) return undefined;
  return html`<ul class="headlines">
    ${headlines.map(headline)}
  </ul>`;
}

/** @param {Headline} headline */
function headline({ label, unit, protocol, value, interval, thesis, digits = digitsFor([value]) }) {
  const isSure = interval !== undefined && interval.every(Number.isFinite);
  const thesisOf = thesis === undefined ? undefined : formatNumber(thesis);
  return html`<li ${protocol ? keyOf(protocol) : ''}>
    <span class="what">${protocol && `${protocolLabel(protocol)}: `}${label}</span>
    <span class="figure">${formatNumber(value, digits)}<span class="unit">${unit}</span></span>
    ${isSure && html`<span class="beside">95 %: ${formatInterval(interval, digits)}</span>`}
    ${thesisOf !== undefined && html`<span class="beside">thesis: ${thesisOf} ${unit}</span>`}
  </li> `;
}

/**
 * @param {Table} table
 * @returns {Markup}
 */
export function tableSection(table) {
  const columns = formatColumns(table);
  const keys = keysOf(table);
  const rows = table.rows.map((_, row) => {
    const cells = columns.map(({ isNumeric, cells: texts }, i) => {
      const { text, interval } = texts[row];
      const sure = interval && html` <span class="interval">${interval}</span>`;
      if (i === 0) return html`<th scope="row">${keys[row]}${text}${sure}</th>`;
      return html`<td${isNumeric && html` class="number"`}>${text}${sure}</td>`;
    });
    return html`<tr>
      ${cells}
    </tr> `;
  });
  const head = columns.map(
    ({ header, isNumeric }, i) =>
      html`<th scope="col" ${isNumeric && i > 0 && html` class="number"`}>${header}</th>`,
  );
  return html`<section class="table">
    <h3>${table.title}</h3>
    <div class="scroll" tabindex="0" role="region" aria-label="${table.title}">
      <table>
        <thead>
          <tr>
            ${head}
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
    ${table.caption && html`<p class="facts">${table.caption}</p>`}
  </section> `;
}

/**
 * A protocol's colour before its name, where rows begin with one.
 * @param {Table} table
 */
function keysOf({ rows }) {
  return rows.map(([first]) => {
    const protocol = PROTOCOLS.find((name) => protocolLabel(name) === first);
    return protocol && html`<span class="key" ${keyOf(protocol)}></span>`;
  });
}

/**
 * @param {Plot} plot
 * @param {number} number of the figure
 * @param {{ file?: string, id?: string }} [options] file: where the plot lies on its own
 * @returns {Markup}
 */
export function plotSection(plot, number, { file, id = plot.name } = {}) {
  const { wide, narrow } = plotMarkup(plot, id, describePlot(plot));
  const link = file && html` <a class="screen" href="${file}">SVG</a>`;
  return html`<figure id="${id}">
    <h3>${plot.title}</h3>
    ${new Markup(wide)} ${new Markup(narrow)}
    <figcaption>
      <b>Figure ${number}.</b> ${plot.caption}${link}
    </figcaption>
  </figure> `;
}

/**
 * The plot in words, for readers who can't see it.
 * @param {Plot} plot
 * @returns {string}
 */
function describePlot({ title, kind, x, y, series, references = [] }) {
  const [yAt, endAt] = kind === 'histogram' ? [2, 1] : [1, 0];
  const lines = series.map(({ name, points }) => {
    const values = sorted(points.map((point) => point[yAt]).filter(Number.isFinite));
    if (values.length === 0) return `${name}: no values`;
    const digits = digitsFor(Array.from(values));
    const [least, most] = [values[0], values[values.length - 1]].map((value) =>
      formatNumber(value, digits),
    );
    const [from, to] = [points[0][0], points[points.length - 1][endAt]].map((at) =>
      formatNumber(at),
    );
    return `${name}: between ${least} and ${most}, x from ${from} to ${to}`;
  });
  const marks =
    references.length > 0
      ? ` Beside them: ${references.map(({ label }) => label).join(', ')}.`
      : '';
  return `${title}: ${axisTitle(y)} against ${axisTitle(x)}. ${lines.join('; ')}.${marks}`;
}

/**
 * @param {string} title
 * @param {readonly string[]} sentences
 * @returns {Markup | undefined}
 */
export function alertBox(title, sentences) {
  if (sentences.length === 0) return undefined;
  const list =
    sentences.length === 1
      ? html`<p>${sentences[0]}</p>`
      : html`<ul>
          ${sentences.map((text) => html`<li>${text}</li>`)}
        </ul>`;
  return html`<div class="alert" role="note">
    <h2>${title}</h2>
    ${list}
  </div> `;
}

/**
 * @param {readonly (readonly [string, unknown])[]} pairs pairs without a value are left out
 * @returns {Markup}
 */
export function pairList(pairs) {
  const known = pairs.filter(([, value]) => value !== undefined && value !== null && value !== '');
  return html`<dl class="pairs">
    ${known.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd> `,
    )}
  </dl> `;
}
