/**
 * @import { AddressInfo } from 'node:net'
 * @import { Server } from 'node:http'
 * @import { ServerCertificate } from '../certificate/certificate-source.js'
 * @import { Config } from '../config/config.js'
 */

import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { listenError } from '../config/config-error.js';
import { isHttps } from '../config/config.js';

/**
 * Options for node:http and node:https. A client of the HTTP/1 transport sends all the time, so a connection
 * that is quiet for longer than keepAliveTimeout is of no more use; every request is short, so one that
 * takes long only holds a connection (test/integration/limits.test.js).
 */
export const HTTP1_SERVER_OPTIONS = Object.freeze({
  noDelay: true,
  keepAlive: true,
  keepAliveTimeout: 30_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2000,
  maxHeaderSize: 16 * 1024,
});

/** TLS handshake timeout, in milliseconds. */
const TLS_HANDSHAKE_MS = 10_000;

/** TCP connections for each session that there may be: a browser's of HTTP/1, and a WebSocket. */
const CONNECTIONS_EACH = 8;

/** TCP connections beyond those, for pages that are being loaded. */
const SPARE_CONNECTIONS = 250;

/**
 * Makes the server of the page, the API, WebSocket and HTTP/1: with HTTPS where there is a certificate
 * of the operator's own or of an authority, which is replaced when it is renewed.
 * @param {Pick<Config, 'cert' | 'maxSessions'> & Partial<Pick<Config, 'domains'>>} config
 * @param {ServerCertificate} certificate
 * @returns {Server} not listening yet
 */
export function createPageServer(config, certificate) {
  const server = isHttps(config) ? createSecureServer(certificate) : createHttpServer(HTTP1_SERVER_OPTIONS);
  server.maxConnections = CONNECTIONS_EACH * config.maxSessions + SPARE_CONNECTIONS;
  return server;
}

/** @param {ServerCertificate} certificate */
function createSecureServer(certificate) {
  const { certPem: cert, keyPem: key } = certificate.current;
  const server = createHttpsServer({ ...HTTP1_SERVER_OPTIONS, handshakeTimeout: TLS_HANDSHAKE_MS, cert, key });
  certificate.onRenew((renewed) => server.setSecureContext({ cert: renewed.certPem, key: renewed.keyPem }));
  return server;
}

/**
 * Listens on a TCP port. Where the machine has no IPv6, '::' means every address of IPv4.
 *
 * @param {Pick<Server, 'once' | 'off' | 'listen' | 'address'>} server
 * @param {string} host
 * @param {number} port 0 for a free one
 * @param {'port' | 'http-port'} [option]  that chose the port
 * @returns {Promise<{ host: string, port: number }>} what it listens on
 * @throws {import('../config/config-error.js').ConfigError} when the address or the port can't be had
 */
export async function listen(server, host, port, option = 'port') {
  try {
    await tryListening(server, host, port);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (host === '::' && (code === 'EAFNOSUPPORT' || code === 'EADDRNOTAVAIL')) return listen(server, '0.0.0.0', port, option);
    throw listenError(error, option, host, port);
  }
  return { host, port: /** @type {AddressInfo} */ (server.address()).port };
}

/**
 * @param {Pick<Server, 'once' | 'off' | 'listen'>} server
 * @param {string} host
 * @param {number} port
 */
function tryListening(server, host, port) {
  return new Promise((/** @type {(done: void) => void} */ resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/**
 * Stops listening and breaks off every connection.
 * @param {Server} server
 */
export function closeServer(server) {
  return new Promise((/** @type {(done: void) => void} */ resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
