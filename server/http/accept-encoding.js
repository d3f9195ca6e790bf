/** @import { Encoding } from './static-files.js' */

/** Those that there are, the better one first. @type {readonly Encoding[]} */
const OFFERED = ['br', 'gzip'];

/** One coding of an Accept-Encoding header with its weight (RFC 9110, section 12.5.3). */
const CODING = /^\s*([a-z0-9*-]+)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?$/i;

/**
 * Chooses how a body is compressed.
 * @param {string | string[] | undefined} header Accept-Encoding
 * @returns {Encoding | null} null where it isn't
 */
export function preferredEncoding(header) {
  if (typeof header !== 'string') return null;
  /** @type {Map<string, number>} */
  const weights = new Map();
  for (const part of header.split(',')) {
    const [, coding, weight = '1'] = CODING.exec(part) ?? [];
    if (coding) weights.set(coding.toLowerCase(), Number(weight));
  }
  const weightOf = (/** @type {string} */ coding) => weights.get(coding) ?? weights.get('*') ?? 0;
  const best = OFFERED.reduce((a, b) => (weightOf(b) > weightOf(a) ? b : a));
  return weightOf(best) > 0 ? best : null;
}
