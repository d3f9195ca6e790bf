import { expect, it } from 'vitest';
import { preferredEncoding } from '../../../server/http/static-files.js';

it.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip', 'gzip'],
  ['br;q=0.5, gzip', 'gzip'],
  ['BR ; Q=0.9', 'br'],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['br;q=0, gzip;q=0', null],
  ['identity', null],
  ['', null],
  [undefined, null],
  [';;;=,q=9', null],
  ['br;q=x, deflate', null],
])('a choice of %s gives %s', (header, encoding) => {
  expect(preferredEncoding(header)).toBe(encoding);
});
