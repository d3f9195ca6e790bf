/**
 * The part of a session's URL that names its room, so that the server knows where to have the
 * session before it is there.
 */
export const ROOM_QUERY = 'room';

/**
 * @param {string} url  of sessions
 * @param {string | undefined} room  the one that is to be joined; undefined or empty where none is
 */
export function sessionUrl(url, room) {
  if (!room) return url;
  const named = new URL(url);
  named.searchParams.set(ROOM_QUERY, room);
  return named.href;
}
