/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Session } from '../transport/session.js'
 * @import { Rooms } from './rooms.js'
 */

import { errors } from '../../public/shared/errors.js';
import { countRefusal } from '../counts.js';
import { stackOf } from '../log.js';
import { readJoin } from './commands.js';

/** How long a session may take to ask to join, in milliseconds. */
const JOIN_TIMEOUT_MS = 10_000;

/** Of each time this long joins take no more than that, in milliseconds: those that come all at once wait for their turn. */
const WINDOW_MS = 20;
const MOST_IN_WINDOW_MS = 5;

/** The place where sessions arrive: waits for each one's `join`, and hands it to a room. */
export class Arrivals {
  #rooms;
  #clock;
  #log;
  #windowMs = -Infinity;
  #spentMs = 0;
  /** Joins that wait for their turn, the oldest first. @type {Map<Session, unknown>} */
  #waiting = new Map();
  /** Refusals by code. @type {Map<ErrorCode, number>} */
  #refused = new Map();
  #joined = 0;

  /**
   * @param {object} options
   * @param {Rooms} options.rooms
   * @param {Clock} options.clock
   * @param {{ error: (message: string) => void }} options.log
   */
  constructor({ rooms, clock, log }) {
    this.#rooms = rooms;
    this.#clock = clock;
    this.#log = log;
    /** @type {(session: Session) => void} */
    this.accept = (session) => this.#accept(session);
  }

  /** @param {Session} session */
  #accept(session) {
    const timer = this.#clock.setTimeout(() => this.#refuse(session, 'join-timeout'), JOIN_TIMEOUT_MS);
    session.handler = {
      // Audio that overtakes its own join is of no use to anybody.
      packet: () => {},
      control: (message) => {
        this.#clock.clearTimeout(timer);
        // Messages that overtake the answer are of no use either.
        if (!this.#waiting.has(session)) this.#takeTurn(session, message);
      },
      closed: () => {
        this.#clock.clearTimeout(timer);
        this.#waiting.delete(session);
      },
    };
  }

  /** How many have joined, and how many were refused, by code. */
  stats() {
    return { joined: this.#joined, refused: Object.fromEntries(this.#refused), waiting: this.#waiting.size };
  }

  /**
   * Does a join at once, or in a later window where this one's time is used up.
   * @param {Session} session
   * @param {unknown} message
   */
  #takeTurn(session, message) {
    const now = this.#clock.now();
    if (now - this.#windowMs >= WINDOW_MS) {
      this.#windowMs = now;
      this.#spentMs = 0;
    }
    if (this.#waiting.size === 0 && this.#spentMs < MOST_IN_WINDOW_MS) {
      this.#joinNow(session, message);
      return;
    }
    this.#waiting.set(session, message);
    if (this.#waiting.size === 1) this.#later();
  }

  #later() {
    this.#clock.setTimeout(() => this.#goOn(), Math.max(0, this.#windowMs + WINDOW_MS - this.#clock.now()));
  }

  /** Does the joins that wait, as many as the window has time for. */
  #goOn() {
    this.#windowMs = this.#clock.now();
    this.#spentMs = 0;
    for (const [session, message] of this.#waiting) {
      if (this.#spentMs >= MOST_IN_WINDOW_MS) break;
      this.#waiting.delete(session);
      this.#joinNow(session, message);
    }
    if (this.#waiting.size > 0) this.#later();
  }

  /**
   * @param {Session} session
   * @param {unknown} message
   */
  #joinNow(session, message) {
    const startMs = this.#clock.now();
    this.#join(session, message);
    this.#spentMs += this.#clock.now() - startMs;
  }

  /**
   * @param {Session} session
   * @param {unknown} message
   */
  #join(session, message) {
    const wish = readJoin(message);
    if (typeof wish === 'string') return this.#refuse(session, wish);
    const { room, name, ...wishes } = wish;
    try {
      const joined = this.#rooms.join(room, name, session, wishes);
      if (typeof joined === 'string') this.#refuse(session, joined);
      else this.#joined += 1;
    } catch (error) {
      this.#log.error(`a participant could not join: ${stackOf(error)}`);
      this.#refuse(session, 'internal');
    }
  }

  /**
   * @param {Session} session
   * @param {ErrorCode} code
   */
  #refuse(session, code) {
    countRefusal('join', code);
    this.#refused.set(code, (this.#refused.get(code) ?? 0) + 1);
    const { close, message } = errors[code];
    session.sendControl({ type: 'refused', code, message });
    session.close(close, message);
  }
}
