/**
 * Marks of a whole run in its headline and lines: that it was disturbed, or quick. A figure that is
 * copied from a report takes its mark along.
 * @import { Result, Table } from './result.js'
 * @import { Disturbance } from '../../testkit/machine.js'
 */

/**
 * Processors that other programs, or the machine's host, may take in a run's mean. The kernel's own
 * work for the run's packets is among others', up to a fifth of a processor.
 */
const OTHERS_SHARE = 0.3;
const STOLEN_SHARE = 0.02;

/**
 * @param {Pick<Disturbance, 'othersShare' | 'stolenShare'>} seen during a run
 * @returns {string} in words; '' if the run had the machine to itself
 */
export function disturbanceWords({ othersShare, stolenShare }) {
  const said = [];
  if (othersShare > OTHERS_SHARE)
    said.push(`other programs took ${othersShare.toFixed(1)} processors`);
  if (stolenShare > STOLEN_SHARE)
    said.push(`the machine's host took ${stolenShare.toFixed(2)} processors`);
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
