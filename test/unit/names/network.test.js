import { expect, it } from 'vitest';
import { networkOf } from '../../../server/names/network.js';
import { peerName } from '../../../server/transport/peer.js';

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:DB8:0001:2::6', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::2', '0:0:0:0'],
  ['127.6.6.6', '127.6.6.6'],
  ['127.0.0.1', null],
  ['::1', null],
])('the network of %s is %s', (remoteAddress, network) => {
  expect(networkOf(peerName({ remoteAddress, remotePort: 5 }))).toBe(network);
});

it('one without an address is one of its own', () => {
  expect(networkOf(peerName({}))).toBe('?');
});
