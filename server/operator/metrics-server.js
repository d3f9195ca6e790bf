/**
 * @import { Log } from '../log.js'
 * @import { Metrics } from './metrics.js'
 */

import { createServer } from 'node:http';
import { listenError } from '../errors/config-error.js';
import { stackOf } from '../log.js';
import { surviveFailedAccepts } from '../open-files.js';

/** A scraper asks rarely, over few connections, so these limits only stop other clients. */
const SERVER_OPTIONS = Object.freeze({
  headersTimeout: 5000,
  requestTimeout: 5000,
  keepAliveTimeout: 60_000,
  connectionsCheckingInterval: 2000,
  maxHeaderSize: 8 * 1024,
});
const MAX_CONNECTIONS = 16;

/**
 * Serves GET /metrics on a separate port, which can be opened to the scraper only.
 * @param {{ host: string, port: number, metrics: Metrics, log: Pick<Log, 'error'> }} options port:
 *   0 for a free one
 * @returns {Promise<{ port: number, close: () => Promise<void> }>}
 * @throws {import('../errors/config-error.js').ConfigError} if the address or the port is
 *   unavailable
 */
export async function openMetricsServer({ host, port, metrics, log }) {
  /** A running collection, shared by concurrent requests. @type {Promise<string> | null} */
  let collecting = null;
  const server = createServer(SERVER_OPTIONS, (request, response) => {
    const isAsked = request.url?.split('?', 1)[0] === '/metrics';
    if (!isAsked || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response
        .writeHead(isAsked ? 405 : 404, {
          'Content-Length': 0,
          ...(isAsked && { Allow: 'GET, HEAD' }),
        })
        .end();
      return;
    }
    collecting ??= metrics.collect().finally(() => (collecting = null));
    collecting.then(
      (text) => response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text),
      (error) => {
        log.error(
          { event: 'metrics-failed', error: stackOf(error) },
          'metrics could not be collected',
        );
        response.writeHead(500, { 'Content-Length': 0 }).end();
      },
    );
  });
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise((/** @type {(done: void) => void} */ resolve, reject) => {
    const failed = (/** @type {Error} */ error) =>
      reject(listenError(error, 'metrics', host, port));
    server.once('error', failed);
    server.listen({ host, port }, () => resolve(void server.off('error', failed)));
  });
  surviveFailedAccepts(server);
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  const close = () =>
    new Promise((/** @type {(done: void) => void} */ resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { port: address.port, close };
}
