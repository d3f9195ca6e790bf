/** This machine itself, or a proxy on it, behind which are many people. */
const OWN = new Set(['127.0.0.1', '::1']);

/** The groups of an IPv6 address that name a network: /64 is what one customer is given at least (RFC 6177). */
const IPV6_GROUPS = 4;

/**
 * The network of a peer, for limits: an IPv4 address, or the first 64 bits of an IPv6 address, of which one machine may
 * have any number.
 * @param {string} peer  "192.0.2.1:1234" or "[2001:db8::1]:1234"; see peerName()
 * @returns {string | null} null for this machine itself, which no limit is for
 */
export function networkOf(peer) {
  const address = peer.slice(0, peer.lastIndexOf(':')).replace(/^\[|\]$/g, '').replace(/^::ffff:(?=\d+\.)/, '');
  if (OWN.has(address)) return null;
  return address.includes(':') ? prefixOf(address) : address;
}

/** @param {string} address  IPv6 */
function prefixOf(address) {
  const [before, after] = address.split('::');
  const groups = before === '' ? [] : before.split(':');
  if (after !== undefined) {
    const rest = after === '' ? [] : after.split(':');
    while (groups.length + rest.length < 8) groups.push('0');
    groups.push(...rest);
  }
  return groups.slice(0, IPV6_GROUPS).map((group) => group.replace(/^0+(?=.)/, '').toLowerCase()).join(':');
}
