/**
 * Compares the rankings of two runs of `papers`, row by row: `papers --compare FOLDER FOLDER`.
 * @import { Result, Table } from '../../report/result.js'
 * @import { Experiment, Ranking } from './papers.js'
 */

/** @typedef {Ranking['sets'][number]} Set */

/** @param {Set} set */
const hasInterval = ({ low, high }) => Number.isFinite(low) && Number.isFinite(high);

/**
 * Groups of a ranking, the highest first, without the sets that have no interval. A set joins the
 * previous set's group if its interval meets that of the group's first.
 * @param {Ranking} ranking
 * @returns {string[][]} names
 */
function groupsOf({ sets }) {
  /** @type {Set[][]} */
  const groups = [];
  const falling = sets.filter(hasInterval).sort((a, b) => b.low + b.high - a.low - a.high);
  for (const set of falling) {
    const group = groups.at(-1);
    if (group && set.high >= group[0].low) group.push(set);
    else groups.push([set]);
  }
  return groups.map((group) => group.map(({ name }) => name).sort());
}

/** @param {Set} a @param {Set} b @returns {number} 1 or -1 if one is surely higher, or 0 */
const orderOf = (a, b) => (a.low > b.high ? 1 : b.low > a.high ? -1 : 0);

/**
 * @param {Ranking} first
 * @param {Ranking} second
 * @returns {{ verdict: 'same' | 'compatible' | 'differs', why: string }} compatible: neither
 *   contradicts the other, but one of them tells apart what the other doesn't, or can't for want of
 *   intervals
 */
export function compareRankings(first, second) {
  const others = new Map(second.sets.map((set) => [set.name, set]));
  const names = new Set(first.sets.map(({ name }) => name));
  const single = [
    ...first.sets.filter(({ name }) => !others.has(name)),
    ...second.sets.filter(({ name }) => !names.has(name)),
  ].map(({ name }) => name);
  if (single.length > 0)
    return { verdict: 'differs', why: `in one run only: ${single.join(', ')}` };
  const pairs = first.sets.flatMap((a, i) =>
    first.sets.slice(i + 1).map((b) => ({
      names: `${a.name} and ${b.name}`,
      orders: [
        orderOf(a, b),
        orderOf(/** @type {Set} */ (others.get(a.name)), /** @type {Set} */ (others.get(b.name))),
      ],
    })),
  );
  const reversed = pairs.filter(({ orders: [one, other] }) => one * other < 0);
  if (reversed.length > 0)
    return {
      verdict: 'differs',
      why: `reversed: ${reversed.map((pair) => pair.names).join('; ')}`,
    };
  const unsure = pairs.filter(({ orders: [one, other] }) => one !== other);
  if (unsure.length > 0)
    return {
      verdict: 'compatible',
      why: `told apart by one run only: ${unsure.map((pair) => pair.names).join('; ')}`,
    };
  const unplaced = first.sets.filter(
    (set) => !hasInterval(set) || !hasInterval(/** @type {Set} */ (others.get(set.name))),
  );
  if (unplaced.length > 0)
    return {
      verdict: 'compatible',
      why: `without intervals: ${unplaced.map(({ name }) => name).join(', ')}`,
    };
  return { verdict: 'same', why: '' };
}

/** @param {Ranking} ranking @returns {string} the highest first; alike ones between "=" */
const inWords = (ranking) =>
  groupsOf(ranking)
    .map((group) => group.join(' = '))
    .join(' > ');

/**
 * @param {readonly Experiment[]} experiments
 * @param {ReadonlyMap<string, Result>} first   results by the experiment's name
 * @param {ReadonlyMap<string, Result>} second
 * @returns {Table} a row for each quantity of each experiment that was measured in either
 */
export function comparedTable(experiments, first, second) {
  const rows = experiments.flatMap(({ name, rankings }) => {
    const [one, other] = [first, second].map((results) => results.get(name));
    if (!one && !other) return [];
    if (!one || !other) return [[name, '', 'not compared', 'finished in one folder only', '', '']];
    const others = rankings(other);
    return rankings(one).map((ranking, i) => {
      const { verdict, why } = compareRankings(ranking, others[i]);
      return [
        name,
        ranking.by,
        verdict,
        why,
        inWords(ranking),
        verdict === 'same' ? '' : inWords(others[i]),
      ];
    });
  });
  return {
    name: 'compared',
    title: 'The rankings of two runs',
    caption:
      'same: both tell the same apart, in the same order. compatible: none contradicts the ' +
      'other, but one tells more apart, or some figures have no interval. differs: two are in ' +
      'the opposite order, or one is missing. ">" where intervals of 95 % confidence do not meet.',
    columns: ['Experiment', 'By', 'Rankings', 'Why', 'First run', 'Second run'].map((label) => ({
      label,
    })),
    rows,
  };
}
