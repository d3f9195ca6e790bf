/**
 * @import { AddressInfo, Server as TcpServer } from 'node:net'
 * @import { Server } from 'node:http'
 * @import { ServerCertificate } from '../certificate/certificate-source.js'
 * @import { Config } from '../config/config.js'
 */

import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { listenError } from '../errors/config-error.js';
import { isHttps } from '../config/config.js';
import { surviveFailedAccepts } from '../open-files.js';
import { mostConnections, tryListening } from '../tcp-listening.js';

/**
 * Options for node:http and node:https. Clients of the HTTP/1 transport send all the time, so a
 * connection that is quiet for longer than keepAliveTimeout is useless. All requests are short, so
 * a long one only holds a connection (test/integration/http/limits.test.js).
 */
export const HTTP1_SERVER_OPTIONS = Object.freeze({
  noDelay: true,
  keepAlive: true,
  keepAliveTimeout: 30_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2000,
  maxHeaderSize: 16 * 1024,
  // The gate checks this, like everything else about requests.
  requireHostHeader: false,
});

/**
 * Time after which a stalled connection is closed, such as one whose answer isn't read, in
 * milliseconds.
 */
export const STALL_MS = 40_000;

/** TLS handshake timeout, in milliseconds. */
const TLS_HANDSHAKE_MS = 10_000;

/**
 * Makes the server of the page, the API, WebSocket and HTTP/1. It uses HTTPS with a certificate
 * from the operator or an authority, and replaces it after a renewal.
 * @param {Pick<Config, 'cert' | 'maxSessions'> & Partial<Pick<Config, 'domains' | 'lan'>>}
 *   config
 * @param {ServerCertificate} certificate
 * @returns {Server} not listening yet
 */
export function createPageServer(config, certificate) {
  const server = isHttps(config)
    ? createSecureServer(certificate)
    : createHttpServer(HTTP1_SERVER_OPTIONS);
  server.timeout = STALL_MS;
  server.maxConnections = mostConnections(config);
  return server;
}

/** @param {ServerCertificate} certificate */
function createSecureServer(certificate) {
  const { certPem: cert, keyPem: key } = certificate.current;
  const server = createHttpsServer({
    ...HTTP1_SERVER_OPTIONS,
    handshakeTimeout: TLS_HANDSHAKE_MS,
    cert,
    key,
  });
  certificate.onRenew((renewed) =>
    server.setSecureContext({ cert: renewed.certPem, key: renewed.keyPem }),
  );
  return server;
}

/**
 * Listens on one TCP port at one or more addresses.
 *
 * @param {Server} server
 * @param {readonly string[]} hosts
 * @param {number} port 0 for a free one
 * @param {'port' | 'http-port'} [option]  option that sets the port
 * @returns {Promise<number>} the port
 * @throws {import('../errors/config-error.js').ConfigError} if an address or the port is
 *   unavailable
 */
export async function listen(server, [host, ...others], port, option = 'port') {
  await listenOn(server, host, port, option);
  const bound = /** @type {AddressInfo} */ (server.address()).port;
  for (const other of others) {
    // Copies the options that node:http sets for its own sockets.
    const beside = createTcpServer(
      { allowHalfOpen: true, noDelay: true, keepAlive: true },
      (socket) => server.emit('connection', socket),
    );
    beside.maxConnections = server.maxConnections;
    server.once('close', () => beside.close());
    await listenOn(beside, other, bound, option);
  }
  return bound;
}

/**
 * @param {Pick<TcpServer, 'on' | 'once' | 'off' | 'listen'>} server
 * @param {string} host
 * @param {number} port
 * @param {'port' | 'http-port'} option
 */
async function listenOn(server, host, port, option) {
  try {
    await tryListening(server, host, port);
  } catch (error) {
    throw listenError(error, option, host, port);
  }
  surviveFailedAccepts(server);
}

/** Stops listening and closes every connection. @param {Server} server */
export function closeServer(server) {
  return new Promise((/** @type {(done: void) => void} */ resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
