import fc from 'fast-check';
import { isIP } from 'node:net';
import { describe, expect, it } from 'vitest';
import { clientAddress, trustedPeer } from '../../../server/transport/client-address.js';

/**
 * @param {string | null} trustProxy
 * @param {Record<string, string>} headers
 * @param {{ from?: string }} [options] from: who connects
 * @returns {string | undefined}
 */
function addressOf(trustProxy, headers, { from = '10.0.0.1' } = {}) {
  const clientOf = clientAddress({ trustProxy });
  const socket = /** @type {any} */ ({ remoteAddress: from, remotePort: 5000 });
  return clientOf({ headers, socket }).remoteAddress;
}

const named = (/** @type {string} */ value) => ({ 'x-forwarded-for': value });

describe('a client without trusted proxies', () => {
  it('the client is who connects, whatever it says', () => {
    expect(addressOf(null, named('192.0.2.1'))).toBe('10.0.0.1');
    expect(addressOf(null, { forwarded: 'for=192.0.2.1' })).toBe('10.0.0.1');
  });
});

describe('a number of proxies', () => {
  it.each([
    ['1', '192.0.2.1', '192.0.2.1'],
    ['1', '198.51.100.9, 192.0.2.1', '192.0.2.1'],
    ['2', '198.51.100.9, 192.0.2.1, 10.0.0.2', '192.0.2.1'],
    ['3', '192.0.2.1', '192.0.2.1'],
    ['1', '', '10.0.0.1'],
    ['1', 'unknown', '10.0.0.1'],
    ['2', 'unknown, 192.0.2.1', '192.0.2.1'],
    ['1', '192.0.2.1:4711', '192.0.2.1'],
    ['1', '[2001:db8::1]:4711', '2001:db8::1'],
    ['1', '2001:db8::1', '2001:db8::1'],
    ['1', '::ffff:192.0.2.1', '192.0.2.1'],
    ['1', 'fe80::1%eth0', '10.0.0.1'],
  ])('%s of "%s": %s', (trust, value, client) =>
    expect(addressOf(trust, named(value))).toBe(client),
  );
});

describe('proxies by their addresses', () => {
  it('are believed, and nobody else is: a client can put any name before theirs', () => {
    expect(addressOf('10.0.0.0/8', named('198.51.100.9, 192.0.2.1, 10.0.0.2'))).toBe('192.0.2.1');
    expect(addressOf('10.0.0.0/8', named('198.51.100.9'), { from: '192.0.2.7' })).toBe('192.0.2.7');
    expect(addressOf('10.0.0.1', named('198.51.100.9, 10.0.0.2'))).toBe('10.0.0.2');
    expect(addressOf('10.0.0.1, 2001:db8::/32', named('198.51.100.9, 2001:db8::2'))).toBe(
      '198.51.100.9',
    );
  });

  it('are known over an IPv6 socket too, and where the system names none nobody is', () => {
    expect(addressOf('10.0.0.1', named('192.0.2.1'), { from: '::ffff:10.0.0.1' })).toBe(
      '192.0.2.1',
    );
    expect(addressOf('10.0.0.1', named('192.0.2.1'), { from: '' })).toBe('');
  });
});

describe('the client', () => {
  it.each([
    [null, '10.0.0.1', false],
    ['1', '192.0.2.7', true],
    ['10.0.0.0/8', '10.0.0.1', true],
    ['10.0.0.0/8', '::ffff:10.0.0.1', true],
    ['10.0.0.0/8', '192.0.2.7', false],
    ['10.0.0.0/8', undefined, false],
  ])('with --trust-proxy %s, from %s: a trusted proxy? %s', (trustProxy, remoteAddress, is) => {
    expect(trustedPeer({ trustProxy })({ remoteAddress })).toBe(is);
  });
});

describe('Forwarded', () => {
  it.each([
    ['for=192.0.2.1', '192.0.2.1'],
    ['For="[2001:db8::1]:4711";proto=https', '2001:db8::1'],
    ['proto=https;for=192.0.2.1;by=10.0.0.1', '192.0.2.1'],
    ['for=198.51.100.9, for=192.0.2.1', '192.0.2.1'],
    ['for="a,b;for=198.51.100.9", for="192.0.2.1"', '192.0.2.1'],
    ['for=_hidden', '10.0.0.1'],
    ['for="\\"', '10.0.0.1'],
    ['by=192.0.2.1', '10.0.0.1'],
    ['for=198.51.100.9, , for=192.0.2.1,', '192.0.2.1'],
    // A quote that the client opened.
    ['for=", for=192.0.2.1', '192.0.2.1'],
    ['for=198.51.100.9;x=", for="192.0.2.1:4711";proto=https', '192.0.2.1'],
    ['for="\\, for=192.0.2.1;x="a\\",b\\\\";proto=https', '192.0.2.1'],
  ])('%s', (value, client) => expect(addressOf('1,forwarded', { forwarded: value })).toBe(client));

  it("is the client's own where the proxies write the other header, and the reverse", () => {
    const headers = { forwarded: 'for=198.51.100.9', 'x-forwarded-for': '192.0.2.1' };
    expect(addressOf('1', headers)).toBe('192.0.2.1');
    expect(addressOf('1', { forwarded: 'for=198.51.100.9' })).toBe('10.0.0.1');
    expect(addressOf('1,forwarded', headers)).toBe('198.51.100.9');
  });
});

describe('any header', () => {
  it('gives an address, soon', () => {
    const piece = fc.constantFrom(
      'for=',
      '"',
      '\\',
      ',',
      ';',
      '[',
      ']',
      ':',
      '192.0.2.1',
      '2001:db8::1',
      'unknown',
      ' ',
      '%',
    );
    const header = fc.constantFrom('x-forwarded-for', 'forwarded');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), header, (pieces, name) => {
        const proxies = name === 'forwarded' ? '16,forwarded' : '16';
        expect(isIP(addressOf(proxies, { [name]: pieces.join('') }) ?? '')).not.toBe(0);
      }),
    );
    // The best of several, so that it is no other work of the machine's.
    const times = Array.from({ length: 5 }, () => {
      const begun = performance.now();
      addressOf('16,forwarded', { forwarded: '"\\"'.repeat(5000) });
      addressOf('16', named(','.repeat(16_000)));
      return performance.now() - begun;
    });
    expect(Math.min(...times)).toBeLessThan(100);
  });
});
