/**
 * Acts of a room host, called by name with plain data both ways: the host may be on another thread.
 *
 * @import { AdaptiveComplexity } from '../codec/adaptive-complexity.js'
 * @import { Arrivals } from './arrivals.js'
 * @import { Rooms } from './rooms.js'
 * @import { ROOM_ACTS as Acts } from './room-acts.js'
 *
 * @typedef {object} Host  the objects of a host that its acts use
 * @property {Rooms} rooms
 * @property {Pick<Arrivals, 'waiting'>} [arrivals]
 * @property {Pick<AdaptiveComplexity, 'complexity'>} [effort]
 * @property {() => number} [cpuMs]
 *
 * @typedef {keyof typeof Acts} RoomAct
 * @typedef {ReturnType<typeof HOST_ACTS['state']>} HostState
 */

/**
 * @template {RoomAct} A
 * @typedef {ReturnType<typeof Acts[A]> | 'not-found'} RoomAnswer
 */
/**
 * Arguments of an act, without the host, and its answer.
 * @template {HostAct} A
 * @typedef {Parameters<typeof HOST_ACTS[A]> extends [unknown, ...infer Rest] ? Rest : []} HostArgs
 */
/**
 * @template {HostAct} A
 * @typedef {ReturnType<typeof HOST_ACTS[A]>} HostAnswer
 */

import { counted } from '../counts.js';
import { summaryOf } from '../room/view.js';
import { ROOM_ACTS } from './room-acts.js';

export const HOST_ACTS = Object.freeze({
  /**
   * @param {Host} host
   * @param {string} name
   * @param {RoomAct} act
   * @param {unknown[]} args
   * @returns {unknown} 'not-found' without such a room
   */
  inRoom({ rooms }, name, act, ...args) {
    const room = rooms.get(name);
    if (!room || !Object.hasOwn(ROOM_ACTS, act)) return 'not-found';
    return /** @type {(...all: unknown[]) => unknown} */ (ROOM_ACTS[act])(room, ...args);
  },

  /** Answers while the host's thread is alive. */
  beat: () => true,

  /** All rooms, for the operator. @param {Host} host */
  rooms: ({ rooms }) => [...rooms.values()].map((room) => summaryOf(room)),

  /** The host's part of the server's status. @param {Host} host */
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

  /** Refuses newcomers. @param {Host} host @param {number} seconds */
  drain: ({ rooms }, seconds) => rooms.drain(seconds),

  /** Number of people in the rooms. @param {Host} host */
  people: ({ rooms }) => rooms.people,
});

/** @typedef {keyof typeof HOST_ACTS} HostAct */

/**
 * @template {HostAct} A
 * @param {Host} host
 * @param {A} act
 * @param {HostArgs<A>} args
 * @returns {HostAnswer<A>}
 */
export function callAct(host, act, args) {
  const run = /** @type {(...all: unknown[]) => unknown} */ (HOST_ACTS[act]);
  return /** @type {HostAnswer<A>} */ (run(host, ...args));
}
