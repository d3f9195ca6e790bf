/**
 * @import { Fields, WriteLine } from '../server/log.js'
 */

/**
 * A line as text: its message, and its fields as JSON.
 * @param {Fields} fields
 * @param {string} message
 */
export const textOf = (fields, message) => `${message} ${JSON.stringify(fields)}`;

/**
 * A log that writes each line as text into an array.
 * @param {string[]} [lines]
 * @returns {Record<'error' | 'warn' | 'info' | 'debug', WriteLine>}
 */
export function logTo(lines = []) {
  const write = (/** @type {Fields} */ fields, /** @type {string} */ message) =>
    void lines.push(textOf(fields, message));
  return { error: write, warn: write, info: write, debug: write };
}

/** A log of errors alone. @param {string[]} lines @returns {ReturnType<typeof logTo>} */
export const errorsTo = (lines) => ({
  ...logTo(),
  error: (fields, message) => void lines.push(textOf(fields, message)),
});
