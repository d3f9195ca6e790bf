/** The lab's command: `npm run bench -- SCENARIO`, `npm run bench -- report FOLDER …`. */

import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, Option } from 'commander';
import {
  EXPERIMENTS,
  lacksFindings,
  markdownOf,
  resultsIn,
  runPapers,
  unfinishedOf,
} from './scenarios/comparisons/papers.js';
import { comparedTable } from './scenarios/comparisons/papers-compared.js';
import { BENCHMARKS, runTargets, secondsOfBenchmarks } from './scenarios/bars.js';
import { watchMachine } from '../testkit/machine.js';
import { findChromium } from '../testkit/browsers/chromium.js';
import { codecCommand } from './codec/codec.js';
import { busyCores, describeEnvironment } from './report/environment.js';
import { systemClock } from '../public/shared/clock.js';
import { sentenceOf } from '../server/errors/config-error.js';
import { Lab, transportsHere } from './scenarios/lab.js';
import { openLink } from './link/link.js';
import { listOf, wholeNumber } from './options.js';
import {
  disturbanceIn,
  disturbanceWarning,
  disturbanceWords,
  disturbedResult,
  quickResult,
  WINDOW_MS,
} from './report/marks.js';
import { formatDuration } from './report/numbers.js';
import { Progress } from './report/progress.js';
import { beginQlogs, completeQlogs, qlogNote } from './plugin/qlog.js';
import { textSummary } from './report/text-table.js';
import { trustedResult } from './report/result.js';
import { RunFolder } from './report/run-folder.js';
import { overrunOf, secondsOf } from './scenarios/durations.js';
import { Interruption, interruption } from './scenarios/interruption.js';
import { secondsOfCommands } from './scenarios/runs.js';
import { scenarios } from './scenarios/index.js';
import { lacksFigures } from './scenarios/targets.js';
import { runTimes, SMALLEST } from './scenarios/times.js';
import { RESULTS, scenarioCommand } from './scenarios/scenario-command.js';
import { surveyCommand } from './survey/survey.js';

/** @typedef {import('./scenarios/scenario.js').Scenario} Scenario */

const FRAME_PATH = fileURLToPath(new URL('./frame-path.js', import.meta.url));
/** Time for which the machine's load is measured before a run, in milliseconds. */
const LOOK_MS = 1000;
/** Cores in use by other programs above which the report has a warning. */
const DISTURBING_CORES = 0.2;
const PINGS = Object.freeze({ count: 50, intervalMs: 50 });
const BANDWIDTH_SECONDS = 2;

const program = new Command('bench')
  .description('Measures what HTTP/3 buys: a server and participants at two ends of a link.')
  .configureOutput({ outputError: (text, write) => write(`bench: ${sentenceOf(text)}\n`) })
  .showHelpAfterError('(see --help)');

for (const scenario of scenarios) {
  program.addCommand(
    scenarioCommand(scenario)
      .copyInheritedSettings(program)
      .action((options) => run(scenario, options)),
  );
}
program.addCommand(
  codecCommand(() => ({
    signal: interruption(),
    progress: new Progress(process.stderr, systemClock),
    async watch() {
      const seen = await watchMachine({ windowMs: WINDOW_MS });
      return () => disturbanceWords(seen());
    },
  })),
);
program.addCommand(surveyCommand);
program
  .command('report')
  .description('sets earlier runs side by side')
  .argument('<folders...>', "runs' folders, such as bench/results/…")
  .option('--out <file>', 'the HTML file that is written', 'comparison.html')
  .action(async (folders, { out }) => {
    const { compareRuns } = await import('./report/comparison.js');
    console.log(`${await compareRuns(folders, out)}\nComparison: ${out}`);
  });

program
  .command('bars')
  .description(
    'everything that is to be reached, benchmark by benchmark, in one table; some 65 minutes',
  )
  .addOption(
    new Option(
      '--only <list>',
      `separated by commas, of ${BENCHMARKS.map(({ name }) => name).join(', ')}`,
    )
      .argParser(listOf(BENCHMARKS.map(({ name }) => name)))
      .default(
        BENCHMARKS.filter(({ isLong }) => !isLong).map(({ name }) => name),
        'all but soak, which takes an hour',
      ),
  )
  .addOption(
    new Option('--out <folder>', "where the run's folder is made").default(
      RESULTS,
      'bench/results',
    ),
  )
  .action(showTargets);
program
  .command('papers')
  .description(
    "the papers' experiments, one after another, and what they found beside what is found " +
      'here: the first table of figures in bench/docs/comparisons.md',
  )
  .addOption(
    new Option(
      '--only <list>',
      `separated by commas, of ${EXPERIMENTS.map(({ name }) => name).join(', ')}`,
    )
      .argParser(listOf(EXPERIMENTS.map(({ name }) => name)))
      .default(
        EXPERIMENTS.map(({ name }) => name),
        'all',
      ),
  )
  .option(
    '--compare <folders...>',
    'measures nothing, and compares the rankings of two folders of --runs, row by row',
  )
  .addOption(
    new Option(
      '--runs <folder>',
      "where the experiments' own runs are; one that is finished there, with the same " +
        'options, is not run again',
    ).default(join(RESULTS, 'papers'), 'bench/results/papers'),
  )
  .option(
    '--seed <number>',
    'of the links and the statistics of all, for a second run with other losses in other --runs',
    wholeNumber(0, 2 ** 32 - 1),
    1,
  )
  .addOption(
    new Option('--out <folder>', "where the run's folder is made").default(
      RESULTS,
      'bench/results',
    ),
  )
  .action(showPapers);
program
  .command('times')
  .description(
    'runs a small plan of each scenario, and compares the time that it told with what it took',
  )
  .addOption(
    new Option('--only <list>', 'of scenarios, separated by commas')
      .argParser(listOf(Object.keys(SMALLEST)))
      .default(Object.keys(SMALLEST), 'all'),
  )
  .addOption(
    new Option('--out <folder>', "where the run's folder is made").default(
      RESULTS,
      'bench/results',
    ),
  )
  .action(showTimes);
program
  .command('qlog')
  .description("completes a server's qlog files (bench/plugin/index.js --qlog FOLDER) for qvis")
  .argument('<folder>')
  .action(async (folder) => console.log(qlogNote(await completeQlogs(folder))));
program
  .command('frame-path')
  .description(
    "what a received frame costs on Node's thread, in microseconds and bytes; further " +
      'options go to it',
  )
  .allowUnknownOption()
  .helpOption(false)
  .argument('[options...]')
  .action((argv) => {
    process.exitCode =
      spawnSync(process.execPath, ['--expose-gc', FRAME_PATH, ...argv], { stdio: 'inherit' })
        .status ?? 1;
  });

/** @param {{ only: string[], out: string }} options */
async function showTimes({ only, out }) {
  const [times] = await showTables({
    seconds: secondsOfCommands(only.map((name) => [name, ...SMALLEST[name]])),
    name: 'times',
    title: 'Told and taken times',
    summary: 'A small plan of each scenario: the time that it told beforehand, and what it took.',
    notes: [],
    options: { only, out },
    run: async (means) => [await runTimes({ ...means, only })],
  });
  if (times.rows.some((row) => row.at(-1) !== 'kept')) process.exitCode = 1;
}

/** @param {{ only: string[], out: string }} options */
async function showTargets({ only, out }) {
  const benchmarks = BENCHMARKS.filter(({ name }) => only.includes(name));
  const [targets] = await showTables({
    seconds: secondsOfBenchmarks(benchmarks),
    name: 'bars',
    title: 'Targets',
    summary: 'What is to be reached, and what was, one benchmark after the other.',
    notes: [
      "Each benchmark's own run, with its samples and its report, is in a folder beside " +
        'this report.',
    ],
    options: { only, out },
    run: async (means) => [
      await runTargets({
        ...means,
        benchmarks,
      }),
    ],
  });
  if (lacksFigures(targets)) process.exitCode = 1;
}

/**
 * @param {{ only: string[], runs: string, seed: number, out: string, compare?: string[] }} options
 */
async function showPapers({ only, runs, seed, out, compare }) {
  const experiments = EXPERIMENTS.filter(({ name }) => only.includes(name));
  if (compare) return comparePapers(experiments, compare);
  const unfinished = await unfinishedOf(experiments, { runs, seed });
  const [papers, ratings] = await showTables({
    seconds: secondsOfCommands(unfinished.map(({ argv }) => argv)),
    name: 'papers',
    title: "The papers' experiments",
    summary: 'What four papers found, and what is found here.',
    notes: [],
    options: { only, runs, seed, out },
    async run(means) {
      const tables = await runPapers({
        ...means,
        runs,
        seed,
        experiments,
      });
      return [tables.papers, ...(tables.ratings ? [tables.ratings] : [])];
    },
  });
  if (lacksFindings(papers)) process.exitCode = 1;
  console.log(`\nFor a page of the documentation:\n\n${markdownOf(papers, 4)}`);
  if (ratings)
    console.log(
      `\nThe table of bench/docs/comparisons.md, R of the E-model:\n\n${markdownOf(ratings)}`,
    );
}

/**
 * Prints whether two runs of the papers' experiments have the same rankings; the command fails
 * where one differs.
 * @param {typeof EXPERIMENTS} experiments
 * @param {string[]} folders
 */
async function comparePapers(experiments, folders) {
  if (folders.length !== 2)
    throw new Error(`--compare: ${folders.length} folders were named; it takes two`);
  const [first, second] = await Promise.all(
    folders.map((folder) => resultsIn(folder, experiments)),
  );
  const table = comparedTable(experiments, first, second);
  console.log(`${markdownOf(table)}\n\n${table.caption}`);
  if (table.rows.some(([, , verdict]) => verdict !== 'same' && verdict !== 'compatible'))
    process.exitCode = 1;
}

/**
 * Runs scenarios one after another, and shows their common result.
 * @param {object} options
 * @param {number} options.seconds  that they take
 * @param {string} options.name
 * @param {string} options.title
 * @param {string} options.summary
 * @param {string[]} options.notes
 * @param {{ only: string[], out: string, runs?: string, seed?: number }} options.options
 * @param {(means: { folder: RunFolder, signal: AbortSignal, progress: (what: string, share: number)
 *   => void }) => Promise<import('./report/result.js').Table[]>} options.run
 */
async function showTables({ seconds, name, title, summary, notes, options, run: runAll }) {
  const signal = interruption();
  const folder = await openFolder(
    { name, title, quantities: [] },
    options,
    findChromium() ?? undefined,
  );
  const progress = new Progress(process.stderr, systemClock);
  progress.print(`${title}: some ${formatDuration(1000 * seconds)}`);
  progress.begin(title);
  const tables = await ended(
    folder,
    runAll({ folder, signal, progress: (what, share) => progress.update(share, what) }),
  );
  progress.close();
  const overrun = signal.aborted ? '' : overrunOf(folder.elapsedMs, seconds);
  if (overrun) folder.warn(overrun);
  const result = { title, summary, headlines: [], tables, plots: [], notes };
  const report = await (signal.aborted
    ? folder.fail(signal.reason, result)
    : folder.finish(result));
  console.log(textSummary(folder.run, result, report));
  if (signal.aborted) process.exitCode = 1;
  return tables;
}

/**
 * @param {AbortSignal} signal
 * @returns {Promise<never>} rejected when it is aborted
 */
function reasonOf(signal) {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

/**
 * @param {Scenario} scenario
 * @param {any} options
 */
async function run(scenario, options) {
  const signal = interruption();
  const chromium = options.browser ? requireChromium() : undefined;
  const folder = await openFolder(scenario, options, chromium);
  await ended(folder, measureInto(folder, scenario, options, { chromium, signal }));
}

/**
 * Awaits a run's work. One that breaks off must not leave its folder open: that would write on, and
 * the process would never end.
 * @template T
 * @param {RunFolder} folder
 * @param {Promise<T>} work
 * @returns {Promise<T>}
 */
async function ended(folder, work) {
  try {
    return await work;
  } catch (error) {
    await folder.fail(error);
    throw error;
  }
}

/**
 * @param {RunFolder} folder
 * @param {Scenario} scenario
 * @param {any} options
 * @param {{ chromium: string | undefined, signal: AbortSignal }} means
 */
async function measureInto(folder, scenario, { link: profile, ...asked }, { chromium, signal }) {
  const transports = transportsHere(asked.transports, (warning) => folder.warn(warning));
  const options = { ...asked, transports };
  const progress = new Progress(process.stderr, systemClock);
  if (options.qlog) beginQlogs(options.qlog);
  const busy = await busyCores(LOOK_MS);
  if (busy > DISTURBING_CORES)
    folder.warn(
      `Other programs took ${busy.toFixed(1)} cores when the run began: what depends on ` +
        'time is provisional.',
    );
  const link = await openLink({ profile, seed: options.seed, say: (line) => progress.print(line) });
  if (!link.available) {
    const warning =
      `The link is loopback instead of ${profile}: ${link.reason}. The headline figures ` +
      'are withheld.';
    progress.print(`Warning: ${warning}`);
    folder.warn(warning);
  }
  const startClients = chromium ? () => startBrowser(chromium, link) : undefined;
  const lab = new Lab({
    options,
    link,
    folder,
    startClients,
    signal,
    progress: (what, share) => progress.update(share, what),
  });
  const watch = await watchMachine({ windowMs: WINDOW_MS });
  const told = async () => {
    const disturbance = disturbanceWords(watch());
    if (disturbance) folder.warn(disturbanceWarning(disturbance));
    const plain = scenario.result(folder, { ...options, link: profile });
    const qlogs = options.qlog ? [qlogNote(await completeQlogs(options.qlog))] : [];
    const result = { ...plain, notes: [...plain.notes, ...qlogs] };
    const marked = disturbedResult(
      options.quick ? quickResult(result) : result,
      disturbanceIn(folder.run.warnings),
    );
    return toldResult(link, folder, marked);
  };
  try {
    // Loopback takes another time than the link that it stands for.
    const measured = link.available ? profile : 'loopback';
    lab.toldSeconds = secondsOf(scenario, { ...options, link: measured });
    progress.print(`${scenario.title}: some ${formatDuration(1000 * lab.toldSeconds)}`);
    progress.begin('measuring the link');
    await Promise.race([describeLink(link, folder), reasonOf(signal)]);
    progress.begin(scenario.name);
    if (options.linkSteps) await link.steps(options.linkSteps);
    await scenario.measure(lab);
    assertMeasured(scenario, folder);
    await noteEmulator(link, folder);
    await lab.close();
    const overrun = overrunOf(folder.elapsedMs, lab.toldSeconds);
    if (overrun) folder.warn(overrun);
    const result = await told();
    const report = await folder.finish(result);
    progress.close();
    console.log(textSummary(folder.run, result, report));
  } catch (error) {
    progress.close();
    await lab.close();
    const reason = signal.aborted ? signal.reason : error;
    const result = hasSamples(scenario, folder) ? await resultOf(told, folder) : undefined;
    const report = await folder.fail(reason, result);
    if (result) console.log(textSummary(folder.run, result, report));
    const ending = signal.aborted ? `was ${reason.message}` : `broke off: ${reason.message}`;
    tellFailure(`The run ${ending}. Results so far: ${report}`, reason);
  } finally {
    // Its thread would keep the process of a run that measured nothing.
    watch();
    await link.close();
    // On loopback a measurement of the link may still run; it ends with this process.
    if (signal.aborted) process.exit();
  }
}

/** @param {Scenario} scenario @param {RunFolder} folder */
const hasSamples = ({ quantities }, folder) =>
  quantities.some(({ name }) => folder.samples(name).length > 0);

/** @param {Scenario} scenario @param {RunFolder} folder @throws {Error} if it has no samples */
function assertMeasured(scenario, folder) {
  if (!hasSamples(scenario, folder))
    throw new Error(`nothing was measured. ${folder.run.warnings.at(-1) ?? ''}`.trim());
}

/**
 * The result of a run that broke off. One that can't be made must not keep the folder from its end.
 * @param {() => Promise<import('./report/result.js').Result>} told
 * @param {RunFolder} folder
 */
async function resultOf(told, folder) {
  try {
    return await told();
  } catch (error) {
    folder.warn(`There are no tables: ${error instanceof Error ? error.message : error}.`);
    return undefined;
  }
}

/**
 * Tells why the command broke off: people, and the command that runs this one, where one does
 * (scenarios/runs.js).
 * @param {string} words
 * @param {unknown} error
 */
function tellFailure(words, error) {
  console.error(words);
  if (process.connected)
    process.send?.({
      brokeOff: error instanceof Error ? error.message : String(error),
      ...(error instanceof Interruption && { interruptedBy: error.by }),
    });
  process.exitCode = 1;
}

/** @returns {string} Chromium's program */
function requireChromium() {
  const chromium = findChromium();
  if (chromium) return chromium;
  throw new Error(
    '--browser needs Chromium, and there is none: install it, or set CHROMIUM_PATH to its program.',
  );
}

/** @param {string} chromium @param {import('./link/link.js').Link} link */
async function startBrowser(chromium, { client, server }) {
  const { BrowserClients } = await import('./participants/browser-clients.js');
  return BrowserClients.start({ chromium, client, server });
}

/**
 * @param {Pick<Scenario, 'name' | 'title' | 'quantities'>} scenario
 * @param {any} options
 * @param {string | undefined} chromium
 */
async function openFolder({ name, title, quantities }, { out, ...options }, chromium) {
  const environment = await describeEnvironment({ chromium });
  const id = randomBytes(2).toString('hex');
  const settings = {
    root: out,
    scenario: name,
    title,
    options,
    environment,
    quantities,
    startedAt: new Date(),
    id,
  };
  return RunFolder.open(settings).catch(({ code, message }) => {
    throw new Error(
      `--out: ${JSON.stringify(out)}: nothing can be written there (${code ?? message})`,
    );
  });
}

/**
 * A run's result as it may be told: loopback's headlines aren't set beside another link's.
 * @param {import('./link/link.js').Link} link
 * @param {RunFolder} folder
 * @param {import('./report/result.js').Result} result
 */
function toldResult(link, folder, result) {
  const trusted = trustedResult(folder.run, result);
  return link.available ? trusted : { ...trusted, headlines: [] };
}

/**
 * Notes what the link is, as measured from both ends before anything else uses it.
 * @param {import('./link/link.js').Link} link
 * @param {RunFolder} folder
 */
async function describeLink(link, folder) {
  const { profile, parameters } = /** @type {any} */ (link);
  // The settings of later count, and are checked then.
  if (profile === 'clear' && link.isEmulated) {
    folder.setLink({ profile, parameters });
    return;
  }
  const {
    minMs,
    meanMs: avgMs,
    maxMs,
    deviationMs: sdMs,
    lossPercent,
    count,
  } = await link.ping(PINGS);
  const { up, down } = await link.bandwidth({ seconds: BANDWIDTH_SECONDS });
  folder.setLink({
    profile,
    parameters,
    ping: { minMs, avgMs, maxMs, sdMs, lossPercent, count },
    bandwidth: { upMbits: up.bitsPerSecond / 1e6, downMbits: down.bitsPerSecond / 1e6 },
  });
  await link.reset();
}

/**
 * Notes what the emulator did to packets, and its own error.
 * @param {import('./link/link.js').Link} link
 * @param {RunFolder} folder
 */
async function noteEmulator(link, folder) {
  const emulator = /** @type {any} */ (await link.stats());
  if (folder.run.link && emulator) folder.setLink({ ...folder.run.link, emulator });
}

try {
  await program.parseAsync();
} catch (error) {
  tellFailure(`bench: ${error instanceof Error ? error.message : error}`, error);
}
