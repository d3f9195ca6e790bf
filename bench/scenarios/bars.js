/**
 * The command `bars`: runs the benchmarks one after the other, and puts their targets into one
 * table.
 * @import { Table } from '../report/result.js'
 * @import { RunFolder } from '../report/run-folder.js'
 */

import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { watchMachine } from '../../testkit/machine.js';
import { disturbanceWarning, disturbanceWords, wasDisturbed, WINDOW_MS } from '../report/marks.js';
import { runNode, runScenario, secondsOfCommands, sharesBefore } from './runs.js';
import { framePathTargets, joined, stallTargets, TABLE, targetsTable } from './targets.js';

/** @param {string} file  beside this one's folder */
function pathOf(file) {
  return fileURLToPath(new URL(file, import.meta.url));
}

/**
 * Benchmarks that are separate commands and no scenarios: their Node.js arguments, their time and
 * the longest in seconds, and the table of their output.
 */
const COMMANDS = Object.freeze({
  'frame-path': {
    argv: ['--expose-gc', pathOf('../frame-path.js'), '--json'],
    seconds: 30,
    limitSeconds: 120,
    tableOf: framePathTargets,
  },
  stalls: {
    argv: [pathOf('../stalls.js'), '--json'],
    seconds: 300,
    limitSeconds: 900,
    tableOf: stallTargets,
  },
});

/**
 * @typedef {object} Benchmark
 * @property {string} name
 * @property {string[]} argv      of the lab's command; empty for one of COMMANDS
 * @property {boolean} [isLong]   run only when it is named
 */

/** The benchmarks of `bars`: some 65 minutes without the long one. @type {readonly Benchmark[]} */
export const BENCHMARKS = Object.freeze([
  { name: 'frame-path', argv: [] },
  {
    name: 'call-thesis',
    argv: ['call', '--link', 'thesis', '--duration', '60'],
  },
  {
    name: 'call-loopback',
    argv: ['call', '--duration', '15', '--settle', '20'],
  },
  { name: 'loss', argv: ['loss'] },
  { name: 'mouth-to-ear', argv: ['mouth-to-ear', '--duration', '12', '--repetitions', '3'] },
  { name: 'stalls', argv: [] },
  { name: 'stragglers', argv: ['stragglers'] },
  { name: 'starved', argv: ['starved'] },
  { name: 'crowd', argv: ['crowd'] },
  { name: 'listeners', argv: ['listeners', '--duration', '10'] },
  // The server is measured after a minute: V8 compiles in the first.
  {
    name: 'forward',
    argv: [
      'forward',
      '--cases',
      '50/5',
      '--ways',
      'bundle,packets',
      '--warm-up',
      '30',
      '--duration',
      '60',
      '--repetitions',
      '3',
    ],
  },
  { name: 'throughput', argv: ['throughput'] },
  { name: 'startup', argv: ['startup'] },
  { name: 'memory', argv: ['memory'] },
  { name: 'failover', argv: ['failover'] },
  { name: 'soak', argv: ['soak'], isLong: true },
]);

/** Told time of a benchmark, in seconds. @param {Benchmark} benchmark */
const secondsOf = ({ name, argv }) =>
  argv.length > 0 ? secondsOfCommands([argv]) : commandOf(name).seconds;

/**
 * Told time of benchmarks, in seconds.
 * @param {readonly Benchmark[]} benchmarks
 */
export const secondsOfBenchmarks = (benchmarks) =>
  benchmarks.reduce((all, benchmark) => all + secondsOf(benchmark), 0);

/** @param {string} name of a benchmark that is no scenario */
const commandOf = (name) => COMMANDS[/** @type {keyof typeof COMMANDS} */ (name)];

/**
 * @param {object} options
 * @param {readonly Benchmark[]} options.benchmarks
 * @param {RunFolder} options.folder
 * @param {AbortSignal} options.signal
 * @param {(what: string, share: number) => void} options.progress
 * @param {typeof runScenario} [options.run]
 * @param {typeof runNode} [options.runOther]  benchmarks that are no scenarios
 * @param {typeof watchMachine} [options.watch]
 * @returns {Promise<Table>} a row for each target; of a benchmark that broke off, one that says why
 */
export async function runTargets({
  benchmarks,
  folder,
  signal,
  progress,
  run = runScenario,
  runOther = runNode,
  watch = watchMachine,
}) {
  /** @type {Table[]} */
  const tables = [];
  const shares = sharesBefore(benchmarks.map(secondsOf));
  for (const [i, benchmark] of benchmarks.entries()) {
    if (signal.aborted) break;
    progress(benchmark.name, shares[i]);
    try {
      const table =
        benchmark.argv.length > 0
          ? await runTarget(benchmark, folder, signal, run)
          : await runCommand(benchmark, { folder, signal, runOther, watch });
      if (table.rows.length === 0) throw new Error('it has no figures for its targets');
      tables.push(table);
    } catch (error) {
      const why = /** @type {Error} */ (error).message;
      folder.warn(`${benchmark.name}: ${why}`);
      tables.push(
        targetsTable([{ what: benchmark.name, limit: NaN, reached: NaN, unit: '', why }]),
      );
    }
  }
  return joined(tables);
}

/**
 * @param {Benchmark} benchmark
 * @param {RunFolder} folder
 * @param {AbortSignal} signal
 * @param {typeof runScenario} run
 */
async function runTarget({ name, argv }, folder, signal, run) {
  const { report, result, warnings } = await run({ argv, out: folder.path, signal });
  const table = result.tables.find(({ name: kind }) => kind === TABLE);
  if (!table) throw new Error(`${name} has no table of targets`);
  return { ...marked(table, name, warnings, folder), caption: relative(folder.path, report) };
}

/**
 * @param {Benchmark} benchmark
 * @param {{ folder: RunFolder, signal: AbortSignal, runOther: typeof runNode, watch: typeof
 *   watchMachine }} means
 */
async function runCommand({ name }, { folder, signal, runOther, watch }) {
  const { argv, limitSeconds, tableOf } = commandOf(name);
  const seen = await watch({ windowMs: WINDOW_MS });
  try {
    const { output, code, reason } = await runOther(argv, limitSeconds, signal);
    if (code !== 0) throw new Error(reason ?? `it broke off (exit code ${code})`);
    const disturbance = disturbanceWords(seen());
    const warnings = disturbance === '' ? [] : [disturbanceWarning(disturbance)];
    return marked(tableOf(JSON.parse(output.slice(output.indexOf('{')))), name, warnings, folder);
  } finally {
    // Its thread would keep the process.
    seen();
  }
}

/**
 * A benchmark's table, whose rows say that it was disturbed.
 * @param {Table} table
 * @param {string} name
 * @param {readonly string[]} warnings of its run
 * @param {RunFolder} folder that keeps them
 * @returns {Table}
 */
function marked(table, name, warnings, folder) {
  for (const warning of warnings) folder.warn(`${name}: ${warning}`);
  if (!wasDisturbed(warnings)) return table;
  return { ...table, rows: table.rows.map(([what, ...rest]) => [`${what}, disturbed`, ...rest]) };
}
