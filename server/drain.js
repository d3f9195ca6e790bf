/**
 * @import { Clock } from '../public/shared/clock.js'
 * @import { Cluster } from './cluster/cluster.js'
 * @import { RoomsByThread } from './host/rooms-by-thread.js'
 * @import { Relays } from './relay/relays.js'
 */

import { settlesWithin } from './timers.js';

/** Interval between checks for remaining people, in milliseconds. */
const LOOK_MS = 250;

/**
 * Refuses newcomers, hands rooms over to other nodes if there are any, notifies the remaining
 * people, and waits until all have left. Ends in time even if a node or a worker thread doesn't
 * answer.
 * @param {Pick<RoomsByThread, 'people' | 'drain'>} rooms
 * @param {{ ms: number, clock: Clock, cluster?: Pick<Cluster, 'drain' | 'nodes'>, relays?:
 *   Pick<Relays, 'drain' | 'listeners'> }} options  ms: longest wait
 * @returns {Promise<void>}
 */
export async function drainRooms(rooms, { ms, clock, cluster, relays }) {
  const endMs = clock.now() + ms;
  const drained = async () => {
    // The other half is for the people who stay: they must be notified.
    if (cluster) await settlesWithin(clock, ms / 2, cluster.drain());
    relays?.drain(cluster?.nodes() ?? []);
    await rooms.drain(Math.round((endMs - clock.now()) / 1000));
    while ((await rooms.people()) + (relays?.listeners ?? 0) > 0 && clock.now() < endMs) {
      await new Promise(
        (/** @type {(looked: void) => void} */ resolve) =>
          void clock.setTimeout(() => resolve(), LOOK_MS),
      );
    }
  };
  await settlesWithin(clock, ms, drained());
}
