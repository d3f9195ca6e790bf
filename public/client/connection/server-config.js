/**
 * @import { Clock } from '../../shared/clock.js'
 * @import { ServerConfig } from './choose.js'
 */

import { systemClock } from '../../shared/clock.js';
import { ConnectionError } from './connection.js';

/** The server is given so long to answer, in milliseconds. */
const ANSWER_MS = 4000;

/**
 * What the server offers.
 * @param {string} origin
 * @param {typeof globalThis.fetch} [fetch]
 * @param {Clock} [clock]
 * @returns {Promise<ServerConfig>} rejects with a ConnectionError when there is no answer
 */
export async function fetchConfig(origin, fetch = globalThis.fetch, clock = systemClock) {
  const url = new URL('/api/config', origin).href;
  const controller = new AbortController();
  const timer = clock.setTimeout(() => controller.abort(), ANSWER_MS);
  try {
    const response = await fetch(url, { cache: 'no-store', signal: controller.signal });
    const config = response.ok ? await response.json() : null;
    if (typeof config?.transports === 'object' && config.transports !== null) return config;
  } catch {
    // Said below: whatever went wrong, the server was not there.
  } finally {
    clock.clearTimeout(timer);
  }
  throw new ConnectionError('connection-failed', `The server could not be reached: ${url} gave no answer.`);
}
