import { describe, expect, it, vi } from 'vitest';
import { allowHosts } from '../../../server/allowed-hosts.js';
import { generateCertificate } from '../../../server/certificate/generate.js';

const certificateOf = async (/** @type {string[]} */ ...hosts) =>
  (await generateCertificate({ hosts, now: new Date('2026-05-01') })).certPem;

const ownName = () => 'Box.lan';

describe('a host', () => {
  it.each([
    ['localhost', true],
    ['localhost:8080', true],
    ['LOCALHOST.', true],
    ['dev.localhost:8080', true],
    ['127.0.0.1:8080', true],
    ['[::1]:8080', true],
    ['[2001:db8::7]', true],
    ['203.0.113.9', true],
    ['box.lan', true],
    ['BOX:80', true],
    ['box.local', true],
    ['call.example.org:443', true],
    ['a.example.net', true],
    ['room.example.com', true],
    [undefined, true],
    ['', true],
    ['evil.example', false],
    ['evil.example:8080', false],
    ['localhost.evil.example', false],
    ['127.0.0.1.evil.example', false],
    ['example.net', false],
    ['a.b.example.net', false],
    ['x.call.example.org', false],
    ['box.lan.evil.example', false],
    ['evil.example#localhost', false],
    ['user@localhost', false],
    ['localhost:80:80', false],
    ['[::1', false],
    ['[evil.example]', false],
    ['*', false],
  ])('%s: %s', async (host, isAllowed) => {
    const pem = await certificateOf('call.example.org', '*.example.net', '192.0.2.1');
    const isAllowedHost = allowHosts({
      allowed: ['Room.example.com'],
      certificate: () => pem,
      ownName,
    });
    expect(isAllowedHost(host)).toBe(isAllowed);
    expect(isAllowedHost(host)).toBe(isAllowed);
  });

  it('that a new certificate names is allowed from then on, and a dropped one is not', async () => {
    let pem = /** @type {string | null} */ (null);
    const isAllowedHost = allowHosts({ allowed: [], certificate: () => pem, ownName });
    expect(isAllowedHost('a.example')).toBe(false);
    pem = await certificateOf('a.example');
    expect(isAllowedHost('a.example')).toBe(true);
    pem = await certificateOf('b.example');
    expect([isAllowedHost('a.example'), isAllowedHost('b.example')]).toEqual([false, true]);
  });
});

it('the gate logs the first refused hosts with the option that allows them', () => {
  const warn = vi.fn();
  const isAllowedHost = allowHosts({
    allowed: [],
    certificate: () => null,
    ownName,
    log: { warn },
  });
  for (let i = 0; i < 500; i++) expect(isAllowedHost(`h${i}.example`)).toBe(false);
  expect(warn).toHaveBeenCalledTimes(10);
  expect(warn.mock.calls[0]).toEqual([
    { event: 'host-refused', host: 'h0.example' },
    expect.stringContaining('--hostname'),
  ]);
});
