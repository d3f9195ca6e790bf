/**
 * What a room and a person may be called: the same rule in the page's form and at the server's door.
 * @import { ErrorCode } from './errors.js'
 */

import { composed, cutCharacters } from './text.js';

export const MAX_ROOM_NAME = 64;
/** In characters (code points); what is longer is cut. */
export const MAX_USER_NAME = 40;

const ROOM_NAME = new RegExp(`^[A-Za-z0-9_-]{1,${MAX_ROOM_NAME}}$`);

/** Control characters, line and paragraph separators, the marks that turn text round, lone surrogates. */
const FORBIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Something that is to be seen: zero-width characters alone are as good as no name. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/**
 * @param {string} name
 * @returns {ErrorCode | null} null when it is good
 */
export function roomNameError(name) {
  return ROOM_NAME.test(name) ? null : 'room-name';
}

/**
 * A name as it is kept: in Unicode NFC, without space around it, cut where it is too long.
 * @param {string} name
 */
export function tidyName(name) {
  return cutCharacters(composed(name).trim(), MAX_USER_NAME);
}

/**
 * @param {string} name of any length: see tidyName
 * @returns {ErrorCode | null} null when it is good
 */
export function nameError(name) {
  const tidy = tidyName(name);
  return FORBIDDEN.test(tidy) || !VISIBLE.test(tidy) ? 'user-name' : null;
}
