/** @import { ClientStats, DelayParts } from './call-stats.js' */

/**
 * @typedef {object} DeviceDelays  in milliseconds; null where the browser doesn't tell
 * @property {number | null} microphoneMs  from a sound at the microphone until the page has it
 * @property {number | null} speakerMs     from a sound that the page gives until it is heard
 */

/**
 * The delays of the sound devices. Chromium tells both, Firefox the speaker's, as docs/browsers.md
 * says.
 * @param {MediaStream | null} stream  the microphone's
 * @param {AudioContext | null} context  that plays
 * @returns {DeviceDelays}
 */
export function deviceDelaysOf(stream, context) {
  const track = /** @type {{ stats?: { latency?: number } } | undefined} */ (
    stream?.getAudioTracks()[0]
  );
  return {
    microphoneMs: knownMs(track?.stats?.latency),
    speakerMs: knownMs(1000 * (context?.outputLatency ?? 0)),
  };
}

/** @param {unknown} ms  near 0 before it has been measured, and of a device that is none */
const knownMs = (ms) => (typeof ms === 'number' && Number.isFinite(ms) && ms >= 0.5 ? ms : null);

/** @param {DelayParts} parts */
export const sumOf = (parts) =>
  Object.values(parts).reduce((/** @type {number} */ sum, ms) => sum + (ms ?? 0), 0);

/**
 * Adds what a page knows of its devices to the statistics of its worker, which sees none.
 * @param {ClientStats} stats
 * @param {DeviceDelays} delays
 */
export function addDevices(stats, { microphoneMs, speakerMs }) {
  stats.delayParts.speakerMs = speakerMs;
  stats.delayMs = sumOf(stats.delayParts);
  stats.microphoneMs = microphoneMs;
}
