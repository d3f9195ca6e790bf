/**
 * @import { ErrorCode } from '../../../public/shared/errors.js'
 * @import { StageState } from '../../state/portable-state.js'
 * @import { RoomMode } from '../sound/mode.js'
 * @import { Entry } from './rules.js'
 */

import { randomBytes, timingSafeEqual } from 'node:crypto';

/** Random bytes in a stage's key. */
const KEY_BYTES = 16;

/**
 * The stage of a room that is a broadcast: a newcomer without an invitation only listens.
 * Moderators, speakers with a token, people who know the stage's key, and the first speaker come
 * onto it.
 */
export class Stage {
  #mode;
  #wallNow;
  #onLive;
  /** Null unless the room is a broadcast. @type {StageState | null} */
  #state = null;

  /**
   * @param {object} options
   * @param {boolean} options.on  true: the room begins as a broadcast
   * @param {Pick<RoomMode, 'setBroadcast'>} options.mode
   * @param {() => number} options.wallNow  milliseconds since 1970
   * @param {(isLive: boolean) => void} [options.onLive]  called when a broadcast begins or ends
   */
  constructor({ on, mode, wallNow, onLive = () => {} }) {
    this.#mode = mode;
    this.#wallNow = wallNow;
    this.#onLive = onLive;
    if (on) this.#begin(null);
  }

  /** True in a broadcast. */
  get isOn() {
    return this.#state !== null;
  }

  /** True once a person has been on stage. */
  get isLive() {
    return this.#state !== null && this.#state.since !== null;
  }

  /** Admits its bearer to the stage; empty without a broadcast. */
  get key() {
    return this.#state?.key ?? '';
  }

  /**
   * The stage, as everybody in the room sees it.
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
   * Begins the broadcast, with all present members on stage, or ends it.
   * @param {boolean} on
   * @returns {ErrorCode | null} why it can't be one
   */
  set(on) {
    const wasLive = this.isLive;
    const refusal = on ? this.#begin(this.#wallNow()) : this.#end();
    if (this.isLive !== wasLive) this.#onLive(this.isLive);
    return refusal;
  }

  /** @returns {null} */
  #end() {
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
   * Makes a listener of a newcomer who isn't invited to the stage.
   * @param {Entry} entry
   * @param {string} [key]  the newcomer's
   * @returns {Entry}
   */
  cast(entry, key) {
    const { grant } = entry;
    if (this.#state === null || grant.role === 'listener') return entry;
    const isInvited =
      grant.role === 'moderator' || grant.identity !== null || isSame(key, this.#state.key);
    return isInvited || !this.isLive ? entry : { ...entry, grant: { ...grant, role: 'listener' } };
  }

  /** Notes that a person is on stage. @returns {boolean} true when this begins the broadcast */
  entered() {
    if (this.#state === null || this.isLive) return false;
    this.#state.since = this.#wallNow();
    this.#onLive(true);
    return true;
  }

  /** @returns {StageState | null} */
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
 * Compares two keys in constant time.
 * @param {string | undefined} given
 * @param {string} key
 */
function isSame(given, key) {
  if (given === undefined) return false;
  const [one, other] = [Buffer.from(given), Buffer.from(key)];
  return one.length === other.length && timingSafeEqual(one, other);
}
