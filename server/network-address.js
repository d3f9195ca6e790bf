import { isIPv4, isIPv6 } from 'node:net';

/** An IPv4 address as an IPv6 socket reports it. */
const MAPPED = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;

/** Hextets of an IPv6 address, and of its network: a site has at least a /64 (RFC 6177). */
const HEXTETS = 8;
const NETWORK_HEXTETS = 4;

/**
 * Returns the network of an address, as the unit of limits: an IPv4 address itself, or the /64 of
 * an IPv6 address. One machine can have as many addresses of a /64 as it likes.
 * @param {string | undefined} address as a socket has it
 * @returns {string} '?' for an invalid address
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

/** This machine, or a proxy on it that isn't configured, with many people behind it. */
const OWN = new Set(['127.0.0.1', '::1']);

/**
 * Network of a client, for limits and bans.
 * @param {string | undefined} address as a socket has it
 * @returns {string | null} null for this machine itself, which isn't limited
 */
export function networkOfClient(address = '') {
  const plain = address.replace(MAPPED, '');
  return OWN.has(plain) ? null : networkOf(plain);
}

/**
 * Network of a session's peer, for limits.
 * @param {string} peer  "192.0.2.1:1234" or "[2001:db8::1]:1234"; see peerName()
 * @returns {string | null} null for this machine itself, which isn't limited
 */
export function networkOfPeer(peer) {
  return networkOfClient(peer.slice(0, peer.lastIndexOf(':')).replace(/^\[|\]$/g, ''));
}
