/**
 * The papers' experiments, one after another, and a table of what they found beside what is found here: the command
 * `papers`.
 * @import { Result, Table } from '../../report/result.js'
 * @import { RunFolder } from '../../report/run-folder.js'
 *
 * @typedef {object} Experiment
 * @property {string} name      the folder's name
 * @property {string} paper     number and experiment
 * @property {string} question
 * @property {string} theirs    what the paper found
 * @property {string[]} argv    of the lab's command
 * @property {number} limitSeconds  after this time it is ended
 * @property {(result: Result) => string} ours  what is found here, of the run's result
 */

import { mkdir, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { formatNumber } from '../../report/numbers.js';
import { protocolLabel } from '../../report/palette.js';
import { readRun, runScenario } from '../runs.js';

/** The ways that the papers compare, and the product's. */
const MAIN_WAYS = ['datagrams', 'redundant-datagrams', 'stream', 'rtp'];

/** @type {readonly Experiment[]} */
export const EXPERIMENTS = Object.freeze([
  {
    name: 'rate', paper: '000, 1', question: 'What does too little rate do?',
    theirs: 'datagrams wait 106 s at 0.1 Mbit/s and lose 22 %, streams wait 93 s; no trend with WebRTC',
    argv: ['sweep', '--sweeps', 'rate'], limitSeconds: 1500, ours: ratedAt('rate', 60, 'kbit/s'),
  },
  {
    name: 'delay', paper: '000, 2', question: 'What does delay do?',
    theirs: 'datagrams lose 54 % at 150 ms on each link, streams decode late; nothing is lost with WebRTC',
    argv: ['sweep', '--sweeps', 'delay'], limitSeconds: 1200, ours: ratedAt('delay', 150, 'ms'),
  },
  {
    name: 'loss', paper: '000, 3', question: 'What does loss do?',
    theirs: 'datagrams lose six times what a link loses, streams and WebRTC nothing',
    argv: ['sweep', '--sweeps', 'loss'], limitSeconds: 1200, ours: ratedAt('loss', 5, '%'),
  },
  {
    name: 'all', paper: '000, 4', question: 'And all three together?',
    theirs: 'WebRTC gets through 20 of 20 steps, datagrams 13, streams 10',
    argv: ['sweep', '--sweeps', 'all'], limitSeconds: 1500, ours: ratedAt('all', 5, 'steps'),
  },
  {
    name: 'controllers', paper: '004, 2', question: 'Which congestion controller holds a voice back?',
    theirs: 'streams hide all loss, whatever the controller; from 50 ms on NewReno, Cubic and BBR break with streams, Copa holds',
    argv: ['controllers', '--sweeps', 'loss', '--at', '0,3,10', '--carries', 'datagrams,streams'], limitSeconds: 1200,
    ours: ratedAt('loss', 10, '%', ['datagrams@cubic', 'datagrams@cubic-bare', 'datagrams@none', 'streams@cubic', 'streams@cubic-bare', 'streams@copa']),
  },
]);

/**
 * The ratings of some ways at one value of a sweep, in words.
 * @param {string} sweep @param {number} at @param {string} unit @param {readonly string[]} [ways]
 * @returns {Experiment['ours']}
 */
function ratedAt(sweep, at, unit, ways = MAIN_WAYS) {
  return ({ tables }) => {
    const table = tables.find(({ name }) => name === `${sweep}Figures`);
    const ratings = ways.flatMap((way) => {
      const row = table?.rows.find(([value, label]) => value === at && label === protocolLabel(way));
      return row ? [`${protocolLabel(way)} ${estimate(row[2])}`] : [];
    });
    return ratings.length > 0 ? `R at ${at} ${unit}: ${ratings.join('; ')}` : 'not measured';
  };
}

/** @param {import('../../report/result.js').Cell} cell */
function estimate(cell) {
  if (typeof cell !== 'object' || cell === null) return String(cell);
  const [low, high] = cell.interval ?? [NaN, NaN];
  return `${formatNumber(cell.value, 1)} [${formatNumber(low, 1)}, ${formatNumber(high, 1)}]`;
}

/**
 * Runs experiments, each in a folder of its name; one that an earlier run has finished there isn't run again.
 * @param {object} options
 * @param {readonly Experiment[]} options.experiments
 * @param {RunFolder} options.folder
 * @param {string} options.runs       the folder of the experiments' folders
 * @param {AbortSignal} options.signal
 * @param {(what: string, share: number) => void} options.progress
 * @returns {Promise<Table>} a row for each
 */
export async function runPapers({ experiments, folder, runs, signal, progress }) {
  /** @type {import('../../report/result.js').Cell[][]} */
  const rows = [];
  for (const [i, { name, paper, question, theirs, argv, limitSeconds, ours }] of experiments.entries()) {
    if (signal.aborted) break;
    progress(name, i / experiments.length);
    const out = join(runs, name);
    try {
      await mkdir(out, { recursive: true });
      const { result, warnings, report } = (await finishedIn(out)) ?? (await runScenario({ argv, out, limitSeconds, signal }));
      for (const warning of warnings) folder.warn(`${name}: ${warning}`);
      rows.push([paper, question, theirs, ours(result), `npm run bench -- ${argv.join(' ')}`, relative(folder.path, report)]);
    } catch (error) {
      folder.warn(`${name}: ${/** @type {Error} */ (error).message}`);
      rows.push([paper, question, theirs, 'not measured', `npm run bench -- ${argv.join(' ')}`, '']);
    }
  }
  return {
    name: 'papers', title: "The papers' experiments", caption: 'R by the E-model, up to 129; in brackets, intervals of 95 % confidence. Each experiment is explained, with what of the paper\'s method can\'t be right, in docs/comparisons.md.',
    columns: ['Paper, experiment', 'Question', 'They found', 'Here', 'Command', 'Report'].map((label) => ({ label })),
    rows,
  };
}

/** @param {string} folder @returns {Promise<import('../runs.js').ScenarioRun | null>} its run that came to its end, if there is one */
async function finishedIn(folder) {
  for (const name of (await readdir(folder)).sort().toReversed()) {
    const run = await readRun(join(folder, name)).catch(() => null);
    if (run?.isComplete) return run;
  }
  return null;
}

/**
 * A table as Markdown, for a page of the documentation.
 * @param {Table} table
 * @param {number} count  of the columns that are shown, from the first on
 */
export function markdownOf({ columns, rows }, count) {
  const line = (/** @type {readonly unknown[]} */ cells) => `| ${cells.slice(0, count).join(' | ')} |`;
  return [line(columns.map(({ label }) => label)), line(columns.map(() => '---')), ...rows.map(line)].join('\n');
}
