/**
 * @typedef {{ text: string, href: string | null }} Piece  of a text; href: an http or https address, else null
 */

/** What begins as an address does, up to a space or a character that no address has as it is. */
const CANDIDATE = /\bhttps?:\/\/[^\s<>"'`“”‘’«»{}|\\^\p{Cc}]+/giu;

/** What ends a sentence rather than an address. */
const TRAILING = /[.,;:!?…*_~]$/u;

/** @type {readonly (readonly [string, string])[]} */
const BRACKETS = [['(', ')'], ['[', ']']];

/**
 * Finds the addresses in a text. Only http and https count, whatever the text looks like, and what comes
 * out, put together, is the text.
 * @param {string} text
 * @returns {Piece[]}
 */
export function splitLinks(text) {
  /** @type {Piece[]} */
  const pieces = [];
  let at = 0;
  for (const { 0: found, index } of text.matchAll(CANDIDATE)) {
    const address = trimmed(found);
    const href = hrefOf(address);
    if (href === null) continue;
    if (index > at) pieces.push({ text: text.slice(at, index), href: null });
    pieces.push({ text: address, href });
    at = index + address.length;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), href: null });
  return pieces;
}

/** @param {string} found without the punctuation of the sentence around it */
function trimmed(found) {
  let address = found;
  for (;;) {
    const isOver =
      TRAILING.test(address) ||
      BRACKETS.some(([open, close]) => address.endsWith(close) && !isBalanced(address, open, close));
    if (!isOver) return address;
    address = address.slice(0, -1);
  }
}

/**
 * @param {string} address
 * @param {string} open
 * @param {string} close
 */
const isBalanced = (address, open, close) => address.split(open).length >= address.split(close).length;

/**
 * @param {string} address
 * @returns {string | null} null when it is none
 */
function hrefOf(address) {
  try {
    const { protocol, href, hostname } = new URL(address);
    return hostname !== '' && (protocol === 'http:' || protocol === 'https:') ? href : null;
  } catch {
    return null;
  }
}
