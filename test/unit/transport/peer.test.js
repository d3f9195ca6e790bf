import { describe, expect, it } from 'vitest';
import { isSameHost, isSameHostname } from '../../../server/transport/client-address.js';

/** @type {[string | undefined, string | undefined, boolean, boolean][]} */
const cases = [
  [undefined, 'a.example:8080', true, true],
  ['', 'a.example:8080', true, true],
  ['http://a.example:8080', 'a.example:8080', true, true],
  ['http://a.example:8080', 'a.example:4433', false, true],
  ['http://A.Example', 'a.example:80', true, true],
  ['https://a.example', 'a.example:443', true, true],
  ['https://a.example', 'a.example:4433', false, true],
  ['http://[::1]:8080', '[::1]:4433', false, true],
  ['http://127.0.0.1:8080', '127.0.0.1:8080', true, true],
  ['http://127.0.0.1:8080', 'localhost:8080', false, false],
  ['http://localhost:8080', '127.0.0.1:4433', false, true],
  ['http://localhost:8080', '[::1]:4433', false, true],
  ['http://localhost', '127.0.0.1', false, true],
  ['http://localhost:8080', '127.0.0.2:4433', false, false],
  ['http://a.localhost:8080', '127.0.0.1:4433', false, false],
  ['http://b.example:8080', 'a.example:8080', false, false],
  ['http://a.example.evil.example', 'a.example', false, false],
  ['http://evil.example/a.example', 'a.example', false, false],
  ['null', 'a.example', false, false],
  ['null', 'null', false, false],
  ['file://', 'a.example', false, false],
  ['file://', '', false, false],
  ['http://a.example', undefined, false, false],
  ['http://a.example', '', false, false],
  ['a.example', 'a.example', true, true],
  ['a.example', 'a.example:4433', false, true],
  ['b.example', 'a.example', false, false],
  ['no origin', 'a.example', false, false],
];

describe('the page of an origin', () => {
  it.each(cases)(
    'from %j to %j: same host %j, same hostname %j',
    (origin, host, sameHost, sameHostname) => {
      expect(isSameHost(origin, host)).toBe(sameHost);
      expect(isSameHostname(origin, host)).toBe(sameHostname);
    },
  );
});
