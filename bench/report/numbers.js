/** Figures as people read them: no more digits than mean something, in a column all alike. */

/**
 * @typedef {import('./result.js').Cell} Cell
 * @typedef {import('./result.js').Table} Table
 */

/** Default number of significant digits. */
const SIGNIFICANT = 4;

/** A thin space, which doesn't break, between thousands (ISO 80000-1). */
const THIN = '\u202f';

/**
 * @param {readonly number[]} values
 * @returns {number} digits after the point that suit the largest of them
 */
export function digitsFor(values) {
  const finite = values.filter(Number.isFinite).map(Math.abs);
  if (finite.length === 0 || finite.every(Number.isInteger)) return 0;
  const largest = Math.max(...finite);
  return Math.max(0, Math.min(6, SIGNIFICANT - 1 - Math.floor(Math.log10(largest || 1))));
}

/**
 * @param {number} value
 * @param {number} [digits] after the point
 * @returns {string} with a real minus; '–' for what isn't known
 */
export function formatNumber(value, digits = digitsFor([value])) {
  if (value === Infinity) return '∞';
  if (!Number.isFinite(value)) return '–';
  const [whole, fraction] = Math.abs(value).toFixed(digits).split('.');
  const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, THIN) : whole;
  const isNegative = value < 0 && Number(value.toFixed(digits)) !== 0;
  return `${isNegative ? '−' : ''}${grouped}${fraction ? `.${fraction}` : ''}`;
}

/**
 * @param {readonly [number, number]} interval
 * @param {number} digits
 * @returns {string} '[1.2, 3.4]'
 */
export function formatInterval([low, high], digits) {
  return `[${formatNumber(low, digits)}, ${formatNumber(high, digits)}]`;
}

/**
 * @param {number} value
 * @param {readonly [number, number]} interval  NaN where it isn't known
 * @param {number} digits
 * @returns {string} '2.3 [1.2, 3.4]', or '2.3' without an interval
 */
export function formatEstimate(value, interval, digits) {
  const figure = formatNumber(value, digits);
  return interval.every(Number.isFinite) ? `${figure} ${formatInterval(interval, digits)}` : figure;
}

/**
 * @param {Cell} cell
 * @returns {number | undefined} its figure, if it has one
 */
function figureOf(cell) {
  if (typeof cell === 'number') return cell;
  return typeof cell === 'object' && cell !== null ? cell.value : undefined;
}

/**
 * A table's cells as text.
 * @param {Table} table
 * @returns {{ header: string, isNumeric: boolean, cells: { text: string, interval: string }[] }[]}
 *   by column
 */
export function formatColumns({ columns, rows }) {
  return columns.map(({ label, unit, digits: wanted }, i) => {
    const cells = rows.map((row) => row[i]);
    const figures = cells.map(figureOf).filter((figure) => figure !== undefined);
    const digits = wanted ?? digitsFor(figures);
    return {
      header: unit ? `${label} (${unit})` : label,
      isNumeric: figures.length > 0,
      cells: cells.map((cell) => formatCell(cell, digits)),
    };
  });
}

/**
 * @param {Cell} cell
 * @param {number} digits
 */
function formatCell(cell, digits) {
  if (cell === null) return { text: '', interval: '' };
  if (typeof cell === 'string') return { text: cell, interval: '' };
  if (typeof cell === 'number') return { text: formatNumber(cell, digits), interval: '' };
  const { interval } = cell;
  const isKnown = interval !== undefined && interval.every(Number.isFinite);
  return {
    text: formatNumber(cell.value, digits),
    interval: isKnown ? formatInterval(interval, digits) : '',
  };
}

/**
 * @param {string} instant ISO 8601
 * @returns {string} '2025-11-21 03:07:15 UTC'
 */
export const formatInstant = (instant) => instant.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC');

/**
 * @param {number} ms
 * @returns {string} '3 min 07 s'
 */
export function formatDuration(ms) {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

/**
 * Names the measured values at which something holds. Examples: 'from 3 % on' up to the highest,
 * 'from 90 kbit/s down' to the lowest, otherwise 'at 1, 5 %'.
 * @param {readonly number[]} those  values at which it holds, ascending
 * @param {readonly number[]} all    the measured values, ascending
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
