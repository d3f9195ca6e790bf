/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Entrant } from './grants.js'
 */

import { Bans } from './bans.js';
import { MAX_PASSWORD, Password } from './password.js';
import { PlaceLimit, placeOf } from './place.js';
import { Tokens } from './tokens.js';

/** The attempts at passwords that one place has at once, and how many a second after that. */
const ATTEMPTS = Object.freeze({ atOnce: 5, perSecond: 1 / 30 });

/** The hashes that are computed at once: each takes a thread of four, and memory. */
const MAX_HASHING = 2;

/** Who may come in: tokens, passwords and bans of all rooms of a server. */
export class Access {
  #tokens;
  #clock;
  #attempts = new PlaceLimit(ATTEMPTS);
  #hashing = 0;

  /**
   * @param {object} options
   * @param {ReadonlyArray<string> | null} [options.keys]  null where joining needs no token
   * @param {Clock} options.clock
   * @param {() => number} [options.wallNow]  milliseconds since 1970
   */
  constructor({ keys = null, clock, wallNow = Date.now }) {
    this.#tokens = keys && new Tokens(keys, wallNow);
    this.#clock = clock;
    this.bans = new Bans(wallNow);
  }

  /** Whether joining needs a token. */
  get keyed() {
    return this.#tokens !== null;
  }

  /**
   * An entrant of whom nothing is known but the address.
   * @param {string} peer  as a session has it
   * @returns {Entrant}
   */
  stranger(peer) {
    return { grant: null, identity: null, name: '', place: placeOf(peer), password: null };
  }

  /**
   * @param {string} peer
   * @param {{ token?: string, room: string, mirror?: boolean }} wish
   * @returns {Promise<Entrant | ErrorCode>}
   */
  async identify(peer, { token, room, mirror = false }) {
    const stranger = this.stranger(peer);
    if (this.#tokens === null) return stranger;
    const bearer = await this.#tokens.read(token, mirror ? null : room);
    return typeof bearer === 'string' ? bearer : { ...stranger, ...bearer };
  }

  /**
   * Checks a password that somebody gives. Attempts are limited by place.
   * @param {Password} password  the room's
   * @param {string | undefined} text
   * @param {string} place
   * @returns {Promise<ErrorCode | null>} null where it is the right one
   */
  async checkPassword(password, text, place) {
    if (text === undefined || text === '') return 'password-needed';
    if (text.length > MAX_PASSWORD) return 'password-wrong';
    if (this.#hashing >= MAX_HASHING || this.#attempts.take(place, this.#clock.now()) > 0) return 'password-attempts';
    return (await this.#hash(() => password.is(text))) ? null : 'password-wrong';
  }

  /**
   * @param {string} text
   * @returns {Promise<Password | ErrorCode>}
   */
  async newPassword(text) {
    if (this.#hashing >= MAX_HASHING) return 'password-attempts';
    return this.#hash(() => Password.of(text));
  }

  /**
   * @template T
   * @param {() => Promise<T>} run
   */
  async #hash(run) {
    this.#hashing += 1;
    try {
      return await run();
    } finally {
      this.#hashing -= 1;
    }
  }
}
