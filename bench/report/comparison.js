/**
 * Several runs in one report: what differs between them, and their figures and plots side by side.
 */

import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { difference, summaryIntervals, usualFigures } from '../stats/bootstrap.js';
import { readRun } from './run-folder.js';
import { protocolsOf, toEstimate } from './quantity-views.js';
import { seededRandom } from '../../testkit/random.js';
import { valuesByRepetition } from './result.js';
import { orderTable } from './agreement.js';
import { environmentPairs, flatten, runWarnings } from './circumstances.js';
import { marksOf, unmarked } from './marks.js';
import { digitsFor, formatInstant } from './numbers.js';
import { alertBox, html, page, plotSection, tableSection } from './page.js';
import { protocolLabel } from './palette.js';
import { fallbackResult } from './run-report.js';
import { textTable } from './text-table.js';

/**
 * @typedef {import('./result.js').Table} Table
 * @typedef {import('./result.js').Plot} Plot
 * @typedef {import('./result.js').Cell} Cell
 * @typedef {import('./result.js').Quantity} Quantity
 * @typedef {import('./run-folder.js').EarlierRun & { letter: string, name: string }} NamedRun name:
 *   the letter, with the run's marks
 */

const SEED = 20220912;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/**
 * @param {readonly string[]} folders of runs, in the order in which they are to be shown
 * @param {string} out the HTML file to write
 * @returns {Promise<string>} the comparison as text, for a terminal
 * @throws {Error} when a folder is no run's, or there are too few or too many
 */
export async function compareRuns(folders, out) {
  if (folders.length < 2 || folders.length > LETTERS.length) {
    throw new Error(`from 2 to ${LETTERS.length} runs can be compared, not ${folders.length}`);
  }
  const earlier = [];
  // One after another, so that of several that can't be read the first is named.
  for (const folder of folders) earlier.push(await readRun(folder));
  const runs = earlier.map((run, i) => ({
    ...run,
    letter: LETTERS[i],
    name: `${LETTERS[i]}${marksOf(run.run)}`,
    result: run.result.plots.length > 0 ? run.result : fallbackResult(run),
  }));
  const scenarios = [...new Set(runs.map(({ run }) => run.scenario))];
  const sections = scenarios.map((scenario) =>
    compareScenario(runs.filter(({ run }) => run.scenario === scenario)),
  );
  const tables = [runTable(runs), circumstanceTable(runs)];
  await mkdir(dirname(out), { recursive: true });
  await writeFile(out, comparisonPage(runs, tables, sections));
  const all = [...tables, ...sections.flatMap((section) => section.tables)];
  return `${all.map(textTable).join('\n\n')}\n`;
}

/**
 * @param {{ scenario: string }} section
 * @param {{ name: string }} plot
 */
const idOf = ({ scenario }, { name }) => `${scenario}-${name}`;

/**
 * @param {NamedRun[]} runs
 * @param {Table[]} tables
 * @param {ReturnType<typeof compareScenario>[]} sections
 */
function comparisonPage(runs, tables, sections) {
  const cautions = runs.flatMap(({ letter, run }) =>
    [...(run.error ? [`It is not complete: ${run.error}`] : []), ...runWarnings(run)].map(
      (text) => `${letter}: ${text}`,
    ),
  );
  let figure = 0;
  const body = html`<header><h1>${runs.length} runs side by side</h1></header>
    ${alertBox('Warnings', cautions)}
    <main>
      ${tables.map(tableSection)}
      ${sections.map(
        (section) =>
          html`<h2>${section.title}</h2>
            ${section.tables.map(tableSection)}
            ${section.plots.map((plot) =>
              plotSection(plot, ++figure, { id: idOf(section, plot) }),
            )}`,
      )}
    </main>
    <footer class="screen">
      Differences are from the first run. Intervals in brackets are of 95 % confidence, by
      bootstrap, the runs taken as independent.
    </footer>`;
  return page('Runs side by side · aloud', body);
}

/**
 * @param {NamedRun[]} runs
 * @returns {Table}
 */
function runTable(runs) {
  const rows = runs.map(({ name, path, run }) => [
    name,
    basename(path),
    formatInstant(run.startedAt),
    run.link?.profile ?? '',
    run.complete ? 'yes' : 'no',
  ]);
  const columns = ['Run', 'Folder', 'Begun', 'Link', 'Complete'].map((label) => ({ label }));
  return { name: 'runs', title: 'Runs', columns, rows };
}

/**
 * @param {NamedRun[]} runs
 * @returns {Table} one row for each option or condition in which the runs differ
 */
function circumstanceTable(runs) {
  const all = runs.map(({ run }) => {
    const pairs = [
      ...flatten(run.options),
      ...flatten(run.link?.parameters ?? {}, 'link'),
      ...environmentPairs(run).map(
        ([name, value]) => /** @type {const} */ ([name, String(value ?? '')]),
      ),
    ];
    return new Map(pairs);
  });
  const names = [...new Set(all.flatMap((pairs) => [...pairs.keys()]))];
  const rows = names
    .map((name) => [name, ...all.map((pairs) => pairs.get(name) ?? '')])
    .filter(([, first, ...others]) => others.some((value) => value !== first));
  return {
    name: 'circumstances',
    title: 'What differs',
    caption: rows.length === 0 ? 'Nothing: options, link and environment are the same.' : undefined,
    columns: [{ label: 'Condition' }, ...runs.map(({ letter }) => ({ label: letter }))],
    rows,
  };
}

/** @param {NamedRun[]} runs of one scenario */
function compareScenario(runs) {
  const random = seededRandom(SEED);
  const [{ run, result }] = runs;
  const quantities = run.quantities.map((quantity) => quantityTable(quantity, runs, random));
  const headlines = headlineTable(runs);
  const orders = orderTable(run.quantities, runs, random);
  return {
    scenario: run.scenario,
    title: result.title || run.scenario,
    tables: [
      ...[headlines, orders].filter(({ rows }) => rows.length > 0),
      ...quantities.filter(({ rows }) => rows.length > 0),
    ],
    plots: sideBySide(runs),
  };
}

/**
 * @param {NamedRun[]} runs
 * @returns {Table}
 */
function headlineTable(runs) {
  const keyOf = (/** @type {import('./result.js').Headline} */ { protocol, label, unit }) =>
    JSON.stringify([protocol, unmarked(label), unit]);
  const byRun = runs.map(
    ({ result }) => new Map(result.headlines.map((headline) => [keyOf(headline), headline])),
  );
  const keys = [...new Set(byRun.flatMap((headlines) => [...headlines.keys()]))];
  const rows = keys.map((key) => {
    const [protocol, label, unit] = JSON.parse(key);
    const found = byRun.map((headlines) => headlines.get(key));
    /** @type {Cell[]} */
    const figures = found.map((headline) => headline ?? null);
    const [first, ...others] = found.map((headline) => headline?.value ?? NaN);
    return [
      protocolLabel(protocol),
      unit ? `${label} (${unit})` : label,
      ...figures,
      ...others.map((value) => value - first),
    ];
  });
  const [{ name: base }, ...rest] = runs;
  const digits = digitsFor(
    byRun.flatMap((headlines) => Array.from(headlines.values(), ({ value }) => value)),
  );
  const labels = [...runs.map(({ name }) => name), ...rest.map(({ name }) => `${name} − ${base}`)];
  const columns = [
    { label: 'Protocol' },
    { label: 'Figure' },
    ...labels.map((label) => ({ label, digits })),
  ];
  return { name: 'headlines', title: 'Headline figures', columns, rows };
}

const FIGURES = ['Mean', 'p50', 'p95', 'p99'];

/**
 * One row for each protocol and run, and one for each run's difference from the first.
 * @param {Quantity} quantity
 * @param {NamedRun[]} runs
 * @param {() => number} random
 * @returns {Table}
 */
function quantityTable({ name, label, unit }, runs, random) {
  const samplesOf = (/** @type {NamedRun} */ { samples }) => samples.get(name) ?? [];
  const protocols = [...new Set(runs.flatMap((run) => protocolsOf(samplesOf(run))))];
  const rows = protocols.flatMap((protocol) => {
    const values = runs.map((run) =>
      valuesByRepetition(samplesOf(run), (sample) => sample.protocol === protocol),
    );
    return values.flatMap((repetitions, i) => {
      const count = repetitions.flat().length;
      if (count === 0) return [];
      const { mean, p50, p95, p99 } = summaryIntervals(repetitions, { random });
      const figures = [mean, p50, p95, p99].map(toEstimate);
      const own = [protocolLabel(protocol), runs[i].name, count, ...figures];
      if (i === 0 || values[0].flat().length === 0) return [own];
      const differences = difference(repetitions, values[0], usualFigures, {
        random,
        paired: false,
      }).map(toEstimate);
      return [
        own,
        [protocolLabel(protocol), `${runs[i].name} − ${runs[0].name}`, null, ...differences],
      ];
    });
  });
  const columns = [{ label: 'Protocol' }, { label: 'Run' }, { label: 'Values', digits: 0 }];
  return {
    name: `${name}Runs`,
    title: label,
    columns: [...columns, ...FIGURES.map((figure) => ({ label: figure, unit }))],
    rows,
  };
}

/** Most curves in one plot: more can't be told apart. */
const MOST_SERIES = 6;

/**
 * @param {readonly NamedRun[]} runs
 * @returns {Plot[]} named apart
 */
function sideBySide(runs) {
  const names = [...new Set(runs.flatMap(({ result }) => result.plots.map(({ name }) => name)))];
  return names.flatMap((name) => {
    const found = runs.flatMap(({ letter, result }) => {
      const plot = result.plots.find((candidate) => candidate.name === name);
      return plot ? [{ letter, plot }] : [];
    });
    const count = found.reduce((sum, { plot }) => sum + plot.series.length, 0);
    const isClear =
      count <= MOST_SERIES &&
      found.every(({ plot }) => plot.kind !== 'scatter' && isLike(plot, found[0].plot));
    return isClear ? [overlaid(found)] : inARow(found);
  });
}

/**
 * @param {Plot} a
 * @param {Plot} b
 */
const isLike = (a, b) =>
  a.kind === b.kind &&
  a.x.unit === b.x.unit &&
  a.y.unit === b.y.unit &&
  String(a.x.categories) === String(b.x.categories);

/**
 * @param {readonly { letter: string, plot: Plot }[]} found
 * @returns {Plot}
 */
function overlaid(found) {
  const [{ plot: first }] = found;
  const variants =
    1 + Math.max(...found.flatMap(({ plot }) => plot.series.map(({ variant = 0 }) => variant)));
  const series = found.flatMap(({ letter, plot }, i) =>
    plot.series.map((one) => ({
      ...one,
      name: `${letter}: ${one.name}`,
      variant: (one.variant ?? 0) + i * variants,
    })),
  );
  const caption = `${first.title}, runs ${found.map(({ letter }) => letter).join(', ')}.`;
  return {
    ...first,
    caption,
    series,
    x: widest(found.map(({ plot }) => plot.x)),
    y: widest(found.map(({ plot }) => plot.y)),
  };
}

/**
 * @param {readonly { letter: string, plot: Plot }[]} found
 * @returns {Plot[]} with the same scale of y, so that eyes can compare them
 */
function inARow(found) {
  const values = found.flatMap(({ plot }) =>
    plot.series.flatMap(({ points }) =>
      points.map((point) => point[plot.kind === 'histogram' ? 2 : 1]),
    ),
  );
  const most = values.reduce((a, b) => (b > a ? b : a), 0);
  const isPositive = values.every((value) => !(value < 0));
  return found.map(({ letter, plot }) => ({
    ...plot,
    name: `${plot.name}${letter}`,
    title: `${letter}: ${plot.title}`,
    y: isPositive && !plot.y.isLogarithmic ? { from: 0, to: roundUp(most), ...plot.y } : plot.y,
  }));
}

/**
 * @param {readonly import('./result.js').Axis[]} axes
 * @returns {import('./result.js').Axis} one that shows what each of them shows
 */
function widest(axes) {
  const from = axes.map((axis) => axis.from ?? NaN);
  const to = axes.map((axis) => axis.to ?? NaN);
  return { ...axes[0], from: known(Math.min(...from)), to: known(Math.max(...to)) };
}

/** @param {number} value */
const known = (value) => (Number.isFinite(value) ? value : undefined);

/**
 * @param {number} value at least 0
 * @returns {number} the next 1, 2, 3, 4, 5, 6 or 8 times a power of ten
 */
function roundUp(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 3, 4, 5, 6, 8].find((times) => times * power >= value) ?? 10) * power;
}
