/**
 * What aloud is to reach, and what a run reached of it.
 * @import { Table } from '../report/result.js'
 *
 * @typedef {object} Bar
 * @property {string} what     what is to be reached: 'D on loopback'
 * @property {'≤' | '≥'} [is]  which side of the limit is good; ≤ if not said
 * @property {number} limit
 * @property {number} reached  NaN where it couldn't be measured
 * @property {string} unit
 * @property {number} [digits]
 * @property {string} [why]    what stands in the way, or what must be known of the figure
 */

import { formatNumber } from '../report/numbers.js';

/** The name of the table that a result says its bars in. */
export const BARS_TABLE = 'bars';

/** @param {Bar} bar */
export const isMet = ({ is = '≤', limit, reached }) => (is === '≤' ? reached <= limit : reached >= limit);

/**
 * @param {readonly Bar[]} bars
 * @returns {Table}
 */
export function barsTable(bars) {
  return {
    name: BARS_TABLE,
    title: 'Bars',
    columns: [{ label: 'What' }, { label: 'Bar' }, { label: 'Reached' }, { label: 'Met' }, { label: 'Remark' }],
    rows: bars.map((bar) => {
      const { what, is = '≤', limit, reached, unit, digits, why = '' } = bar;
      const text = (/** @type {number} */ value) => `${formatNumber(value, digits)} ${unit}`;
      const isKnown = !Number.isNaN(reached);
      return [what, `${is} ${text(limit)}`, isKnown ? text(reached) : '–', isKnown ? (isMet(bar) ? 'met' : 'not met') : 'not measured', why];
    }),
  };
}
