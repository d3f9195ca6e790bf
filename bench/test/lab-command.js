/** The lab's command, for tests that run it. */

import { fileURLToPath } from 'node:url';

export const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));

/**
 * Arguments for round trips over transports, in a short measurement.
 * @param {string} out  folder for the run
 * @param {readonly string[]} transports
 * @param {{ seconds?: number, repetitions?: number, warmUpSeconds?: number }} [lengths]
 */
export const rttArguments = (
  out,
  transports,
  { seconds = 2, repetitions = 1, warmUpSeconds = 0.2 } = {},
) => [
  ...['rtt', '--transports', transports.join(), '--format', 'call', '--out', out],
  ...['--duration', String(seconds), '--repetitions', String(repetitions)],
  ...['--warm-up', String(warmUpSeconds)],
];
