import { ctr } from '@noble/ciphers/aes.js';
import { expand, extract } from '@noble/hashes/hkdf.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { describe, expect, it } from 'vitest';
import {
  SFrameHeader,
  SFrameKey,
  writeSFrameHeader,
} from '../../../../public/shared/stream/sframe.js';

const primitives = { ctr, sha256, hmac, extract, expand };
const hex = (/** @type {string} */ text) =>
  Uint8Array.from(Buffer.from(text.replace(/\s/g, ''), 'hex'));
const toHex = (/** @type {Uint8Array} */ bytes) => Buffer.from(bytes).toString('hex');

/** RFC 9605, appendix C.1: kid, ctr, header. @type {[string, bigint, string][]} */
const HEADERS = [
  ['0000000000000000', 0n, '00'],
  ['0000000000000000', 1n, '01'],
  ['0000000000000000', 0xffn, '08ff'],
  ['0000000000000001', 0n, '10'],
  ['0000000000000123', 0x4567n, '9901234567'],
  ['0100000000000000', 0x100n, 'f901000000000000000100'],
  ['0100000000000000', 0xffffffn, 'fa0100000000000000ffffff'],
  ['0100000000000000', 0x1000000n, 'fb010000000000000001000000'],
  ['0100000000000000', 0x0000ffffffffffffn, 'fd0100000000000000ffffffffffff'],
  ['ffffffffffffffff', 0n, 'f0ffffffffffffffff'],
  ['ffffffffffffffff', 1n, 'f1ffffffffffffffff'],
  ['ffffffffffffffff', 0xffffn, 'f9ffffffffffffffffffff'],
  ['ffffffffffffffff', 0x0001000000000000n, 'feffffffffffffffff01000000000000'],
];

describe('an SFrame header', () => {
  it.each(HEADERS)('of KID %s and counter %s is as the RFC has it', (kid, counter, header) => {
    const out = new Uint8Array(20);
    expect(toHex(out.subarray(0, writeSFrameHeader(out, 0, hex(kid), Number(counter))))).toBe(
      header,
    );
    const read = new SFrameHeader();
    expect(read.read(hex(header), 0, header.length / 2)).toBe(true);
    expect([toHex(read.kid), read.ctr, read.length]).toEqual([
      kid,
      Number(counter),
      header.length / 2,
    ]);
    for (let length = 0; length < header.length / 2; length++)
      expect(read.read(hex(header), 0, length)).toBe(false);
  });

  it('whose counter can’t be counted exactly is none', () => {
    const read = new SFrameHeader();
    expect(read.read(hex('ffffffffffffffffffffffffffffffffff'), 0, 17)).toBe(false);
  });
});

describe('a sealed payload', () => {
  /** RFC 9605, appendix C.3, cipher suite 0x0002. */
  const vector = {
    kid: hex('0000000000000123'),
    ctr: 0x4567,
    baseKey: hex('000102030405060708090a0b0c0d0e0f'),
    metadata: hex('4945544620534672616d65205747'),
    plain: hex('64726166742d696574662d736672616d652d656e63'),
    sealed: '99012345673f31438db4d09434e43afa0f8a2f00867a2be085046a9f5cb4f101d607',
  };
  const key = new SFrameKey(primitives, vector.baseKey, vector.kid);

  it('is the RFC’s test vector', () => {
    const out = new Uint8Array(100);
    const length = key.seal(vector.ctr, vector.plain, out, 3, vector.metadata);
    expect(toHex(out.subarray(3, 3 + length))).toBe(vector.sealed);
    const header = new SFrameHeader();
    const plain = new Uint8Array(100);
    expect(header.read(out, 3, 3 + length)).toBe(true);
    expect(key.open(header, out, 3, 3 + length, plain, vector.metadata)).toBe(vector.plain.length);
    expect(plain.slice(0, vector.plain.length)).toEqual(vector.plain);
  });

  it('isn’t opened with another key, or where a bit of it was changed, or cut off', () => {
    const header = new SFrameHeader();
    const plain = new Uint8Array(100);
    const good = new Uint8Array(100);
    const length = key.seal(7000, vector.plain, good, 0);
    const opens = (/** @type {SFrameKey} */ by, /** @type {Uint8Array} */ bytes) =>
      header.read(bytes, 0, bytes.length) && by.open(header, bytes, 0, bytes.length, plain) >= 0;
    expect(opens(key, good.slice(0, length))).toBe(true);
    for (let i = 0; i < length * 8; i++) {
      const changed = good.slice(0, length);
      changed[i >> 3] ^= 1 << (i & 7);
      expect(opens(key, changed)).toBe(false);
    }
    for (let end = 0; end < length; end++) expect(opens(key, good.slice(0, end))).toBe(false);
    expect(opens(new SFrameKey(primitives, hex('ff'), vector.kid), good.slice(0, length))).toBe(
      false,
    );
  });
});

describe('AES_128_CTR_HMAC_SHA256_64', () => {
  /**
   * RFC 9605, appendix C.2: key, nonce, authenticated data, plaintext, ciphertext with its tag.
   */
  it('is the RFC’s test vector', () => {
    const key = hex(
      '000102030405060708090a0b0c0d0e0f1011121314151617' +
        '18191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f',
    );
    const nonce = hex('101112131415161718191a1b');
    const [aad, plain] = [
      hex('4945544620534672616d65205747'),
      hex('64726166742d696574662d736672616d652d656e63'),
    ];
    const sealed = ctr(key.slice(0, 16), Uint8Array.of(...nonce, 0, 0, 0, 0)).encrypt(plain);
    const lengths = (/** @type {number[]} */ ...values) =>
      values.flatMap((value) => [0, 0, 0, 0, 0, 0, 0, value]);
    const tag = hmac(
      sha256,
      key.slice(16),
      Uint8Array.of(...lengths(aad.length, plain.length, 8), ...nonce, ...aad, ...sealed),
    );
    expect(toHex(sealed) + toHex(tag.slice(0, 8))).toBe(
      '6339af04ada1d064688a442b8dc69d5b6bfa40f4be6e93b7da076927bb',
    );
  });
});
