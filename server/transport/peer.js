/**
 * The other end of a connection: its address, and whether its page may connect. A page may connect
 * only to the host that it came from, so that no other site can use its visitors to get into a
 * private network's rooms. Browsers send the page's origin (RFC 6454, section 7) and don't let the
 * page change it; clients that aren't browsers send none, and may connect.
 */

/**
 * The peer's address and port, for people to read.
 * @param {{ remoteAddress?: string, remotePort?: number }} socket
 */
export function peerName({ remoteAddress = '?', remotePort = 0 }) {
  const address = remoteAddress.replace(/^::ffff:(?=\d+\.)/, '');
  return address.includes(':') ? `[${address}]:${remotePort}` : `${address}:${remotePort}`;
}

/**
 * Whether a page may connect to its own host and port, as by WebSocket.
 * @param {string | undefined} origin of the page; undefined or empty when there is none
 * @param {string | undefined} host that it connects to, with its port where that isn't the default
 */
export function isSameHost(origin, host) {
  return isSame(origin, host, 'host');
}

/**
 * Whether a page may connect to another port of its host, as by WebTransport.
 * @param {string | undefined} origin    of the page; undefined or empty when there is none
 * @param {string | undefined} authority that it connects to
 */
export function isSameHostname(origin, authority) {
  return isSame(origin, authority, 'hostname');
}

/** The addresses of localhost, of which a page may be told the one where HTTP/3 is. */
const LOOPBACK = new Set(['127.0.0.1', '[::1]']);

/**
 * @param {string | undefined} origin
 * @param {string | undefined} host
 * @param {'host' | 'hostname'} part
 */
function isSame(origin, host, part) {
  if (origin === undefined || origin === '') return true;
  if (origin === 'null') return false;
  try {
    // Some clients that aren't browsers send the bare host that they connect to.
    const page = new URL(origin.includes('://') ? origin : `https://${origin}`);
    const to = new URL(`${page.protocol}//${host}`)[part];
    return (
      page.host !== '' &&
      (to === page[part] ||
        (part === 'hostname' && page.hostname === 'localhost' && LOOPBACK.has(to)))
    );
  } catch {
    return false;
  }
}
