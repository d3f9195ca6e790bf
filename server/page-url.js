/**
 * @import { Config } from './config/config.js'
 */

import { isHttps } from './config/config.js';

/**
 * The page's address: that of the first domain, or else as this machine itself reaches it.
 * @param {Config} config
 * @param {number} port
 */
export function pageUrl(config, port) {
  if (!config.domains) return `${isHttps(config) ? 'https' : 'http'}://localhost:${port}`;
  return `https://${config.domains[0]}${port === 443 ? '' : `:${port}`}`;
}
