/**
 * @import { IncomingMessage, Server, ServerResponse } from 'node:http'
 */

import { createServer, STATUS_CODES } from 'node:http';
import { isCertificateHost } from '../config/option-value.js';
import { countRefusal } from '../counts.js';
import { HTTP1_SERVER_OPTIONS } from './server.js';

/** Path of an authority's challenges (RFC 8555, section 8.3). */
const CHALLENGES = '/.well-known/acme-challenge/';

/** Limit of TCP connections: each gets one short answer. */
const MAX_CONNECTIONS = 250;

const HTTPS_PORT = 443;

/** Load balancers use OPTIONS as a health check. */
const ALLOWED = Object.freeze({ Allow: 'GET, HEAD, OPTIONS' });

/**
 * Makes the server of plain HTTP beside HTTPS: it redirects browsers to HTTPS, and answers an
 * authority's challenges.
 * @param {object} options
 * @param {number} options.httpsPort  of the page
 * @param {ReadonlyArray<string> | null} options.names  allowed target hosts, the first one for any
 *   other; null for any
 * @param {ReadonlyMap<string, string>} [options.challenges]  answers by the last part of the path
 * @returns {Server} not listening yet
 */
export function createRedirectServer({ httpsPort, names, challenges = new Map() }) {
  // Each connection ends after its first answer, so a burst of requests gets only one.
  const server = createServer(
    { ...HTTP1_SERVER_OPTIONS, keepAlive: false },
    (request, response) => {
      response.shouldKeepAlive = false;
      request.resume();
      const { url = '', method = '' } = request;
      if (method === 'OPTIONS') return answer(response, 204, ALLOWED, '');
      if (method !== 'GET' && method !== 'HEAD') return refuse(response, 405, ALLOWED);
      const proof = url.startsWith(CHALLENGES)
        ? challenges.get(url.slice(CHALLENGES.length))
        : undefined;
      if (proof !== undefined)
        return answer(response, 200, { 'Content-Type': 'application/octet-stream' }, proof);
      const host = targetHost(request, names);
      if (host === null || !url.startsWith('/')) return refuse(response, 400);
      answer(response, 301, {
        Location: `https://${host}${httpsPort === HTTPS_PORT ? '' : `:${httpsPort}`}${url}`,
      });
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.maxRequestsPerSocket = 1;
  return server;
}

/**
 * @param {IncomingMessage} request
 * @param {ReadonlyArray<string> | null} names
 * @returns {string | null} null if the request names no host
 */
function targetHost({ headers }, names) {
  const [, host = ''] =
    /^(\[[^\]]+\]|[^:]*)(?::\d+)?$/.exec(headers.host?.toLowerCase() ?? '') ?? [];
  if (names) return names.includes(host) ? host : names[0];
  return isCertificateHost(host.replace(/^\[(.*)\]$/, '$1')) && !host.startsWith('*') ? host : null;
}

/**
 * @param {ServerResponse} response
 * @param {400 | 405} status
 * @param {Record<string, string>} [headers]
 */
function refuse(response, status, headers) {
  countRefusal('http', 'bad-request');
  answer(response, status, headers);
}

/**
 * @param {ServerResponse} response
 * @param {number} status
 * @param {Record<string, string>} [headers]
 * @param {string} [body]
 */
function answer(response, status, headers = {}, body = `${STATUS_CODES[status]}\n`) {
  response.writeHead(status, {
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...headers,
  });
  response.end(body);
}
