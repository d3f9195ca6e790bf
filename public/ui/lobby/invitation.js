/**
 * The access token of a link, behind `#token=`: a fragment goes to no server and into no log. It is taken out of the
 * address once, so that a link that is copied doesn't hold it, and is kept for this tab, so that it can be reloaded.
 */

const KEY = 'aloud.token.';

/**
 * @param {string} room
 * @returns {string | undefined} the token for the room; undefined when the link had none
 */
export function takeInvitation(room) {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  try {
    if (token === null) return sessionStorage.getItem(KEY + room) ?? undefined;
    sessionStorage.setItem(KEY + room, token);
  } catch {
    // The browser keeps nothing for this page: the link must be opened again after a reload.
  }
  if (token === null) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  return token;
}
