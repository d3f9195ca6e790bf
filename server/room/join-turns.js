/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Session } from '../transport/session.js'
 */

/** Of each time this long joins take no more than that, in milliseconds: those that come all at once wait for their turn. */
const WINDOW_MS = 20;
const MOST_IN_WINDOW_MS = 5;

/** Joins that come all at once take turns, so that the rooms' sound goes on meanwhile. */
export class JoinTurns {
  #clock;
  #windowMs = -Infinity;
  #spentMs = 0;
  /** What waits for its turn, the oldest first. @type {Map<Session, () => void>} */
  #waiting = new Map();

  /** @param {Clock} clock */
  constructor(clock) {
    this.#clock = clock;
  }

  /** How many wait. */
  get waiting() {
    return this.#waiting.size;
  }

  /** @param {Session} session */
  isWaiting(session) {
    return this.#waiting.has(session);
  }

  /**
   * Does a join at once, or in a later window where this one's time is used up.
   * @param {Session} session
   * @param {() => void} join
   */
  take(session, join) {
    const now = this.#clock.now();
    if (now - this.#windowMs >= WINDOW_MS) {
      this.#windowMs = now;
      this.#spentMs = 0;
    }
    if (this.#waiting.size === 0 && this.#spentMs < MOST_IN_WINDOW_MS) {
      this.#run(join);
      return;
    }
    this.#waiting.set(session, join);
    if (this.#waiting.size === 1) this.#later();
  }

  /** @param {Session} session that has ended */
  forget(session) {
    this.#waiting.delete(session);
  }

  #later() {
    this.#clock.setTimeout(() => this.#goOn(), Math.max(0, this.#windowMs + WINDOW_MS - this.#clock.now()));
  }

  /** Does the joins that wait, as many as the window has time for. */
  #goOn() {
    this.#windowMs = this.#clock.now();
    this.#spentMs = 0;
    for (const [session, join] of this.#waiting) {
      if (this.#spentMs >= MOST_IN_WINDOW_MS) break;
      this.#waiting.delete(session);
      this.#run(join);
    }
    if (this.#waiting.size > 0) this.#later();
  }

  /** @param {() => void} join */
  #run(join) {
    const startMs = this.#clock.now();
    join();
    this.#spentMs += this.#clock.now() - startMs;
  }
}
