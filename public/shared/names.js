/**
 * What a room and a person may be called: the same rule in the page's form and at the server's door.
 * @import { ErrorCode } from './errors.js'
 */

export const MAX_ROOM_NAME = 64;
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
 * @param {string} name counted in characters as people see them, not in UTF-16 units
 * @returns {ErrorCode | null} null when it is good
 */
export function nameError(name) {
  if (name.length > 4 * MAX_USER_NAME) return 'user-name';
  const isLong = [...name.trim()].length > MAX_USER_NAME;
  return isLong || FORBIDDEN.test(name) || !VISIBLE.test(name) ? 'user-name' : null;
}
