/** @import { ErrorCode } from './errors.js' */

/** Rules for texts and names that people write, used by the page's fields and by the server. */

/** Longest chat message, in characters. */
export const MAX_CHAT_CHARACTERS = 2000;

/**
 * Characters forbidden in all texts: control characters, marks that change the direction of text
 * (embeddings, overrides, isolates), byte order marks, annotation marks, lone surrogates.
 */
const NEVER_IN_TEXT = /[\p{Cs}\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]|(?!\n)\p{Cc}/gu;

/** Visible characters: a text of zero-width ones alone counts as empty. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/**
 * Most marks on one letter: more than any language has (UAX #15, section 13). The time to order a
 * heap of them grows with its square.
 */
const MAX_MARKS = 30;

/** A letter's marks. It matches each run whole, so that a text of marks alone takes linear time. */
const MARKS = /\p{M}+/gu;

/**
 * Most UTF-16 units that NFC composes to one character: four characters (UAX #15, section 9) of two
 * units each.
 */
const UNITS_OF_ONE = 8;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** @param {string} marks */
function fewMarks(marks) {
  return marks.length <= MAX_MARKS ? marks : [...marks].slice(0, MAX_MARKS).join('');
}

/** Normalises text to Unicode NFC, with at most 30 marks on a letter. @param {string} text */
export function composed(text) {
  // Some marks are composed of two.
  return text.replace(MARKS, fewMarks).normalize('NFC').replace(MARKS, fewMarks);
}

/**
 * Cleans text for display: Unicode NFC, with newlines but no other control characters. It is plain
 * text, never markup.
 * @param {string} text
 * @returns {string} '' when nothing of it is visible
 */
export function cleanText(text) {
  const lines = text.replace(/\r\n?|[\u0085\p{Zl}\p{Zp}]/gu, '\n').replaceAll('\t', ' ');
  const clean = composed(lines.replace(NEVER_IN_TEXT, ''))
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return VISIBLE.test(clean) ? clean : '';
}

/**
 * Shortens a text that is too long, between visible characters unless one is longer than the limit.
 * @param {string} text
 * @param {number} most in characters (code points)
 * @returns {string} the text itself when it isn't too long
 */
export function cutCharacters(text, most) {
  if (text.length <= most) return text;
  const characters = [...text];
  if (characters.length <= most) return text;
  const end = characters.slice(0, most).join('').length;
  const at = graphemes.segment(text).containing(end)?.index ?? end;
  return text.slice(0, at > 0 ? at : end).trimEnd();
}

export const MAX_ROOM_NAME = 64;
/** In characters (code points); longer names are cut. */
export const MAX_USER_NAME = 40;

const ROOM_NAME = new RegExp(`^[A-Za-z0-9_-]{1,${MAX_ROOM_NAME}}$`);

/**
 * Control characters, line and paragraph separators, marks that change the direction of text, lone
 * surrogates.
 */
const NEVER_IN_NAMES = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/**
 * Invisible characters that stay: joiners, variation selectors and tags shape the text around them,
 * as in emoji and in Persian. Marks of direction are refused later.
 */
const KEPT = String.raw`[\ufe00-\ufe0f\u200c-\u200f\u202a-\u202e\u2066-\u2069\u{e0020}-\u{e007f}]`;

/** Invisible characters: Unicode's ignorable ones, and Braille's blank. */
const INVISIBLE = new RegExp(`(?!${KEPT})[\\p{Default_Ignorable_Code_Point}\\u2800]`, 'gu');

/** @param {string} name @returns {ErrorCode | null} null when it is good */
export function roomNameError(name) {
  return ROOM_NAME.test(name) ? null : 'room-name';
}

/**
 * Reads a name of any length. It is cut before it is normalised, so that no name takes long.
 * @param {string} text
 * @returns {{ name: string, isCut: boolean, error: ErrorCode | null }} name: in Unicode NFC,
 *   without invisible characters and surrounding space, cut if too long; error: null when it is
 *   good
 */
export function readName(text) {
  const seen = text.replace(INVISIBLE, '').replace(MARKS, fewMarks).trimStart();
  // The part cut off here can't be among the first characters of the name.
  const start = composed(seen.slice(0, (MAX_USER_NAME + 1) * UNITS_OF_ONE)).trim();
  const name = cutCharacters(start, MAX_USER_NAME);
  const isBad = NEVER_IN_NAMES.test(name) || !VISIBLE.test(name);
  return { name, isCut: name.length < start.length, error: isBad ? 'user-name' : null };
}

/** Normalised form of a name: see readName. @param {string} name */
export const tidyName = (name) => readName(name).name;
