/**
 * @import { Clock } from '../public/shared/clock.js'
 * @import { Cluster } from './cluster/cluster.js'
 * @import { Directory } from './host/directory.js'
 * @import { Relays } from './relay/relays.js'
 */

import { settlesWithin } from './timers.js';

/** The interval at which it is looked whether anybody is still there, in milliseconds. */
const LOOK_MS = 250;

/**
 * Lets nobody new in, hands rooms over to other nodes where there are any, tells those who stay,
 * and waits until all have left. Ends in time even if a node or a worker thread doesn't answer.
 * @param {Pick<Directory, 'people' | 'drain'>} rooms
 * @param {{ ms: number, clock: Clock, cluster?: Pick<Cluster, 'drain' | 'nodes'>, relays?:
 *   Pick<Relays, 'drain' | 'listeners'> }} options ms: the longest wait
 * @returns {Promise<void>}
 */
export async function drainRooms(rooms, { ms, clock, cluster, relays }) {
  const endMs = clock.now() + ms;
  const drained = async () => {
    // The other half is for those who stay: they have to learn of it.
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
