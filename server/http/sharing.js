/**
 * @import { IncomingMessage, ServerResponse } from 'node:http'
 *
 * @typedef {(origin: string | undefined) => boolean} AllowsOrigin
 */

/** Time for which browsers cache the answer to a preflight request, in seconds. */
const PREFLIGHT_SECONDS = 7200;

/**
 * Paths that pages of other origins use: owners of rooms, sessions over HTTP/1, tracks and
 * recordings; and the files of the client.
 */
const SHARED = /^\/(api\/(config|sessions|tracks|recordings)(\/|\?|$)|(public|worklets|vendor)\/)/;

/**
 * Returns the test for other origins whose pages may call here: those of the cluster's nodes, and
 * the --embed-origins. Its `*` stands for frames alone, because it would open a private network's
 * rooms to any page.
 * @param {AllowsOrigin | undefined} isNode
 * @param {ReadonlyArray<string> | null} embedOrigins
 * @returns {AllowsOrigin | undefined} undefined when no other origin is allowed
 */
export function allowedOrigins(isNode, embedOrigins) {
  const named = new Set(embedOrigins?.filter((origin) => origin !== '*'));
  if (named.size === 0) return isNode;
  return (origin) => (origin !== undefined && named.has(origin)) || (isNode?.(origin) ?? false);
}

/**
 * Allows pages of other origins to read answers (Fetch standard, CORS protocol). No cookies are
 * used. Such a page gets the files of the client, the address of a room's node, and what the secret
 * in a path opens.
 * @param {AllowsOrigin} allowsOrigin
 */
export function shareWith(allowsOrigin) {
  /**
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   * @returns {boolean} true when the request is answered
   */
  return (request, response) => {
    const { origin } = request.headers;
    if (origin === undefined || !SHARED.test(request.url ?? '')) return false;
    response.setHeader('Vary', 'Origin');
    if (!allowsOrigin(origin)) return false;
    response.setHeader('Access-Control-Allow-Origin', origin);
    if (request.method !== 'OPTIONS') return false;
    response.writeHead(204, {
      'Access-Control-Allow-Methods': 'GET, POST, PUT, DELETE',
      'Access-Control-Allow-Headers': 'Authorization, Content-Type',
      'Access-Control-Max-Age': PREFLIGHT_SECONDS,
    });
    response.end();
    return true;
  };
}
