/** A room's password: hashed, and compared in constant time. The text isn't kept. */

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/** The longest password, in UTF-16 units. */
export const MAX_PASSWORD = 128;

const SALT_BYTES = 16;
const HASH_BYTES = 32;

/**
 * The cost of scrypt (RFC 7914): 16 MiB, some 50 ms of a thread. The hash is in memory alone, so the limit of attempts
 * is what guards it.
 */
const COST = Object.freeze({ N: 2 ** 14, r: 8, p: 1 });

const hash = /** @type {(text: string, salt: Buffer, length: number, cost: object) => Promise<Buffer>} */ (promisify(scrypt));

export class Password {
  #salt;
  #hash;

  /**
   * @param {Buffer} salt
   * @param {Buffer} hashed
   */
  constructor(salt, hashed) {
    this.#salt = salt;
    this.#hash = hashed;
  }

  /**
   * @param {string} text
   * @returns {Promise<Password>}
   */
  static async of(text) {
    const salt = randomBytes(SALT_BYTES);
    return new Password(salt, await hash(text.normalize('NFKC'), salt, HASH_BYTES, COST));
  }

  /** @param {string} text */
  async is(text) {
    return timingSafeEqual(this.#hash, await hash(text.normalize('NFKC'), this.#salt, HASH_BYTES, COST));
  }
}
