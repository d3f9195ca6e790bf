/** @import { Target } from '../target.js' */

import { isIP } from 'node:net';
import { networkOf } from '../../../server/network-address.js';
import { clientAddress, directClient } from '../../../server/transport/client-address.js';
import { bytesOf, check } from '../target.js';

/** The proxy that connects, another before it, and the client as they write it. */
const PROXY = '10.0.0.1';
const OTHER_PROXY = '10.0.0.2';
const CLIENT = '192.0.2.7';

const socket = /** @type {any} */ ({ remoteAddress: PROXY, remotePort: 5000 });
const stranger = /** @type {any} */ ({ remoteAddress: '198.51.100.1', remotePort: 5000 });

/**
 * @param {'x-forwarded-for' | 'forwarded'} header
 * @param {(address: string) => string} nameOf  an address as a proxy writes it
 */
function checksOf(header, nameOf) {
  const by = (/** @type {string} */ proxies) =>
    clientAddress({ trustProxy: header === 'forwarded' ? `${proxies},forwarded` : proxies });
  const [near, both, network, nobody] = [by('1'), by('2'), by('10.0.0.0/8'), by('203.0.113.1')];
  const ask = (/** @type {typeof near} */ clientOf, /** @type {string} */ value, from = socket) =>
    clientOf({ headers: { [header]: value }, socket: from });
  return (/** @type {string} */ value) => {
    for (const clientOf of [near, both, network]) checkAddress(ask(clientOf, value));
    check(
      ask(directClient, value) === socket && ask(nobody, value) === socket,
      'where nobody is trusted a client is who connects',
    );
    check(ask(network, value, stranger) === stranger, 'who is no proxy is not believed');
    // Proxies write behind what they were given.
    const written = `${value}, ${nameOf(CLIENT)}`;
    for (const clientOf of [near, network]) checkClient(ask(clientOf, written));
    for (const clientOf of [both, network])
      checkClient(ask(clientOf, `${written}, ${nameOf(OTHER_PROXY)}`));
  };
}

/** @param {{ remoteAddress?: string }} client */
function checkAddress({ remoteAddress = '' }) {
  check(
    isIP(remoteAddress) !== 0 && networkOf(remoteAddress) !== '?',
    `${remoteAddress} is an address`,
  );
}

/** @param {{ remoteAddress?: string }} client */
function checkClient({ remoteAddress }) {
  check(remoteAddress === CLIENT, `a client is who the proxy says, not ${remoteAddress}`);
}

const checkListed = checksOf('x-forwarded-for', (address) => address);
const checkForwarded = checksOf('forwarded', (address) => `for="${address}:4711";proto=https`);

/** Whatever a client sends, it is where the trusted proxies say. @type {Target} */
export const forwardedHeaders = {
  name: 'forwarded-headers',
  cost: 40,
  valid: [
    '',
    '198.51.100.9',
    '198.51.100.9, 10.0.0.2',
    '[2001:db8::1]:4711, ::ffff:192.0.2.1, 192.0.2.1:80',
    'unknown, _hidden, fe80::1%eth0',
    'for=198.51.100.9',
    'for=198.51.100.9;by=10.0.0.2;host=call.example.org, for="[2001:db8::1]:4711";proto=https',
    'For="_a\\"b,c;d", for=unknown, proto=http',
  ].map(bytesOf),
  run(input) {
    // As Node reads headers.
    const value = Buffer.from(input).toString('latin1');
    checkListed(value);
    checkForwarded(value);
  },
};
