import { timeText } from './moment.js';

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
