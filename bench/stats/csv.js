/**
 * Samples as lines of comma-separated values (RFC 4180), appended while a run goes on. A value that
 * never came is Infinity; times have three digits after the point, values at most six.
 * @import { Quantity, Sample } from '../report/result.js'
 */

import Papa from 'papaparse';

/** Columns of each file of samples, before those of the factors. */
export const SAMPLE_COLUMNS = Object.freeze(['protocol', 'repetition', 'client', 'atMs', 'value']);

/** @param {Quantity} quantity */
const factorNames = ({ factors = [] }) => factors.map(({ name }) => name);

/** @param {(string | number)[]} cells */
const line = (cells) => `${Papa.unparse([cells])}\n`;

/** @param {Quantity} quantity */
export const csvHeader = (quantity) => line([...SAMPLE_COLUMNS, ...factorNames(quantity)]);

/**
 * @param {Quantity} quantity
 * @param {Sample} sample
 * @returns {string} one line
 */
export function csvLine(quantity, { protocol, repetition, client, atMs, value, factors = {} }) {
  const cells = [protocol, repetition, client, round(atMs, 3), round(value, 6)];
  return line([...cells, ...factorNames(quantity).map((name) => factors[name] ?? '')]);
}

/** Most repetitions of a run: `--repetitions` allows a thousand. */
const MOST_REPETITIONS = 10_000;

/**
 * @param {string} text a file's; an unfinished last line, as a killed run leaves, is left out
 * @param {Quantity} quantity
 * @returns {Sample[]}
 * @throws {RangeError} with the line that is none of the lab's
 */
export function parseCsv(text, quantity) {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const { data } = Papa.parse(whole, { header: true, newline: '\n', skipEmptyLines: true });
  const names = factorNames(quantity);
  return /** @type {Record<string, string>[]} */ (data).map(
    ({ protocol, repetition, client, atMs, value, ...others }, i) => {
      const isSample =
        [protocol, client].every((name) => name !== undefined) &&
        [repetition, atMs, value].every(isFigure) &&
        Number.isInteger(Number(repetition)) &&
        Number(repetition) >= 0 &&
        Number(repetition) < MOST_REPETITIONS;
      if (!isSample) throw new RangeError(`line ${i + 2} of ${quantity.name} is no sample`);
      return {
        protocol,
        repetition: Number(repetition),
        client,
        atMs: Number(atMs),
        value: Number(value),
        ...(names.length > 0 && {
          factors: Object.fromEntries(names.map((name) => [name, factor(others[name])])),
        }),
      };
    },
  );
}

/** True of a number, and of NaN where it is written. @param {string | undefined} text */
const isFigure = (text = '') =>
  text === 'NaN' || (text.trim() !== '' && !Number.isNaN(Number(text)));

/** @param {string} text */
const factor = (text = '') => (text !== '' && !Number.isNaN(Number(text)) ? Number(text) : text);

/**
 * @param {number} value
 * @param {number} digits
 */
const round = (value, digits) => (Number.isFinite(value) ? Number(value.toFixed(digits)) : value);
