/** Reads the folder of an earlier run. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseCsv } from '../stats/csv.js';
import { NO_RESULT } from './result.js';
import { samplesFile } from './run-folder.js';

/**
 * @typedef {import('./result.js').Run} Run
 * @typedef {import('./result.js').Result} Result
 * @typedef {import('./result.js').Quantity} Quantity
 * @typedef {import('./result.js').Sample} Sample
 */

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
  const run = JSON.parse(
    await readFile(join(path, 'run.json'), 'utf8').catch(() => {
      throw new Error(`${path} is no run's folder: it has no run.json`);
    }),
  );
  if (run.version !== 1) throw new Error(`${path} was written by another version of the lab`);
  const result = await readFile(join(path, 'result.json'), 'utf8').then(JSON.parse, () => NO_RESULT);
  const samples = await Promise.all(
    run.quantities.map(async (/** @type {Quantity} */ quantity) => {
      const text = await readFile(samplesFile(path, quantity), 'utf8').catch(() => '');
      return /** @type {const} */ ([quantity.name, parseCsv(text, quantity)]);
    }),
  );
  return { path, run, result: withNumbers(result), samples: new Map(samples) };
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
