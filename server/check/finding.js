/**
 * Result of a check. A 'note' needs nothing. With 'warn' the server runs with less; with 'fail' it
 * doesn't start, or people don't reach it.
 *
 * @typedef {object} Finding
 * @property {'ok' | 'note' | 'warn' | 'fail'} state
 * @property {string} text
 * @property {string} [remedy]
 *
 * @typedef {object} Running  the server that runs at the page's port
 * @property {string} version
 * @property {{ port: number, url: string, certificateHashes: string[] } | null} webtransport
 *
 * @typedef {object} Context
 * @property {import('../config/config.js').Config} config
 * @property {Running | null} running  null when nothing or something else is at the port
 *
 * @typedef {(context: Context) => Finding[] | Promise<Finding[]>} Check
 */

/** @param {string} text @returns {Finding} */
export const ok = (text) => ({ state: 'ok', text });

/** @param {string} text @param {string} [remedy] @returns {Finding} */
export const note = (text, remedy) => ({ state: 'note', text, remedy });

/** @param {string} text @param {string} remedy @returns {Finding} */
export const warn = (text, remedy) => ({ state: 'warn', text, remedy });

/** @param {string} text @param {string} remedy @returns {Finding} */
export const fail = (text, remedy) => ({ state: 'fail', text, remedy });

/** Code or first line of an error. @param {unknown} error @returns {string} */
export function reasonOf(error) {
  const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
  return code ?? String(message ?? error).split('\n', 1)[0];
}
