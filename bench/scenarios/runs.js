/**
 * Runs of the lab's own commands, one after another, for the commands that put several together.
 */

import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { secondsOf } from './durations.js';
import { scenarios } from './index.js';
import { SIGNALS } from './interruption.js';
import { scenarioCommand } from './scenario-command.js';

const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));

/**
 * Time for an interrupted run to close its resources before it is killed, in milliseconds.
 */
const TIDY_MS = 15_000;

/**
 * @typedef {object} ScenarioRun
 * @property {string} report   its path
 * @property {import('../report/result.js').Result} result
 * @property {boolean} isComplete
 * @property {number} durationMs
 * @property {Record<string, unknown>} options  as run.json has them
 * @property {import('../report/environment.js').Environment['git']} [git] of aloud, where it was
 *   run in a checkout
 * @property {string[]} warnings
 */

/**
 * Told time of the commands that are scenarios, in seconds.
 * @param {readonly (readonly string[])[]} argvs
 */
export function secondsOfCommands(argvs) {
  return argvs.reduce((all, [name, ...argv]) => {
    const scenario = scenarios.find((one) => one.name === name);
    if (!scenario) return all;
    const options = scenarioCommand(scenario).parse(argv, { from: 'user' }).opts();
    return all + secondsOf(scenario, /** @type {any} */ (options));
  }, 0);
}

/**
 * Shares of the told time that are over before each of several parts, for their progress.
 * @param {readonly number[]} seconds  told for each part
 * @returns {number[]} 0 to 1
 */
export function sharesBefore(seconds) {
  const all = seconds.reduce((sum, one) => sum + one, 0) || 1;
  let before = 0;
  return seconds.map((one) => {
    const share = before / all;
    before += one;
    return share;
  });
}

/**
 * Time after which a run counts as hanging, in seconds.
 * @param {readonly string[]} argv of the lab's command
 */
export const limitOf = (argv) => 60 + 2 * secondsOfCommands([argv]);

/**
 * @param {object} options
 * @param {readonly string[]} options.argv      of the lab's command
 * @param {string} options.out                  where its folder is made
 * @param {AbortSignal} options.signal
 * @returns {Promise<ScenarioRun>}
 * @throws {Error} when it broke off, which says why
 */
export async function runScenario({ argv, out, signal }) {
  const { output, code, reason } = await runNode(
    [MAIN, ...argv, '--out', out],
    limitOf(argv),
    signal,
  );
  const report = /^Report: (.*)$/m.exec(output)?.[1];
  if (code !== 0 || !report)
    throw new Error(reason ?? `it broke off (exit code ${code}) without a reason`);
  return readRun(dirname(report));
}

/**
 * @param {string} path of a run's folder
 * @returns {Promise<ScenarioRun>}
 */
export async function readRun(path) {
  const [result, circumstances] = await Promise.all(
    ['result.json', 'run.json'].map(async (file) =>
      JSON.parse(await readFile(join(path, file), 'utf8')),
    ),
  );
  const isShort = circumstances.generator?.bottleneck === true;
  const warnings = [
    ...circumstances.warnings,
    ...(isShort ? ['the load generator was itself short of processor time'] : []),
  ];
  const { complete: isComplete, durationMs, options, environment } = circumstances;
  return {
    report: join(path, 'report.html'),
    result,
    isComplete,
    durationMs,
    options,
    git: environment.git,
    warnings,
  };
}

/**
 * Runs a program of Node.js. A signal that interrupts it alone interrupts this process too, as in a
 * shell: who stops one run doesn't want the next.
 * @param {readonly string[]} argv of Node.js
 * @param {number} limitSeconds
 * @param {AbortSignal} signal
 * @returns {Promise<{ output: string, code: number | null, reason?: string }>} reason: why it broke
 *   off, where it was ended or has said so
 */
export function runNode(argv, limitSeconds, signal) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    let output = '';
    let isEnded = false;
    /** @type {string | undefined} */
    let reason;
    /** @type {NodeJS.Signals | undefined} */
    let interruptedBy;
    /** @type {NodeJS.Timeout | undefined} */
    let killing;
    const end = () => {
      isEnded = true;
      child.kill('SIGTERM');
      killing ??= setTimeout(() => child.kill('SIGKILL'), TIDY_MS);
    };
    const limit = setTimeout(() => {
      reason = `it was ended after ${limitSeconds} s`;
      end();
    }, limitSeconds * 1000);
    signal.addEventListener('abort', end);
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.on('message', (/** @type {any} */ message) => {
      reason ??= message.brokeOff;
      interruptedBy = message.interruptedBy;
    });
    child.once('error', reject);
    child.once('close', (code, endedBy) => {
      clearTimeout(limit);
      clearTimeout(killing);
      signal.removeEventListener('abort', end);
      const by = SIGNALS.find((one) => one === (interruptedBy ?? endedBy));
      if (by && !isEnded) {
        reason ??= `interrupted by ${by}`;
        process.emit(by, by);
      }
      resolve({ output, code, reason });
    });
    if (signal.aborted) end();
  });
}
