/**
 * Whose page may connect: only one from the host that it connects to, so that no other site can use its
 * visitors to get into a private network's rooms. Browsers send the page's origin (RFC 6454, section 7)
 * and don't let the page change it; clients that aren't browsers send none, and may.
 */

/**
 * For a connection to the page's own port, as by WebSocket.
 * @param {string | undefined} origin of the page; undefined or empty when there is none
 * @param {string | undefined} host   that it connects to, with its port where that isn't the default
 */
export function isSameHost(origin, host) {
  return isSame(origin, host, 'host');
}

/**
 * For a connection to another port of the page's host, as by WebTransport.
 * @param {string | undefined} origin    of the page; undefined or empty when there is none
 * @param {string | undefined} authority that it connects to
 */
export function isSameHostname(origin, authority) {
  return isSame(origin, authority, 'hostname');
}

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
    return page.host !== '' && new URL(`${page.protocol}//${host}`)[part] === page[part];
  } catch {
    return false;
  }
}
