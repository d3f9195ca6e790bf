/**
 * @import { Clock } from '../../../public/shared/clock.js'
 * @import { ErrorCode } from '../../../public/shared/errors.js'
 * @import { Session } from '../../transport/session.js'
 *
 * @typedef {object} Knock
 * @property {string} id
 * @property {string} name
 * @property {Session} session
 * @property {string | null} network
 * @property {() => void} enter  lets the session into the room
 * @property {unknown} timer
 */

import { networkOfPeer } from '../../network-address.js';
import { refuse } from '../../transport/session.js';
import { isLeave } from '../commands.js';

/** The most people who wait before one room, and the most of them from one network. */
const MAX_WAITING = 50;
const MAX_OF_NETWORK = 10;

/** How long one may wait, in milliseconds. */
export const LOBBY_MS = 5 * 60_000;

/** Those who have knocked at a room, and wait for a moderator to let them in. */
export class Lobby {
  /** @type {Map<string, Knock>} */
  #knocks = new Map();
  #clock;
  #changed;
  #next = 1;

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {() => void} options.changed  somebody came or went
   */
  constructor({ clock, changed }) {
    this.#clock = clock;
    this.#changed = changed;
  }

  /** Those who wait, as moderators are told of them, the first first. */
  get people() {
    return [...this.#knocks.values()].map(({ id, name }) => ({ id, name }));
  }

  /**
   * Has somebody wait. Their session is the lobby's from then on.
   * @param {Session} session
   * @param {string} name
   * @param {() => void} enter  called when they are let in
   * @returns {ErrorCode | null}
   */
  knock(session, name, enter) {
    const network = networkOfPeer(session.peer);
    const neighbours = [...this.#knocks.values()].filter(
      (knock) => network !== null && knock.network === network,
    );
    if (this.#knocks.size >= MAX_WAITING || neighbours.length >= MAX_OF_NETWORK)
      return 'lobby-full';
    const id = String(this.#next++);
    const timer = this.#clock.setTimeout(() => this.turnAway(id), LOBBY_MS);
    this.#knocks.set(id, { id, name, session, network, enter, timer });
    session.handler = {
      packet: () => {},
      // Whatever else comes keeps the connection alive.
      control: (message) => void (isLeave(message) && session.close(0, 'left')),
      closed: () => void this.#take(id),
    };
    session.sendControl({ type: 'lobby', waitMs: LOBBY_MS });
    this.#changed();
    return null;
  }

  /** @param {string} id @returns {boolean} whether they were there still */
  admit(id) {
    const knock = this.#take(id);
    knock?.enter();
    return knock !== undefined;
  }

  /** @param {string} id @returns {boolean} whether they were there still */
  turnAway(id) {
    const knock = this.#take(id);
    if (knock) refuse(knock.session, 'turned-away');
    return knock !== undefined;
  }

  /** Lets everybody in who waits. */
  admitAll() {
    for (const id of [...this.#knocks.keys()]) this.admit(id);
  }

  /** The room has ended. Idempotent. */
  close() {
    for (const id of [...this.#knocks.keys()]) this.turnAway(id);
  }

  /** @param {string} id */
  #take(id) {
    const knock = this.#knocks.get(id);
    if (!knock) return undefined;
    this.#knocks.delete(id);
    this.#clock.clearTimeout(knock.timer);
    this.#changed();
    return knock;
  }
}
