/**
 * The command `times`: the smallest plan of each scenario, and whether it kept to the time that it
 * told beforehand.
 * @import { Cell, Table } from '../report/result.js'
 * @import { RunFolder } from '../report/run-folder.js'
 */

import { overrunOf } from './durations.js';
import { runScenario, secondsOfCommands, sharesBefore } from './runs.js';

/** Options of all plans: all of it once, and where a block's length is chosen, of some seconds. */
const ONCE = ['--repetitions', '1'];
const ONE = [...ONCE, '--duration'];

/**
 * Small plans by scenario, of 20 to 90 s: long enough that a fifth of them is more than a process
 * takes to start.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const SMALLEST = Object.freeze({
  call: [...ONE, '10', '--settle', '5'],
  loss: [...ONE, '10', '--loss', '5', '--settle', '5'],
  carry: [...ONE, '10', '--carries', 'datagrams,stream', '--settle', '2'],
  ways: [...ONE, '10', '--ways', 'datagrams,stream'],
  sweep: [...ONE, '10', '--sweeps', 'loss', '--at', '0,5', '--ways', 'datagrams,stream'],
  cpu: [...ONE, '10', '--sweeps', 'receiver', '--at', '100,40', '--ways', 'datagrams'],
  loaded: [...ONE, '10', '--sweeps', 'tcp', '--at', '50,200', '--ways', 'datagrams,stream'],
  parallel: [...ONE, '10', '--sweeps', 'all', '--at', '2', '--ways', 'datagrams,stream'],
  controllers: [
    ...ONE,
    '10',
    '--sweeps',
    'loss',
    '--at',
    '3',
    '--ways',
    'datagrams@cubic,streams@cubic',
  ],
  interplay: ['--quick'],
  mixed: [...ONE, '10', '--sweeps', 'chat', '--at', '1', '--ways', 'datagrams,datagrams+stream'],
  switching: [...ONCE, '--at', '5', '--phase-seconds', '6', '--ways', 'switching,datagrams'],
  mesh: [...ONE, '5', '--people', '2', '--settle', '2'],
  shipped: [...ONE, '10', '--ways', 'aloud', '--conditions', 'clear', '--settle', '5'],
  setup: ['--quick'],
  startup: [...ONCE, '--round-trips', '50', '--losses', '0', '--rates', 'none'],
  'mouth-to-ear': [...ONE, '10', '--frame', '20', '--settle', '5'],
  stragglers: [...ONE, '8', '--settle', '3'],
  starved: [...ONE, '10', '--settle', '5', '--machines', 'free'],
  delay: [...ONE, '8', '--transports', 'webtransport'],
  rtt: [...ONE, '10'],
  latency: [...ONE, '8'],
  datagrams: [...ONE, '15'],
  load: [...ONE, '8', '--participants', '4,8'],
  crowd: [...ONE, '5', '--cases', '10/2'],
  listeners: [...ONE, '5', '--cases', '100s3'],
  nearness: [...ONE, '8', '--choices', 'near', '--settle', '3'],
  adapt: [...ONCE, '--trajectory', '200x5,40x10,200x5', '--players', 'aloud', '--rules', 'probe'],
  forward: [...ONE, '5', '--cases', '10/2', '--ways', 'bundle'],
  estimates: [...ONCE, '--modes', 'live', '--step-seconds', '3'],
  throughput: [...ONCE, '--levels', '1,5'],
  plan: [...ONE, '2'],
  nodes: [...ONE, '5'],
  memory: [...ONCE],
  failover: [...ONCE, '--kills', '1'],
  soak: [...ONE, '30', '--people', '10'],
});

/**
 * Runs the smallest plans one after another.
 * @param {object} options
 * @param {readonly string[]} options.only  names of scenarios
 * @param {RunFolder} options.folder
 * @param {AbortSignal} options.signal
 * @param {(what: string, share: number) => void} options.progress
 * @param {typeof runScenario} [options.run]
 * @returns {Promise<Table>} a row for each; one that broke off says why
 */
export async function runTimes({ only, folder, signal, progress, run = runScenario }) {
  /** @type {Cell[][]} */
  const rows = [];
  const seconds = only.map((name) => secondsOfCommands([[name, ...SMALLEST[name]]]));
  const shares = sharesBefore(seconds);
  for (const [i, name] of only.entries()) {
    if (signal.aborted) break;
    progress(name, shares[i]);
    const argv = [name, ...SMALLEST[name]];
    const told = seconds[i];
    try {
      const { durationMs } = await run({ argv, out: folder.path, signal });
      const took = durationMs / 1000;
      rows.push([
        argv.join(' '),
        told,
        took,
        (100 * (took - told)) / told,
        overrunOf(durationMs, told) === '' ? 'kept' : 'not kept',
      ]);
    } catch (error) {
      const why = /** @type {Error} */ (error).message;
      folder.warn(`${name}: ${why}`);
      rows.push([argv.join(' '), told, null, null, `not measured: ${why}`]);
    }
  }
  return {
    name: 'times',
    title: 'Told and taken times',
    caption:
      'Kept: within a fifth, or ten seconds in a short plan, in which starting processes is a ' +
      'large part.',
    columns: [
      { label: 'Command' },
      { label: 'Told', unit: 's', digits: 0 },
      { label: 'Took', unit: 's', digits: 0 },
      { label: 'Off', unit: '%', digits: 0 },
      { label: 'Kept' },
    ],
    rows,
  };
}
