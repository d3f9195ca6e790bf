/**
 * @import { Bans } from '../access/bans.js'
 * @import { Host, HostAct, HostState, RoomAct } from './host-acts.js'
 *
 * @typedef {object} HostHandle  a room host, wherever it runs
 * @property {(act: HostAct, ...args: any[]) => Promise<any>} call does one of HOST_ACTS; rejects
 *   where the host has ended
 */

import { HOST_ACTS } from './host-acts.js';

/** The handle of a host on this thread. @implements {HostHandle} */
export class LocalHandle {
  #host;

  /** @param {Host} host */
  constructor(host) {
    this.#host = host;
  }

  /** @param {HostAct} act @param {any[]} args */
  async call(act, ...args) {
    return /** @type {(...all: any[]) => unknown} */ (HOST_ACTS[act])(this.#host, ...args);
  }
}

/**
 * All rooms of a server, on whichever threads: whoever asks something of a room or of all needn't
 * know where they are.
 */
export class Directory {
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
   *   [workers] find: the one that has a room
   */
  constructor(own, { handles = [], find = () => null } = {}) {
    this.#own = new LocalHandle(own);
    this.#workers = handles;
    this.#find = find;
    this.bans = own.rooms.bans;
  }

  /**
   * Does something in a room.
   * @param {string} room  its name
   * @param {RoomAct} act
   * @param {any[]} args
   * @returns {Promise<any>} 'not-found' where there is no such room
   */
  async inRoom(room, act, ...args) {
    const handle = this.#find(room) ?? this.#own;
    try {
      return await handle.call('inRoom', room, act, ...args);
    } catch (error) {
      if (error instanceof HostGoneError) return 'not-found';
      throw error;
    }
  }

  /**
   * Asks every host. One that ends meanwhile is left out.
   * @param {HostAct} act
   * @param {any[]} args
   * @returns {Promise<any[]>}
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

  /** How many people are in all rooms. @returns {Promise<number>} */
  async people() {
    return (await this.all('people')).reduce((sum, count) => sum + count, 0);
  }

  /** What all hosts hold and cost. @returns {Promise<HostState[]>} */
  states() {
    return this.all('state');
  }

  /** Lets nobody new in, and tells everybody. @param {number} seconds  until the rooms are ended */
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
   * @returns {Promise<'not-found' | 'bad-request' | null>} why it isn't taken
   */
  async putTrackPiece(id, number, bytes) {
    const answers = await this.all('putTrackPiece', id, number, bytes);
    const answer = answers.find((one) => one !== 'not-found');
    return answer === undefined ? 'not-found' : answer;
  }
}

/** A host has ended before it answered. */
export class HostGoneError extends Error {
  constructor() {
    super('the worker has ended');
    this.name = 'HostGoneError';
  }
}
