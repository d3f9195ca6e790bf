/** @import { IncomingMessage } from 'node:http' */

/**
 * The absolute form of a target: its host, and its path with the query (RFC 9112, section 3.2.2).
 */
const ABSOLUTE = /^https?:\/\/([^/?#]+)([^#]*)$/i;

/**
 * Puts a request's target into the form with a path alone, which is what everything that is served
 * goes by. The host of the absolute form takes the place of the Host header. `*` is the whole
 * server, as `/` is. Any other target stays as it is: no path begins otherwise than with a slash.
 * @param {IncomingMessage} request
 */
export function useOriginForm(request) {
  const { url = '', method, headers } = request;
  if (url.startsWith('/')) return;
  if (url === '*' && method === 'OPTIONS') request.url = '/';
  const [, host, rest] = ABSOLUTE.exec(url) ?? [];
  if (host === undefined) return;
  headers.host = host;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
}

/**
 * Splits a target at its query. Unlike URL it takes two slashes in front for a path, and refuses
 * nothing.
 * @param {string | undefined} target
 * @returns {{ path: string, query: string }} query: with its question mark, or empty
 */
export function splitTarget(target = '') {
  const at = target.indexOf('?');
  return at < 0
    ? { path: target, query: '' }
    : { path: target.slice(0, at), query: target.slice(at) };
}

/** Paths of pages, and of rooms as files: what it is, and its name with a file's ending. */
const PAGE = /^\/+(?:(admin|lab)|(r|listen|recordings)\/+([^/.]+)(\.[a-z]+)?)\/*$/i;

/**
 * The path under which a page is served, of one that means the same: with more slashes, or in
 * capital letters. A room's name keeps its own.
 * @param {string} path
 * @returns {string | null} null where it is no page's, or is as it should be. It names no host
 */
export function canonicalPath(path) {
  const [, page, kind, name, ending = ''] = PAGE.exec(path) ?? [];
  if (page === undefined && kind === undefined) return null;
  const canonical = page
    ? `/${page.toLowerCase()}`
    : `/${kind.toLowerCase()}/${name}${ending.toLowerCase()}`;
  return canonical === path ? null : canonical;
}
