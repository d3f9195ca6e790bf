import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const HASH_BYTES = 32;

/** @type {(password: string, salt: Buffer, length: number) => Promise<Buffer>} */
const hashOf = promisify(scrypt);

/** A room's password. Only a salted hash is kept (scrypt, RFC 7914, with Node's default cost). */
export class RoomPassword {
  #salt;
  #hash;
  /** @type {Buffer | null} */
  #known = null;

  /**
   * @param {string | { salt: string, hash: string }} password  the password, or a result of state()
   */
  constructor(password) {
    const isNew = typeof password === 'string';
    this.#salt = isNew ? randomBytes(16) : Buffer.from(password.salt, 'base64');
    if (!isNew) this.#known = Buffer.from(password.hash, 'base64');
    this.#hash = isNew
      ? hashOf(password.normalize('NFC'), this.#salt, HASH_BYTES)
      : Promise.resolve(/** @type {Buffer} */ (this.#known));
    /** Settles when state() is known. @type {Promise<unknown>} */
    this.hashed = this.#hash.then(
      (hash) => (this.#known = hash),
      () => {},
    );
    // The caller of check() gets the failure.
    this.#hash.catch(() => {});
  }

  /**
   * Salt and hash in base64, to be kept elsewhere.
   * @returns {{ salt: string, hash: string } | null} null until it has been hashed
   */
  state() {
    return (
      this.#known && { salt: this.#salt.toString('base64'), hash: this.#known.toString('base64') }
    );
  }

  /** @param {string} password */
  async is(password) {
    const [own, given] = await Promise.all([
      this.#hash,
      hashOf(password.normalize('NFC'), this.#salt, HASH_BYTES),
    ]);
    return own.length === given.length && timingSafeEqual(own, given);
  }
}
