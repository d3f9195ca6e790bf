/** @import { AddressInfo } from 'node:net' */

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** A TCP port that is free on an address. @param {string} host @returns {Promise<number>} */
export async function freePort(host = '127.0.0.1') {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = /** @type {AddressInfo} */ (server.address());
  await new Promise((resolve) => void server.close(resolve));
  return port;
}

/** A UDP port that is free on an address. @param {string} host @returns {Promise<number>} */
export async function freeUdpPort(host) {
  const socket = createSocket('udp4').bind(0, host);
  await once(socket, 'listening');
  const { port } = socket.address();
  await new Promise((resolve) => void socket.close(() => resolve(undefined)));
  return port;
}
