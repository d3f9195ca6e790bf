/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Entrant } from '../access/grants.js'
 * @import { Session } from '../transport/session.js'
 * @import { JoinMessage } from './commands.js'
 * @import { Rooms } from './rooms.js'
 */

import { composed, nameError, tidyName } from '../../public/shared/text.js';
import { stackOf } from '../log.js';
import { readJoin } from './commands.js';
import { refuse } from './refuse.js';

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
    const { access } = this.#rooms;
    const room = wish.mirror ? undefined : this.#rooms.get(wish.room);
    const needsProof = (access.keyed || room?.moderation.password) && !room?.keepsPlace(wish.resume);
    if (!needsProof) return this.#enter(session, wish, access.stranger(session.peer));
    let isGone = false;
    // What comes before the answer is dropped, as before the join.
    session.handler = { packet: () => {}, control: () => {}, closed: () => void (isGone = true) };
    this.#prove(session, wish).then(
      (entrant) => {
        if (isGone) return;
        if (typeof entrant === 'string') refuse(session, entrant);
        else this.#enter(session, wish, entrant);
      },
      (error) => this.#failed(session, error),
    );
  }

  /**
   * Checks the token, and the room's password.
   * @param {Session} session
   * @param {JoinMessage} wish
   * @returns {Promise<Entrant | ErrorCode>}
   */
  async #prove({ peer }, wish) {
    const { access } = this.#rooms;
    const entrant = await access.identify(peer, wish);
    const moderation = wish.mirror ? undefined : this.#rooms.get(wish.room)?.moderation;
    if (typeof entrant === 'string' || !moderation?.password) return entrant;
    // Whoever isn't let in anyway needs no hash.
    const refusal = moderation.refusal(entrant);
    if (refusal !== 'password-needed') return refusal ?? entrant;
    const { password } = moderation;
    return (await access.checkPassword(password, wish.password, entrant.place)) ?? { ...entrant, password };
  }

  /**
   * @param {Session} session
   * @param {JoinMessage} wish
   * @param {Entrant} entrant
   */
  #enter(session, { room, name: asked, token: _token, password: _password, ...wishes }, entrant) {
    const name = entrant.name || asked;
    const wrong = nameError(name);
    if (wrong) return refuse(session, wrong);
    const tidy = tidyName(name);
    const nameCut = tidy.length < composed(name).trim().length;
    try {
      const joined = this.#rooms.join(room, tidy, session, { ...wishes, nameCut }, entrant);
      if (typeof joined === 'string') refuse(session, joined);
    } catch (error) {
      this.#failed(session, error);
    }
  }

  /**
   * @param {Session} session
   * @param {unknown} error
   */
  #failed(session, error) {
    this.#log.error(`a participant could not join: ${stackOf(error)}`);
    refuse(session, 'internal');
  }
}
