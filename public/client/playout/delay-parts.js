/**
 * @import { ClockSync } from '../clock/clock-sync.js'
 *
 * @typedef {object} DelayParts  in milliseconds
 * @property {number} frameMs        a frame is sent when it is over
 * @property {number} wayMs          of delivery `tick`: the way down, since the server's delay holds the way up
 * @property {number} serverDelayMs
 * @property {number} playoutMs      what waits for jitter
 * @property {number} outputMs       what waits for the sound card
 */

/**
 * What the sound that is heard has waited for.
 * @param {Record<string, any>} welcome  the server's
 * @param {ClockSync} sync
 * @param {{ playoutMs: number, outputMs: number }} waits  in the client
 * @returns {DelayParts}
 */
export function delayPartsOf({ delivery, serverDelayMs, format }, sync, waits) {
  const roundTrip = sync.leastRoundTripMs ?? 0;
  // In `tick` the server's delay holds the way up.
  const wayMs = delivery === 'reply' ? roundTrip : roundTrip / 2;
  return { frameMs: format.frameMs, wayMs, serverDelayMs: Number(serverDelayMs), ...waits };
}

/** @param {DelayParts} parts */
export const sumOf = (parts) => Object.values(parts).reduce((sum, ms) => sum + ms, 0);
