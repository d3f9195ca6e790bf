import { isIPv4, isIPv6 } from 'node:net';

/** An IPv4 address as a socket of IPv6 sees it. */
const MAPPED = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;

/**
 * Hextets of an IPv6 address, and of its network: a site has a /64 to itself at least (RFC 6177).
 */
const HEXTETS = 8;
const NETWORK_HEXTETS = 4;

/**
 * The network that an address counts for where something is shared out by address: an IPv4 address
 * itself, and the /64 of an IPv6 address, of which one machine can have as many addresses as it
 * likes.
 * @param {string | undefined} address as a socket has it
 * @returns {string} '?' for what is no address
 */
export function networkOf(address = '') {
  const plain = address.replace(MAPPED, '');
  if (isIPv4(plain)) return plain;
  const [bare] = plain.split('%', 1);
  if (!isIPv6(bare)) return '?';
  const [before, after] = bare.toLowerCase().split('::');
  const head = before ? before.split(':') : [];
  const tail = after ? after.split(':') : [];
  // An IPv4 address at the end stands for two hextets, neither of them the network's.
  const missing =
    after === undefined ? 0 : HEXTETS - head.length - tail.length - (bare.includes('.') ? 1 : 0);
  const all = [...head, ...Array(missing).fill('0'), ...tail];
  return `${all
    .slice(0, NETWORK_HEXTETS)
    .map((hextet) => hextet.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}

/** This machine itself, or a proxy on it that isn't told of, behind which are many people. */
const OWN = new Set(['127.0.0.1', '::1']);

/**
 * The network of a client, for limits and bans.
 * @param {string | undefined} address as a socket has it
 * @returns {string | null} null for this machine itself, which no limit is for
 */
export function networkOfClient(address = '') {
  const plain = address.replace(MAPPED, '');
  return OWN.has(plain) ? null : networkOf(plain);
}

/**
 * The network of a session's peer, for limits.
 * @param {string} peer  "192.0.2.1:1234" or "[2001:db8::1]:1234"; see peerName()
 * @returns {string | null} null for this machine itself, which no limit is for
 */
export function networkOfPeer(peer) {
  return networkOfClient(peer.slice(0, peer.lastIndexOf(':')).replace(/^\[|\]$/g, ''));
}
