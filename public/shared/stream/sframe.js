/**
 * SFrame (RFC 9605) with the cipher suite AES_128_CTR_HMAC_SHA256_64: each payload is encrypted and
 * authenticated on its own, over any transport. Encryption is synchronous, since the path of a
 * frame never waits.
 *
 * @typedef {{
 *   ctr(key: Uint8Array, nonce: Uint8Array): {
 *     encrypt(bytes: Uint8Array, out?: Uint8Array): Uint8Array
 *   },
 *   sha256: unknown,
 *   hmac: { create(hash: unknown, key: Uint8Array): Mac },
 *   extract(hash: unknown, ikm: Uint8Array, salt?: Uint8Array): Uint8Array,
 *   expand(hash: unknown, prk: Uint8Array, info?: Uint8Array, length?: number): Uint8Array
 * }} Primitives  AES in counter mode of `@noble/ciphers`; hash functions of `@noble/hashes`
 *
 * @typedef {{ clone: () => Mac, update: (bytes: Uint8Array) => Mac, digest: () => Uint8Array }} Mac
 */

import { MAX_PACKET_BYTES } from '../wire/packet-format.js';

/** The suite's number (RFC 9605, section 8.1). */
const CIPHER_SUITE = 0x0002;

/** Lengths of a key for encryption, a key for authentication, a nonce, and a tag, in bytes. */
const ENCRYPTION_BYTES = 16;
const AUTHENTICATION_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 8;

/** Most bytes of a KID and of a counter. */
const FIELD_BYTES = 8;

/** Longest SFrame header: the first byte, KID and counter. */
const MAX_HEADER_BYTES = 1 + 2 * FIELD_BYTES;

/** Most bytes that sealing adds to a payload. */
export const SEAL_BYTES = MAX_HEADER_BYTES + TAG_BYTES;

/** Lengths and nonce before the authenticated data (section 4.5.1). */
const AUTH_HEAD_BYTES = 24 + NONCE_BYTES;

const utf8 = new TextEncoder();

/** Longest plaintext or ciphertext. */
const MAX_BYTES = MAX_PACKET_BYTES + SEAL_BYTES;

/** Header of a payload (section 4.3). One object reads any number of payloads. */
export class SFrameHeader {
  /** The KID, big-endian in its last `kidBytes` bytes, zeros before them. */
  kid = new Uint8Array(FIELD_BYTES);
  /** The counter. */
  ctr = 0;
  /** Length of the header, in bytes. */
  length = 0;

  /**
   * @param {Uint8Array} bytes
   * @param {number} start
   * @param {number} end
   * @returns {boolean} false when it is cut off, or its counter is beyond a safe integer
   */
  read(bytes, start, end) {
    if (start >= end) return false;
    const config = bytes[start];
    let at = start + 1;
    const kidBytes = config & 0x80 ? ((config >>> 4) & 7) + 1 : 0;
    const ctrBytes = config & 0x08 ? (config & 7) + 1 : 0;
    if (at + kidBytes + ctrBytes > end) return false;
    this.kid.fill(0);
    if (kidBytes === 0) this.kid[FIELD_BYTES - 1] = (config >>> 4) & 7;
    for (let i = 0; i < kidBytes; i++) this.kid[FIELD_BYTES - kidBytes + i] = bytes[at++];
    this.ctr = ctrBytes === 0 ? config & 7 : 0;
    for (let i = 0; i < ctrBytes; i++) this.ctr = this.ctr * 256 + bytes[at++];
    this.length = at - start;
    return this.ctr <= Number.MAX_SAFE_INTEGER;
  }
}

/**
 * @param {Uint8Array} out
 * @param {number} at
 * @param {Uint8Array} kid FIELD_BYTES, big-endian
 * @param {number} ctr
 * @returns {number} end of the header
 */
export function writeSFrameHeader(out, at, kid, ctr) {
  let first = 0;
  while (first < FIELD_BYTES - 1 && kid[first] === 0) first += 1;
  const kidBytes = FIELD_BYTES - first;
  let ctrBytes = 1;
  for (let rest = Math.floor(ctr / 256); rest > 0; rest = Math.floor(rest / 256)) ctrBytes += 1;
  const isShortKid = kidBytes === 1 && kid[FIELD_BYTES - 1] < 8;
  const isShortCtr = ctr < 8;
  out[at++] =
    (isShortKid ? kid[FIELD_BYTES - 1] << 4 : 0x80 | ((kidBytes - 1) << 4)) |
    (isShortCtr ? ctr : 0x08 | (ctrBytes - 1));
  if (!isShortKid) for (let i = first; i < FIELD_BYTES; i++) out[at++] = kid[i];
  if (isShortCtr) return at;
  for (let i = ctrBytes - 1, rest = ctr; i >= 0; i--) {
    out[at + i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return at + ctrBytes;
}

/** The key of one KID (section 4.4.2): encrypts and decrypts payloads of given counters. */
export class SFrameKey {
  #ctr;
  #key;
  #salt;
  #mac;
  #nonce = new Uint8Array(ENCRYPTION_BYTES);
  #tag = new Uint8Array(TAG_BYTES);
  #authenticated = new Uint8Array(AUTH_HEAD_BYTES + MAX_HEADER_BYTES + MAX_BYTES);

  /**
   * @param {Primitives} primitives
   * @param {Uint8Array} baseKey
   * @param {Uint8Array} kid FIELD_BYTES, big-endian
   */
  constructor({ ctr, sha256, hmac, extract, expand }, baseKey, kid) {
    const suite = Uint8Array.of(CIPHER_SUITE >>> 8, CIPHER_SUITE);
    const info = (/** @type {string} */ label) =>
      Uint8Array.of(...utf8.encode(label), ...kid, ...suite);
    const secret = extract(sha256, baseKey, new Uint8Array(0));
    const keys = expand(
      sha256,
      secret,
      info('SFrame 1.0 Secret key '),
      ENCRYPTION_BYTES + AUTHENTICATION_BYTES,
    );
    this.kid = kid.slice();
    this.#ctr = ctr;
    this.#key = keys.slice(0, ENCRYPTION_BYTES);
    this.#salt = expand(sha256, secret, info('SFrame 1.0 Secret salt '), NONCE_BYTES);
    this.#mac = hmac.create(sha256, keys.slice(ENCRYPTION_BYTES));
    this.#authenticated[23] = TAG_BYTES;
  }

  /**
   * Encrypts a payload.
   * @param {number} ctr unique for each payload
   * @param {Uint8Array} payload the whole
   * @param {Uint8Array} out
   * @param {number} at
   * @param {Uint8Array} [metadata] authenticated with it
   * @returns {number} the bytes written: header, ciphertext and tag
   */
  seal(ctr, payload, out, at, metadata = NO_BYTES) {
    const start = writeSFrameHeader(out, at, this.kid, ctr);
    this.#setNonce(ctr);
    out.set(this.#ctr(this.#key, this.#nonce).encrypt(payload), start);
    const end = start + payload.length;
    this.#computeTag(out, at, start, end, metadata);
    out.set(this.#tag, end);
    return end + TAG_BYTES - at;
  }

  /**
   * Decrypts a sealed payload if its tag is right.
   * @param {SFrameHeader} header as read from its start
   * @param {Uint8Array} bytes
   * @param {number} start
   * @param {number} end
   * @param {Uint8Array} out filled from its start
   * @param {Uint8Array} [metadata]
   * @returns {number} the payload's bytes; -1 when another key sealed it, or it was changed
   */
  open(header, bytes, start, end, out, metadata = NO_BYTES) {
    const from = start + header.length;
    const to = end - TAG_BYTES;
    if (to < from || end - start > MAX_BYTES) return -1;
    this.#setNonce(header.ctr);
    this.#computeTag(bytes, start, from, to, metadata);
    let difference = 0;
    for (let i = 0; i < TAG_BYTES; i++) difference |= this.#tag[i] ^ bytes[to + i];
    if (difference !== 0) return -1;
    out.set(this.#ctr(this.#key, this.#nonce).encrypt(bytes.subarray(from, to)));
    return to - from;
  }

  /**
   * Sets the nonce: the salt changed by the counter (section 4.4.3), followed by AES block counter
   * 0.
   * @param {number} ctr
   */
  #setNonce(ctr) {
    for (let i = NONCE_BYTES - 1, rest = ctr; i >= 0; i--) {
      this.#nonce[i] = this.#salt[i] ^ (rest % 256);
      rest = Math.floor(rest / 256);
    }
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number} start of the header, which is authenticated with the metadata
   * @param {number} from of the ciphertext
   * @param {number} to its end
   * @param {Uint8Array} metadata
   */
  #computeTag(bytes, start, from, to, metadata) {
    const input = this.#authenticated;
    writeLength(input, 6, from - start + metadata.length);
    writeLength(input, 14, to - from);
    for (let i = 0; i < NONCE_BYTES; i++) input[24 + i] = this.#nonce[i];
    let at = AUTH_HEAD_BYTES;
    for (let i = start; i < from; i++) input[at++] = bytes[i];
    for (let i = 0; i < metadata.length; i++) input[at++] = metadata[i];
    for (let i = from; i < to; i++) input[at++] = bytes[i];
    const digest = this.#mac.clone().update(input.subarray(0, at)).digest();
    for (let i = 0; i < TAG_BYTES; i++) this.#tag[i] = digest[i];
  }
}

const NO_BYTES = new Uint8Array(0);

/**
 * Writes a length's last two of eight bytes.
 * @param {Uint8Array} out
 * @param {number} at
 * @param {number} length
 */
function writeLength(out, at, length) {
  out[at] = length >>> 8;
  out[at + 1] = length;
}
