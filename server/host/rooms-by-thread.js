/**
 * @import { Bans } from '../access/bans.js'
 * @import { Host, HostAct, HostAnswer, HostArgs, HostState } from './host-acts.js'
 * @import { RoomAct, RoomAnswer } from './host-acts.js'
 *
 * @typedef {object} HostHandle  a room host on any thread
 * @property {<A extends HostAct>(act: A, ...args: HostArgs<A>) => Promise<HostAnswer<A>>} call
 *   does one of HOST_ACTS; rejects when the host has ended
 */

import { callAct } from './host-acts.js';

/** The handle of a host on this thread. @implements {HostHandle} */
export class LocalHandle {
  #host;

  /** @param {Host} host */
  constructor(host) {
    this.#host = host;
  }

  /** @type {HostHandle['call']} */
  async call(act, ...args) {
    return callAct(this.#host, act, args);
  }
}

/** All rooms of a server, on any thread: callers needn't know the room's thread. */
export class RoomsByThread {
  #own;
  #workers;
  #find;
  /**
   * The bans of all rooms, open or not.
   * @type {Pick<Bans, 'has' | 'list' | 'listAll' | 'remove'>}
   */
  bans;

  /**
   * @param {Host} own  the host of this thread
   * @param {{ handles?: readonly HostHandle[], find?: (room: string) => HostHandle | null }}
   *   [workers] find: returns the one that has a room
   */
  constructor(own, { handles = [], find = () => null } = {}) {
    this.#own = new LocalHandle(own);
    this.#workers = handles;
    this.#find = find;
    this.bans = own.rooms.bans;
  }

  /**
   * Does one of ROOM_ACTS.
   * @template {RoomAct} A
   * @param {string} room  its name
   * @param {A} act
   * @param {unknown[]} args
   * @returns {Promise<RoomAnswer<A>>} 'not-found' without such a room
   */
  async inRoom(room, act, ...args) {
    const handle = this.#find(room) ?? this.#own;
    try {
      const answer = await handle.call('inRoom', room, act, ...args);
      return /** @type {RoomAnswer<A>} */ (answer);
    } catch (error) {
      if (error instanceof HostGoneError) return 'not-found';
      throw error;
    }
  }

  /**
   * Asks every host. Leaves out a host that ends before it answers.
   * @template {HostAct} A
   * @param {A} act
   * @param {HostArgs<A>} args
   * @returns {Promise<HostAnswer<A>[]>}
   */
  async all(act, ...args) {
    const answers = await Promise.allSettled(
      [this.#own, ...this.#workers].map((handle) => handle.call(act, ...args)),
    );
    return answers.flatMap((answer) => {
      if (answer.status === 'fulfilled') return [answer.value];
      if (answer.reason instanceof HostGoneError) return [];
      throw answer.reason;
    });
  }

  /** All rooms, for the operator. @returns {Promise<object[]>} */
  async rooms() {
    return (await this.all('rooms')).flat();
  }

  /** Number of people in all rooms. @returns {Promise<number>} */
  async people() {
    return (await this.all('people')).reduce((sum, count) => sum + count, 0);
  }

  /** Status of all hosts. @returns {Promise<HostState[]>} */
  states() {
    return this.all('state');
  }

  /** Refuses newcomers, and notifies all. @param {number} seconds  until the rooms are ended */
  async drain(seconds) {
    await this.all('drain', seconds);
  }

  /**
   * @param {string} id  of a backing track
   * @param {number} number  of its piece
   * @returns {Promise<Uint8Array | undefined>}
   */
  async trackPiece(id, number) {
    return (await this.all('trackPiece', id, number)).find((piece) => piece !== undefined);
  }

  /**
   * @param {string} id
   * @param {number} number
   * @param {Uint8Array} bytes
   * @returns {Promise<'not-found' | 'bad-request' | null>} the reason to refuse it
   */
  async putTrackPiece(id, number, bytes) {
    const answers = await this.all('putTrackPiece', id, number, bytes);
    const answer = answers.find((one) => one !== 'not-found');
    return answer === undefined ? 'not-found' : answer;
  }
}

/** Thrown when a host ends before it has answered. */
export class HostGoneError extends Error {
  constructor() {
    super('the worker has ended');
    this.name = 'HostGoneError';
  }
}
