/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 */

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { KeyedBuckets } from '../keyed-buckets.js';

/** The longest password, in characters. */
export const MAX_PASSWORD_LENGTH = 128;

/** How often one network may try: a burst, and then a second. */
const TRIES = Object.freeze({ atOnce: 10, perSecond: 0.1 });

/** The most tries that are computed at once: each takes a thread 50 ms and 16 MB. */
const MAX_AT_ONCE = 4;

const HASH_BYTES = 32;

/** @type {(password: string, salt: Buffer, length: number) => Promise<Buffer>} */
const hashOf = promisify(scrypt);

/** Limits the tries at passwords, over all rooms: more rooms are no way to try more. */
export class PasswordTries {
  #buckets = new KeyedBuckets(TRIES);
  #clock;
  #running = 0;

  #tell;

  /**
   * @param {Clock} clock
   * @param {(change: { type: 'password-try', network: string | null }) => void} [tell]  told of each try, for other threads
   */
  constructor(clock, tell = () => {}) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** Counts a try that was made on another thread. @param {string | null} network */
  heard(network) {
    this.#take(network);
  }

  /** @param {string | null} network */
  #take(network) {
    return this.#buckets.take(network ?? 'this machine', this.#clock.now());
  }

  /**
   * @param {string | null} network  null for this machine, which is limited too
   * @param {() => Promise<boolean>} check
   * @returns {Promise<ErrorCode | null>} null when it is right
   */
  async run(network, check) {
    if (this.#running >= MAX_AT_ONCE) return 'password-flood';
    this.#tell({ type: 'password-try', network });
    if (this.#take(network) > 0) return 'password-flood';
    this.#running += 1;
    try {
      return (await check()) ? null : 'password-wrong';
    } finally {
      this.#running -= 1;
    }
  }
}

/** A room's password, of which only a salted hash is kept (scrypt, RFC 7914, by Node's default cost). */
export class RoomPassword {
  #salt;
  #hash;
  /** @type {Buffer | null} */
  #known = null;

  /** @param {string | { salt: string, hash: string }} password  itself, or what state() gave */
  constructor(password) {
    const isNew = typeof password === 'string';
    this.#salt = isNew ? randomBytes(16) : Buffer.from(password.salt, 'base64');
    this.#hash = isNew ? hashOf(password.normalize('NFC'), this.#salt, HASH_BYTES) : Promise.resolve(Buffer.from(password.hash, 'base64'));
    /** Settles when state() is known. @type {Promise<unknown>} */
    this.hashed = this.#hash.then((hash) => (this.#known = hash), () => {});
    // A failure is the checker's to meet.
    this.#hash.catch(() => {});
  }

  /** Salt and hash in base64, as they are kept elsewhere. @returns {{ salt: string, hash: string } | null} null until it has been hashed */
  state() {
    return this.#known && { salt: this.#salt.toString('base64'), hash: this.#known.toString('base64') };
  }

  /** @param {string} password */
  async is(password) {
    const [own, given] = await Promise.all([this.#hash, hashOf(password.normalize('NFC'), this.#salt, HASH_BYTES)]);
    return own.length === given.length && timingSafeEqual(own, given);
  }
}
