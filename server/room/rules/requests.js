/**
 * @import { Clock } from '../../../public/shared/clock.js'
 * @import { ErrorCode } from '../../../public/shared/errors.js'
 * @import { ServerMessages } from '../../../public/shared/messages/server-messages.js'
 * @import { Session } from '../../session/session.js'
 * @import { Member } from '../people/member.js'
 * @import { People } from '../people/people.js'
 *
 * Requests to moderators: to come in, from the lobby, and to speak, by a raised hand.
 *
 *
 * @typedef {object} Knock
 * @property {string} id
 * @property {string} name
 * @property {Session} session
 * @property {string | null} network
 * @property {() => void} enter  lets the session into the room
 * @property {unknown} timer
 */

import { errors } from '../../../public/shared/errors.js';
import { networkOfPeer } from '../../network-address.js';
import { refuse } from '../../session/session.js';
import { isLeave } from '../commands.js';

/** Most people who wait at one room, and most of them from one network. */
const MAX_WAITING = 50;
const MAX_OF_NETWORK = 10;

/** Longest wait, in milliseconds. */
export const LOBBY_MS = 5 * 60_000;

/** People who have knocked at a room, and wait until a moderator lets them in. */
export class Lobby {
  /** @type {Map<string, Knock>} */
  #knocks = new Map();
  #clock;
  #people;
  #idleTimeoutMs;
  #next = 1;

  /**
   * @param {Clock} clock
   * @param {Pick<People, 'tellModerators'>} people
   * @param {number} idleTimeoutMs  silence of a relay after which its people have gone
   */
  constructor(clock, people, idleTimeoutMs) {
    this.#clock = clock;
    this.#people = people;
    this.#idleTimeoutMs = idleTimeoutMs;
  }

  /** The waiting people, as moderators see them, the oldest first. */
  get waiting() {
    return [...this.#knocks.values()].map(({ id, name }) => ({ id, name }));
  }

  /** Message to moderators. @returns {ServerMessages['knocks']} */
  get message() {
    return { type: 'knocks', people: this.waiting };
  }

  /** @param {string} id @returns {string | undefined} name of a waiting person */
  nameOf(id) {
    return this.#knocks.get(id)?.name;
  }

  /**
   * Makes a person wait. The lobby has their session from then on.
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
      // Any other message keeps the connection alive.
      control: (message) => void (isLeave(message) && session.close(0, 'left')),
      closed: () => void this.#take(id),
    };
    session.sendControl({ type: 'lobby', waitMs: LOBBY_MS });
    this.#tell();
    return null;
  }

  /** @param {string} id @returns {boolean} false when they have gone */
  admit(id) {
    const knock = this.#take(id);
    knock?.enter();
    return knock !== undefined;
  }

  /** @param {string} id @returns {boolean} false when they have gone */
  turnAway(id) {
    const knock = this.#take(id);
    if (knock) refuse(knock.session, 'turned-away');
    return knock !== undefined;
  }

  /**
   * Leaves out time in which this process stood still: reports of relays weren't read.
   * @param {number} lateMs
   * @param {number} now  on the monotonic clock
   */
  forgive(lateMs, now) {
    for (const { session } of this.#knocks.values())
      if (session.transport.isRelay) session.forgive?.(lateMs, now);
  }

  /** Ends the wait of people at a relay that has gone: nobody reports the end of their sessions. */
  review() {
    const since = this.#clock.now() - this.#idleTimeoutMs;
    const { close, message } = errors['idle-timeout'];
    for (const { session } of [...this.#knocks.values()])
      if (session.transport.isRelay && (session.heardMs ?? Infinity) < since)
        session.close(close, message);
  }

  admitAll() {
    for (const id of [...this.#knocks.keys()]) this.admit(id);
  }

  /** Turns everybody away. Idempotent. */
  close() {
    for (const id of [...this.#knocks.keys()]) this.turnAway(id);
  }

  /** @param {string} id */
  #take(id) {
    const knock = this.#knocks.get(id);
    if (!knock) return undefined;
    this.#knocks.delete(id);
    this.#clock.clearTimeout(knock.timer);
    this.#tell();
    return knock;
  }

  #tell() {
    this.#people.tellModerators(this.message);
  }
}

/** Shortest time between two messages about hands, in milliseconds, and most hands in one. */
const TELL_EVERY_MS = 500;
const MOST_TOLD = 50;

/** Raised hands of the audience, for moderators alone, in the order of raising. */
export class Hands {
  /** @type {Map<string, Member>} */
  #raised = new Map();
  #next = 1;
  #clock;
  #people;
  /** @type {unknown} */
  #timer = null;

  /**
   * @param {Clock} clock
   * @param {Pick<People, 'tellModerators'>} people
   */
  constructor(clock, people) {
    this.#clock = clock;
    this.#people = people;
  }

  /** Number of raised hands. */
  get size() {
    return this.#raised.size;
  }

  /** Order of the next hand, of the audience or not, which other nodes continue. */
  get next() {
    return this.#next;
  }

  /** Continues the order of another thread or node. @param {number} next */
  goOnFrom(next) {
    this.#next = Math.max(this.#next, next);
  }

  /** Takes the order of the next hand. */
  takeNext() {
    return this.#next++;
  }

  /** @param {Member} member  with a new hand, or a new part in the audience */
  moved(member) {
    if (member.hand === 0 || !member.isLight) return this.left(member);
    this.#raised.set(member.id, member);
    this.#later();
  }

  /** @param {Member} member */
  left(member) {
    if (this.#raised.delete(member.id)) this.#later();
  }

  /** Message to moderators. @returns {ServerMessages['hands']} */
  get message() {
    const first = [...this.#raised.values()].sort((a, b) => a.hand - b.hand).slice(0, MOST_TOLD);
    return {
      type: 'hands',
      count: this.size,
      people: first.map(({ id, label, hand }) => ({ id, label, hand })),
    };
  }

  #later() {
    this.#timer ??= this.#clock.setTimeout(() => {
      this.#timer = null;
      this.#people.tellModerators(this.message);
    }, TELL_EVERY_MS);
  }

  /** Idempotent. */
  close() {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
    this.#raised.clear();
  }
}
