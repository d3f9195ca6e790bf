/**
 * @import { Numbers } from './inputs.js'
 * @typedef {object} Target something that takes bytes from outside
 * @property {string} name
 * @property {number} cost the time of one input, of that of a parser: so much fewer are tried
 * @property {readonly Uint8Array[]} valid inputs from well-behaved peers
 * @property {(numbers: Numbers, out: Uint8Array) => number} [make] writes an input of a valid one's
 *   form, and gives its length
 * @property {(input: Uint8Array) => void | Promise<void>} run throws where something is wrong; the
 *   bytes are valid during the call
 * @property {() => void | Promise<void>} [close]
 */

/**
 * @param {unknown} condition
 * @param {string} what that is so
 */
export function check(condition, what) {
  if (!condition) throw new Error(`not so: ${what}`);
}

const utf8 = new TextEncoder();

/** @param {string} text */
export const bytesOf = (text) => utf8.encode(text);
