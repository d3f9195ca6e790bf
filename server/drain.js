/**
 * @import { Clock } from '../public/shared/clock.js'
 * @import { Cluster } from './cluster/cluster.js'
 * @import { Rooms } from './room/rooms.js'
 */

import { repeat } from './timers.js';

/** The interval at which it is looked whether anybody is still there, in milliseconds. */
const LOOK_MS = 250;

/**
 * Lets nobody new in, hands rooms over to other nodes where there are any, tells those who stay, and waits until all have
 * left.
 * @param {Pick<Rooms, 'people' | 'drain'>} rooms
 * @param {{ ms: number, clock: Clock, cluster?: Pick<Cluster, 'drain'> }} options  ms: the longest wait
 * @returns {Promise<void>}
 */
export async function drainRooms(rooms, { ms, clock, cluster }) {
  const end = clock.now() + ms;
  if (cluster) await cluster.drain();
  rooms.drain(Math.round(ms / 1000));
  await new Promise((/** @type {(done: void) => void} */ resolve) => {
    if (rooms.people === 0) return resolve();
    const stop = repeat(clock, LOOK_MS, () => {
      if (rooms.people > 0 && clock.now() < end) return;
      stop();
      resolve();
    });
  });
}
