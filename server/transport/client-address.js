/**
 * The address of the client behind trusted proxies, which is what limits and logs go by. A header
 * that names it is believed as far as trusted proxies have written it, and not at all without
 * --trust-proxy: anybody may send one.
 *
 * @import { IncomingMessage } from 'node:http'
 */

import { isIP } from 'node:net';
import { readProxies } from '../config/proxies.js';

/**
 * @typedef {{ remoteAddress?: string, remotePort?: number }} Address as a socket has it; the port
 *   of a client behind a proxy is 0
 *
 * @typedef {(request: Pick<IncomingMessage, 'headers' | 'socket'>) => Address} ClientAddress
 */

/** The client is the one who connects: no proxy is trusted. @type {ClientAddress} */
export const directClient = ({ socket }) => socket;

/**
 * Makes the function that tells a request's client.
 * @param {object} options
 * @param {string | null} options.trustProxy  as the option has it; null where no proxy is trusted
 * @param {'x-forwarded-for' | 'forwarded'} options.proxyHeader
 *   the one that the proxies write: the other one may be the client's own, passed on as it came
 * @returns {ClientAddress}
 */
export function clientAddress({ trustProxy, proxyHeader }) {
  const trusted = trustProxy === null ? null : readProxies(trustProxy);
  if (!trusted) return directClient;
  const namesOf = proxyHeader === 'forwarded' ? forwardedNames : listedNames;
  return ({ headers, socket }) => {
    const names = namesOf(String(headers[proxyHeader] ?? ''));
    let address = plain(socket.remoteAddress ?? '');
    let distance = 0;
    // The last name was written by the nearest proxy.
    while (distance < names.length && trusted(address, distance)) {
      const before = readAddress(names[names.length - 1 - distance]);
      if (before === null) break;
      address = before;
      distance++;
    }
    return distance === 0 ? socket : { remoteAddress: address, remotePort: 0 };
  };
}

/**
 * Makes the function that tells whether who connects is a trusted proxy.
 * @param {{ trustProxy: string | null }} options  as the option has it
 * @returns {(socket: { remoteAddress?: string }) => boolean}
 */
export function trustedPeer({ trustProxy }) {
  const trusted = trustProxy === null ? null : readProxies(trustProxy);
  return ({ remoteAddress = '' }) => trusted?.(plain(remoteAddress), 0) ?? false;
}

/** IPv4 as such, even where it came through an IPv6 socket. @param {string} address */
const plain = (address) => address.replace(/^::ffff:(?=\d+\.)/i, '');

/** The names in X-Forwarded-For. @param {string} value */
const listedNames = (value) => (value === '' ? [] : value.split(','));

/**
 * The names in Forwarded (RFC 7239, section 4), the text of an element's `for` each.
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
 * Splits from the end, where the nearest proxy wrote: a quote that a client opens and doesn't close
 * would take in what proxies write behind it otherwise. Empty parts count for nothing (RFC 9110,
 * section 5.6.1.2).
 * @param {string} text
 * @param {string} separator  one character
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
 * Whether a character of a quoted string is escaped: an odd number of backslashes stands before it.
 * @param {string} text
 * @param {number} at
 */
function isEscaped(text, at) {
  let before = at;
  while (text[before - 1] === '\\') before--;
  return (at - before) % 2 === 1;
}

/**
 * @param {string} name  an address, perhaps in brackets and with a port
 * @returns {string | null} null where it is none, such as `unknown` or `_hidden` (RFC 7239, section
 *   6)
 */
function readAddress(name) {
  const text = name.trim();
  const [, inBrackets, before] = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/.exec(text) ?? [];
  const address = plain(inBrackets ?? before ?? text);
  return isIP(address) && !address.includes('%') ? address : null;
}
