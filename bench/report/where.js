/**
 * At which of the measured values something is so, in words: 'from 3 % on', where it is so from
 * there to the highest; 'from 90 kbit/s down', where to the lowest; 'at 1, 5 %' otherwise.
 * @param {readonly number[]} those  values at which it is so, rising
 * @param {readonly number[]} all    the measured values, rising
 * @param {{ unit: string, at?: string }} words  at: the preposition of single values
 * @returns {string}
 */
export function whereOf(those, all, { unit, at = 'at' }) {
  const withUnit = (/** @type {number | string} */ value) => `${value}${unit && ` ${unit}`}`;
  const isSeveral = those.length > 1;
  if (isSeveral && all.indexOf(those[0]) === all.length - those.length)
    return `from ${withUnit(those[0])} on`;
  if (isSeveral && all.indexOf(those[those.length - 1]) === those.length - 1)
    return `from ${withUnit(those[those.length - 1])} down`;
  return `${at} ${withUnit(those.join(', '))}`;
}
