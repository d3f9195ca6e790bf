/** One run's report: report.html and each plot's own SVG, in the run's folder. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  cumulativePlot,
  differenceTable,
  distributionPlot,
  summaryTable,
  timePlot,
} from './quantity-views.js';
import { seededRandom } from '../../testkit/random.js';
import { circumstances, runFacts, runWarnings } from './circumstances.js';
import { alertBox, headlineList, html, page, plotSection, tableSection } from './page.js';
import { plotFile } from './svg.js';

/**
 * @typedef {import('./result.js').Result} Result
 * @typedef {import('./result.js').Sample} Sample
 * @typedef {import('./run-folder.js').EarlierRun} EarlierRun
 */

/** The intervals in a report are the same each time that it is written. */
const SEED = 20220912;

/**
 * Writes the report, and again the one of a run that was killed.
 * @param {EarlierRun} earlier
 * @returns {Promise<string>} the report's path
 */
export async function writeReport(earlier) {
  const result = isEmpty(earlier.result) ? fallbackResult(earlier) : earlier.result;
  const report = join(earlier.path, 'report.html');
  await Promise.all([
    writeFile(report, reportPage({ ...earlier, result })),
    ...result.plots.map((plot) =>
      writeFile(join(earlier.path, `${plot.name}.svg`), plotFile(plot)),
    ),
  ]);
  return report;
}

/** @param {Result} result */
const isEmpty = ({ tables, plots, headlines }) =>
  tables.length + plots.length + headlines.length === 0;

/**
 * Tables and plots that suit any values, for a run whose scenario made no result.
 * @param {EarlierRun} earlier
 * @returns {Result}
 */
export function fallbackResult({ run, result, samples }) {
  const random = seededRandom(SEED);
  const measured = run.quantities
    .map((quantity) => ({ quantity, values: samples.get(quantity.name) ?? [] }))
    .filter(({ values }) => values.some(({ value }) => Number.isFinite(value)));
  const tables = measured.flatMap(({ quantity, values }) => [
    summaryTable(quantity, values, random),
    differenceTable(quantity, values, random) ?? [],
  ]);
  const plots = measured.flatMap(({ quantity, values }) => [
    timePlot(quantity, values),
    distributionPlot(quantity, values),
    cumulativePlot(quantity, values),
  ]);
  const notes =
    measured.length > 0 ? ['Tables and plots show the values as far as they were taken.'] : [];
  return {
    ...result,
    title: result.title || run.scenario,
    tables: tables.flat(),
    plots,
    notes: [...result.notes, ...notes],
  };
}

/**
 * @param {EarlierRun} earlier
 * @returns {string} HTML
 */
function reportPage({ run, result }) {
  const { title, summary, headlines, tables, plots, notes } = result;
  const warnings = runWarnings(run);
  const [figures, conclusions] = [false, true].map((isConclusion) =>
    tables.filter((table) => Boolean(table.isConclusion) === isConclusion),
  );
  const files = [
    ...run.quantities.map(({ name }) => `samples-${name}.csv`),
    'samples.json',
    'run.json',
    'result.json',
  ];
  const body = html`<header>
      <h1>${title || run.scenario}</h1>
      ${runFacts(run)}
    </header>
    ${alertBox('This run is not complete', run.error ? [run.error] : [])}
    ${alertBox(warnings.length > 1 ? 'Warnings' : 'Warning', warnings)}
    <main>
      ${summary && html`<p class="lead">${summary}</p>`} ${headlineList(headlines)}
      ${figures.length > 0 && html`<h2>Results</h2>`} ${figures.map(tableSection)}
      ${plots.length > 0 && html`<h2>Figures</h2>`}
      ${plots.map((plot, i) => plotSection(plot, i + 1, { file: `${plot.name}.svg` }))}
      ${
        notes.length > 0 &&
        html`<h2>Method</h2>
          <ul>
            ${notes.map((note) => html`<li>${note}</li> `)}
          </ul>`
      }
      ${circumstances(run)}
      ${conclusions.length > 0 && html`<h2>What it comes to</h2>`} ${conclusions.map(tableSection)}
    </main>
    <footer class="screen">
      Raw data beside this file:
      ${files.map((file, i) => html`${i > 0 && ', '}<a href="${file}">${file}</a>`)}.
      Intervals in brackets are of 95 % confidence, by bootstrap.
    </footer>`;
  return page(`${title || run.scenario} · aloud`, body);
}
