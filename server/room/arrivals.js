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

/** The place where sessions arrive: waits for each one's `join`, and hands it to a room. */
export class Arrivals {
  #rooms;
  #clock;
  #log;

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
    const timer = this.#clock.setTimeout(() => refuse(session, 'join-timeout'), JOIN_TIMEOUT_MS);
    session.handler = {
      // Audio that overtakes its own join is of no use to anybody.
      packet: () => {},
      control: (message) => {
        this.#clock.clearTimeout(timer);
        this.#join(session, message);
      },
      closed: () => this.#clock.clearTimeout(timer),
    };
  }

  /**
   * @param {Session} session
   * @param {unknown} message
   */
  #join(session, message) {
    const wish = readJoin(message);
    if (typeof wish === 'string') return refuse(session, wish);
    const { room, name, ...wishes } = wish;
    try {
      const joined = this.#rooms.join(room, name, session, wishes);
      if (typeof joined === 'string') refuse(session, joined);
    } catch (error) {
      this.#log.error(`a participant could not join: ${stackOf(error)}`);
      refuse(session, 'internal');
    }
  }
}

/**
 * @param {Session} session
 * @param {ErrorCode} code
 */
function refuse(session, code) {
  const { close, message } = errors[code];
  countRefusal('join', code);
  session.sendControl({ type: 'refused', code, message });
  session.close(close, message);
}
