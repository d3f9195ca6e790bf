/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Participant } from './member.js'
 *
 * @typedef {object} Place
 * @property {Participant} holder
 * @property {string} digest   of its token
 * @property {unknown} timer   frees the place while its holder is away
 */

import { createHash, randomBytes } from 'node:crypto';

/** A token that can't be guessed: 128 bits of chance. */
const TOKEN_BYTES = 16;

/** How long the place of somebody who was lost is kept, in milliseconds. */
const AWAY_MS = 30_000;

/**
 * The places of a room. Each has a token, which its holder alone is told and with which another
 * session takes the place up again. Who is lost stays away for a while before the place is freed.
 */
export class Places {
  #clock;
  #awayMs;
  #onFreed;
  /** @type {Map<string, Place>} by the holder's id */
  #places = new Map();
  /** By the token's digest, so that how long a search takes tells nothing of a token. @type {Map<string, Place>} */
  #byDigest = new Map();
  /** @type {Set<Participant>} */
  #away = new Set();

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {number} [options.awayMs]  how long a place waits for its holder
   * @param {(holder: Participant) => void} options.onFreed  the holder has been away for so long
   */
  constructor({ clock, awayMs = AWAY_MS, onFreed }) {
    this.#clock = clock;
    this.#awayMs = awayMs;
    this.#onFreed = onFreed;
  }

  /** Those whose place waits for them. @returns {ReadonlySet<Participant>} */
  get away() {
    return this.#away;
  }

  /**
   * @param {string | undefined} token
   * @returns {Participant | null} whose place it is; null when it is nobody's any more
   */
  holder(token) {
    return token === undefined ? null : (this.#byDigest.get(digestOf(token))?.holder ?? null);
  }

  /**
   * Gives a participant a place, or the one of the same id that the token is for.
   * @param {Participant} participant
   * @param {string} [token]
   * @returns {string} the place's token
   */
  take(participant, token = randomBytes(TOKEN_BYTES).toString('base64url')) {
    this.free(participant.id);
    const digest = digestOf(token);
    const place = { holder: participant, digest, timer: null };
    this.#places.set(participant.id, place);
    this.#byDigest.set(digest, place);
    return token;
  }

  /**
   * The holder was lost: its place waits.
   * @param {Participant} holder
   */
  wait(holder) {
    const place = this.#places.get(holder.id);
    if (!place) return;
    this.#away.add(holder);
    place.timer = this.#clock.setTimeout(() => {
      this.free(holder.id);
      this.#onFreed(holder);
    }, this.#awayMs);
  }

  /** @param {string} id */
  free(id) {
    const place = this.#places.get(id);
    if (!place) return;
    this.#clock.clearTimeout(place.timer);
    this.#away.delete(place.holder);
    this.#places.delete(id);
    this.#byDigest.delete(place.digest);
  }

  /** Frees all. Idempotent. */
  close() {
    for (const id of [...this.#places.keys()]) this.free(id);
  }
}

/** @param {string} token */
const digestOf = (token) => createHash('sha256').update(token).digest('base64');
