/**
 * What can be asked of a room host by name, with plain data both ways: the host may be another
 * thread's.
 *
 * @import { AdaptiveComplexity } from '../codec/adaptive-complexity.js'
 * @import { Arrivals } from '../room/entry/arrivals.js'
 * @import { Rooms } from '../room/rooms.js'
 * @import { ROOM_ACTS as Acts } from './room-acts.js'
 *
 * @typedef {object} Host  what the acts work with
 * @property {Rooms} rooms
 * @property {Pick<Arrivals, 'waiting'>} [arrivals]
 * @property {Pick<AdaptiveComplexity, 'complexity'>} [effort]
 * @property {() => number} [cpuMs]
 *
 * @typedef {keyof typeof Acts} RoomAct
 * @typedef {ReturnType<typeof HOST_ACTS['state']>} HostState
 */

import { counted } from '../counts.js';
import { ROOM_ACTS } from './room-acts.js';

export const HOST_ACTS = Object.freeze({
  /**
   * @param {Host} host
   * @param {string} name
   * @param {RoomAct} act
   * @param {any[]} args
   * @returns {unknown} 'not-found' where there is no such room
   */
  inRoom({ rooms }, name, act, ...args) {
    const room = rooms.get(name);
    if (!room || !Object.hasOwn(ROOM_ACTS, act)) return 'not-found';
    return /** @type {(...all: any[]) => unknown} */ (ROOM_ACTS[act])(room, ...args);
  },

  /** Whether the host's thread does anything at all. */
  beat: () => true,

  /** All rooms, for the operator. @param {Host} host */
  rooms: ({ rooms }) => [...rooms.values()].map((room) => room.view.summary()),

  /** What the host's rooms hold and cost: a part of the server's status. @param {Host} host */
  state({ rooms, arrivals, effort, cpuMs }) {
    const { delaysMs, traffic, ...figures } = rooms.figures();
    const { leftOutLines, ...counts } = counted();
    const { shortVisits, load } = rooms.stats();
    return {
      ...figures,
      ...counts,
      delaysMs,
      packets: { ...traffic },
      leftOutLogLines: leftOutLines,
      joinsWaiting: arrivals?.waiting ?? 0,
      shortVisits,
      busy: load.busy,
      reducedRooms: load.reducedRooms,
      mixCpuMs: cpuMs?.() ?? 0,
      complexity: effort?.complexity ?? 0,
    };
  },

  /**
   * @param {Host} host
   * @param {string} id
   * @param {number} number
   * @returns {Uint8Array | undefined}
   */
  trackPiece: ({ rooms }, id, number) => rooms.tracks.piece(id, number),

  /** @param {Host} host @param {string} id @param {number} number @param {Uint8Array} bytes */
  putTrackPiece: ({ rooms }, id, number, bytes) =>
    rooms.tracks.put(id, number, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)),

  /** Lets nobody new in. @param {Host} host @param {number} seconds */
  drain: ({ rooms }, seconds) => rooms.drain(seconds),

  /** How many people are in the rooms. @param {Host} host */
  people: ({ rooms }) => rooms.people,
});

/** @typedef {keyof typeof HOST_ACTS} HostAct */
