/** The beginning of the key under which a tab keeps the token of a room, so that it outlasts a reload. */
const KEY = 'aloud.token.';

/**
 * The room that a token is for, as it says itself: only the server can tell whether that is true.
 * @param {string} token
 * @returns {string | null} null where it can't be read
 */
export function roomOfInvitation(token) {
  const room = claimsOf(token)?.room;
  return typeof room === 'string' ? room : null;
}

/**
 * Whether a token lets one only listen, as it says itself.
 * @param {string | undefined} token
 */
export function isListenersInvitation(token) {
  const claims = token === undefined ? null : claimsOf(token);
  return claims?.canPublish === false && claims.roomAdmin !== true;
}

/**
 * @param {string} token
 * @returns {Record<string, unknown> | null} what it grants; null where it can't be read
 */
function claimsOf(token) {
  try {
    const [, claims] = token.split('.');
    const { video } = JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/')));
    return typeof video === 'object' ? video : null;
  } catch {
    return null;
  }
}

/**
 * Takes the token out of the page's address (`#token=`), so that it is not copied with it; or the one that this tab was
 * opened with.
 * @param {string} room  or another page that is opened by a token
 * @param {object} [page]
 * @param {Pick<Location, 'hash' | 'pathname' | 'search'>} [page.location]
 * @param {Pick<History, 'replaceState'>} [page.history]
 * @param {() => Pick<Storage, 'getItem' | 'setItem'>} [page.storage]  may throw where the browser keeps nothing
 * @returns {string | undefined}
 */
export function takeInvitation(room, { location = window.location, history = window.history, storage = () => sessionStorage } = {}) {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const token = fragment.get('token');
  fragment.delete('token');
  // What else is there stays, such as a room's key.
  const rest = fragment.size > 0 ? `#${fragment}` : '';
  if (token) history.replaceState(null, '', location.pathname + location.search + rest);
  try {
    if (token) storage().setItem(KEY + room, token);
    return token ?? storage().getItem(KEY + room) ?? undefined;
  } catch {
    return token ?? undefined;
  }
}
