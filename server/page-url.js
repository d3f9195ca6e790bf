/**
 * @import { Config } from './config/config.js'
 */

import { isHttps } from './config/config.js';

/** Hosts that are all addresses of this machine. */
const EVERY = new Set(['::', '0.0.0.0']);

/**
 * The page's address: that of the first domain, or else as this machine itself reaches it.
 * @param {Config} config
 * @param {number} port
 */
export function pageUrl(config, port) {
  const { host } = config;
  const name = EVERY.has(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  if (!config.domains) return `${isHttps(config) ? 'https' : 'http'}://${name}:${port}`;
  return `https://${config.domains[0]}${port === 443 ? '' : `:${port}`}`;
}
