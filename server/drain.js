/**
 * @import { Clock } from '../public/shared/clock.js'
 * @import { Rooms } from './room/rooms.js'
 */

import { repeat } from './timers.js';

/** The interval at which it is looked whether anybody is still there, in milliseconds. */
const LOOK_MS = 250;

/**
 * Lets nobody new in, tells everybody, and waits until all have left.
 * @param {Pick<Rooms, 'people' | 'drain'>} rooms
 * @param {{ ms: number, clock: Clock }} options  ms: the longest wait
 * @returns {Promise<void>}
 */
export function drainRooms(rooms, { ms, clock }) {
  const end = clock.now() + ms;
  rooms.drain(Math.round(ms / 1000));
  return new Promise((resolve) => {
    if (rooms.people === 0) return resolve();
    const stop = repeat(clock, LOOK_MS, () => {
      if (rooms.people > 0 && clock.now() < end) return;
      stop();
      resolve();
    });
  });
}
