/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 *
 * @typedef {object} PasswordTry  message to other threads about a try
 * @property {'password-try'} type
 * @property {string | null} network
 * @property {'pending' | 'right' | 'wrong'} outcome
 */

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { repeat } from '../timers.js';
import { KeyedBuckets } from '../token-bucket.js';

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

/** Limit of wrong tries from one network: a burst, then a rate per second. */
const TRIES = Object.freeze({ atOnce: 10, perSecond: 0.1 });

/** Limit of all checks from one network, also of right passwords, since each costs time. */
const CHECKS = Object.freeze({ atOnce: 200, perSecond: 2 });

/** Most tries computed at once: each uses a thread for 50 ms, and 16 MB. */
const MAX_AT_ONCE = 4;

/** Most tries that wait for their turn. */
const MAX_WAITING = 256;

/**
 * Time after which a check without an outcome counts as wrong, in milliseconds: its thread has
 * ended.
 */
const PENDING_MS = 5000;

/**
 * Limits password tries over all rooms, so that more rooms allow no more tries. Only wrong tries
 * count, so that many people behind one address get in. A check counts as wrong until it proves
 * right, so parallel guesses gain nothing.
 */
export class PasswordTries {
  #tries = new KeyedBuckets(TRIES);
  #checks = new KeyedBuckets(CHECKS);
  #clock;
  #tell;
  #running = 0;
  /**
   * Start times of the checks without an outcome, on all threads, by network.
   * @type {Map<string | null, number[]>}
   */
  #pending = new Map();
  /**
   * @type {{ network: string | null, resolve: (mayBegin: boolean) => void, stop: () => void }[]}
   */
  #waiting = [];

  /**
   * @param {Clock} clock
   * @param {(change: PasswordTry) => void} [tell] receives each try, for other threads
   */
  constructor(clock, tell = () => {}) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** Records a try on another thread. @param {PasswordTry} change */
  heard({ network, outcome }) {
    if (outcome === 'pending') {
      this.#tries.add(keyOf(network), -1, this.#clock.now());
      this.#began(network);
    } else this.#ended(network, outcome === 'right');
  }

  /**
   * @param {string | null} network  null for this machine, which is limited too
   * @param {() => Promise<boolean>} check
   * @returns {Promise<ErrorCode | null>} null when the password is right
   */
  async run(network, check) {
    if (this.#checks.take(keyOf(network), this.#clock.now()) > 0 || !(await this.#turn(network)))
      return 'password-flood';
    let isRight = false;
    try {
      isRight = await check();
      return isRight ? null : 'password-wrong';
    } finally {
      this.#running -= 1;
      this.#tell({ type: 'password-try', network, outcome: isRight ? 'right' : 'wrong' });
      this.#ended(network, isRight);
    }
  }

  /**
   * Waits for a try's turn.
   * @param {string | null} network
   * @returns {boolean | Promise<boolean>} false when it is refused
   */
  #turn(network) {
    if (this.#begins(network)) return true;
    if (!this.#mayWait(network) || this.#waiting.length >= MAX_WAITING) return false;
    return new Promise((resolve) => {
      // A thread that has ended reports no outcome.
      const stop = repeat(this.#clock, PENDING_MS, () => this.#next());
      this.#waiting.push({ network, resolve, stop });
    });
  }

  /**
   * Begins a try if there is room for it.
   * @param {string | null} network
   * @returns {boolean} false without room
   */
  #begins(network) {
    if (this.#running >= MAX_AT_ONCE || this.#tries.take(keyOf(network), this.#clock.now()) > 0)
      return false;
    this.#running += 1;
    this.#began(network);
    this.#tell({ type: 'password-try', network, outcome: 'pending' });
    return true;
  }

  /** Returns true when a try may begin soon. @param {string | null} network */
  #mayWait(network) {
    const oldestMs = this.#clock.now() - PENDING_MS;
    return (
      this.#running >= MAX_AT_ONCE ||
      (this.#pending.get(network) ?? []).some((atMs) => atMs > oldestMs)
    );
  }

  /** @param {string | null} network */
  #began(network) {
    const oldestMs = this.#clock.now() - PENDING_MS;
    const others = (this.#pending.get(network) ?? []).filter((atMs) => atMs > oldestMs);
    this.#pending.set(network, [...others, this.#clock.now()]);
  }

  /** @param {string | null} network @param {boolean} isRight */
  #ended(network, isRight) {
    const [, ...others] = this.#pending.get(network) ?? [];
    if (others.length > 0) this.#pending.set(network, others);
    else this.#pending.delete(network);
    if (isRight) this.#tries.add(keyOf(network), 1, this.#clock.now());
    this.#next();
  }

  /** Begins each waiting try that has room now, and refuses each that can't begin soon. */
  #next() {
    this.#waiting = this.#waiting.filter((one) => {
      const begins = this.#begins(one.network);
      if (!begins && this.#mayWait(one.network)) return true;
      one.stop();
      one.resolve(begins);
      return false;
    });
  }
}

/** @param {string | null} network */
const keyOf = (network) => network ?? 'this machine';
