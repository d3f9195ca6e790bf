/**
 * TCP addresses and connections of a server.
 *
 * @import { Server as TcpServer } from 'node:net'
 * @import { Config } from './config/config.js'
 */

import { createServer as createTcpServer } from 'node:net';

/** TCP connections per allowed session: those of a browser over HTTP/1, and a WebSocket. */
const CONNECTIONS_EACH = 8;

/** Additional TCP connections for pages that are loading. */
const SPARE_CONNECTIONS = 250;

/**
 * Connections that may wait to be accepted, as many as Linux allows (net.core.somaxconn). With
 * Node's 511, the rest of a burst is dropped and tries again after a second.
 */
export const BACKLOG = 4096;

/** Limit of the page's TCP connections. @param {Pick<Config, 'maxSessions'>} config */
export const mostConnections = ({ maxSessions }) =>
  CONNECTIONS_EACH * maxSessions + SPARE_CONNECTIONS;

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
 * @param {Pick<TcpServer, 'once' | 'off' | 'listen'>} server
 * @param {string} host
 * @param {number} port
 */
export function tryListening(server, host, port) {
  return new Promise((/** @type {(done: void) => void} */ resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
