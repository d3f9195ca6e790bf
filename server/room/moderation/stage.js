/**
 * @import { ErrorCode } from '../../../public/shared/errors.js'
 * @import { Entry } from './moderation.js'
 * @import { RoomMode } from '../room-mode.js'
 * @import { StageState } from '../../state/portable-state.js'
 */

import { randomBytes, timingSafeEqual } from 'node:crypto';

/** The random bytes of a stage's key. */
const KEY_BYTES = 16;

/** The longest text that is taken for a key, in characters. */
export const MAX_STAGE_KEY = 64;

/**
 * The stage of a room that is a broadcast: whoever comes without an invitation to it only listens.
 * Moderators, speakers with a token and those who know the stage's key come onto it, and so does
 * the first of those who would speak.
 */
export class Stage {
  #mode;
  #wallNow;
  /** Null where the room is no broadcast. @type {StageState | null} */
  #state = null;

  /**
   * @param {object} options
   * @param {boolean} options.on  whether the room begins as a broadcast
   * @param {Pick<RoomMode, 'setBroadcast'>} options.mode
   * @param {() => number} options.wallNow  milliseconds since 1970
   */
  constructor({ on, mode, wallNow }) {
    this.#mode = mode;
    this.#wallNow = wallNow;
    if (on) this.#begin(null);
  }

  /** Whether the room is a broadcast. */
  get isOn() {
    return this.#state !== null;
  }

  /** Whether it has begun: somebody has been on stage. */
  get isLive() {
    return this.#state !== null && this.#state.since !== null;
  }

  /** Empty where there is no broadcast. */
  get key() {
    return this.#state?.key ?? '';
  }

  /**
   * What everybody in the room is told.
   * @returns {{ broadcast: boolean, liveSeconds: number | null }}
   */
  get rules() {
    const since = this.#state?.since ?? null;
    return {
      broadcast: this.isOn,
      liveSeconds:
        since === null ? null : Math.max(0, Math.round((this.#wallNow() - since) / 1000)),
    };
  }

  /**
   * Begins the broadcast with those who are in the room on stage, or ends it.
   * @param {boolean} on
   * @returns {ErrorCode | null} why it can't be one
   */
  set(on) {
    if (on) return this.#begin(this.#wallNow());
    this.#mode.setBroadcast(false);
    this.#state = null;
    return null;
  }

  /** @param {number | null} since @returns {ErrorCode | null} */
  #begin(since) {
    const refusal = this.#mode.setBroadcast(true);
    if (refusal === null)
      this.#state = { key: randomBytes(KEY_BYTES).toString('base64url'), since };
    return refusal;
  }

  /**
   * Says as what a newcomer comes in.
   * @param {Entry} entry
   * @param {string} [key]  the one that they have
   * @returns {Entry}  a listener's where they aren't invited to the stage
   */
  cast(entry, key) {
    const { grant } = entry;
    if (this.#state === null || grant.role === 'listener') return entry;
    const isInvited =
      grant.role === 'moderator' || grant.identity !== null || isSame(key, this.#state.key);
    return isInvited || !this.isLive ? entry : { ...entry, grant: { ...grant, role: 'listener' } };
  }

  /** Somebody has come onto it. @returns {boolean} whether the broadcast has begun with them */
  entered() {
    if (this.#state === null || this.isLive) return false;
    this.#state.since = this.#wallNow();
    return true;
  }

  /** What is kept of it elsewhere. @returns {StageState | null} */
  state() {
    return this.#state && { ...this.#state };
  }

  /** @param {StageState | null} state */
  restore(state) {
    this.#state = state && this.#mode.setBroadcast(true) === null ? { ...state } : null;
    if (this.#state === null) this.#mode.setBroadcast(false);
  }
}

/**
 * Whether two keys are the same, in a time that tells nothing of them.
 * @param {string | undefined} given
 * @param {string} key
 */
function isSame(given, key) {
  if (given === undefined) return false;
  const [one, other] = [Buffer.from(given), Buffer.from(key)];
  return one.length === other.length && timingSafeEqual(one, other);
}
