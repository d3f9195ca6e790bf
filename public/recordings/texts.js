/** Sentences of a recording's page, and its moments, in seconds: in addresses, and as text. */

/**
 * `#t=83`, `#t=1:23` or `#t=1:00:02.5`: normal play time (W3C Media Fragments URI 1.0, section
 * 4.2.1).
 */
const FRAGMENT =
  /(?:^#|&)t=(?:npt:)?(?:(?:(\d{1,4}):)?(\d{1,4}):)?(\d{1,7}(?:\.\d{0,6})?)(?:[&,]|$)/;

/**
 * Reads the moment that an address names.
 * @param {string} hash of a URL, with its #
 * @returns {number | null} seconds; null for none
 */
export function readMoment(hash) {
  const found = FRAGMENT.exec(hash);
  if (!found) return null;
  const [, hours = '0', minutes = '0', seconds] = found;
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}

/** @param {number} seconds @returns {string} fragment that names the moment */
export const momentHash = (seconds) => `#t=${Math.max(0, Math.floor(seconds))}`;

/** @param {number} seconds @returns {string} 1:02 or 1:00:02 */
export function timeText(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (/** @type {number} */ value) => String(value % 60).padStart(2, '0');
  const minutes = Math.floor(whole / 60);
  return whole < 3600
    ? `${minutes}:${two(whole)}`
    : `${Math.floor(minutes / 60)}:${two(minutes)}:${two(whole)}`;
}

/** The sentences of a recording's page. */
export const recordingPageTexts = Object.freeze({
  title: (/** @type {string} */ room) => `${room} · Recording · aloud`,
  play: 'Play',
  pause: 'Pause',
  position: 'Position',
  positionOf: (/** @type {number} */ at, /** @type {number} */ all) =>
    `${timeText(at)} of ${timeText(all)}`,
  back: 'back',
  ahead: 'ahead',
  speed: 'Speed',
  speedOf: (/** @type {number} */ speed) => `${speed} ×`,
  live: 'Live',
  toLive: 'Go to live',
  running: 'Being recorded now',
  copyMoment: 'Link to this moment',
  copied: (/** @type {number} */ at) => `The link to ${timeText(at)} is copied.`,
  notCopied: 'The link could not be copied. It is in the address bar.',
  waiting: 'Loading …',
  failed: 'The sound could not be loaded. Check the connection, then press Play.',
  cannotPlay: 'This browser can’t play the recording. Download it instead.',
  mix: 'Everybody together',
  mixAsWebm: 'Everybody together, as WebM',
  size: (/** @type {number} */ bytes) =>
    bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3))} kB` : `${(bytes / 1e6).toFixed(1)} MB`,
  overWebTransport: (/** @type {number} */ rate) =>
    rate === 0 ? 'Over WebTransport' : `Over WebTransport, at ${Math.round(rate / 1000)} kb/s`,
  overHttp: 'Over HTTP',
  missing:
    'There is no such recording. Perhaps the link isn’t whole, or the recording was deleted.',
  deleted: 'This recording was deleted.',
  unreachable: 'The server can’t be reached. Check the connection, then reload the page.',
});
