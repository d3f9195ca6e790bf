/**
 * A call's statistics as files: what this page measured of its own sound, second by second.
 * @import { Sample } from './sound-history.js'
 *
 * @typedef {object} Exported
 * @property {string} room
 * @property {string} begun  the time of second 0, ISO 8601
 * @property {readonly Sample[]} samples  the oldest first
 */

/** The columns of the CSV, in their order. @type {readonly (keyof Sample)[]} */
const COLUMNS = Object.freeze([
  'second',
  'roundTripMs',
  'receivedPercent',
  'serverDelayMs',
  'playoutDelayMs',
  'lostDownPercent',
  'lostUpPercent',
  'upKbps',
  'downKbps',
]);

/**
 * The formats: type of the file, and its text.
 * @type {Readonly<Record<'json' | 'csv', { type: string, textOf: (exported: Exported) => string
 *   }>>}
 */
const FORMATS = Object.freeze({
  json: {
    type: 'application/json',
    textOf: ({ room, begun, samples }) => `${JSON.stringify({ room, begun, samples }, null, 1)}\n`,
  },
  csv: {
    type: 'text/csv',
    textOf: ({ samples }) =>
      [COLUMNS, ...samples.map((sample) => COLUMNS.map((column) => sample[column] ?? ''))]
        .map((cells) => `${cells.join(',')}\r\n`)
        .join(''),
  },
});

/**
 * @param {keyof typeof FORMATS} format
 * @param {Exported} exported
 * @returns {string} JSON; or CSV (RFC 4180) with a head, and nothing for what isn't known
 */
export const exportText = (format, exported) => FORMATS[format].textOf(exported);

/**
 * Saves the statistics as a file of the browser's downloads.
 * @param {keyof typeof FORMATS} format
 * @param {Exported} exported
 */
export function saveStatistics(format, exported) {
  const { type } = FORMATS[format];
  const url = URL.createObjectURL(new Blob([exportText(format, exported)], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `aloud-${exported.begun.replace(/[:.]/g, '-')}.${format}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
