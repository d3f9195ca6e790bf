/**
 * The papers' experiments, one after another, and a table of their findings beside those
 * of this lab: the command `papers`.
 * @import { Result, Table } from '../../report/result.js'
 * @import { RunFolder } from '../../report/run-folder.js'
 *
 * @typedef {object} Experiment
 * @property {string} name      the folder's name
 * @property {string} paper     number and experiment
 * @property {string} question
 * @property {string} theirs    finding of the paper
 * @property {string[]} argv    of the lab's command
 * @property {(result: Result) => string} ours  finding of this lab, from the run's result
 * @property {(result: Result) => Ranking[]} rankings  to be found again by a second run
 *
 * @typedef {object} Ranking  of what was measured, by one quantity
 * @property {string} by      the quantity
 * @property {readonly { name: string, low: number, high: number }[]} sets  each with its interval;
 *   without limits where it has none, as of fewer than five repetitions
 */

import { mkdir, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { otherState, withoutPaths } from '../../report/environment.js';
import { wasDisturbed } from '../../report/marks.js';
import { formatNumber } from '../../report/numbers.js';
import { protocolLabel } from '../../report/palette.js';
import { scenarios } from '../index.js';
import { readRun, runScenario, secondsOfCommands, sharesBefore } from '../runs.js';
import { scenarioCommand } from '../scenario-command.js';
import { MAIN_WAYS, ratingsTable } from './ratings-table.js';

/** @type {readonly Experiment[]} */
export const EXPERIMENTS = Object.freeze([
  {
    name: 'rate',
    paper: 'Paterson, 1',
    question: 'What does too little rate do?',
    theirs:
      'Datagrams wait for 106 s at 0.1 Mbit/s and lose 22 %, streams wait for 10.9 s at ' +
      '1 Mbit/s already and for 93 s at 0.1; WebRTC shows no trend.',
    argv: ['sweep', '--sweeps', 'rate', '--at', '1000,250,120,90,70,60,50', '--duration', '20'],
    ...told('rateFigures', 60, ['R'], MAIN_WAYS),
  },
  {
    name: 'delay',
    paper: 'Paterson, 2',
    question: 'What does delay do?',
    theirs:
      'Datagrams lose 54 % at 150 ms on each link, streams decode late; WebRTC loses nothing.',
    argv: ['sweep', '--sweeps', 'delay', '--at', '0,50,100,150,250', '--duration', '20'],
    ...told('delayFigures', 150, ['R', 'Never came'], MAIN_WAYS),
  },
  {
    name: 'loss',
    paper: 'Paterson, 3',
    question: 'What does loss do?',
    theirs:
      'Datagrams lose some six times what a link loses (27.6 % of 5 %), WebRTC nothing; of ' +
      "streams it isn't counted.",
    // Two legs of 14.3 % lose what six links of 5 % do.
    argv: ['sweep', '--sweeps', 'loss', '--at', '0,1,3,5,10,14.3,20', '--duration', '20'],
    ...told('lossFigures', 5, ['R', 'Never came'], MAIN_WAYS),
  },
  {
    name: 'all',
    paper: 'Paterson, 4',
    question: 'And all three together?',
    theirs:
      'WebRTC gets through 20 of 20 steps, datagrams 13, streams 10, where connections failed; ' +
      'of what ran WebRTC is called the best, and streams are called better than datagrams.',
    argv: ['sweep', '--sweeps', 'all', '--at', '0,2,4,6,8,10', '--duration', '20'],
    ...told('allFigures', 6, ['R'], MAIN_WAYS),
  },
  {
    name: 'mixed',
    paper: 'Paterson, builds 1 to 3',
    question: 'What else should go in datagrams, or on streams, beside the sound?',
    theirs: 'Designed, not made.',
    argv: ['mixed', '--sweeps', 'rate', '--at', '250,110', '--duration', '40'],
    ...told('rateFigures', 110, ['R', 'Messages that came']),
  },
  {
    name: 'cpu',
    paper: 'Paterson, 5',
    question: 'What does too little processor time do?',
    theirs:
      'Datagrams come 18 s late with 90 % of the processor, and 4.0 s with 40 %: no trend; ' +
      "streams 2.2 s with 40 %; WebRTC doesn't start with 20 %.",
    argv: ['cpu', '--sweeps', 'receiver', '--at', '100,40,20,10,5', '--duration', '20'],
    ...told('receiverFigures', 10, ['R'], MAIN_WAYS),
  },
  {
    name: 'setup',
    paper: 'Nys, 1',
    question: 'Is WebTransport quicker to start?',
    theirs:
      'Than HTTP/1.1 by 27.0 % on average (Go), and by 27 to 40 %, 32.8 % on average (quinn); ' +
      "explained by handshakes, and by a request that isn't needed.",
    argv: ['setup', '--losses', '0,1,3', '--rates', '500,1000,2000,4000'],
    ours: said(/^At (0|100) ms round trip/),
    rankings: (result) =>
      [0, 100].flatMap((at) =>
        told('roundTripHeard', at, ['p50'])
          .rankings(result)
          .map(({ by, sets }) => ({ by: `${by} at ${at} ms`, sets })),
      ),
  },
  {
    name: 'throughput',
    paper: 'Nys, 2',
    question: 'Can a server tell what a path delivers?',
    theirs:
      'With quinn 4 300 of 5 000 kbit/s; capped at 5 000 where the path has more, but for the ' +
      'section at 20 000, and with 4K video unsteady at 7 500.',
    argv: ['throughput'],
    ...estimated(),
  },
  {
    name: 'mesh',
    paper: 'Abelló Lozano, mesh',
    question: 'What does a mesh cost beside a server?',
    theirs: 'Three peers with video take 88.5 to 91.7 % of two processors; more were announced.',
    argv: ['mesh', '--people', '4,8', '--duration', '20'],
    ...told('clearFigures', 4, ['CPU, person', 'Up', 'Mouth to ear']),
  },
  {
    name: 'loaded',
    paper: 'Abelló Lozano, load',
    question: 'What does other traffic on the way do?',
    theirs: 'Beside 2 Mbit/s of TCP on 20/4 Mbit/s WebRTC keeps 968 kbit/s, with 83 ms of delay.',
    argv: [
      'loaded',
      '--sweeps',
      'tcp',
      '--at',
      '50,200,1000',
      '--ways',
      'datagrams,redundant-datagrams,stream,websocket,rtp',
      '--duration',
      '25',
    ],
    ...told('tcpFigures', 200, ['R', 'Mouth to ear'], MAIN_WAYS),
  },
  {
    name: 'parallel',
    paper: 'Abelló Lozano, parallel calls',
    question: 'Do several calls share a bottleneck evenly?',
    theirs:
      'Three calls get 809 kbit/s together on each machine, at 99 % of its processor; where ' +
      'they begin 15 s apart the first to raise its rate drops to some 100 kbit/s.',
    argv: [
      'parallel',
      '--sweeps',
      'all',
      '--at',
      '3',
      '--ways',
      'datagrams,stream,rtp',
      '--duration',
      '25',
    ],
    ...told('allFigures', 3, ['Fairness', "Worst call's R"]),
  },
  {
    name: 'controllers',
    paper: 'Baldassin et al., 2',
    question: 'Which congestion controller holds a voice back?',
    theirs:
      'Streams hide all loss at a round trip of 1 to 2 ms, whatever the controller; above 50 ms ' +
      "mvfst's NewReno, CUBIC and BBR break with streams, its Copa and quic-go's NewReno hold.",
    argv: ['controllers', '--sweeps', 'loss', '--at', '0,3,10', '--duration', '20'],
    ...told(
      'lossFigures',
      10,
      ['R'],
      [
        'datagrams@cubic',
        'datagrams@cubic-bare',
        'datagrams@none',
        'streams@cubic',
        'streams@cubic-bare',
        'streams@copa',
      ],
    ),
  },
  {
    name: 'shipped',
    paper: 'all of them',
    question: 'And as people have it?',
    theirs:
      'People rate WebRTC best, without impairment (4.64 of 5) and with it (3.36); without, ' +
      'all 25 rank it first.',
    argv: [
      'shipped',
      '--ways',
      'aloud,webrtc',
      '--conditions',
      'clear,loss-5',
      '--duration',
      '100',
    ],
    ...told('figures', 'loss-5', ['R', 'Mouth to ear']),
  },
]);

/**
 * Tells some columns of a table's rows that begin with one value.
 * @param {string} name of the table
 * @param {number | string} at
 * @param {readonly string[]} labels  of the columns
 * @param {readonly string[]} [ways]  reported ways; by default all
 * @returns {Pick<Experiment, 'ours' | 'rankings'>}
 */
function told(name, at, labels, ways) {
  const find = (/** @type {Result} */ { tables }) => {
    const table = tables.find((one) => one.name === name);
    const rows = (table?.rows ?? []).filter(
      ([value, label]) =>
        value === at && (!ways || ways.map(protocolLabel).includes(String(label))),
    );
    return { table, rows };
  };
  return {
    ours(result) {
      const { table, rows } = find(result);
      const words = rows.map((row) => {
        const measured = labels.filter((label) => (row[columnOf(table, label)] ?? null) !== null);
        const figures = measured.map(
          (label) => `${label} ${estimate(row[columnOf(table, label)])}`,
        );
        return `${row[1]}: ${figures.join(', ')}`;
      });
      return words.length > 0 ? `At ${at}${unitOf(table)}: ${words.join('; ')}` : 'not measured';
    },
    rankings(result) {
      const { table, rows } = find(result);
      return labels.map((by) => ({
        by,
        sets: rows.flatMap((row) => setOfCell(String(row[1]), row[columnOf(table, by)])),
      }));
    },
  };
}

/**
 * @param {string} name
 * @param {import('../../report/result.js').Cell | undefined} cell
 * @returns {Ranking['sets']} one set; none for a cell without a figure
 */
function setOfCell(name, cell) {
  const { value, interval = [-Infinity, Infinity] } =
    typeof cell === 'object' && cell !== null ? cell : { value: cell };
  // JSON has null for a figure that isn't known, which no order has a place for.
  if (typeof value !== 'number') return [];
  const [low, high] = interval;
  return [{ name, low, high }];
}

/** @param {Table | undefined} table @param {string} label */
const columnOf = (table, label) =>
  table?.columns.findIndex((column) => column.label === label) ?? -1;

/** @param {Table | undefined} table @returns {string} that of its first column, as in ' %' */
const unitOf = (table) => (table?.columns[0].unit ? ` ${table.columns[0].unit}` : '');

/**
 * Tells by how much the estimates of a path's rate are off.
 * @returns {Pick<Experiment, 'ours' | 'rankings'>}
 */
function estimated() {
  const find = (/** @type {Result} */ { tables }) =>
    tables.find(({ name }) => name === 'levels')?.rows ?? [];
  return {
    ours(result) {
      const offs = find(result).map(([rate, median]) => `${estimate(median)} % at ${rate}`);
      return offs.length > 0 ? `Off by ${offs.join(', ')} Mbit/s` : 'not measured';
    },
    rankings: (result) => [
      {
        by: 'Off by',
        sets: find(result).flatMap(([rate, off]) => setOfCell(`${rate} Mbit/s`, off)),
      },
    ],
  };
}

/**
 * Tells the sentences of a run about a subject.
 * @param {RegExp} about
 * @returns {Experiment['ours']}
 */
function said(about) {
  return ({ tables }) =>
    (tables.find(({ name }) => name === 'sentences')?.rows ?? [])
      .flat()
      .map(String)
      .filter((sentence) => about.test(sentence))
      .join(' ') || 'not measured';
}

/** @param {import('../../report/result.js').Cell} cell */
function estimate(cell) {
  if (typeof cell !== 'object' || cell === null) return String(cell);
  const [figure, ...ends] = [cell.value, ...(cell.interval ?? [])].map((number) =>
    formatNumber(number, 1),
  );
  return ends.length > 0 ? `${figure} [${ends.join(', ')}]` : figure;
}

/**
 * Runs experiments, each in a folder of its name; one that an earlier run has finished there with
 * the same options isn't run again.
 * @param {object} options
 * @param {readonly Experiment[]} options.experiments
 * @param {RunFolder} options.folder
 * @param {string} options.runs       the folder of the experiments' folders
 * @param {number} options.seed
 * @param {AbortSignal} options.signal
 * @param {(what: string, share: number) => void} options.progress
 * @param {typeof runScenario} [options.run]
 * @returns {Promise<{ papers: Table, ratings: Table | null }>} papers: a row for each; ratings: of
 *   the runs of rate, delay and loss
 */
export async function runPapers({
  experiments,
  folder,
  runs,
  seed,
  signal,
  progress,
  run = runScenario,
}) {
  /** @type {import('../../report/result.js').Cell[][]} */
  const rows = [];
  /** @type {Map<string, Result>} */
  const results = new Map();
  const unfinished = await unfinishedOf(experiments, { runs, seed });
  const shares = sharesBefore(
    experiments.map((one) => (unfinished.includes(one) ? secondsOfCommands([one.argv]) : 0)),
  );
  for (const [i, { name, paper, question, theirs, argv, ours }] of experiments.entries()) {
    if (signal.aborted) break;
    progress(name, shares[i]);
    const out = join(runs, name);
    const seeded = seededOf(argv, seed);
    try {
      await mkdir(out, { recursive: true });
      const earlier = await finishedIn(out, seeded);
      const { result, warnings, report } = earlier ?? (await run({ argv: seeded, out, signal }));
      const other = earlier && otherState(earlier.git, folder.run.environment.git);
      if (other) folder.warn(`${name}: measured earlier, by ${other} of aloud`);
      for (const warning of warnings) folder.warn(`${name}: ${warning}`);
      results.set(name, result);
      rows.push([
        paper,
        question,
        theirs,
        `${wasDisturbed(warnings) ? 'disturbed: ' : ''}${ours(result)}`,
        `npm run bench -- ${argv.join(' ')}`,
        relative(folder.path, report),
      ]);
    } catch (error) {
      const why = /** @type {Error} */ (error).message;
      folder.warn(`${name}: ${why}`);
      rows.push([
        paper,
        question,
        theirs,
        `not measured: ${why}`,
        `npm run bench -- ${argv.join(' ')}`,
        '',
      ]);
    }
  }
  return { papers: papersTable(rows), ratings: ratingsTable(results) };
}

/**
 * True if an experiment has no finding.
 * @param {Pick<Table, 'rows'>} table of runPapers()
 */
export const lacksFindings = ({ rows }) =>
  rows.some(([, , , found]) => /^(disturbed: )?not measured/.test(String(found)));

/** @param {readonly string[]} argv of the lab's command @param {number} seed */
const seededOf = (argv, seed) => [...argv, '--seed', String(seed)];

/**
 * Experiments that no earlier run has finished, as runPapers() finds out: their time is still to
 * come.
 * @param {readonly Experiment[]} experiments
 * @param {{ runs: string, seed: number }} options  as runPapers() has them
 * @returns {Promise<Experiment[]>}
 */
export async function unfinishedOf(experiments, { runs, seed }) {
  const earlier = await Promise.all(
    experiments.map(({ name, argv }) =>
      finishedIn(join(runs, name), seededOf(argv, seed)).catch(() => null),
    ),
  );
  return experiments.filter((_, i) => earlier[i] === null);
}

/** @param {import('../../report/result.js').Cell[][]} rows @returns {Table} */
const papersTable = (rows) => ({
  name: 'papers',
  title: "The papers' experiments",
  caption:
    'R by the E-model, up to 129; in brackets, intervals of 95 % confidence. Each ' +
    "experiment is explained, with what of the paper's method can't be right, in " +
    'bench/docs/comparisons.md.',
  columns: ['Paper, experiment', 'Question', 'They found', 'Here', 'Command', 'Report'].map(
    (label) => ({ label }),
  ),
  rows,
});

/**
 * @param {string} folder
 * @param {readonly string[]} argv of the lab's command
 * @returns {Promise<import('../runs.js').ScenarioRun | null>} the newest run in it that came to its
 *   end and has these options, if there is one
 */
const finishedIn = (folder, argv) => {
  const asked = optionsOf(argv);
  return newestIn(folder, ({ options }) => isDeepStrictEqual(options, asked));
};

/**
 * @param {string} folder
 * @param {(run: import('../runs.js').ScenarioRun) => boolean} fits
 * @returns {Promise<import('../runs.js').ScenarioRun | null>} the newest run in it that came to its
 *   end and fits, if there is one
 */
async function newestIn(folder, fits) {
  for (const name of (await readdir(folder)).sort().toReversed()) {
    const run = await readRun(join(folder, name)).catch(() => null);
    if (run?.isComplete && fits(run)) return run;
  }
  return null;
}

/**
 * The results of experiments in a folder of earlier runs, whatever their seed.
 * @param {string} runs  as runPapers() has it
 * @param {readonly Experiment[]} [experiments]
 * @returns {Promise<Map<string, Result>>} by the experiment's name, of the finished ones
 * @throws {Error} if none is
 */
export async function resultsIn(runs, experiments = EXPERIMENTS) {
  /** @type {Map<string, Result>} */
  const results = new Map();
  for (const { name, argv } of experiments) {
    const { seed: _seed, ...asked } = optionsOf(argv);
    const run = await newestIn(join(runs, name), ({ options: { seed: _, ...options } }) =>
      isDeepStrictEqual(options, asked),
    ).catch(() => null);
    if (run) results.set(name, run.result);
  }
  if (results.size === 0)
    throw new Error(`${runs}: there is no finished experiment of \`papers\` in it`);
  return results;
}

/**
 * All options of a run, defaults included, as its run.json has them.
 * @param {readonly string[]} argv of the lab's command: a scenario, and some of its options
 * @returns {Record<string, unknown>}
 */
export function optionsOf([name, ...argv]) {
  const scenario = /** @type {import('../scenario.js').Scenario} */ (
    scenarios.find((one) => one.name === name)
  );
  const { out: _out, ...options } = scenarioCommand(scenario).parse(argv, { from: 'user' }).opts();
  return JSON.parse(JSON.stringify(withoutPaths(options)));
}

/**
 * A table as Markdown, for a page of the documentation.
 * @param {Table} table
 * @param {number} [count]  of the columns that are shown, from the first on; by default all
 */
export function markdownOf({ columns, rows }, count) {
  const line = (/** @type {readonly string[]} */ cells) =>
    `| ${cells.slice(0, count).join(' | ')} |`;
  const textOf = (
    /** @type {import('../../report/result.js').Cell} */ cell,
    /** @type {number} */ i,
  ) => cellText(cell, columns[i].digits);
  return [
    line(columns.map(({ label }) => label)),
    line(columns.map(() => '---')),
    ...rows.map((row) => line(row.map(textOf))),
  ].join('\n');
}

/**
 * A cell as text; an interval is left out where it is the figure itself to the last digit.
 * @param {import('../../report/result.js').Cell} cell
 * @param {number} [digits]
 */
function cellText(cell, digits) {
  if (typeof cell === 'number') return formatNumber(cell, digits);
  if (typeof cell !== 'object') return cell;
  const { value, interval = [] } = cell ?? { value: NaN };
  const [figure, ...ends] = [value, ...interval].map((number) => formatNumber(number, digits));
  return ends.every((end) => end === figure) ? figure : `${figure} [${ends.join(', ')}]`;
}
