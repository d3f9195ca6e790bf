/**
 * @import { IncomingMessage, ServerResponse } from 'node:http'
 */

/** The time for which a browser keeps the answer to a preflight request, in seconds. */
const PREFLIGHT_SECONDS = 7200;

/**
 * Paths that pages of the cluster's other nodes use: who has a room, sessions over HTTP/1, tracks
 * and recordings.
 */
const SHARED = /^\/api\/(config|sessions|tracks|recordings)(\/|\?|$)/;

/**
 * Lets pages of the cluster's other nodes read answers (Fetch standard, CORS protocol). No cookies
 * are ever used, so nothing but the address of a room's node and what the path's secret opens is to
 * be had.
 * @param {(origin: string | undefined) => boolean} allowsOrigin
 */
export function shareWithNodes(allowsOrigin) {
  /**
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   * @returns {boolean} whether the request is answered
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
      'Access-Control-Allow-Headers': 'Content-Type',
      'Access-Control-Max-Age': PREFLIGHT_SECONDS,
    });
    response.end();
    return true;
  };
}
