/**
 * @import { AddressInfo, Server } from 'node:net'
 */

import { ConfigError } from '../config/config-error.js';

/**
 * Listens on a TCP port. Where the machine has no IPv6, '::' means every address of IPv4.
 *
 * @param {Server} server
 * @param {string} host
 * @param {number} port 0 for a free one
 * @returns {Promise<{ host: string, port: number }>} what it listens on
 * @throws {ConfigError} when the address or the port can't be had
 */
export async function listen(server, host, port) {
  try {
    await tryListening(server, host, port);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (host === '::' && (code === 'EAFNOSUPPORT' || code === 'EADDRNOTAVAIL')) return listen(server, '0.0.0.0', port);
    throw listenError(error, 'port', host, port);
  }
  return { host, port: /** @type {AddressInfo} */ (server.address()).port };
}

/**
 * @param {Server} server
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

/** An address of another machine, of a protocol or a network interface that isn't there, or no name of one. */
const NO_SUCH_ADDRESS = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL', 'ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL']);

/**
 * What to tell the person who chose an address that can't be had.
 * @param {unknown} error as Node.js or an HTTP/3 engine gives it
 * @param {'port' | 'h3-port'} option
 * @param {string} host
 * @param {number} port
 * @returns {unknown} a ConfigError, or the error as it came when it is of another kind
 */
export function listenError(error, option, host, port) {
  const { code = '', message = '' } = /** @type {NodeJS.ErrnoException} */ (error);
  const is = (/** @type {string} */ name, /** @type {RegExp} */ words) => code === name || words.test(message);
  if (is('EADDRINUSE', /address.*in use/i)) {
    const problem = 'it is in use; allowed is a port that is free, or 0 for any';
    return new ConfigError({ option: `--${option}`, value: port, allowed: 'a free port', problem });
  }
  if (is('EACCES', /permission denied/i)) {
    const problem = 'this user may not listen there; allowed is a port from 1024 on, or 0 for any';
    return new ConfigError({ option: `--${option}`, value: port, allowed: 'a port from 1024 on', problem });
  }
  if (NO_SUCH_ADDRESS.has(code) || /cannot assign requested address|family not supported/i.test(message)) {
    const problem = 'this machine has no such address; allowed is one that it has, or ::';
    return new ConfigError({ option: '--host', value: host, allowed: 'an address of this machine', problem });
  }
  return error;
}
