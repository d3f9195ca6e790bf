/**
 * @import { Clock } from '../public/shared/clock.js'
 * @import { Directory } from './host/directory.js'
 */

/** The interval at which it is looked whether anybody is still there, in milliseconds. */
const LOOK_MS = 250;

/**
 * Lets nobody new in, tells everybody, and waits until all have left.
 * @param {Pick<Directory, 'people' | 'drain'>} rooms
 * @param {{ ms: number, clock: Clock }} options  ms: the longest wait
 * @returns {Promise<void>}
 */
export async function drainRooms(rooms, { ms, clock }) {
  const end = clock.now() + ms;
  await rooms.drain(Math.round(ms / 1000));
  while ((await rooms.people()) > 0 && clock.now() < end) {
    await new Promise((/** @type {(looked: void) => void} */ resolve) => void clock.setTimeout(() => resolve(), LOOK_MS));
  }
}
