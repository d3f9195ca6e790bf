/** @import { ClientStats, DelayParts } from './call-stats.js' */

/**
 * @typedef {object} DeviceDelays  in milliseconds; null where the browser doesn't tell
 * @property {number | null} microphoneMs  from a sound at the microphone until the page has it
 * @property {number | null} speakerMs     from a sound that the page gives until it is heard
 */

/**
 * Reads the delays of the sound devices. Chromium reports both, Firefox the speaker's: see
 * docs/browsers.md. A track's latency counts from the first sample of a piece. Sound is placed by
 * the last one, so the piece's length isn't part of the delay.
 * @param {MediaStream | null} stream  the microphone's
 * @param {AudioContext | null} context of the output
 * @returns {DeviceDelays}
 */
export function deviceDelaysOf(stream, context) {
  const track = /** @type {(MediaStreamTrack & { stats?: { latency?: number } }) | undefined} */ (
    stream?.getAudioTracks()[0]
  );
  const firstMs = knownMs(track?.stats?.latency);
  const { latency: piece = 0 } = /** @type {{ latency?: number }} */ (track?.getSettings() ?? {});
  return {
    microphoneMs: firstMs && Math.max(0, firstMs - 1000 * piece),
    speakerMs: knownMs(1000 * (context?.outputLatency ?? 0)),
  };
}

/** @param {unknown} ms near 0 before the first measurement, and without a device */
const knownMs = (ms) => (typeof ms === 'number' && Number.isFinite(ms) && ms >= 0.5 ? ms : null);

/** @param {DelayParts} parts */
export const sumOf = (parts) =>
  Object.values(parts).reduce((/** @type {number} */ sum, ms) => sum + (ms ?? 0), 0);

/**
 * Adds the page's knowledge of its speaker to the statistics of its worker, which has none.
 * @param {ClientStats} stats
 * @param {Pick<DeviceDelays, 'speakerMs'>} delays
 */
export function addDevices(stats, { speakerMs }) {
  stats.delayParts.speakerMs = speakerMs;
  stats.delayMs = sumOf(stats.delayParts);
}
