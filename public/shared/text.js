/**
 * @import { ErrorCode } from './errors.js'
 */

/**
 * The rules for what people write, names included: the same in the page's fields and at the
 * server's door.
 */

/** The longest chat message, in characters. */
export const MAX_CHAT_CHARACTERS = 2000;

/**
 * The characters that no text of a person's may have: control characters, the marks that turn the
 * direction of text round (embeddings, overrides, isolates), byte order marks, annotation marks,
 * lone surrogates.
 */
const NEVER_IN_TEXT = /[\p{Cs}\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]|(?!\n)\p{Cc}/gu;

/** Visible characters: zero-width ones alone are as good as nothing. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/**
 * The most marks on one letter: more than any language has (UAX #15, section 13). To put a heap of
 * them in order takes a time that grows with its square.
 */
const MAX_MARKS = 30;

/**
 * A letter's marks. It takes each run whole, so that a text of marks alone costs no more than its
 * length.
 */
const MARKS = /\p{M}+/gu;

/**
 * The most UTF-16 units that NFC composes to one character: four characters (UAX #15, section 9) of
 * two units each.
 */
const UNITS_OF_ONE = 8;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** @param {string} marks */
function fewMarks(marks) {
  return marks.length <= MAX_MARKS ? marks : [...marks].slice(0, MAX_MARKS).join('');
}

/**
 * Text in Unicode NFC, with 30 marks on one letter at most.
 * @param {string} text
 */
export function composed(text) {
  // Some marks are composed of two.
  return text.replace(MARKS, fewMarks).normalize('NFC').replace(MARKS, fewMarks);
}

/**
 * Text as it is shown: Unicode NFC, with newlines and no other control characters. It is text,
 * never markup: whoever shows it says so.
 * @param {string} text
 * @returns {string} '' when nothing of it is to be seen
 */
export function cleanText(text) {
  const lines = text.replace(/\r\n?|[\u0085\p{Zl}\p{Zp}]/gu, '\n').replaceAll('\t', ' ');
  const clean = composed(lines.replace(NEVER_IN_TEXT, ''))
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return VISIBLE.test(clean) ? clean : '';
}

/**
 * Cuts a text that is too long, between characters as people see them where one isn't longer than
 * that.
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
/** In characters (code points); what is longer is cut. */
export const MAX_USER_NAME = 40;

const ROOM_NAME = new RegExp(`^[A-Za-z0-9_-]{1,${MAX_ROOM_NAME}}$`);

/**
 * Control characters, line and paragraph separators, the marks that turn text round, lone
 * surrogates.
 */
const NEVER_IN_NAMES = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/**
 * Characters that nobody sees: those that Unicode says to ignore, and Braille's blank. Joiners,
 * variation selectors and tags stay, since they shape what is around them, as in emoji and in
 * Persian; marks of direction are refused.
 */
const INVISIBLE =
  /(?![\ufe00-\ufe0f\u200c-\u200f\u202a-\u202e\u2066-\u2069\u{e0020}-\u{e007f}])[\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * @param {string} name
 * @returns {ErrorCode | null} null when it is good
 */
export function roomNameError(name) {
  return ROOM_NAME.test(name) ? null : 'room-name';
}

/**
 * Reads a name as it came, of any length. It is cut before it is normalised, so that no name takes
 * long.
 * @param {string} text
 * @returns {{ name: string, isCut: boolean, error: ErrorCode | null }} name: in Unicode NFC,
 *   without what nobody sees and without space around it, cut where it is too long; error: null
 *   when it is good
 */
export function readName(text) {
  const seen = text.replace(INVISIBLE, '').replace(MARKS, fewMarks).trimStart();
  // What is cut off here can't be among the first characters of the name.
  const start = composed(seen.slice(0, (MAX_USER_NAME + 1) * UNITS_OF_ONE)).trim();
  const name = cutCharacters(start, MAX_USER_NAME);
  const isBad = NEVER_IN_NAMES.test(name) || !VISIBLE.test(name);
  return { name, isCut: name.length < start.length, error: isBad ? 'user-name' : null };
}

/**
 * A name as it is kept: see readName.
 * @param {string} name
 */
export const tidyName = (name) => readName(name).name;
