/**
 * The room that a token is for, as it says itself: only the server can tell whether that is true.
 * @param {string} token
 * @returns {string | null} null where it can't be read
 */
export function roomOfInvitation(token) {
  const room = grantOf(token)?.room;
  return typeof room === 'string' ? room : null;
}

/**
 * Whether a token lets one only listen, as it says itself.
 * @param {string | undefined} token
 */
export function isListenersInvitation(token) {
  const grant = token === undefined ? null : grantOf(token);
  return grant?.canPublish === false && grant.roomAdmin !== true;
}

/**
 * The name by which the server shows whoever comes with a token, as it says itself.
 * @param {string | undefined} token
 * @returns {string} empty where the token leaves it to the person
 */
export function nameOfInvitation(token) {
  const name = token === undefined ? null : claimsOf(token)?.name;
  return typeof name === 'string' ? name.trim() : '';
}

/**
 * @param {string} token
 * @returns {Record<string, unknown> | null} what it grants; null where it can't be read
 */
function grantOf(token) {
  const video = claimsOf(token)?.video;
  return typeof video === 'object' ? /** @type {Record<string, unknown> | null} */ (video) : null;
}

/**
 * @param {string} token
 * @returns {Record<string, unknown> | null} what it says; null where it can't be read
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
 * @typedef {object} Page  of the browser, or what a test has in its place
 * @property {Pick<Location, 'hash' | 'pathname' | 'search'>} [location]
 * @property {Pick<History, 'replaceState'>} [history]
 * @property {() => Pick<Storage, 'getItem' | 'setItem'> & { removeItem?: (key: string) => void }}
 *   [storage] may throw where the browser keeps nothing
 */

/**
 * Takes the token out of the page's address (`#token=`), so that it is not copied with it; or the
 * one that this tab was opened with.
 * @param {string} room  or another page that is opened by a token
 * @param {Page} [page]
 * @returns {string | undefined}
 */
export const takeInvitation = (room, page) => take('token', room, page);

/**
 * Takes the key of a broadcast's stage out of the page's address (`#stage=`); or the one that this
 * tab has.
 * @param {string} room
 * @param {Page} [page]
 * @returns {string | undefined}
 */
export const takeStage = (room, page) => take('stage', room, page);

/**
 * Keeps the key of a broadcast's stage, so that a reload leads back onto it.
 * @param {string} room
 * @param {string} key  empty: none any more
 * @param {Page} [page]
 */
export function keepStage(room, key, { storage = () => sessionStorage } = {}) {
  try {
    if (key === '') storage().removeItem?.(keyOf('stage', room));
    else storage().setItem(keyOf('stage', room), key);
  } catch {
    // The browser keeps nothing for this page: whoever reloads it needs the link.
  }
}

/**
 * The key under which a tab keeps a secret of a room, so that it outlasts a reload.
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
  // What else is there stays, such as a room's key.
  const rest = fragment.size > 0 ? `#${fragment}` : '';
  if (secret) history.replaceState(null, '', location.pathname + location.search + rest);
  try {
    if (secret) storage().setItem(keyOf(name, room), secret);
    return secret ?? storage().getItem(keyOf(name, room)) ?? undefined;
  } catch {
    return secret ?? undefined;
  }
}
