import { expect, it } from 'vitest';
import { networkOf, networkOfPeer } from '../../../server/network-address.js';
import { peerName } from '../../../server/transport/client-address.js';

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:DB8:0001:2:ffff::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
  ['1:2:3:4:5:6:192.0.2.7', '1:2:3:4::/64'],
  ['', '?'],
  [undefined, '?'],
  ['nonsense', '?'],
])('the address %s counts for the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:DB8:0001:2::6', '2001:db8:1:2::/64'],
  ['127.6.6.6', '127.6.6.6'],
  ['127.0.0.1', null],
  ['::ffff:127.0.0.1', null],
  ['::1', null],
  [undefined, '?'],
])('the peer %s counts for %s, and this machine itself for nothing', (remoteAddress, network) => {
  expect(networkOfPeer(peerName({ remoteAddress, remotePort: 5 }))).toBe(network);
});
