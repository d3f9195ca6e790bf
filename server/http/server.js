/**
 * @import { AddressInfo, Server as TcpServer } from 'node:net'
 * @import { Server } from 'node:http'
 * @import { ServerCertificate } from '../certificate/certificate-source.js'
 * @import { Config } from '../config/config.js'
 */

import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { listenError } from '../config/config-error.js';
import { isHttps } from '../config/config.js';
import { surviveFileShortage } from '../open-files.js';

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

/** TCP connections per allowed session: those of a browser over HTTP/1, and a WebSocket. */
const CONNECTIONS_EACH = 8;

/** Additional TCP connections for pages that are loading. */
const SPARE_CONNECTIONS = 250;

/**
 * Connections that may wait to be accepted, as many as Linux allows (net.core.somaxconn). With
 * Node's 511, the rest of a burst is dropped and tries again after a second.
 */
export const BACKLOG = 4096;

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

/** Limit of the page's TCP connections. @param {Pick<Config, 'maxSessions'>} config */
export const mostConnections = ({ maxSessions }) =>
  CONNECTIONS_EACH * maxSessions + SPARE_CONNECTIONS;

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
 * Addresses to listen on. Without IPv6, '::' becomes every address of IPv4. The name localhost
 * means loopback in both families. Browsers try ::1 first, and QUIC doesn't report that nobody
 * listens there.
 * @param {string} host
 * @param {() => TcpServer} [createProbe]
 * @returns {Promise<string[]>} at least one
 */
export async function listeningHosts(host, createProbe = createTcpServer) {
  if (host === '::') return [(await hasAddress('::', createProbe)) ? '::' : '0.0.0.0'];
  if (host !== 'localhost') return [host];
  return (await hasAddress('::1', createProbe)) ? ['127.0.0.1', '::1'] : ['127.0.0.1'];
}

/**
 * @param {string} host  an address
 * @param {() => TcpServer} createProbe
 * @returns {Promise<boolean>} true if this machine has it
 */
async function hasAddress(host, createProbe) {
  const probe = createProbe();
  try {
    await tryListening(probe, host, 0);
    await new Promise(
      (/** @type {(done: void) => void} */ resolve) => void probe.close(() => resolve()),
    );
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'EAFNOSUPPORT' || code === 'EADDRNOTAVAIL') return false;
  }
  return true;
}

/**
 * Listens on one TCP port at one or more addresses.
 *
 * @param {Server} server
 * @param {readonly string[]} hosts
 * @param {number} port 0 for a free one
 * @param {'port' | 'http-port'} [option]  option that sets the port
 * @returns {Promise<number>} the port
 * @throws {import('../config/config-error.js').ConfigError} if an address or the port is
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
  surviveFileShortage(server);
}

/**
 * @param {Pick<TcpServer, 'once' | 'off' | 'listen'>} server
 * @param {string} host
 * @param {number} port
 */
function tryListening(server, host, port) {
  return new Promise((/** @type {(done: void) => void} */ resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Stops listening and closes every connection. @param {Server} server */
export function closeServer(server) {
  return new Promise((/** @type {(done: void) => void} */ resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
