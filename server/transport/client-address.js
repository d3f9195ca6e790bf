/**
 * Finds the address of the client behind trusted proxies, which limits and logs use. A header with
 * it is trusted as far as trusted proxies wrote it, and not at all without --trust-proxy, because
 * anybody may send one.
 *
 * @import { IncomingMessage } from 'node:http'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Cluster } from '../cluster/cluster.js'
 * @import { RoomsByThread } from '../host/rooms-by-thread.js'
 * @import { Log } from '../log.js'
 * @import { Accept } from '../session/session.js'
 */

import { isIP } from 'node:net';
import { readProxies } from '../config/readers.js';

/**
 * @typedef {{ remoteAddress?: string, remotePort?: number }} Address address as a socket has it;
 *   the port of a client behind a proxy is 0
 *
 * @typedef {(request: Pick<IncomingMessage, 'headers' | 'socket'>) => Address} ClientAddress
 *
 * @typedef {object} HttpOptions  of everything that makes sessions from HTTP requests
 * @property {Accept} accept
 * @property {ClientAddress} [clientOf]  finds a request's client; by default its peer
 * @property {Clock} clock
 * @property {Log} log
 *
 * @typedef {object} RoomFinders  for requests to rooms that exist
 * @property {Pick<RoomsByThread, 'inRoom'>} rooms
 * @property {Pick<Cluster, 'find'>} [cluster]  undefined when this server has all rooms
 */

/** Returns the peer as the client: no proxy is trusted. @type {ClientAddress} */
export const directClient = ({ socket }) => socket;

/**
 * Makes the function that finds a request's client.
 * @param {object} options
 * @param {string | null} options.trustProxy value of the option; null when no proxy is trusted. A
 *   client may send the other header, which proxies pass on
 * @returns {ClientAddress}
 */
export function clientAddress({ trustProxy }) {
  const proxies = trustProxy === null ? null : readProxies(trustProxy);
  if (!proxies) return directClient;
  const { isTrusted, header } = proxies;
  const namesOf = header === 'forwarded' ? forwardedNames : listedNames;
  return ({ headers, socket }) => {
    const names = namesOf(String(headers[header] ?? ''));
    let address = plain(socket.remoteAddress ?? '');
    let distance = 0;
    // The last name was written by the nearest proxy.
    while (distance < names.length && isTrusted(address, distance)) {
      const before = readAddress(names[names.length - 1 - distance]);
      if (before === null) break;
      address = before;
      distance++;
    }
    return distance === 0 ? socket : { remoteAddress: address, remotePort: 0 };
  };
}

/**
 * Makes the function that tells whether a peer is a trusted proxy.
 * @param {{ trustProxy: string | null }} options value of the option
 * @returns {(socket: { remoteAddress?: string }) => boolean}
 */
export function trustedPeer({ trustProxy }) {
  const proxies = trustProxy === null ? null : readProxies(trustProxy);
  return ({ remoteAddress = '' }) => proxies?.isTrusted(plain(remoteAddress), 0) ?? false;
}

/** Turns an IPv4 address of an IPv6 socket into plain IPv4. @param {string} address */
const plain = (address) => address.replace(/^::ffff:(?=\d+\.)/i, '');

/** Lists the names in X-Forwarded-For. @param {string} value */
const listedNames = (value) => (value === '' ? [] : value.split(','));

/**
 * Lists the names in Forwarded (RFC 7239, section 4): the text of `for` in each element.
 * @param {string} value
 */
function forwardedNames(value) {
  return splitOutsideQuotes(value, ',').map((element) => {
    const pairs = splitOutsideQuotes(element, ';').map((pair) => pair.trim());
    const found = pairs.find((pair) => pair.slice(0, 4).toLowerCase() === 'for=');
    return found ? found.slice(4).replace(/^"(.*)"$/, '$1') : '';
  });
}

/**
 * Splits from the end, where the nearest proxy wrote. Otherwise a client's unclosed quote would
 * swallow what proxies write behind it. Empty parts are ignored (RFC 9110, section 5.6.1.2).
 * @param {string} text
 * @param {string} separator one character
 */
function splitOutsideQuotes(text, separator) {
  /** @type {string[]} */
  const parts = [];
  let end = text.length;
  let quoted = false;
  for (let i = text.length - 1; i >= 0; i--) {
    if (text[i] === '"') quoted = !quoted || isEscaped(text, i);
    else if (text[i] === separator && !quoted) {
      parts.push(text.slice(i + 1, end));
      end = i;
    }
  }
  parts.push(text.slice(0, end));
  return parts.filter((part) => part.trim() !== '').reverse();
}

/**
 * Returns true for an escaped character of a quoted string: an odd number of backslashes stands
 * before it.
 * @param {string} text
 * @param {number} at
 */
function isEscaped(text, at) {
  let before = at;
  while (text[before - 1] === '\\') before--;
  return (at - before) % 2 === 1;
}

/**
 * @param {string} name an address, perhaps in brackets and with a port
 * @returns {string | null} null for other names, such as `unknown` or `_hidden` (RFC 7239, section
 *   6)
 */
function readAddress(name) {
  const text = name.trim();
  const [, inBrackets, before] = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/.exec(text) ?? [];
  const address = plain(inBrackets ?? before ?? text);
  return isIP(address) && !address.includes('%') ? address : null;
}

/**
 * Formats the peer's address and port for people.
 * @param {{ remoteAddress?: string, remotePort?: number }} socket
 */
export function peerName({ remoteAddress = '?', remotePort = 0 }) {
  const address = remoteAddress.replace(/^::ffff:(?=\d+\.)/, '');
  return address.includes(':') ? `[${address}]:${remotePort}` : `${address}:${remotePort}`;
}

/**
 * Returns true if a page may connect to its own host and port, as by WebSocket. A page may connect
 * only to the host that it came from. So no other site can use its visitors to enter a private
 * network's rooms. Browsers send the page's origin (RFC 6454, section 7), which the page can't
 * change. Other clients send none, and may connect.
 * @param {string | undefined} origin of the page; undefined or empty if there is none
 * @param {string | undefined} host that it connects to, with its port unless that is the default
 */
export function isSameHost(origin, host) {
  return isSame(origin, host, 'host');
}

/**
 * Returns true if a page may connect to another port of its host, as by WebTransport.
 * @param {string | undefined} origin of the page; undefined or empty if there is none
 * @param {string | undefined} authority that it connects to
 */
export function isSameHostname(origin, authority) {
  return isSame(origin, authority, 'hostname');
}

/** Addresses of localhost: a page may be sent to the one with HTTP/3. */
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
    // Some clients other than browsers send only the host that they connect to.
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
