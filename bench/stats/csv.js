/**
 * Samples as lines of comma-separated values (RFC 4180), which grow while a run goes on. What never came
 * is Infinity; times have three digits, values at most six.
 */

/**
 * @typedef {import('../report/result.js').Quantity} Quantity
 * @typedef {import('../report/result.js').Sample} Sample
 */

const COLUMNS = ['protocol', 'repetition', 'client', 'atMs', 'value'];

/** @param {Quantity} quantity */
const factorNames = ({ factors = [] }) => factors.map(({ name }) => name);

/** @param {Quantity} quantity */
export const csvHeader = (quantity) => `${[...COLUMNS, ...factorNames(quantity)].join(',')}\n`;

/**
 * @param {Quantity} quantity
 * @param {Sample} sample
 * @returns {string} one line
 */
export function csvLine(quantity, { protocol, repetition, client, atMs, value, factors = {} }) {
  const cells = [protocol, repetition, client, round(atMs, 3), round(value, 6)];
  return `${[...cells, ...factorNames(quantity).map((name) => factors[name] ?? '')].map(quote).join(',')}\n`;
}

/**
 * @param {string} text a file's; its last line may be cut short, as when the run was killed
 * @param {Quantity} quantity
 * @returns {Sample[]}
 */
export function parseCsv(text, quantity) {
  const names = factorNames(quantity);
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).matchAll(/(?:[^"\n]|"(?:[^"]|"")*")+\n/g);
  /** @type {Sample[]} */
  const samples = [];
  for (const [line] of lines) {
    const [protocol, repetition, client, atMs, value, ...others] = splitLine(line.slice(0, -1));
    if (protocol === COLUMNS[0] && value === COLUMNS[4]) continue;
    const factors =
      names.length > 0 ? Object.fromEntries(names.map((name, i) => [name, factor(others[i])])) : undefined;
    const sample = {
      protocol,
      repetition: Number(repetition),
      client,
      atMs: Number(atMs),
      value: Number(value),
    };
    samples.push(factors ? { ...sample, factors } : sample);
  }
  return samples;
}

/** @param {string} line */
function splitLine(line) {
  return Array.from(line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g), ([, quoted, plain]) =>
    quoted === undefined ? plain : quoted.replaceAll('""', '"'),
  );
}

/** @param {string} text */
const factor = (text = '') => (text !== '' && !Number.isNaN(Number(text)) ? Number(text) : text);

/** @param {string | number} cell */
const quote = (cell) =>
  /[",\r\n]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : String(cell);

/**
 * @param {number} value
 * @param {number} digits
 */
const round = (value, digits) => (Number.isFinite(value) ? Number(value.toFixed(digits)) : value);
