import { BlockList, isIP } from 'node:net';

/** The most proxies that may stand before the server. */
const MAX_HOPS = 16;

/** The most addresses and networks that may be named. */
const MAX_NETWORKS = 64;

/**
 * Tells whether a proxy is believed: by its address, and by its distance, 0 for the one that
 * connects to the server.
 * @typedef {(address: string, distance: number) => boolean} TrustedProxy
 */

/**
 * Reads which proxies are believed about a client's address.
 * @param {unknown} value how many stand before the server, or their addresses and networks,
 *   separated by commas
 * @returns {TrustedProxy | null} null where it can't be read
 */
export function readProxies(value) {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const text = String(value).trim();
  if (/^\d{1,2}$/.test(text)) {
    const hops = Number(text);
    return hops >= 1 && hops <= MAX_HOPS ? (_address, distance) => distance < hops : null;
  }
  const parts = text.split(',').map((part) => part.trim());
  const list = new BlockList();
  if (parts.length > MAX_NETWORKS || !parts.every((part) => addNetwork(list, part))) return null;
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

/** @param {string} address */
const familyOf = (address) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/**
 * @param {BlockList} list
 * @param {string} part  an address, or a network such as 10.0.0.0/8
 * @returns {boolean} whether it is one
 */
function addNetwork(list, part) {
  const [address, length, ...rest] = part.split('/');
  const family = isIP(address);
  const most = family === 6 ? 128 : 32;
  if (family === 0 || address.includes('%') || rest.length > 0) return false;
  if (length === undefined) list.addAddress(address, familyOf(address));
  else if (/^\d{1,3}$/.test(length) && Number(length) <= most)
    list.addSubnet(address, Number(length), familyOf(address));
  else return false;
  return true;
}
