/** @import { Nearness } from '../../shared/nearness.js' */

import { NEAR_MS, STEADY_MS } from '../../shared/nearness.js';

/**
 * What playing may be later than planned, in milliseconds: a frame is heard as a whole, and the
 * delay isn't kept to the millisecond.
 */
const MARGIN_MS = 25;

/**
 * The shortest time that sound waits at a `near` listener, in milliseconds: packets of 60 ms, and
 * some jitter.
 */
const LEAST_MS = 70;

/**
 * @param {Nearness} nearness
 * @param {number} otherMs by which sound is late for other reasons, its way not counted, in
 *   milliseconds
 * @returns {number | null} for how long sound waits for what is late or lost, in milliseconds;
 *   null: as long as the jitter asks
 */
export function playoutMsOf(nearness, otherMs) {
  if (nearness === 'steady') return STEADY_MS;
  return nearness === 'near' ? Math.max(LEAST_MS, NEAR_MS - MARGIN_MS - otherMs) : null;
}
