/**
 * Distance of a listener from the conversation: the nearer, the less time there is for lost or late
 * packets.
 */
export const NEARNESS = Object.freeze(/** @type {const} */ (['conversation', 'near', 'steady']));

/** @typedef {typeof NEARNESS[number]} Nearness */

/** Longest delay of a `near` listener behind the speaker without the network's, in milliseconds. */
export const NEAR_MS = 250;

/** Time that sound waits at a `steady` listener for lost or late packets, in milliseconds. */
export const STEADY_MS = 1500;

/**
 * Margin for playing later than planned, in milliseconds: a frame is heard as a whole, and the
 * delay varies.
 */
const MARGIN_MS = 25;

/**
 * Shortest time that sound waits at a `near` listener, in milliseconds: packets of 60 ms and some
 * jitter.
 */
const LEAST_MS = 70;

/**
 * Returns the playout delay of a listener.
 * @param {Nearness} nearness
 * @param {number} otherMs other delays without the network's, in milliseconds
 * @returns {number | null} time to wait for late or lost packets, in milliseconds; null: follow the
 *   jitter
 */
export function playoutMsOf(nearness, otherMs) {
  if (nearness === 'steady') return STEADY_MS;
  return nearness === 'near' ? Math.max(LEAST_MS, NEAR_MS - MARGIN_MS - otherMs) : null;
}
