/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Entrant } from '../access/grants.js'
 * @import { Session } from '../transport/session.js'
 * @import { JoinWishes } from './room-config.js'
 *
 * @typedef {object} Knock  one who waits in the lobby to be let in
 * @property {string} id
 * @property {string} name
 * @property {Session} session
 * @property {JoinWishes} wishes
 * @property {Entrant} entrant
 * @property {unknown} timer
 */

import { PlaceLimit } from '../access/place.js';
import { refuse } from './refuse.js';

/** The most who wait at once. */
const MAX_WAITING = 50;

/** How often people of one place may knock. */
const KNOCKS = Object.freeze({ atOnce: 10, perSecond: 1 / 20 });

/** How long one waits for an answer, in milliseconds. */
const PATIENCE_MS = 10 * 60_000;

/** The shortest time between two messages to the moderators, in milliseconds: many may knock at once. */
const TELL_MS = 300;

/** The people in front of a room's door. */
export class Knocks {
  #clock;
  #tell;
  #limit = new PlaceLimit(KNOCKS);
  /** @type {Map<string, Knock>} */
  #waiting = new Map();
  #next = 1;
  /** @type {unknown} */
  #timer = null;

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {() => void} options.tell  tells the moderators who waits
   */
  constructor({ clock, tell }) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** Those who wait, as moderators are told of them, the first first. */
  list() {
    return [...this.#waiting.values()].map(({ id, name }) => ({ id, name }));
  }

  /**
   * Takes somebody in who wants to come in. The session is told that it waits.
   * @param {Session} session
   * @param {string} name
   * @param {JoinWishes} wishes
   * @param {Entrant} entrant
   * @returns {Knock | ErrorCode}
   */
  add(session, name, wishes, entrant) {
    const isFull = this.#waiting.size >= MAX_WAITING || this.#limit.take(entrant.place, this.#clock.now()) > 0;
    if (isFull) return 'lobby-full';
    const id = String(this.#next++);
    const timer = this.#clock.setTimeout(() => this.refuse(id, 'knock-timeout'), PATIENCE_MS);
    const knock = { id, name, session, wishes, entrant, timer };
    this.#waiting.set(id, knock);
    session.handler = { packet: () => {}, control: () => {}, closed: () => void this.take(id) };
    session.sendControl({ type: 'knocking' });
    this.#tellSoon();
    return knock;
  }

  /**
   * @param {string} id
   * @returns {Knock | null} who doesn't wait any more; null when nobody of this id did
   */
  take(id) {
    const knock = this.#waiting.get(id);
    if (!knock) return null;
    this.#waiting.delete(id);
    this.#clock.clearTimeout(knock.timer);
    this.#tellSoon();
    return knock;
  }

  /**
   * @param {string} id
   * @param {ErrorCode} code
   * @returns {boolean} false when nobody of this id waits
   */
  refuse(id, code) {
    const knock = this.take(id);
    if (!knock) return false;
    refuse(knock.session, code);
    return true;
  }

  #tellSoon() {
    this.#timer ??= this.#clock.setTimeout(() => {
      this.#timer = null;
      this.#tell();
    }, TELL_MS);
  }

  /** Turns everybody away. Idempotent. @param {ErrorCode} code */
  close(code) {
    for (const id of [...this.#waiting.keys()]) this.refuse(id, code);
    this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
  }
}
