/** @import { IncomingMessage } from 'node:http' */

/** Absolute form of a target: host, and path with query (RFC 9112, section 3.2.2). */
const ABSOLUTE = /^https?:\/\/([^/?#]+)([^#]*)$/i;

/**
 * Reduces a request's target to its path, which all handlers expect. The host of the absolute form
 * replaces the Host header. `*` means the whole server, as `/` does. Any other target stays
 * unchanged, because it can't match a path.
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
 * Splits a target at its query. Unlike URL it reads two leading slashes as a path, and accepts
 * everything.
 * @param {string | undefined} target
 * @returns {{ path: string, query: string }} query: with its question mark, or empty
 */
export function splitTarget(target = '') {
  const at = target.indexOf('?');
  return at < 0
    ? { path: target, query: '' }
    : { path: target.slice(0, at), query: target.slice(at) };
}

/** Paths of pages, and of rooms as files: kind, name and extension. */
const PAGE = /^\/+(?:(admin|lab)|(r|listen|recordings)\/+([^/.]+)(\.[a-z]+)?)\/*$/i;

/**
 * Finds the canonical path of a page for a variant with more slashes or capital letters. The case
 * of a room's name is kept.
 * @param {string} path
 * @returns {string | null} null if it is no page, or canonical already. It never names a host
 */
export function canonicalPath(path) {
  const [, page, kind, name, ending = ''] = PAGE.exec(path) ?? [];
  if (page === undefined && kind === undefined) return null;
  const canonical = page
    ? `/${page.toLowerCase()}`
    : `/${kind.toLowerCase()}/${name}${ending.toLowerCase()}`;
  return canonical === path ? null : canonical;
}
