/**
 * Reads the room of a token. Only the server can verify it.
 * @param {string} token
 * @returns {string | null} null when it is unreadable
 */
export function roomOfInvitation(token) {
  const room = grantOf(token)?.room;
  return typeof room === 'string' ? room : null;
}

/**
 * True when a token only permits listening. Only the server can verify it. @param {string |
 * undefined} token
 */
export function isListenersInvitation(token) {
  const grant = token === undefined ? null : grantOf(token);
  return grant?.canPublish === false && grant.roomAdmin !== true;
}

/**
 * Reads the name that the server will show for a token's owner. Only the server can verify it.
 * @param {string | undefined} token
 * @returns {string} empty when the token leaves it to the person
 */
export function nameOfInvitation(token) {
  const name = token === undefined ? null : claimsOf(token)?.name;
  return typeof name === 'string' ? name.trim() : '';
}

/**
 * @param {string} token
 * @returns {Record<string, unknown> | null} its grant; null when it is unreadable
 */
function grantOf(token) {
  const video = claimsOf(token)?.video;
  return typeof video === 'object' ? /** @type {Record<string, unknown> | null} */ (video) : null;
}

/**
 * @param {string} token
 * @returns {Record<string, unknown> | null} its claims; null when it is unreadable
 */
function claimsOf(token) {
  try {
    const [, claims] = token.split('.');
    const bytes = Uint8Array.from(
      atob(claims.replaceAll('-', '+').replaceAll('_', '/')),
      (letter) => letter.charCodeAt(0),
    );
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}

/**
 * @typedef {object} Page  the browser's, or a test's substitute
 * @property {Pick<Location, 'hash' | 'pathname' | 'search'>} [location]
 * @property {Pick<History, 'replaceState'>} [history]
 * @property {() => Pick<Storage, 'getItem' | 'setItem'> & { removeItem?: (key: string) => void }}
 *   [storage] may throw when the browser keeps nothing
 */

/**
 * Moves the token out of the page's address (`#token=`), so that it isn't copied with it. Without
 * one it returns the token that this tab was opened with.
 * @param {string} room or another page that a token opens
 * @param {Page} [page]
 * @returns {string | undefined}
 */
export const takeInvitation = (room, page) => take('token', room, page);

/**
 * Moves the key of a broadcast's stage out of the page's address (`#stage=`); or returns the one of
 * this tab.
 * @param {string} room
 * @param {Page} [page]
 * @returns {string | undefined}
 */
export const takeStage = (room, page) => take('stage', room, page);

/**
 * Keeps the key of a broadcast's stage, so that a reload returns to the stage.
 * @param {string} room
 * @param {string} key empty: none any more
 * @param {Page} [page]
 */
export function keepStage(room, key, { storage = () => sessionStorage } = {}) {
  try {
    if (key === '') storage().removeItem?.(keyOf('stage', room));
    else storage().setItem(keyOf('stage', room), key);
  } catch {
    // The browser keeps nothing for this page: a reload needs the link.
  }
}

/**
 * Key of a room's secret in the tab's storage, so that it survives a reload.
 * @param {string} name
 * @param {string} room
 */
const keyOf = (name, room) => `aloud.${name}.${room}`;

/**
 * @param {'token' | 'stage'} name
 * @param {string} room
 * @param {Page} [page]
 * @returns {string | undefined}
 */
function take(
  name,
  room,
  { location = window.location, history = window.history, storage = () => sessionStorage } = {},
) {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const secret = fragment.get(name);
  fragment.delete(name);
  // Other parameters stay, such as a room's key.
  const rest = fragment.size > 0 ? `#${fragment}` : '';
  if (secret) history.replaceState(null, '', location.pathname + location.search + rest);
  try {
    if (secret) storage().setItem(keyOf(name, room), secret);
    return secret ?? storage().getItem(keyOf(name, room)) ?? undefined;
  } catch {
    return secret ?? undefined;
  }
}
