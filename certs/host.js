import { isIP } from 'node:net';

const NAME = /^(\*\.)?[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/i;

/**
 * Whether a certificate can be for it: an IP address without a zone, or a name in ASCII, perhaps
 * with a wildcard in front (RFC 6125, section 6.4).
 * @param {unknown} host
 * @returns {host is string}
 */
export function isCertificateHost(host) {
  if (typeof host !== 'string' || host.length > 253) return false;
  return isIP(host) ? !host.includes('%') : NAME.test(host);
}
