/**
 * @import { ErrorCode } from '../../../public/shared/errors.js'
 * @import { ServerMessages } from '../../../public/shared/messages/server-messages.js'
 * @import { Member } from '../people/member.js'
 * @import { People } from '../people/people.js'
 */

import { randomBytes } from 'node:crypto';
import { isSecret } from '../../secret.js';

/** Random bytes in a stream key. */
const KEY_BYTES = 16;

/** The room's stream key, by which one program at a time sends sound to the stage. */
export class StreamKey {
  #people;
  /** @type {string | null} */
  #key = null;

  /** @param {Pick<People, 'present'>} people */
  constructor(people) {
    this.#people = people;
  }

  /** Null without one. */
  get key() {
    return this.#key;
  }

  /** The program that came by the key, or null. @returns {Member | null} */
  get sender() {
    for (const member of this.#people.present.values())
      if (member.grant.isStream && member.grant.owner === undefined) return member;
    return null;
  }

  /** @returns {ServerMessages['stream-key']} the key, for moderators */
  get message() {
    return { type: 'stream-key', key: this.#key };
  }

  /**
   * Checks the key of a program that asks to join.
   * @param {string} given
   * @returns {ErrorCode | null}
   */
  refusal(given) {
    return this.#key !== null && isSecret(given, this.#key) ? null : 'stream-key';
  }

  /** @param {boolean} on true: makes a new key; false: revokes the key */
  set(on) {
    this.#key = on ? randomBytes(KEY_BYTES).toString('base64url') : null;
  }

  /** @param {string | null} key  of another thread or node */
  restore(key) {
    this.#key = key;
  }
}
