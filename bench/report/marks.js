/**
 * Marks of a whole run in its headline and lines: that it was disturbed, or quick. A figure that is
 * copied from a report takes its mark along.
 * @import { Result, Table } from './result.js'
 * @import { Watched } from '../../testkit/machine.js'
 */

/**
 * Processors that other programs, or the machine's host, may take in a run's mean. The kernel's own
 * work for the run's packets is among others', up to a fifth of a processor.
 */
const OTHERS_SHARE = 0.3;
const STOLEN_SHARE = 0.02;

/**
 * Length of the windows in which a short disturbance shows, in milliseconds, and the processors
 * that may be taken in one. That is 2.5 s of one by other programs, and half a second by the host.
 */
export const WINDOW_MS = 5000;
const OTHERS_SHARE_IN_WINDOW = 0.5;
const STOLEN_SHARE_IN_WINDOW = 0.1;

/** Longest standstill of the whole machine that is no disturbance, in milliseconds. */
const STANDSTILL_MS = 250;

/**
 * @param {Pick<Watched, 'othersShare' | 'stolenShare' | 'longestMs' | 'worst'>} seen during a run,
 *   with windows of WINDOW_MS
 * @returns {string} in words; '' if the run had the machine to itself
 */
export function disturbanceWords({ othersShare, stolenShare, longestMs, worst }) {
  const said = [];
  const inWindow = `for ${WINDOW_MS / 1000} s`;
  if (othersShare > OTHERS_SHARE)
    said.push(`other programs took ${othersShare.toFixed(1)} processors`);
  else if (worst.othersShare > OTHERS_SHARE_IN_WINDOW)
    said.push(`other programs took ${worst.othersShare.toFixed(1)} processors ${inWindow}`);
  if (stolenShare > STOLEN_SHARE)
    said.push(`the machine's host took ${stolenShare.toFixed(2)} processors`);
  else if (worst.stolenShare > STOLEN_SHARE_IN_WINDOW)
    said.push(`the machine's host took ${worst.stolenShare.toFixed(2)} processors ${inWindow}`);
  if (longestMs > STANDSTILL_MS)
    said.push(`the machine stood still for ${(longestMs / 1000).toFixed(1)} s`);
  return said.join(', ');
}

/** Begin of a disturbed run's warning. */
const DISTURBED = 'Disturbed: ';

/** @param {string} disturbance in words */
export const disturbanceWarning = (disturbance) => `${DISTURBED}during the run ${disturbance}.`;

/**
 * A warning of an earlier run whose values another one takes over: what was disturbed stays so.
 * @param {string} warning
 */
export const warningOfEarlier = (warning) =>
  warning.startsWith(DISTURBED)
    ? `${DISTURBED}of the earlier run, ${warning.slice(DISTURBED.length)}`
    : `Of the earlier run: ${warning}`;

/**
 * Words for the mark of a disturbed run.
 * @param {readonly string[]} warnings  of the run
 * @returns {string} the first disturbance; '' for none
 */
export const disturbanceIn = (warnings) =>
  warnings
    .find((warning) => warning.startsWith(DISTURBED))
    ?.slice(DISTURBED.length)
    .replace(/^during the run /, '')
    .replace(/\.$/, '') ?? '';

/**
 * True if a run was disturbed.
 * @param {readonly string[]} warnings  of the run
 */
export const wasDisturbed = (warnings) => warnings.some((warning) => warning.startsWith(DISTURBED));

/**
 * A result whose title and headlines say that the run was disturbed.
 * @param {Result} result
 * @param {string} disturbance in words; '' for none
 * @returns {Result}
 */
export function disturbedResult(result, disturbance) {
  if (disturbance === '') return result;
  return {
    ...result,
    title: `${result.title} (disturbed: ${disturbance})`,
    headlines: result.headlines.map((headline) => ({
      ...headline,
      label: `${headline.label}, disturbed`,
    })),
  };
}

/**
 * Marks of a run that is set beside others.
 * @param {{ warnings: readonly string[], options: Record<string, unknown> }} run
 * @returns {string} ' (quick, disturbed)'; '' for none
 */
export function marksOf({ warnings, options }) {
  const marks = [
    ...(options.quick ? ['quick'] : []),
    ...(wasDisturbed(warnings) ? ['disturbed'] : []),
  ];
  return marks.length > 0 ? ` (${marks.join(', ')})` : '';
}

/** A headline's label without the marks of its run. @param {string} label */
export const unmarked = (label) => label.replace(/(?:, (?:quick|disturbed))+$/, '');

/**
 * A result in which each line says that the run was quick, so no figure is taken for a whole run's.
 * @param {Result} result
 * @returns {Result}
 */
export function quickResult(result) {
  return {
    ...result,
    title: `${result.title} (quick)`,
    headlines: result.headlines.map((headline) => ({
      ...headline,
      label: `${headline.label}, quick`,
    })),
    tables: result.tables.map(quickTable),
  };
}

/** @param {Table} table @returns {Table} with a first column that marks each line */
const quickTable = (table) => ({
  ...table,
  columns: [{ label: 'Run' }, ...table.columns],
  rows: table.rows.map((row) => ['quick', ...row]),
});
