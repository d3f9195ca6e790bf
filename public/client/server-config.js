/** @import { ServerConfig } from './connection/choose.js' */

import { ConnectionError } from './connection/connection.js';

/**
 * What the server offers.
 * @param {string} origin
 * @param {typeof globalThis.fetch} [fetch]
 * @returns {Promise<ServerConfig>} rejects with a ConnectionError when there is no answer
 */
export async function fetchConfig(origin, fetch = globalThis.fetch) {
  const url = new URL('/api/config', origin).href;
  try {
    const response = await fetch(url, { cache: 'no-store' });
    const config = response.ok ? await response.json() : null;
    if (typeof config?.transports === 'object' && config.transports !== null) return config;
  } catch {
    // Said below: whatever went wrong, the server was not there.
  }
  throw new ConnectionError('connection-failed', `The server could not be reached: ${url} gave no answer.`);
}
