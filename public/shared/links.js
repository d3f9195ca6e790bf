/**
 * A room's link: of its page, or of its sound as a file. Programs and pages capitalise parts of
 * links or append a slash.
 */
const LINK = /\/(?:r\/+([^/?#\s]+)|listen\/+([^/?#\s.]+))/i;

/**
 * Reads a room's name from its link, or from the path of the link. The name may still be invalid.
 * @param {string} link
 * @returns {string | null} null when it is no room's link; empty when its name can't be decoded
 */
export function roomOfLink(link) {
  const [, page, file] = LINK.exec(link) ?? [];
  const part = page ?? file;
  if (part === undefined) return null;
  try {
    return decodeURIComponent(part).trim().replace(/\s+/g, '-');
  } catch {
    return '';
  }
}

/**
 * Query parameter of a session's URL that names its room: the server places the session before it
 * opens.
 */
export const ROOM_QUERY = 'room';

/**
 * @param {string} url of sessions
 * @param {string | undefined} room the room to join; undefined or empty for none
 */
export function sessionUrl(url, room) {
  if (!room) return url;
  const named = new URL(url);
  named.searchParams.set(ROOM_QUERY, room);
  return named.href;
}
