/**
 * A run's folder, bench/results/<UTC time>-<scenario>-<id>/:
 *
 * - run.json: the scenario, its options, time, machine and link, and whether the run was completed;
 * - samples-<quantity>.csv: every value, written during the run; samples.json: the same at its end;
 * - result.json: tables, plots and headline figures; <plot>.svg: each plot on its own;
 * - report.html: all of that for a person to read.
 *
 * However a run ends, its measurements until then are in the folder, with a report that says so.
 */

import { appendFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../public/shared/clock.js';
import { csvHeader, csvLine, parseCsv } from '../stats/csv.js';
import { withoutPaths, withoutPlaces } from './environment.js';
import { NO_RESULT, checkQuantity, checkResult } from './result.js';

/**
 * @typedef {import('./result.js').Run} Run
 * @typedef {import('./result.js').Result} Result
 * @typedef {import('./result.js').Quantity} Quantity
 * @typedef {import('./result.js').Sample} Sample
 *
 * @typedef {object} RunFolderSettings
 * @property {string} root        where runs' folders are made, such as bench/results
 * @property {string} scenario    a word in lower case
 * @property {string} title title of the report of a run that breaks off
 * @property {Record<string, unknown>} options
 * @property {import('./environment.js').Environment} environment
 * @property {Quantity[]} quantities quantities of the scenario
 * @property {Date} startedAt     of the wall clock; only a name and a date for people
 * @property {string} id short, of letters and digits, so that two runs in a second don't meet
 * @property {import('../../public/shared/clock.js').Clock} [clock]
 */

const WRITE_MS = 1000;

/** The error in run.json of a run that still goes on, or was killed. */
export const UNFINISHED = 'The run still goes on, or was ended before it could say why.';

export class RunFolder {
  /** @type {Run} */
  #run;
  #title;
  #clock;
  #startedMs;
  /** @type {Map<string, { quantity: Quantity, samples: Sample[], written: number }>} */
  #records;
  /** @type {Promise<unknown>} the last of the writes, which follow one another */
  #writing = Promise.resolve();
  /** @type {unknown} */
  #timer;
  /** @type {Promise<string> | undefined} */
  #ending;

  /**
   * Makes the folder; use open.
   * @param {RunFolderSettings} settings
   * @param {string} path
   */
  constructor(
    { scenario, title, options, environment, quantities, startedAt, id, clock = systemClock },
    path,
  ) {
    quantities.forEach(checkQuantity);
    this.path = path;
    this.#title = title;
    this.#clock = clock;
    this.#startedMs = clock.now();
    this.#records = new Map(
      quantities.map((quantity) => [quantity.name, { quantity, samples: [], written: 0 }]),
    );
    this.#run = {
      version: 1,
      id,
      scenario,
      startedAt: startedAt.toISOString(),
      durationMs: 0,
      complete: false,
      error: UNFINISHED,
      options: withoutPaths(options),
      environment,
      warnings: [],
      quantities,
    };
  }

  /**
   * @param {RunFolderSettings} settings
   * @returns {Promise<RunFolder>} once the folder says that the run goes on
   */
  static async open(settings) {
    const time = settings.startedAt.toISOString().replace(/[-:]|\.\d+/g, '');
    const folder = new RunFolder(
      settings,
      join(settings.root, `${time}-${settings.scenario}-${settings.id}`),
    );
    await mkdir(folder.path, { recursive: true });
    await Promise.all(
      settings.quantities.map((quantity) =>
        writeFile(samplesFile(folder.path, quantity), csvHeader(quantity)),
      ),
    );
    await folder.#writeRun();
    await folder.#report(NO_RESULT);
    folder.#writeLater();
    return folder;
  }

  /** The present content of run.json. */
  get run() {
    return this.#run;
  }

  /** Milliseconds since the run began: what samples give as atMs. */
  get elapsedMs() {
    return this.#clock.now() - this.#startedMs;
  }

  /**
   * Keeps a value; it is on the disk about a second later.
   * @param {string} quantity its name
   * @param {Sample} sample
   * @throws {TypeError} when no such quantity was declared
   */
  record(quantity, sample) {
    const record = this.#records.get(quantity);
    if (!record) throw new TypeError(`no quantity '${quantity}' was declared`);
    record.samples.push(sample);
  }

  /**
   * @param {string} quantity
   * @returns {readonly Sample[]} all that were recorded so far
   */
  samples(quantity) {
    return this.#records.get(quantity)?.samples ?? [];
  }

  /**
   * Adds a warning for readers of the figures.
   * @param {string} warning a sentence; a repeated one is kept once
   */
  warn(warning) {
    if (!this.#run.warnings.includes(warning)) this.#run.warnings.push(warning);
  }

  /** @param {import('./result.js').Link} link */
  setLink(link) {
    this.#run.link = link;
  }

  /** @param {import('./result.js').Generator} generator */
  setGenerator(generator) {
    this.#run.generator = generator;
  }

  /** Writes the values recorded since the last call. */
  flush() {
    return this.#write(() => this.#append());
  }

  /**
   * @param {Result} result
   * @returns {Promise<string>} the report's path
   */
  async finish(result) {
    checkResult(result);
    return (this.#ending ??= this.#end(result, undefined));
  }

  /**
   * Ends a run that failed or was interrupted; after an end, nothing more happens.
   * @param {unknown} error  the reason
   * @param {Result} [partial] result of the values so far
   * @returns {Promise<string>} the report's path
   */
  async fail(error, partial) {
    const reason = error instanceof Error ? error.message : String(error);
    return (this.#ending ??= this.#end(
      partial ?? NO_RESULT,
      withoutPlaces(reason) || 'It failed without a reason.',
    ));
  }

  /** Ends the run as interrupted, unless it has ended; then, waits until it has. */
  async close() {
    await this.fail('It was interrupted.');
  }

  /**
   * @template T
   * @param {() => Promise<T>} work begins when earlier writes are over, however they ended
   * @returns {Promise<T>}
   */
  #write(work) {
    const done = this.#writing.then(work, work);
    this.#writing = done.catch(() => {});
    return done;
  }

  /**
   * @param {Result} result
   * @param {string | undefined} error
   */
  async #end(result, error) {
    this.#clock.clearTimeout(this.#timer);
    await this.flush();
    this.#run.complete = error === undefined;
    if (error === undefined) delete this.#run.error;
    else this.#run.error = error;
    const whole = result.title ? result : { ...result, title: this.#title };
    await writeJson(join(this.path, 'result.json'), whole);
    await this.#writeSamples();
    await this.#writeRun();
    return this.#report(whole);
  }

  async #append() {
    for (const record of this.#records.values()) {
      const { quantity, samples, written } = record;
      if (samples.length === written) continue;
      const lines = samples.slice(written).map((sample) => csvLine(quantity, sample));
      await appendFile(samplesFile(this.path, quantity), lines.join(''));
      record.written = written + lines.length;
    }
  }

  /**
   * Errors are left to the run's end: a disk that is still full fails that write too, which is
   * reported.
   */
  #writeLater() {
    this.#timer = this.#clock.setTimeout(async () => {
      const write = () => this.#append().then(() => this.#writeRun());
      await this.#write(write).catch(() => {});
      if (!this.#ending) this.#writeLater();
    }, WRITE_MS);
  }

  /** Columns rather than objects, which takes a third of the space; what never came is null. */
  async #writeSamples() {
    const quantities = Array.from(this.#records.values(), ({ quantity, samples }) => {
      const columns = ['protocol', 'repetition', 'client', 'atMs', 'value'];
      const factors = (quantity.factors ?? []).map(({ name }) => name);
      const rows = samples.map((sample) => [
        ...[sample.protocol, sample.repetition, sample.client, sample.atMs, sample.value],
        ...factors.map((name) => sample.factors?.[name] ?? null),
      ]);
      return { ...quantity, columns: [...columns, ...factors], rows };
    });
    await writeFile(join(this.path, 'samples.json'), JSON.stringify({ version: 1, quantities }));
  }

  async #writeRun() {
    this.#run.durationMs = Math.round(this.elapsedMs);
    await writeJson(join(this.path, 'run.json'), this.#run, 2);
  }

  /** @param {Result} result */
  async #report(result) {
    const samples = new Map(Array.from(this.#records, ([name, record]) => [name, record.samples]));
    // Only now: what draws plots shouldn't take up memory while others are being measured.
    const { writeReport } = await import('./run-report.js');
    return writeReport({ path: this.path, run: this.#run, result, samples });
  }
}

/** The name of the file with a quantity's samples. @param {Quantity} quantity */
const fileOf = ({ name }) => `samples-${name}.csv`;

/**
 * @param {string} path a run's folder
 * @param {Quantity} quantity
 * @returns {string} the file with its samples
 */
const samplesFile = (path, quantity) => join(path, fileOf(quantity));

/**
 * Replaces the file atomically, so that no reader sees half of it.
 * @param {string} file
 * @param {unknown} value
 * @param {number} [indent]
 */
async function writeJson(file, value, indent) {
  await writeFile(`${file}.part`, `${JSON.stringify(value, null, indent)}\n`);
  await rename(`${file}.part`, file);
}

/**
 * @typedef {object} EarlierRun
 * @property {string} path
 * @property {Run} run
 * @property {Result} result
 * @property {Map<string, readonly Sample[]>} samples by quantity
 */

/**
 * @param {string} path a run's folder, of a finished run or of one that was killed
 * @returns {Promise<EarlierRun>}
 * @throws {Error} when it is no run's folder
 */
export async function readRun(path) {
  const file = (/** @type {string} */ name) => readFile(join(path, name), 'utf8');
  const text = await file('run.json').catch(() => {
    throw new Error(`${path} is no run's folder: it has no run.json`);
  });
  try {
    const run = checkedRun(JSON.parse(text));
    const result = withNumbers(await file('result.json').then(JSON.parse, () => NO_RESULT));
    const samples = await Promise.all(
      run.quantities.map(async (quantity) => {
        const csv = await file(fileOf(quantity)).catch(() => '');
        return /** @type {const} */ ([quantity.name, parseCsv(csv, quantity)]);
      }),
    );
    return { path, run, result: checkResult(result), samples: new Map(samples) };
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    throw new Error(`${path} can't be read as a run: ${why}`, { cause: error });
  }
}

/** A scenario's name, which becomes part of a page's ids. */
const SCENARIO = /^[a-z][a-z-]*$/;

/**
 * @param {any} run  content of a run.json that others may have written
 * @returns {Run} the same
 * @throws {TypeError} if it lacks what readers rely on
 */
function checkedRun(run) {
  const isObject = (/** @type {unknown} */ value) => typeof value === 'object' && value !== null;
  if (run?.version !== 1) throw new TypeError('it was written by another version of the lab');
  const { scenario, options, environment, warnings, quantities } = run;
  const isWhole =
    typeof scenario === 'string' &&
    SCENARIO.test(scenario) &&
    [options, environment?.machine, environment?.versions].every(isObject) &&
    [warnings, quantities].every(Array.isArray) &&
    warnings.every((/** @type {unknown} */ warning) => typeof warning === 'string') &&
    quantities.every(isObject);
  if (!isWhole) throw new TypeError("its run.json isn't one of the lab's");
  quantities.forEach(checkQuantity);
  return run;
}

/**
 * JSON has no NaN and gives null for it, which in a point breaks the line.
 * @param {Result} result
 * @returns {Result}
 */
function withNumbers(result) {
  const plots = result.plots.map((plot) => ({
    ...plot,
    series: plot.series.map((series) => ({
      ...series,
      points: series.points.map((point) => point.map((number) => number ?? NaN)),
    })),
  }));
  return {
    ...result,
    plots,
    headlines: result.headlines.map((line) => ({ ...line, value: line.value ?? NaN })),
  };
}
